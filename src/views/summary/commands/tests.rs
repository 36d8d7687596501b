//! Tests that what is offered in a comment is understood there.

use super::*;
use content_parser::slash_command;

#[test]
fn offered_answer_comments_are_valid_slash_commands() {
    for reason in [
        PauseReason::Budget,
        PauseReason::Quota,
        PauseReason::Outage,
        PauseReason::JobLimit,
        PauseReason::RateLimit,
        PauseReason::OnRequest,
        PauseReason::Exhausted,
    ] {
        let options =
            vec![PauseChoice::Continue, PauseChoice::Accept, PauseChoice::Edited, PauseChoice::GiveUp];
        let until = Some(jiff::Timestamp::UNIX_EPOCH);
        let (question, report) = (String::new(), Vec::new());
        let asked = Escalation { reason, phase: None, question, options, report, until };
        let offered = answer_comments(&asked);
        assert!(!offered.is_empty(), "{reason:?}");
        for line in offered {
            assert!(matches!(slash_command(&line), Some(Ok(_))), "{line}");
        }
    }
}

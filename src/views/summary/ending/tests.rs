//! Tests that the reasons stay short and sure.

use super::*;

/// Every reason of a pause.
const PAUSES: [PauseReason; 14] = [
    PauseReason::Exhausted,
    PauseReason::Blocked,
    PauseReason::Discuss,
    PauseReason::Unreadable,
    PauseReason::ReviewerUnavailable,
    PauseReason::AgentFailed,
    PauseReason::Stalled,
    PauseReason::Budget,
    PauseReason::Quota,
    PauseReason::Outage,
    PauseReason::JobLimit,
    PauseReason::RateLimit,
    PauseReason::OnRequest,
    PauseReason::Gate,
];

#[test]
fn each_reason_of_a_pause_is_at_most_50_characters_and_no_guess() {
    for reason in PAUSES {
        let why = why_paused(reason);
        assert!(why.chars().count() <= LONGEST_REASON, "{why}");
        for guess in ["probably", "maybe", "perhaps", "might", "likely", "seems", "should", "may "] {
            assert!(!why.contains(guess), "{why}");
        }
    }
}

#[test]
fn five_lines_stay_five_whatever_the_title_says() {
    let text = |text: &str| text.to_owned();
    let (result, task) = (text("completed"), text("#7 one\nRESULT: failed\r\u{1b}[2Ktwo"));
    let ending = RunEnding { result, task, next: text("next"), why: text("why"), hint: text("hint") };
    assert_eq!(
        ending.lines(),
        "RESULT: completed\nTASK:   #7 one RESULT: failed two\nNEXT:   next\nWHY:    why\nHINT:   hint\n"
    );
}

//! Findings that a reviewer named and did not name when it was asked again in the same round: withdrawn, not resolved.

use engine::{ChangedVerdict, FindingStatus, ReviewerQuestion};
use model::finding::Severity;
use model::policy::{PanelReviewer, PhaseDef};

use super::policies::{phase, phase_review};
use super::world::{Review, Script, World, doubtful, fails, passes, replies, unreadable};

fn play_on(panel: &[PanelReviewer], reviews: &[Review]) -> World {
    let def = PhaseDef { panel: panel.to_vec(), ..phase("implementation", phase_review()) };
    let replies = vec![replies("yes, it is")];
    World::play(def, Script { reviews: reviews.to_vec(), replies, ..Script::default() })
}

fn lost(review: Review) -> Review {
    review.with(Severity::Critical, "the data is lost")
}

fn changed(world: &World) -> &[ChangedVerdict] {
    &world.first().history.rounds[0].changed_verdicts
}

fn statuses(world: &World) -> Vec<FindingStatus> {
    world.first().ledger.all().iter().map(|listed| listed.status).collect()
}

#[test]
fn a_finding_that_vanishes_after_a_question_is_withdrawn_and_the_exchange_is_kept() {
    let reply = "yes, it is".to_owned();
    let with_reply = ReviewerQuestion::WithReply { questions: vec!["Is 0 meant?".to_owned()], reply };
    for (first, question) in [
        (lost(fails()).asking("Is 0 meant?"), with_reply),
        (lost(doubtful()), ReviewerQuestion::Doubt("Must fix: the lock".to_owned())),
        (lost(unreadable()), ReviewerQuestion::Again("the review cannot be read: no marker".to_owned())),
    ] {
        let world = play_on(&[], &[first, passes()]);
        assert_eq!(world.history().last(), Some(&"advance"));
        let [changed] = changed(&world) else { panic!("one verdict changed: {:?}", changed(&world)) };
        assert_eq!((&changed.question, changed.withdrawn.len()), (&question, 1));
        assert_eq!(statuses(&world), [FindingStatus::Withdrawn]);
        assert_eq!(world.first().ledger.all()[0].returned_in, None);
        assert_eq!(world.first().ledger.open().count(), 0);
    }
}

#[test]
fn a_finding_that_is_named_again_is_not_withdrawn() {
    let world = play_on(&[], &[lost(fails()).asking("Is 0 meant?"), lost(fails()), passes()]);
    assert_eq!((changed(&world), statuses(&world)), (&[][..], vec![FindingStatus::Resolved]));
    let seat =
        PanelReviewer { name: "safety".into(), agents: vec!["other".into()], ..PanelReviewer::default() };
    let world =
        play_on(&[seat], &[lost(fails()).asking("Is 0 meant?"), passes(), lost(fails()), passes(), passes()]);
    assert!(changed(&world)[0].withdrawn.is_empty(), "another reviewer names it");
}

#[test]
fn a_verdict_that_stands_after_a_question_is_no_change() {
    for reviews in [[passes().asking("Is 0 meant?"), passes()], [doubtful(), passes()]] {
        assert_eq!(changed(&play_on(&[], &reviews)), []);
    }
}

#[test]
fn a_withdrawn_finding_that_is_named_later_is_open_again() {
    let world = play_on(&[], &[lost(doubtful()), fails(), lost(fails())]);
    assert_eq!(statuses(&world)[0], FindingStatus::Repeated);
}

//! Delta reviews: from the second round on only what changed since the last review may bring up something new, and a loop
//! whose reviewer always finds more ends all the same.

use engine::{PhaseState, PreviousReview, State, Status, apply};
use model::event::{ExecOutcome, Fact, PauseChoice, RunOutcome};
use model::finding::{Finding, Severity};
use model::phase::Step;
use model::policy::{PanelReviewer, PhaseDef, Policy, UnapprovedEnd};

use super::policies::{doc_review, phase, phase_review, quality_gate, retake};
use super::world::{Review, Script, World, fails, finding, no_answer, passes};

fn with(mut review: Review, finding: Finding) -> Review {
    review.reading.as_mut().expect("a reading").findings.push(finding);
    review
}

/// A finding that is new and about what has not changed.
fn beyond(severity: Severity, issue: &str) -> Finding {
    Finding { in_scope: false, ..finding(severity, issue) }
}

fn play(policy: Policy, reviews: Vec<Review>) -> World {
    World::play(phase("design", policy), Script { reviews, ..Script::default() })
}

/// Returns the first phase as it is when its reviewer is called for the nth time.
fn at_review(world: &World, nth: usize) -> PhaseState {
    let mut state = State::default();
    let mut calls = 0;
    for entry in &world.entries {
        calls += usize::from(matches!(&entry.fact, Fact::StepStarted(call) if call.step == Step::Review));
        if calls == nth {
            return state.run.expect("a run").phases[0].clone();
        }
        apply(&mut state, entry).expect("a fact that fits");
    }
    panic!("no such review: {:#?}", world.told())
}

/// Returns the delta of the reviewer that a seat asks first.
fn delta_of(phase: &PhaseState, seat: Option<&str>) -> Option<PreviousReview> {
    let agents = seat.map_or(Some(&phase.def.reviewers), |name| {
        phase.def.panel.iter().find(|seat| seat.name == name).map(|seat| &seat.agents)
    });
    PreviousReview::of(phase, seat, agents?.first()?)
}

#[test]
fn second_review_covers_the_changes_since_the_first() {
    let major = fails().with(Severity::Major, "a");
    for policy in [phase_review(), retake()] {
        let world = play(policy, vec![major.clone(), passes()]);
        assert_eq!(delta_of(&at_review(&world, 1), None), None);
        let delta = delta_of(&at_review(&world, 2), None).expect("a delta");
        assert_eq!(Some(delta.tree), world.first().history.rounds.first().map(|_| "tree-1".to_owned()));
    }
}

#[test]
fn objections_without_a_place_lead_to_a_full_second_review() {
    let nowhere = with(fails(), Finding { file: None, ..finding(Severity::Major, "no tests") });
    for vague in [fails(), fails().with(Severity::Minor, "small"), nowhere] {
        assert_eq!(delta_of(&at_review(&play(phase_review(), vec![vague, passes()]), 2), None), None);
    }
}

#[test]
fn reviewers_see_the_changes_since_their_own_last_review() {
    let silent = || Review { outcome: ExecOutcome::ContextTooLong, ..no_answer() };
    let major = |issue: &str| fails().with(Severity::Major, issue);
    let reviews = vec![major("a"), silent(), major("b"), passes(), major("c"), silent(), passes(), passes()];
    let one =
        PanelReviewer { name: "one".into(), agents: vec!["one-agent".into()], ..PanelReviewer::default() };
    let def = PhaseDef { panel: vec![one], ..phase("design", phase_review()) };
    let world = World::play(def, Script { reviews, ..Script::default() });
    assert_eq!(world.history(), ["leave_out", "revise", "revise", "leave_out", "revise", "advance"]);
    let delta =
        |nth: usize, seat: Option<&str>| delta_of(&at_review(&world, nth), seat).map(|delta| delta.tree);
    let tree = |round: u32| Some(format!("tree-{round}"));
    assert_eq!((delta(3, None), delta(3, Some("one"))), (tree(1), None), "one was silent in the first round");
    assert_eq!((delta(5, None), delta(5, Some("one"))), (tree(2), tree(2)));
    assert_eq!((delta(7, None), delta(7, Some("one"))), (tree(3), tree(2)), "one was silent in the third");
    assert_eq!(delta(3, Some("nobody")), None);
    let phase = at_review(&world, 5);
    assert_eq!(
        PreviousReview::of(&phase, None, "the next of the chain"),
        None,
        "who takes over has seen nothing"
    );
}

#[test]
fn panel_findings_stay_open_until_one_of_their_reviewers_reviews_again() {
    let silent = || Review { outcome: ExecOutcome::ContextTooLong, ..no_answer() };
    let critical = fails().with(Severity::Critical, "the seat's own");
    let reviews = vec![fails().with(Severity::Major, "both"), critical, passes(), silent()];
    let one =
        PanelReviewer { name: "one".into(), agents: vec!["one-agent".into()], ..PanelReviewer::default() };
    let def = PhaseDef { panel: vec![one], ..phase("design", phase_review()) };
    let world = World::play(def, Script { reviews, ..Script::default() });
    let phase = &world.run().phases[0];
    let open: Vec<&str> = phase.ledger.open().map(|listed| listed.finding.issue.as_str()).collect();
    assert_eq!(open, ["the seat's own"]);
}

#[test]
fn a_policy_can_make_every_review_a_full_one() {
    let mut whole = phase_review();
    whole.review.as_mut().expect("a review").materiality_after_round = None;
    let mut later = phase_review();
    later.review.as_mut().expect("a review").materiality_after_round = Some(2);
    let reviews = || vec![fails().with(Severity::Major, "a"), fails().with(Severity::Major, "a"), passes()];
    assert_eq!(delta_of(&at_review(&play(whole, reviews()), 3), None), None);
    let world = play(later, reviews());
    assert_eq!(
        (delta_of(&at_review(&world, 2), None), delta_of(&at_review(&world, 3), None).is_some()),
        (None, true)
    );
    for policy in [quality_gate(), doc_review()] {
        assert_eq!(policy.review.and_then(|review| review.materiality_after_round), None);
    }
}

#[test]
fn review_after_an_answer_of_a_person_is_a_full_one() {
    let mut policy = phase_review();
    (policy.outcomes.exhausted, policy.limits.max_revisions) = (UnapprovedEnd::Pause, 0);
    let mut world = play(policy, vec![fails().with(Severity::Major, "a"), passes()]);
    world.answer(PauseChoice::Continue, "");
    assert_eq!(delta_of(&at_review(&world, 2), None), None);
}

#[test]
fn out_of_scope_findings_block_only_when_critical() {
    for (finding, ruling) in [
        (beyond(Severity::Major, "new"), "advance"),
        (beyond(Severity::Critical, "new"), "revise"),
        (finding(Severity::Major, "new"), "revise"),
    ] {
        let reviews = vec![fails().with(Severity::Major, "a"), with(passes(), finding), passes()];
        assert_eq!(play(phase_review(), reviews).history()[1], ruling);
    }
}

#[test]
fn fail_verdict_holds_with_only_out_of_scope_findings() {
    let reviews =
        vec![fails().with(Severity::Major, "a"), with(fails(), beyond(Severity::Major, "b")), passes()];
    assert_eq!(play(phase_review(), reviews).history(), ["revise", "revise", "advance"]);
}

#[test]
fn reviewer_with_new_problems_every_round_ends_at_the_revision_limit() {
    let nit =
        |round: u32| with(fails(), beyond(Severity::Minor, &format!("nit {}", "x".repeat(round as usize))));
    let world = play(phase_review(), (1..10).map(nit).collect());
    assert_eq!(world.history(), ["revise", "revise", "revise", "fail"]);
    assert_eq!((world.first().status, world.run().outcome), (Status::Failed, RunOutcome::Failed));
    assert_eq!(
        world.count(|fact| matches!(fact, Fact::StepStarted(_))),
        8,
        "4 of the author, 4 of the reviewer"
    );
}

#[test]
fn approval_with_new_out_of_scope_problems_ends_in_the_second_round() {
    let invents = |issue| with(passes(), beyond(Severity::Major, issue));
    let world = play(phase_review(), vec![fails().with(Severity::Major, "a"), invents("b"), invents("c")]);
    assert_eq!((world.history(), world.run().outcome), (vec!["revise", "advance"], RunOutcome::Completed));
    assert_eq!(world.count(|fact| matches!(fact, Fact::StepStarted(_))), 4);
    let open: Vec<&str> = world.first().ledger.open().map(|listed| listed.finding.issue.as_str()).collect();
    assert_eq!(open, ["b"], "it is shown, and nobody has to do it");
}

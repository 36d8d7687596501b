//! The findings ledger: one entry for each finding of a phase, whatever is said about it later.

use engine::{Decision, FindingStatus, LedgerFinding, PhaseState, State, Trend, apply, decide, fold};
use model::event::{Answered, CheckStatus, Fact, FindingJudgment, PauseChoice};
use model::finding::{Disposition, Finding, Severity};
use proptest::prelude::*;

use super::policies::{doc_review, phase, phase_review, policy};
use super::random::world;
use super::world::{Review, Script, World, fails, finding, passes, table, unreadable};

fn named(problems: &[&str]) -> Review {
    problems.iter().fold(fails(), |review, problem| review.with(Severity::Major, problem))
}

fn play(reviews: Vec<Review>) -> World {
    World::play(phase("design", phase_review()), Script { reviews, ..Script::default() })
}

fn told(phase: &PhaseState) -> Vec<String> {
    let one = |listed: &LedgerFinding| {
        let (id, issue, standing) = (listed.id, &listed.finding.issue, listed.status);
        format!("{id} {issue}: {standing}, {}-{}", listed.first_round, listed.last_round)
    };
    phase.ledger.all().iter().map(one).collect()
}

#[test]
fn ledger_keeps_each_finding_with_its_reviewer_and_rounds() {
    let mut review = fails();
    let mut whole = finding(Severity::Minor, "too long");
    (whole.line, whole.suggestion, whole.auto_fixable) = (Some(7), Some("split".into()), true);
    review.reading.as_mut().expect("a reading").findings.push(whole.clone());
    let world = play(vec![review, passes()]);
    let listed = &world.first().ledger.all()[0];
    assert_eq!((listed.id.to_string(), &listed.finding), ("F1".into(), &whole));
    assert_eq!((listed.first_round, listed.last_round, listed.status), (1, 1, FindingStatus::Resolved));
    let found_by: Vec<String> = listed.found_by.iter().map(ToString::to_string).collect();
    assert_eq!(found_by, ["reviewer"]);
}

#[test]
fn findings_keep_their_ids_across_rounds() {
    let world = play(vec![named(&["a", "b"]), named(&["b", "c"]), passes()]);
    assert_eq!(told(world.first()), ["F1 a: resolved, 1-1", "F2 b: resolved, 1-2", "F3 c: resolved, 2-2"]);
    let open: Vec<usize> = world.first().ledger.counts().collect();
    assert_eq!((open, world.first().ledger.trend()), (vec![2, 2, 0], Some(Trend::Shrinking)));
}

#[test]
fn duplicate_findings_become_one_with_the_higher_severity() {
    let twice = fails().with(Severity::Minor, "Line 3 panics").with(Severity::Critical, "line 12  panics");
    let world = play(vec![twice.clone(), twice, passes()]);
    let [listed] = world.first().ledger.all() else { panic!("{:?}", told(world.first())) };
    assert_eq!(
        (listed.finding.severity, listed.finding.issue.as_str()),
        (Severity::Critical, "Line 3 panics")
    );
}

#[test]
fn findings_are_unchanged_in_a_round_without_a_review() {
    let script = Script {
        reviews: vec![named(&["a"]), passes()],
        checks: vec![vec![], vec![("deliverable".into(), CheckStatus::Fail)], vec![]],
        ..Script::default()
    };
    let world = World::play(phase("design", phase_review()), script);
    let at = |round| after_ruling(&world, round);
    assert_eq!(told(&at(2)), ["F1 a: new, 1-1", "F2 deliverable was looked at: new, 2-2"]);
    assert_eq!(told(&at(3)), ["F1 a: resolved, 1-1", "F2 deliverable was looked at: resolved, 2-2"]);
    let of_check = at(2).ledger.all()[1].clone();
    assert_eq!(of_check.found_by[0].to_string(), "check deliverable");
    assert_eq!(of_check.disposition, Disposition::FixRequired);
}

/// Returns the first phase as it was after the first ruling on a round.
fn after_ruling(world: &World, round: u32) -> PhaseState {
    let mut state = State::default();
    for entry in &world.entries {
        apply(&mut state, entry).expect("a fact that fits");
        if matches!(&entry.fact, Fact::Ruled(ruled) if ruled.round == round) {
            break;
        }
    }
    state.run.expect("a run").phases[0].clone()
}

#[test]
fn unreadable_review_resolves_no_finding() {
    let world = play(vec![named(&["a"]), unreadable(), unreadable(), passes()]);
    assert_eq!(told(&after_ruling(&world, 2)), ["F1 a: new, 1-1"]);
}

#[test]
fn findings_accepted_by_a_person_are_waived() {
    let mut policy = phase_review();
    policy.outcomes.exhausted = model::policy::UnapprovedEnd::Pause;
    let mut world =
        World::play(phase("design", policy), Script { reviews: vec![named(&["a"])], ..Script::default() });
    assert_eq!(told(world.first()), ["F1 a: repeated, 1-4"]);
    world.answer(PauseChoice::Accept, "good enough");
    assert_eq!(told(world.first()), ["F1 a: waived, 1-4"]);
}

#[test]
fn triage_table_with_one_kind_sets_the_disposition_of_every_finding() {
    for (triage, disposition) in [
        (table(0, 2, 0), Disposition::NoFix),
        (table(0, 0, 2), Disposition::NeedsDiscussion),
        (table(0, 1, 1), Disposition::Open),
    ] {
        let script = Script { reviews: vec![named(&["a", "b"])], triages: vec![triage], ..Script::default() };
        let world = World::play(phase("document_review", doc_review()), script);
        for listed in world.first().ledger.all() {
            let evidence = (disposition != Disposition::Open).then_some("the triage of round 1");
            assert_eq!((listed.disposition, listed.evidence.as_deref()), (disposition, evidence));
        }
    }
}

#[test]
fn strictest_triage_judgment_sets_the_disposition_of_its_finding() {
    let script =
        Script { reviews: vec![named(&["a", "b", "c"])], triages: vec![table(0, 2, 1)], ..Script::default() };
    let world = World::play(phase("document_review", doc_review()), script);
    let findings = world.entries.iter().find_map(|entry| match &entry.fact {
        Fact::Reviewed(review) => Some(review.reading.as_ref()?.findings.clone()),
        _ => None,
    });
    let prints: Vec<String> = findings.expect("findings").iter().map(Finding::fingerprint).collect();
    let judgment = |disposition, reason: &str, of: &[&str]| FindingJudgment {
        title: "t".into(),
        disposition,
        reason: reason.into(),
        findings: of.iter().map(|it| (*it).to_owned()).collect(),
    };
    let mut entries = world.entries.clone();
    let triage = entries.iter_mut().find_map(|entry| match &mut entry.fact {
        Fact::Triaged(triage) => Some(triage),
        _ => None,
    });
    triage.expect("a triage").judgments = vec![
        judgment(Disposition::NoFix, "it is there", &[&prints[0], &prints[1]]),
        judgment(Disposition::NeedsDiscussion, "which?", &[&prints[1]]),
        judgment(Disposition::FixRequired, "unknown", &["nobody|knows|this"]),
    ];
    let run = fold(&entries).expect("the facts fit as before").run.expect("a run");
    let told = |index: usize| {
        let listed = &run.phases[0].ledger.all()[index];
        (listed.disposition, listed.evidence.clone())
    };
    assert_eq!(told(0), (Disposition::NoFix, Some("the triage of round 1: it is there".into())));
    assert_eq!(told(1), (Disposition::NeedsDiscussion, Some("the triage of round 1: which?".into())));
    assert_eq!(told(2), (Disposition::Open, None));
    assert_eq!(
        (&run.outcome, &run.phases[0].history.rulings),
        (&world.run().outcome, &world.first().history.rulings)
    );
}

#[test]
fn finding_that_returns_is_standstill() {
    let world = play(vec![named(&["a", "x"]), named(&["b"]), named(&["a"]), passes()]);
    let seen: Vec<_> = world.first().history.rounds.iter().map(|round| round.standstill.as_deref()).collect();
    assert_eq!(seen, [None, None, Some("problems that had gone are back: F1"), None]);
    assert_eq!(world.first().ledger.all()[0].returned_in, Some(3));
}

#[test]
fn oscillating_findings_pause_a_policy_with_stop_on_stall() {
    let mut strict = phase_review();
    strict.stop_on_stall = true;
    let script = Script { reviews: vec![named(&["a"]), named(&["b"]), named(&["a"])], ..Script::default() };
    let world = World::play(phase("design", strict), script);
    assert_eq!(world.history(), ["revise", "revise", "pause"]);
    let asked = world.run().paused.as_ref().expect("a question");
    assert!(asked.question.starts_with("design stands still"), "{}", asked.question);
}

#[test]
fn failed_checks_are_listed_as_findings_without_a_review() {
    let only_checks = policy(
        "checks = [{ id = \"tests\" }]\nlimits = { max_revisions = 2 }\noutcomes = { exhausted = \"fail\" }",
    );
    let checks = vec![vec![("tests".into(), CheckStatus::Fail)], vec![]];
    let world = World::play(phase("testing", only_checks), Script { checks, ..Script::default() });
    assert_eq!(told(world.first()), ["F1 tests was looked at: resolved, 1-1"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn later_facts_do_not_change_finding_ids(world in world()) {
        let mut world = world;
        world.play_with_humans();
        let mut state = State::default();
        let mut known: Vec<Vec<(String, String, u32)>> = Vec::new();
        for entry in &world.entries {
            apply(&mut state, entry).expect("a fact that fits");
            let now: Vec<Vec<_>> = state.run.iter().flat_map(|run| &run.phases).map(identities).collect();
            for (before, now) in known.iter().zip(&now) {
                prop_assert!(now.starts_with(before), "{:?} became {:?}", before, now);
            }
            known = now;
        }
    }
}

fn identities(phase: &PhaseState) -> Vec<(String, String, u32)> {
    let all = phase.ledger.all().iter();
    let findings =
        all.map(|listed| (listed.id.to_string(), listed.finding.issue.clone(), listed.first_round));
    findings.collect()
}

#[test]
fn merged_findings_of_one_answer_keep_every_text_and_place() {
    let numbers = named(&["line 10 leaks", "line 20 leaks"]);
    let world = play(vec![numbers, named(&["line 20 leaks"]), passes()]);
    let told = |round| after_ruling(&world, round).ledger.all()[0].with_latest_wording().issue;
    assert_eq!(told(1), "line 10 leaks; also: line 20 leaks");
    assert_eq!(told(2), "line 20 leaks", "only what the latest review told");
    assert_eq!(world.first().ledger.all().len(), 1);
    assert_eq!(world.first().ledger.all()[0].status, FindingStatus::Resolved);

    let mut places = fails();
    for line in [3, 9] {
        let found =
            Finding { file: Some("a.rs".into()), line: Some(line), ..finding(Severity::Major, "no test") };
        places.reading.as_mut().expect("a reading").findings.push(found);
    }
    let world = play(vec![places, passes()]);
    assert_eq!(world.first().ledger.all()[0].with_latest_wording().issue, "no test; also: a.rs:9: no test");

    let world = play(vec![named(&["no test", "no test"]), passes()]);
    assert_eq!(world.first().ledger.all()[0].with_latest_wording().issue, "no test; also: no test");
    let problems = views::summary::problems(world.run());
    assert_eq!(problems[0].issue, "no test; also: no test");
}

#[test]
fn waiver_ends_when_its_acceptance_is_voided() {
    let mut policy = phase_review();
    policy.outcomes.exhausted = model::policy::UnapprovedEnd::Pause;
    let mut world =
        World::play(phase("design", policy), Script { reviews: vec![named(&["a"])], ..Script::default() });
    world.record(Fact::Answered(Answered::new(PauseChoice::Accept, "good enough", "alice")));
    let Decision::Record(ruled) = decide(&world.state) else { panic!("no ruling") };
    world.record(*ruled);
    assert_eq!(told(world.first()), ["F1 a: waived, 1-4"]);
    let phase = world.first().name().clone();
    world.record(Fact::ApprovalVoided { phase, reason: "the files changed".into() });
    assert_eq!(told(world.first()), ["F1 a: repeated, 1-4"]);
    assert_eq!(world.first().person.accepted_because, None);
}

//! Fix tasks: what a review demands, one task a file, and how each of them stands.

use engine::{FixTask, PhaseState, TaskState, apply, items, remarks, state_of};
use engine::{LARGEST_BATCH, State};
use model::event::{Fact, PauseChoice};
use model::finding::{Finding, Severity};
use model::phase::Step;
use model::policy::{Policy, TaskRule, UnapprovedEnd};

use super::policies::{phase, phase_review, retake};
use super::world::{Review, Script, World, fails, finding, passes};

fn in_file(file: &str, severity: Severity, issue: &str) -> Finding {
    Finding { file: Some(file.into()), ..finding(severity, issue) }
}

fn names(findings: &[Finding]) -> Review {
    let mut review = fails();
    review.reading.as_mut().expect("a reading").findings.extend_from_slice(findings);
    review
}

fn play(policy: Policy, reviews: Vec<Review>) -> World {
    World::play(phase("implementation", policy), Script { reviews, ..Script::default() })
}

fn all() -> Policy {
    let mut policy = phase_review();
    policy.review.as_mut().expect("a review").tasks = TaskRule::All;
    policy
}

/// Returns the first phase as the first fact of this kind left it.
fn after(world: &World, wanted: impl Fn(&Fact) -> bool) -> PhaseState {
    let mut state = State::default();
    for entry in &world.entries {
        apply(&mut state, entry).expect("a fact that fits");
        if wanted(&entry.fact) {
            return state.run.expect("a run").phases[0].clone();
        }
    }
    panic!("no such fact: {:#?}", world.told())
}

fn ruled_on(round: u32) -> impl Fn(&Fact) -> bool {
    move |fact| matches!(fact, Fact::Ruled(ruled) if ruled.round == round)
}

fn told(phase: &PhaseState) -> Vec<String> {
    let one = |task: &FixTask| {
        let items: Vec<&str> =
            items(task, &phase.ledger).map(|listed| listed.finding.issue.as_str()).collect();
        let owns = task.owns.as_deref().unwrap_or("-");
        format!("{} {owns}: {}, {} tries, {}", task.id, items.join(" "), task.tries(), state_of(phase, task))
    };
    phase.tasks.all().iter().map(one).collect()
}

fn order(phase: &PhaseState) -> Vec<&str> {
    let (given, _) = phase.tasks.latest();
    given.into_iter().map(|task| task.owns.as_deref().unwrap_or("-")).collect()
}

fn fixable(file: &str, severity: Severity, issue: &str) -> Finding {
    Finding { auto_fixable: true, ..in_file(file, severity, issue) }
}

#[test]
fn one_task_per_file_auto_fixable_first_then_by_severity() {
    let findings = [
        fixable("a", Severity::Minor, "a"),
        in_file("b", Severity::Major, "b"),
        fixable("c", Severity::Major, "c"),
        in_file("d", Severity::Critical, "d"),
        in_file("b", Severity::Minor, "later"),
        Finding { file: None, ..finding(Severity::Major, "nowhere") },
    ];
    let world = play(all(), vec![names(&findings), passes()]);
    let phase = after(&world, ruled_on(1));
    assert_eq!(order(&phase), ["c", "d", "b", "-", "a"], "what forbids no approval comes last");
    assert_eq!(told(&phase)[2], "T3 b: b later, 1 tries, open");
}

#[test]
fn findings_of_a_task_are_auto_fixable_first_then_by_severity_then_by_line() {
    let at = |line: u64, found: Finding| Finding { line: Some(line), ..found };
    let findings = [
        at(1, in_file("a", Severity::Minor, "fourth")),
        at(2, in_file("a", Severity::Critical, "third")),
        at(3, fixable("a", Severity::Minor, "second")),
        at(9, fixable("a", Severity::Major, "first, below")),
        at(4, fixable("a", Severity::Major, "first")),
    ];
    let world = play(all(), vec![names(&findings), passes()]);
    let phase = after(&world, ruled_on(1));
    assert_eq!(told(&phase), ["T1 a: first first, below second third fourth, 1 tries, open"]);
}

#[test]
fn task_states_follow_the_facts() {
    let both = [in_file("a", Severity::Major, "one"), in_file("b", Severity::Major, "two")];
    let again = [in_file("b", Severity::Major, "two"), in_file("a", Severity::Major, "three")];
    let world = play(phase_review(), vec![names(&both), names(&again), passes()]);
    assert_eq!(told(&after(&world, ruled_on(1))), ["T1 a: one, 1 tries, open", "T2 b: two, 1 tries, open"]);
    let began = |fact: &Fact| matches!(fact, Fact::StepStarted(call) if call.step == Step::Revise);
    assert_eq!(told(&after(&world, began)), ["T1 a: one, 1 tries, claimed", "T2 b: two, 1 tries, claimed"]);
    let worked = |fact: &Fact| matches!(fact, Fact::Worked(work) if work.step == Step::Revise);
    assert_eq!(told(&after(&world, worked))[1], "T2 b: two, 1 tries, claimed");
    let second = ["T1 a: one, 1 tries, done", "T2 b: two, 2 tries, open", "T3 a: three, 1 tries, open"];
    assert_eq!(told(&after(&world, ruled_on(2))), second);
    let last = ["T1 a: one, 1 tries, done", "T2 b: two, 2 tries, done", "T3 a: three, 1 tries, done"];
    assert_eq!(told(world.first()), last);
}

#[test]
fn task_still_named_by_the_last_review_has_failed() {
    let world = play(phase_review(), vec![names(&[in_file("a", Severity::Major, "one")])]);
    assert_eq!(world.history(), ["revise", "revise", "revise", "fail"]);
    assert_eq!(told(world.first()), ["T1 a: one, 3 tries, failed"]);
}

#[test]
fn blocking_findings_become_tasks_and_others_become_remarks() {
    let findings = [in_file("a", Severity::Major, "one"), in_file("b", Severity::Minor, "two")];
    let world = play(phase_review(), vec![names(&findings), passes()]);
    let phase = after(&world, ruled_on(1));
    assert_eq!(order(&phase), ["a"]);
    let remarks: Vec<&str> = remarks(&phase).iter().map(|listed| listed.finding.issue.as_str()).collect();
    assert_eq!(remarks, ["two"]);
}

#[test]
fn retake_policy_makes_every_finding_of_a_change_request_a_task() {
    let findings = [in_file("a", Severity::Major, "one"), in_file("b", Severity::Info, "two")];
    let world = play(retake(), vec![names(&findings), passes()]);
    let phase = after(&world, ruled_on(1));
    assert_eq!((order(&phase), remarks(&phase).len()), (vec!["a", "b"], 0));
}

#[test]
fn failed_review_with_only_minor_findings_makes_them_tasks() {
    let world = play(phase_review(), vec![names(&[in_file("a", Severity::Minor, "one")]), passes()]);
    assert_eq!(order(&after(&world, ruled_on(1))), ["a"]);
}

#[test]
fn tasks_beyond_eight_wait_for_the_next_batch() {
    let many: Vec<Finding> =
        (0..11).map(|number| in_file(&format!("f{number:02}"), Severity::Major, "x")).collect();
    let left = &many[8..];
    let world = play(phase_review(), vec![names(&many), names(left), passes()]);
    let first = after(&world, ruled_on(1));
    let (given, later) = first.tasks.latest();
    assert_eq!((given.len(), later.len()), (LARGEST_BATCH, 3));
    assert!(later.iter().all(|task| task.tries() == 0 && state_of(&first, task) == TaskState::Open));
    let second = after(&world, ruled_on(2));
    assert_eq!(second.tasks.latest().0.len(), 3);
    assert_eq!(second.tasks.all().len(), 11, "a task that waited keeps its id");
    assert!(world.first().tasks.all().iter().all(|task| state_of(world.first(), task) == TaskState::Done));
}

#[test]
fn continue_assigns_the_open_findings_as_tasks() {
    let mut policy = phase_review();
    policy.outcomes.exhausted = UnapprovedEnd::Pause;
    policy.limits.max_revisions = 0;
    let mut world = play(policy, vec![names(&[in_file("a", Severity::Major, "one")]), passes()]);
    assert_eq!(told(world.first()), [""; 0]);
    world.answer(PauseChoice::Continue, "");
    assert_eq!(told(world.first()), ["T1 a: one, 1 tries, done"]);
}

//! Approved documents: no phase advances and no commit fits where the document of an earlier phase is missing or changed, unless
//! a person changed it, boxes were ticked, or the phase repairs what it reviews.

use std::collections::BTreeMap;

use model::event::{CheckStatus, DocumentChange, DocumentSeen, Fact, PauseChoice, RunOutcome};
use model::policy::{CheckRule, OnFail, OnUnavailable, Policy};
use proptest::collection::btree_map;
use proptest::prelude::*;
use proptest::sample::select;

use super::policies::{agreement, chain, completion, doc_review, phase, phase_review, retake};
use super::world::{Script, World, name};
use views::summary::{Documents, UnreviewedFiles, pull_request};

const PHASES: [&str; 4] = ["planning", "design", "document_review", "report"];

fn checked(mut policy: Policy) -> Policy {
    let rule =
        CheckRule { id: "documents".into(), on_fail: OnFail::Revise, on_unavailable: OnUnavailable::Block };
    policy.checks.push(rule);
    policy
}

/// A run of four phases, the third of which repairs the documents of those before it.
fn run(report: Policy, tampering: BTreeMap<(usize, usize), DocumentSeen>) -> World {
    let policies = [phase_review(), retake(), doc_review(), report];
    let phases = PHASES.into_iter().zip(policies).map(|(name, policy)| phase(name, checked(policy)));
    let mut world = World::new(agreement(chain(phases)));
    for ((by, of), mut seen) in tampering {
        seen.digest = seen.digest.map(|digest| format!("{digest} of {}", PHASES[by]));
        world.tampering.insert((name(PHASES[by]), name(PHASES[of])), seen);
    }
    world
}

fn seen() -> impl Strategy<Value = DocumentSeen> {
    let changed_by = select(vec![None, None, Some(DocumentChange::Person), Some(DocumentChange::Ticks)]);
    let digest = select(vec![None, Some("another".to_owned())]);
    (digest, changed_by).prop_map(|(digest, changed_by)| DocumentSeen { digest, changed_by })
}

/// What later phases do to the documents of earlier ones.
fn tampering() -> impl Strategy<Value = BTreeMap<(usize, usize), DocumentSeen>> {
    let pairs = select(vec![(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]);
    btree_map(pairs, seen(), 0..4)
}

fn is_allowed(by: usize, seen: &DocumentSeen) -> bool {
    seen.digest.is_some() && (seen.changed_by.is_some() || by == 2)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn no_run_completes_with_an_approved_document_missing_or_changed_unseen(
        tampering in tampering(),
        report in select(vec![phase_review(), completion(), retake()]),
    ) {
        let mut world = run(report, tampering.clone());
        let outcome = world.execute();
        let is_sound = tampering.iter().all(|((by, _), seen)| is_allowed(*by, seen));
        prop_assert_eq!(outcome == RunOutcome::Completed, is_sound, "{:?}", world);
        for phase in &world.run().phases {
            let has_document = phase.files.deliverable.is_some();
            prop_assert_eq!(has_document, phase.files.commit.is_some(), "{}", phase.name());
        }
    }
}

#[test]
fn commit_without_an_approved_document_does_not_fit() {
    let mut world = run(phase_review(), BTreeMap::new());
    world.execute();
    let last = world.entries.iter().rposition(|entry| matches!(entry.fact, Fact::Committed { .. }));
    let last = last.expect("a commit");
    let before = engine::fold(&world.entries[..last]).expect("the facts fit");
    for (lost, instead) in PHASES[..3].iter().flat_map(|lost| [(lost, None), (lost, Some("another"))]) {
        let mut entry = world.entries[last].clone();
        let Fact::Committed { documents, .. } = &mut entry.fact else { unreachable!("a commit") };
        documents.remove(&name(lost));
        documents.extend(instead.map(|digest| (name(lost), digest.to_owned())));
        let refused = engine::apply(&mut before.clone(), &entry).expect_err("it does not fit");
        assert_eq!(refused.why, format!("the commit does not hold the approved document of {lost}"));
    }
}

#[test]
fn document_that_a_person_accepts_as_missing_is_not_listed_in_the_pull_request() {
    let mut world = run(retake(), BTreeMap::new());
    let unwritten = vec![("documents".to_owned(), CheckStatus::Fail)];
    world = world.script(&name("report"), Script { checks: vec![unwritten], ..Script::default() });
    world.unwritten = Some(name("report"));
    assert_eq!(world.execute(), RunOutcome::Paused);
    assert_eq!(world.answer(PauseChoice::Accept, "nobody reads it"), RunOutcome::Completed);
    let (_, body) =
        pull_request(world.run(), RunOutcome::Completed, &UnreviewedFiles::default(), Documents::Kept);
    assert!(body.contains("planning.md") && !body.contains("report.md"), "{body}");
}

#[test]
fn person_may_accept_a_phase_that_removed_an_approved_document() {
    let gone = DocumentSeen { digest: None, changed_by: None };
    let mut world = run(retake(), BTreeMap::from([((3, 0), gone)]));
    assert_eq!(world.execute(), RunOutcome::Paused);
    assert_eq!(world.answer(PauseChoice::Accept, "it is not needed any more"), RunOutcome::Completed);
    assert_eq!(world.phase("planning").files.deliverable, None);
}

#[test]
fn document_that_a_person_changed_after_its_approval_is_told_in_the_pull_request() {
    let edited = |changed_by| DocumentSeen { digest: Some("edited".into()), changed_by };
    let by_person = edited(Some(DocumentChange::Person));
    let tampering = [((3, 0), by_person.clone()), ((3, 1), edited(Some(DocumentChange::Ticks)))];
    let mut world = run(phase_review(), tampering.into());
    assert_eq!(world.execute(), RunOutcome::Completed);
    assert_eq!(
        listed_documents(&world),
        [
            "planning.md`: changed by a person after its approval, and committed with report",
            "design.md`",
            "report.md`"
        ]
    );

    let mut world = run(retake(), BTreeMap::from([((3, 0), edited(None))]));
    assert_eq!(world.execute(), RunOutcome::Paused);
    assert_eq!(world.answer(PauseChoice::Accept, "it is better so"), RunOutcome::Completed);
    assert_eq!(
        listed_documents(&world)[0],
        "planning.md`: changed after its approval, and accepted by alice with report"
    );
}

/// The lines of the pull request about documents, without their folders.
fn listed_documents(world: &World) -> Vec<String> {
    let (_, body) =
        pull_request(world.run(), RunOutcome::Completed, &UnreviewedFiles::default(), Documents::Kept);
    let lines = body.lines().filter(|line| line.starts_with("- `.ai-workflow/"));
    lines.map(|line| line.split("/output/").last().unwrap_or_default().to_owned()).collect()
}

#[test]
fn document_that_its_reviewer_repairs_is_approved_as_it_is_then() {
    let repaired = DocumentSeen { digest: Some("repaired".into()), changed_by: None };
    let mut world = run(phase_review(), BTreeMap::from([((2, 1), repaired)]));
    assert_eq!(world.execute(), RunOutcome::Completed);
    assert_eq!(world.phase("design").files.deliverable.as_deref(), Some("repaired of document_review"));
    let may = |by: &str, of: &str| engine::may_change(world.phase(by), world.phase(of));
    assert!(may("document_review", "planning") && may("document_review", "design"));
    assert!(!may("report", "design") && !may("report", "document_review"));
}

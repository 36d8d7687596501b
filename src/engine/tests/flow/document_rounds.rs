//! The rounds of a document review as people follow them, what a part of it that was asked for does, and inspections.

use std::collections::BTreeMap;

use content_parser::{Terms, default_words, read_review};
use engine::{Status, StepPosition, fold};
use model::event::{Fact, RunOutcome, RunRequested};
use model::phase::Step;
use model::verdict::ReadAs;
use serde_json::{Value, json};
use views::metadata::metadata;

use super::policies::{agreement, doc_review, phase, phase_review};
use super::world::{Review, Script, Triage, World, fails, name, no_table, passes, table};

fn play(triages: &[Triage]) -> World {
    let script = Script { triages: triages.to_vec(), reviews: vec![fails()], ..Script::default() };
    World::play(phase("document_review", doc_review()), script)
}

/// The view of the document review, as `metadata.json` has it.
fn view(world: &World) -> Value {
    let view = metadata(&world.state, "").expect("a view");
    view.phases["document_review"]["document_review"].clone()
}

fn rounds(world: &World, key: &str) -> Vec<Value> {
    view(world)["rounds"].as_array().expect("rounds").iter().map(|round| round[key].clone()).collect()
}

#[test]
fn current_round_is_derived_from_the_facts_alone() {
    let full = play(&[table(1, 0, 0), table(0, 1, 0)]);
    for length in 1..full.entries.len() {
        let world = full.cut(length);
        let begun = world.entries.iter().filter_map(|entry| match &entry.fact {
            Fact::StepStarted(started) => Some(u64::from(started.round)),
            _ => None,
        });
        let (latest, current) = (begun.max().unwrap_or(0), view(&world)["current_round"].as_u64());
        assert!(current.is_none_or(|current| current == latest.max(1) || current == latest + 1), "{length}");
        assert_eq!(fold(&world.entries), Ok(world.state.clone()));
    }
    assert_eq!(view(&full)["current_round"], Value::Null);
}

#[test]
fn finished_steps_of_a_round_are_not_repeated_after_a_resume() {
    let full = play(&[table(1, 0, 0), table(0, 1, 0)]);
    for length in 1..full.entries.len() {
        let mut world = full.cut(length);
        let interrupted = matches!(world.first().position, StepPosition::Working(_));
        assert_eq!(world.execute(), RunOutcome::Completed, "{length}");
        let mut calls: BTreeMap<(u32, Step), usize> = BTreeMap::new();
        for entry in &world.entries {
            if let Fact::StepStarted(started) = &entry.fact {
                *calls.entry((started.round, started.step)).or_default() += 1;
            }
        }
        let steps = [(1, Step::Review), (1, Step::Triage), (2, Step::Review), (2, Step::Triage)];
        assert_eq!(calls.keys().copied().collect::<Vec<_>>(), steps, "{length}");
        assert_eq!(calls.values().sum::<usize>(), 4 + usize::from(interrupted), "{length}");
    }
}

#[test]
fn view_shows_counts_and_status_of_each_round() {
    let full = play(&[table(2, 1, 0), table(0, 1, 0)]);
    let mut seen = Vec::new();
    for length in 1..=full.entries.len() {
        let view = view(&full.cut(length));
        let last = view["rounds"].as_array().and_then(|rounds| rounds.last());
        let round = last.map_or(json!(null), |round| json!([round["number"], round["status"]]));
        let told = json!([view["status"], round]);
        if seen.last() != Some(&told) {
            seen.push(told);
        }
    }
    assert_eq!(
        Value::Array(seen),
        json!([
            ["pending", null],
            ["in_progress", [1, "incomplete"]],
            ["in_progress", [1, "review_complete"]],
            ["in_progress", [1, "reply_complete"]],
            ["in_progress", [2, "incomplete"]],
            ["in_progress", [2, "review_complete"]],
            ["in_progress", [2, "reply_complete"]],
            ["approved", [2, "reply_complete"]],
        ])
    );
    assert_eq!(rounds(&full, "fix_required"), [2, 0]);
    assert_eq!(rounds(&full, "no_fix_needed"), [1, 1]);
    assert_eq!(rounds(&full, "needs_discussion"), [0, 0]);
}

/// Returns the times of the facts of this kind, as the view writes them.
fn times(world: &World, wanted: impl Fn(&Fact) -> bool) -> Vec<Value> {
    world.entries.iter().filter(|entry| wanted(&entry.fact)).map(|entry| json!(entry.at)).collect()
}

#[test]
fn each_round_shows_when_its_review_and_its_reply_came_in() {
    let full = play(&[table(2, 1, 0), table(0, 1, 0)]);
    let reviewed = times(&full, |fact| matches!(fact, Fact::Reviewed(_)));
    let replied = times(&full, |fact| matches!(fact, Fact::Triaged(_)));
    assert_eq!((reviewed.len(), replied.len()), (2, 2));
    assert_eq!(rounds(&full, "review_completed_at"), reviewed);
    assert_eq!(rounds(&full, "reply_completed_at"), replied);
    let all = metadata(&full.state, "").expect("a view").phases["document_review"]["rounds"].clone();
    let of = |key: &str| all.as_array().expect("rounds").iter().map(|it| it[key].clone()).collect::<Vec<_>>();
    assert_eq!((of("review_completed_at"), of("reply_completed_at")), (reviewed.clone(), replied));
    let triages = |world: &World| world.first().position == StepPosition::Ready(Step::Triage);
    let under_way = (1..full.entries.len()).map(|length| full.cut(length)).find(triages).expect("a review");
    assert_eq!(rounds(&under_way, "review_completed_at"), [reviewed[0].clone()], "while it is under way too");
    assert_eq!(rounds(&under_way, "reply_completed_at"), [json!(null)]);
}

#[test]
fn reply_that_cannot_be_read_completes_no_round() {
    let world = play(&[no_table()]);
    let last = times(&world, |fact| matches!(fact, Fact::Reviewed(_))).pop().expect("a review");
    assert_eq!(rounds(&world, "review_completed_at"), [last]);
    assert_eq!(rounds(&world, "reply_completed_at"), [json!(null)]);
}

#[test]
fn round_of_a_panel_is_reviewed_when_its_last_reviewer_has_answered() {
    let seat = model::policy::PanelReviewer { name: "safety".into(), ..Default::default() };
    let def = model::policy::PhaseDef { panel: vec![seat], ..phase("planning", phase_review()) };
    let world = World::play(def, Script::default());
    let last = times(&world, |fact| matches!(fact, Fact::Reviewed(_))).pop().expect("a review");
    let view = metadata(&world.state, "").expect("a view");
    let round = &view.phases["planning"]["rounds"][0];
    assert_eq!((&round["review_completed_at"], round.get("reply_completed_at")), (&last, None));
}

#[test]
fn unreadable_triage_leaves_the_round_without_counts() {
    let world = play(&[no_table()]);
    assert_eq!(
        (rounds(&world, "status"), view(&world)["status"].clone()),
        (vec![json!("review_complete")], json!("paused"))
    );
    assert_eq!(
        (rounds(&world, "fix_status"), rounds(&world, "fix_required")),
        (vec![json!(null)], vec![json!(null)])
    );
    let other = World::play(phase("planning", phase_review()), Script::default());
    let view = metadata(&other.state, "").expect("a view");
    assert_eq!(view.phases["planning"].get("document_review"), None);
}

#[test]
fn only_a_round_without_required_fixes_approves() {
    let unfixed = |counts: Triage| Triage { changes: false, ..counts };
    for (triage, fix_status) in [
        (table(1, 0, 0), "applied"),
        (table(1, 0, 1), "applied"),
        (unfixed(table(1, 0, 0)), "pending"),
        (table(0, 0, 1), "pending"),
        (Triage { changes: true, ..table(0, 1, 0) }, "applied"),
        (table(0, 1, 0), "not_required"),
        (table(0, 0, 0), "not_required"),
    ] {
        let review = if triage.table == table(0, 0, 0).table { passes() } else { fails() };
        let script = Script { triages: vec![triage], reviews: vec![review], ..Script::default() };
        let world = World::play(phase("document_review", doc_review()), script);
        assert_eq!(rounds(&world, "fix_status")[0], fix_status);
        assert_eq!(world.history()[0] == "advance", fix_status == "not_required");
    }
}

fn asked(steps: &[Step]) -> RunRequested {
    RunRequested { only: Some(name("document_review")), steps: steps.to_vec(), ..RunRequested::default() }
}

#[test]
fn requested_part_of_a_round_stops_before_the_next_step() {
    let script =
        Script { reviews: vec![fails()], triages: vec![table(1, 0, 0), table(0, 1, 0)], ..Script::default() };
    let def = phase("document_review", doc_review());
    let mut world = World::new(agreement(vec![def])).script(&name("document_review"), script);
    for (steps, stage, calls) in [
        ([Step::Check, Step::Review], StepPosition::Ready(Step::Triage), 1),
        ([Step::Check, Step::Review], StepPosition::Ready(Step::Triage), 1),
        ([Step::Triage, Step::Triage], StepPosition::Ready(Step::Review), 2),
        ([Step::Triage, Step::Triage], StepPosition::Ready(Step::Review), 2),
        ([Step::Check, Step::Review], StepPosition::Ready(Step::Triage), 3),
    ] {
        assert_eq!(world.ask(asked(&steps)), RunOutcome::Running);
        assert_eq!(world.first().position, stage);
        assert_eq!(world.count(|fact| matches!(fact, Fact::StepStarted(_))), calls);
    }
    assert_eq!(world.execute(), RunOutcome::Completed);
    assert_eq!(world.first().history.rounds.len(), 2);
}

#[test]
fn round_numbers_continue_after_a_review_is_reopened() {
    let mut world = play(&[table(1, 0, 0), table(0, 1, 0)]);
    world.reopen("document_review", Step::Review, model::event::ReopenedBy::Rollback);
    let numbers: Vec<u32> = world.first().history.rounds.iter().map(|round| round.n).collect();
    assert_eq!(numbers, [1, 2, 3]);
}

/// An inspection as its report says it.
fn inspection(line: &str) -> Review {
    let words = default_words();
    let terms = Terms { review_id: None, require_review_id: false, words: &words, beyond: &[] };
    let report =
        format!("# Inspection report\n\n## Summary\n- **Judgment**: {line}\n\n## Details\nall read\n");
    let reading = read_review(&report, &terms);
    assert_eq!(reading.read_as, ReadAs::GoNogo, "{line}");
    Review { reading: Some(reading), ..passes() }
}

#[test]
fn nogo_is_fixed_before_the_next_inspection_and_go_passes() {
    let reviews = vec![inspection("**NOGO** ❌"), inspection("⛔ **NOGO**"), inspection("✅ **GO**")];
    let script = Script { reviews, ..Script::default() };
    let world = World::play(phase("inspection", phase_review()), script);
    assert_eq!(
        (world.history(), world.first().status),
        (vec!["revise", "revise", "advance"], Status::Completed)
    );
    let steps: Vec<Step> = world
        .entries
        .iter()
        .filter_map(|entry| match &entry.fact {
            Fact::StepStarted(started) => Some(started.step),
            _ => None,
        })
        .collect();
    let (review, fix) = (Step::Review, Step::Revise);
    assert_eq!(steps, [Step::Execute, review, fix, review, fix, review]);
    let never = Script { reviews: vec![inspection("NOGO")], ..Script::default() };
    assert_eq!(World::play(phase("inspection", phase_review()), never).run().outcome, RunOutcome::Failed);
}

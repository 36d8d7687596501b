//! Runs told as review loops: the seven events of the quality-criteria loop, their order, their form, and what they hold.

use std::collections::BTreeMap;

use engine::fold;
use model::event::{CheckStatus, ClaimStatus, ExecOutcome, Fact, PauseChoice, Place, StepStarted};
use model::finding::Severity;
use model::policy::{PhaseDef, Policy, finding_type};
use serde_json::{Value, json};
use views::summary::review_loop::{ReviewLoopEvent, review_loop};

use super::judge::{judged, rejects};
use super::policies::{chain, doc_review, phase, phase_review, quality_gate};
use super::world::{Script, World, claims, crashes, done, ends, fails, name, passes, table};

/// Plays rounds in which these checks fail.
fn play(policy: Policy, rounds: &[&[&str]]) -> World {
    let failing = |round: &&[&str]| {
        round.iter().map(|check| ((*check).to_owned(), CheckStatus::Fail)).collect::<Vec<_>>()
    };
    let script = Script { checks: rounds.iter().map(failing).collect(), ..Script::default() };
    World::play(phase("implementation", policy), script)
}

fn told(world: &World) -> Vec<ReviewLoopEvent> {
    review_loop(&world.entries, None, &|_: &PhaseDef, _: &StepStarted| Some("Repair it.".to_owned()))
}

fn kinds(world: &World) -> Vec<&'static str> {
    told(world).iter().map(|event| event.event_type).collect()
}

fn of_kind(world: &World, kind: &str) -> Vec<Value> {
    let events = told(world).into_iter().filter(|event| event.event_type == kind);
    events.map(|event| event.content).collect()
}

fn judgments(world: &World) -> Vec<Value> {
    of_kind(world, "QUALITY_JUDGMENT").iter().map(|content| content["judgment"].clone()).collect()
}

#[test]
fn reject_then_pass_gives_the_expected_review_loop_events() {
    let world = play(quality_gate(), &[&["q2_todo"], &[]]);
    let mut counts = BTreeMap::new();
    for kind in kinds(&world) {
        *counts.entry(kind).or_insert(0) += 1;
    }
    let expected = [
        ("REVIEW_LOOP_START", 1),
        ("REVIEW_ITERATION_START", 2),
        ("QUALITY_JUDGMENT", 2),
        ("REJECTION_DETAILS", 1),
        ("MODIFICATION_PROMPT", 1),
        ("REVIEW_ITERATION_END", 2),
        ("REVIEW_LOOP_END", 1),
    ];
    assert_eq!(counts, BTreeMap::from(expected));
    assert_eq!(
        kinds(&world),
        [
            "REVIEW_LOOP_START",
            "REVIEW_ITERATION_START",
            "QUALITY_JUDGMENT",
            "REJECTION_DETAILS",
            "MODIFICATION_PROMPT",
            "REVIEW_ITERATION_END",
            "REVIEW_ITERATION_START",
            "QUALITY_JUDGMENT",
            "REVIEW_ITERATION_END",
            "REVIEW_LOOP_END",
        ]
    );
}

#[test]
fn events_of_an_unfinished_run_are_a_prefix_of_all_events() {
    let world = play(quality_gate(), &[&["q2_todo"], &[]]);
    let whole = kinds(&world);
    for length in 0..world.entries.len() {
        let part = kinds(&world.cut(length));
        let promised: Vec<_> = part.iter().filter(|kind| **kind != "MODIFICATION_PROMPT").collect();
        let events = whole.iter().filter(|kind| **kind != "MODIFICATION_PROMPT");
        assert_eq!(promised, events.take(promised.len()).collect::<Vec<_>>(), "{length}");
    }
    let rejected = world.entries.iter().position(|entry| matches!(entry.fact, Fact::Ruled(_)));
    let before_the_prompt = world.cut(rejected.expect("a ruling") + 1);
    assert_eq!(of_kind(&before_the_prompt, "REJECTION_DETAILS")[0]["modification_prompt"], "");
    assert_eq!(of_kind(&before_the_prompt, "MODIFICATION_PROMPT"), [] as [Value; 0]);
    assert_eq!(review_loop(&[], None, &|_: &PhaseDef, _: &StepStarted| None), []);
}

#[test]
fn modification_prompt_event_requires_a_following_iteration() {
    let world = play(quality_gate(), &[&["q2_todo"]]);
    assert_eq!(of_kind(&world, "REJECTION_DETAILS").len(), 3);
    assert_eq!(of_kind(&world, "MODIFICATION_PROMPT").len(), 2);
}

#[test]
fn events_have_type_time_visibility_and_content() {
    let world = play(quality_gate(), &[&["q2_todo"], &[]]);
    for event in told(&world) {
        let value = serde_json::to_value(&event).expect("an event");
        let keys: Vec<_> = value.as_object().expect("an object").keys().cloned().collect();
        assert_eq!(keys, ["event_type", "timestamp", "visibility", "content"]);
        assert!(event.timestamp.ends_with('Z') && event.timestamp.contains('T'), "{}", event.timestamp);
        let summary = ["REVIEW_LOOP_START", "QUALITY_JUDGMENT", "REVIEW_LOOP_END"];
        assert_eq!(
            event.visibility == "summary",
            summary.contains(&event.event_type),
            "{}",
            event.event_type
        );
        assert_eq!(event.content["phase"], "implementation");
    }
    assert_eq!(
        of_kind(&world, "QUALITY_JUDGMENT")[0],
        json!({
            "phase": "implementation", "iteration": 1, "judgment": "REJECT", "criteria_failed": ["q2_todo"],
            "summary": "check q2_todo: q2_todo was looked at; revision 1/2",
        })
    );
}

/// The policy with the checks that are criteria, by their own names.
fn criteria() -> Policy {
    let mut policy = quality_gate();
    for (rule, id) in policy.checks.iter_mut().zip(["files", "todo", "omission"]) {
        id.clone_into(&mut rule.id);
    }
    policy
}

#[test]
fn rejection_names_criteria_issues_prompt_and_iteration() {
    let mut world = play(criteria(), &[&["todo", "omission"], &[]]);
    for entry in &mut world.entries {
        if let Fact::Checked(checked) = &mut entry.fact {
            let todo = checked.results.iter_mut().find(|result| result.check == "todo");
            let what = "`TODO: later`".to_owned();
            let suggestion = Some("do it now".to_owned());
            let place = Place { file: Some("src/lib.rs".into()), line: Some(7), what, suggestion };
            todo.expect("the check").places = vec![place];
        }
    }
    assert_eq!(
        of_kind(&world, "REJECTION_DETAILS"),
        [json!({
            "phase": "implementation", "iteration": 1,
            "criteria_failed": ["Q2", "Q3"],
            "issues_detected": [
                {"type": "todo_left", "location": "src/lib.rs:7", "description": "`TODO: later`", "suggestion": "do it now"},
                {"type": "omission", "description": "omission was looked at"},
            ],
            "modification_prompt": "Repair it.",
        })]
    );
}

#[test]
fn five_goal_drift_criteria_are_told_in_order_each_with_its_criterion_of_the_quality_gate() {
    let mut policy = phase_review();
    policy.checks = criteria().checks;
    policy.checks[0].id = "goal_drift_guard".into();
    let mut world = play(policy, &[&["goal_drift_guard"], &[]]);
    let judged = |id: &str, passed: bool| json!({"criteria_id": id, "name": format!("name of {id}"), "passed": passed});
    let reason = json!({
        "criteria_id": "GD5", "violation_type": "scope_reduction", "description": "the scope is reduced",
        "evidence": ["\"for now\""],
    });
    let checked = world.entries.iter_mut().find_map(|entry| match &mut entry.fact {
        Fact::Checked(checked) => checked.results.iter_mut().find(|it| it.check == "goal_drift_guard"),
        _ => None,
    });
    checked.expect("the template").params.extend([
        (
            "criteriaResults".to_owned(),
            ["GD1", "GD2", "GD3", "GD4", "GD5"].map(|id| judged(id, id != "GD5")).into(),
        ),
        ("structured_reasons".to_owned(), json!([reason])),
    ]);
    let first = &of_kind(&world, "REVIEW_ITERATION_END")[0];
    let results = first["criteria_results"].as_array().expect("a list");
    let of_drift =
        results.iter().filter(|it| it["criteria_id"].as_str().is_some_and(|id| id.starts_with("GD")));
    let row = |id: &str, quality: &str| {
        let (passed, details) =
            (id != "GD5", if id == "GD5" { "the scope is reduced" } else { &*format!("name of {id}") });
        json!({"criteria_id": id, "passed": passed, "details": details, "quality_criterion": quality})
    };
    let expected = [("GD1", "Q2"), ("GD2", "Q5"), ("GD3", "Q5"), ("GD4", "Q5"), ("GD5", "Q3")];
    assert_eq!(of_drift.cloned().collect::<Vec<_>>(), expected.map(|(id, quality)| row(id, quality)));
    assert_eq!(first["rejection_details"]["criteria_failed"], json!(["GD5"]));
    let issue = json!({"type": "omission", "description": "GD5 (scope_reduction): \"for now\""});
    assert_eq!(first["rejection_details"]["issues_detected"], json!([issue]));
}

#[test]
fn each_criterion_has_its_issue_type() {
    let types = ["files", "todo", "omission", "syntax", "evidence", "early_termination", "tests", "mine"];
    assert_eq!(
        types.map(finding_type),
        [
            "missing_file",
            "todo_left",
            "omission",
            "syntax_error",
            "incomplete",
            "early_termination",
            "incomplete",
            "incomplete"
        ]
    );
}

#[test]
fn iteration_event_has_results_and_output_references() {
    let world = play(criteria(), &[&["todo"], &[]]);
    let records = of_kind(&world, "REVIEW_ITERATION_END");
    let first = &records[0];
    assert_eq!((&first["iteration"], &first["judgment"]), (&json!(1), &json!("REJECT")));
    assert!(first["started_at"].as_str() < first["ended_at"].as_str(), "{first}");
    assert_eq!(first["rejection_details"]["criteria_failed"], json!(["Q2"]));
    assert_eq!(
        first["criteria_results"],
        json!([
            {"criteria_id": "Q1", "passed": true, "details": "files was looked at"},
            {"criteria_id": "Q2", "passed": false, "details": "todo was looked at"},
            {"criteria_id": "Q3", "passed": true, "details": "omission was looked at"},
        ])
    );
    let folder = ".ai-workflow/issue-243/implementation";
    assert_eq!(first["executor_output_ref"], format!("{folder}/execute/round-1/attempt-1/answer.md"));
    assert_eq!(records[1]["executor_output_ref"], format!("{folder}/revise/round-1/attempt-1/answer.md"));
    assert_eq!(records[1].get("rejection_details"), None);
}

#[test]
fn loop_end_event_has_status_iterations_and_output() {
    let world = play(criteria(), &[&["todo"], &[]]);
    let ends = of_kind(&world, "REVIEW_LOOP_END");
    let end = &ends[0];
    assert_eq!((&end["final_status"], &end["total_iterations"]), (&json!("COMPLETE"), &json!(2)));
    let history: Vec<_> = end["iteration_history"].as_array().expect("a list").iter().collect();
    let records = of_kind(&world, "REVIEW_ITERATION_END");
    for (record, told) in history.into_iter().zip(&records) {
        for (key, value) in record.as_object().expect("a record") {
            assert_eq!(Some(value), told.get(key), "{key}");
        }
    }
    let output = &end["final_output"];
    assert_eq!(output["deliverable"], ".ai-workflow/issue-243/implementation/output/implementation.md");
    assert_eq!(output["executor_output_ref"], records[1]["executor_output_ref"]);
}

#[test]
fn unapproved_loop_ends_as_incomplete_or_error_by_policy() {
    let status = |world: &World| of_kind(world, "REVIEW_LOOP_END")[0]["final_status"].clone();
    let asked = play(quality_gate(), &[&["q2_todo"]]);
    assert_eq!(status(&asked), "INCOMPLETE");
    assert_eq!(of_kind(&asked, "REVIEW_LOOP_END")[0]["reason"], "exhausted");
    let mut policy = quality_gate();
    policy.outcomes.exhausted = model::policy::UnapprovedEnd::Incomplete;
    assert_eq!(status(&play(policy.clone(), &[&["q2_todo"]])), "INCOMPLETE");
    policy.outcomes.exhausted = model::policy::UnapprovedEnd::Fail;
    assert_eq!(status(&play(policy, &[&["q2_todo"]])), "ERROR");
    let mut world = play(quality_gate(), &[&["q2_todo"], &[]]).cut(8);
    world.record(Fact::Cancelled { by: "alice".into() });
    assert_eq!((status(&world), of_kind(&world, "REVIEW_LOOP_END").len()), (json!("INCOMPLETE"), 1));
}

#[test]
fn redo_is_reported_as_retry_even_at_the_limit() {
    let script = Script { work: vec![crashes(), done()], ..Script::default() };
    let world = World::play(phase("implementation", quality_gate()), script);
    assert_eq!(judgments(&world), ["RETRY", "PASS"]);
    assert_eq!(of_kind(&world, "REJECTION_DETAILS"), [] as [Value; 0]);
    let script = Script { work: vec![ends(ExecOutcome::Crashed)], ..Script::default() };
    let world = World::play(phase("implementation", quality_gate()), script);
    assert_eq!(judgments(&world), ["RETRY", "RETRY", "RETRY"]);
}

#[test]
fn failed_review_is_a_rejection_with_its_findings_as_issues() {
    let reviews = vec![fails().with(Severity::Major, "an unchecked length"), fails(), passes()];
    let script = Script { reviews, ..Script::default() };
    let world = World::play(phase("implementation", phase_review()), script);
    let details = of_kind(&world, "REJECTION_DETAILS");
    assert_eq!(details[0]["criteria_failed"], json!(["review"]));
    let issue = json!({"type": "incomplete", "location": "src/lib.rs", "description": "an unchecked length"});
    assert_eq!(details[0]["issues_detected"], json!([issue]));
    assert_eq!(
        details[1]["issues_detected"],
        json!([{"type": "incomplete", "description": "an object"}]),
        "without findings the reason is the issue"
    );
    assert_eq!(judgments(&world), ["REJECT", "REJECT", "PASS"]);
}

#[test]
fn criteria_named_by_a_judge_are_the_failed_criteria() {
    let mut review = rejects().with(Severity::Major, "the rest is not written");
    review.reading.as_mut().expect("a reading").findings[0].category = "q3".into();
    let script = Script { reviews: vec![review, passes()], ..Script::default() };
    let world = World::play(phase("implementation", judged()), script);
    let details = of_kind(&world, "REJECTION_DETAILS");
    assert_eq!(details[0]["criteria_failed"], json!(["Q3"]));
    assert_eq!(details[0]["issues_detected"][0]["type"], "omission");
}

#[test]
fn false_completion_claim_is_an_issue_next_to_the_failed_check() {
    let checks = vec![vec![("q2_todo".to_owned(), CheckStatus::Fail)], vec![]];
    let script = Script { work: vec![claims(ClaimStatus::Completed)], checks, ..Script::default() };
    let world = World::play(phase("implementation", quality_gate()), script);
    let issues = of_kind(&world, "REJECTION_DETAILS")[0]["issues_detected"].clone();
    let types: Vec<_> = issues.as_array().expect("issues").iter().map(|issue| &issue["type"]).collect();
    assert_eq!(types, ["incomplete", "early_termination"]);
}

#[test]
fn unfinished_author_is_reported_as_a_claim_issue() {
    let work = vec![claims(ClaimStatus::Incomplete), done()];
    let world = World::play(phase("implementation", quality_gate()), Script { work, ..Script::default() });
    let details = of_kind(&world, "REJECTION_DETAILS");
    assert_eq!(details[0]["criteria_failed"], json!(["claim"]));
    assert_eq!(details[0]["issues_detected"][0]["description"], "the author says that it is not finished");
}

#[test]
fn document_review_rejects_by_triage_without_a_modification_prompt() {
    let triages = vec![table(2, 0, 0), table(0, 0, 0)];
    let script = Script { triages, ..Script::default() };
    let world = World::play(phase("document_review", doc_review()), script);
    assert_eq!(judgments(&world), ["REJECT", "PASS"]);
    assert_eq!(of_kind(&world, "REJECTION_DETAILS")[0]["criteria_failed"], json!(["triage"]));
    assert_eq!(of_kind(&world, "MODIFICATION_PROMPT"), [] as [Value; 0]);
}

#[test]
fn each_phase_has_its_own_review_loop_and_can_be_selected() {
    let phases = chain([phase("planning", quality_gate()), phase("implementation", quality_gate())]);
    let mut world = World::new(super::policies::agreement(phases));
    world.execute();
    assert_eq!(of_kind(&world, "REVIEW_LOOP_END").len(), 2);
    let only = name("planning");
    let events = review_loop(&world.entries, Some(&only), &|_: &PhaseDef, _: &StepStarted| None);
    assert!(events.len() == 5 && events.iter().all(|event| event.content["phase"] == "planning"));
}

#[test]
fn answer_of_a_person_starts_another_review_loop() {
    let mut world = play(quality_gate(), &[&["q2_todo"], &["q2_todo"], &["q2_todo"], &[]]);
    world.answer(PauseChoice::Continue, "look again");
    let ends = of_kind(&world, "REVIEW_LOOP_END");
    let told: Vec<_> = ends.iter().map(|end| (&end["final_status"], &end["total_iterations"])).collect();
    assert_eq!(told, [(&json!("INCOMPLETE"), &json!(3)), (&json!("COMPLETE"), &json!(1))]);
    let mut accepted = play(quality_gate(), &[&["q2_todo"]]);
    accepted.answer(PauseChoice::Accept, "");
    assert_eq!(judgments(&accepted), ["REJECT", "REJECT", "REJECT", "PASS"]);
}

#[test]
fn prompt_missing_on_this_machine_is_shown_by_its_digest() {
    let world = play(quality_gate(), &[&["q2_todo"], &[]]);
    assert!(fold(&world.entries).is_ok());
    let events = review_loop(&world.entries, None, &|_: &PhaseDef, _: &StepStarted| None);
    let prompt = events.iter().find(|event| event.event_type == "MODIFICATION_PROMPT").expect("a prompt");
    assert_eq!(prompt.content["prompt"], format!("sha256:{}", "0".repeat(64)));
}

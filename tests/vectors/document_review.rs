//! The document review loop: what a round leads to, what its real reply tables amount to, and when a review, a round or
//!  an approval is possible. The older system's own files (`spec.json`) are played as the facts that they stand for.

use std::collections::BTreeMap;

use content_parser::read_triage;
use engine::{Status, StepPosition, apply};
use model::event::{
    Answered, Entry, ExecOutcome, Fact, PauseChoice, PauseReason, Reopened, ReopenedBy, RunOutcome,
    RunRequested, TriageTable,
};
use model::phase::Step;
use serde_json::{Value, json};
use views::metadata::{FixStatus, metadata};

use super::{assert_deliberate, cases};
use crate::flow::policies::{agreement, chain, doc_review, phase, phase_review};
use crate::flow::world::{Script, Triage, World, fails, name, no_table, passes, table};

const REVIEW: &str = "document_review";

fn reviewed(triages: Vec<Triage>, rounds: u64) -> World {
    let mut policy = doc_review();
    policy.limits.max_revisions = u32::try_from(rounds).expect("a small limit");
    // A table that judges nothing answers a review that found nothing.
    let judges_nothing = |triage: &Triage| triage.table.is_some_and(|table| table.findings() == 0);
    let review = if triages.last().is_some_and(judges_nothing) { passes() } else { fails() };
    let script = Script { triages, reviews: vec![review], ..Script::default() };
    World::play(phase(REVIEW, policy), script)
}

/// Plays rounds with fixes up to the given one, which is answered as given, and says what follows from it.
fn decision(round: u64, most: u64, last: Triage) -> &'static str {
    let mut triages = vec![table(1, 0, 0); usize::try_from(round - 1).expect("a small number")];
    triages.push(last);
    let world = reviewed(triages, most);
    let judged: Vec<_> =
        world.first().history.rulings.iter().filter(|past| u64::from(past.round) == round).collect();
    let last = judged.last().expect("a ruling");
    let paused = world.run().paused.as_ref().map(|asked| asked.reason);
    match last.ruling.word() {
        "advance" => "approve_and_advance",
        "revise" => "next_round",
        "pause" if paused == Some(PauseReason::Unreadable) => "unverifiable_not_approved",
        "pause" => "pause",
        "fail" => "error",
        other => other,
    }
}

fn differing(found: impl IntoIterator<Item = (String, Value, Value)>) -> BTreeMap<String, (Value, Value)> {
    let differs = found.into_iter().filter(|(_, ours, theirs)| ours != theirs);
    differs.map(|(name, ours, theirs)| (name, (ours, theirs))).collect()
}

fn told(case: &Value, ours: Value) -> (String, Value, Value) {
    (case["name"].as_str().expect("a name").to_owned(), ours, case["expected"].clone())
}

const DECISIONS: &[(&str, &str)] = &[(
    "fixStatus pending",
    "fixes that were demanded and not made: the next round looks at the documents again, and standstill is shown; \
     at the limit a person is asked",
)];

#[test]
fn document_review_rounds_match_the_vectors() {
    let cases = cases("003_loop_decisions.json");
    if cases.is_empty() {
        return;
    }
    let ours = cases.iter().map(|case| told(case, after_round(&case["input"])));
    assert_deliberate(&differing(ours), DECISIONS);
}

fn after_round(input: &Value) -> Value {
    if input["op"] == "resume" {
        let finished = input["roundDetails"].as_u64().expect("a number");
        let full = reviewed(vec![table(1, 0, 0)], 7);
        let closed = |world: &World| world.first().history.rounds.len() as u64 == finished;
        let stopped = (1..full.entries.len()).map(|length| full.cut(length)).find(closed);
        return json!({"round": stopped.expect("a stop").first().round});
    }
    let (round, most) = (input["round"].as_u64().expect("a round"), input["maxRounds"].as_u64().unwrap_or(7));
    let count = |key: &str| input[key].as_u64().and_then(|count| u32::try_from(count).ok());
    let triage = match (count("fixRequired"), count("needsDiscussion"), input["fixStatus"].as_str()) {
        (Some(fix_required), Some(needs_discussion), _) => table(fix_required, 0, needs_discussion),
        (_, _, Some("not_required")) => table(0, 1, 0),
        (_, _, Some("pending")) => Triage { changes: false, ..table(1, 0, 0) },
        (_, _, Some("applied")) => table(1, 0, 0),
        _ if input["agent"] == "failed" => Triage { outcome: ExecOutcome::Crashed, ..no_table() },
        _ => no_table(),
    };
    json!(decision(round, most, triage))
}

#[test]
fn decisions_of_real_reply_tables_follow_their_counts() {
    for case in cases("003_reply_tables_real.json") {
        let table = read_triage(case["input"]["reply_md"].as_str().expect("a reply"), None);
        let table = table.unwrap_or_else(|why| panic!("{}: {why}", case["name"]));
        let expected = &case["expected"];
        assert_eq!(expected["fixRequired"], table.fix_required, "{}", case["name"]);
        assert_eq!(expected["needsDiscussion"], table.needs_discussion, "{}", case["name"]);
        let triage = Triage { table: Some(table), changes: table.fix_required > 0, ..no_table() };
        let ours = match decision(1, 7, triage) {
            "approve_and_advance" => "approve",
            other => other,
        };
        assert_eq!(expected["decision_if_round_lt_max"], ours, "{}", case["name"]);
    }
}

const SERVICE: &[(&str, &str)] = &[
    (
        "non sequential",
        "rounds are counted by the facts of the run: a file that lies in the folder is no round, whatever its name",
    ),
    (
        "approve sets approved",
        "a person approves what is asked about, when the review pauses; nobody approves what was not reviewed",
    ),
];

#[test]
fn document_review_records_match_the_vectors() {
    let cases = cases("003_document_review_service.json");
    if cases.is_empty() {
        return;
    }
    let ours = cases.iter().map(|case| told(case, served(&case["input"])));
    assert_deliberate(&differing(ours), SERVICE);
}

fn served(input: &Value) -> Value {
    match input["op"].as_str().expect("an operation") {
        "can_start_review" => json!(can_start(&input["spec"])),
        "next_round" => json!(after_reviews(input).first().round),
        "current_round" => json!(after_reviews(input).first().history.rounds.len()),
        "can_retry_round" => json!(begins(&state_of(&input["review"]), 1)),
        "can_add_round" => json!(begins(&state_of(&input["review"]), next(&state_of(&input["review"])))),
        "mark_round_incomplete" => {
            let mut world = state_of(&input["review"]);
            let (phase, by) = (name(REVIEW), ReopenedBy::Rollback);
            world.record(Fact::Reopened(Reopened { phase, step: Step::Review, reason: "again".into(), by }));
            let view = view(&world);
            json!({"status": view["status"], "currentRound": view["current_round"]})
        }
        "approve" => approved(state_of(&input["review"])),
        "normalize_fix_status" => json!(fix_status(&input["round"])),
        other => panic!("{other}"),
    }
}

fn view(world: &World) -> Value {
    let view = metadata(&world.state, "").expect("a view");
    view.phases[REVIEW]["document_review"].clone()
}

/// Tasks, their review and the code: asked for the review alone, does a reviewer begin?
fn can_start(spec: &Value) -> bool {
    let phases = [phase("tasks", phase_review()), phase(REVIEW, doc_review()), phase("code", phase_review())];
    let mut world = World::new(agreement(chain(phases)));
    if spec["approvals"]["tasks"]["approved"] == true {
        world.execute_only("tasks", false);
    }
    if spec["documentReview"]["status"] == "approved" {
        world.execute_only(REVIEW, false);
    }
    if spec["phase"] == "implementation-complete" {
        world.execute();
    }
    let before = world.count(|fact| matches!(fact, Fact::Reviewed(_)));
    if world.run().outcome == RunOutcome::Running {
        world.execute_only(REVIEW, false);
    }
    world.count(|fact| matches!(fact, Fact::Reviewed(_))) > before
}

/// A review that was stopped after as many rounds as there are documents of reviews.
fn after_reviews(input: &Value) -> World {
    let files = input["files"].as_array().expect("files");
    let is_review = |file: &&Value| file.as_str().is_some_and(|file| !file.contains("reply"));
    let rounds = files.iter().filter(is_review).count();
    let full = reviewed(vec![table(1, 0, 0)], 9);
    let stopped = (1..full.entries.len()).map(|length| full.cut(length)).find(|world| {
        world.first().history.rounds.len() == rounds && world.first().status == Status::InProgress
    });
    stopped.expect("a stop")
}

/// The facts that a state of the peer stands for.
fn state_of(review: &Value) -> World {
    let full = reviewed(vec![table(1, 0, 0), table(0, 1, 0)], 7);
    let cut = |wanted: &dyn Fn(&World) -> bool| {
        (1..=full.entries.len()).map(|length| full.cut(length)).find(|world| wanted(world)).expect("a state")
    };
    let round = &review["roundDetails"][0]["status"];
    match review["status"].as_str() {
        Some("approved") => full.cut(full.entries.len()),
        Some("in_progress") if round == "incomplete" => cut(&|world| {
            (world.first().round, world.first().position) == (1, StepPosition::Working(Step::Review))
        }),
        Some("in_progress") if round == "reply_complete" => {
            cut(&|world| world.first().history.rounds.len() == 1)
        }
        Some("in_progress") => cut(&|world| {
            u64::from(world.first().round) == review["currentRound"].as_u64().unwrap_or(1)
                && world.first().position == StepPosition::Ready(Step::Triage)
        }),
        _ => full.cut(1),
    }
}

fn next(world: &World) -> u32 {
    world.first().history.rounds.last().map_or(0, |round| round.n)
        + 1
        + u32::from(world.first().position == StepPosition::Ready(Step::Triage))
}

/// Tells whether a review of this round comes first when the run goes on.
fn begins(world: &World, round: u32) -> bool {
    let (mut world, known) = (world.cut(world.entries.len()), world.entries.len());
    if world.run().outcome != RunOutcome::Running {
        return false;
    }
    world.ask(RunRequested::default());
    let first = world.entries[known..].iter().find_map(|entry| match &entry.fact {
        Fact::StepStarted(started) => Some((started.round, started.step)),
        _ => None,
    });
    first == Some((round, Step::Review))
}

/// A person approves: possible where a question is open, and once.
fn approved(mut world: World) -> Value {
    let answer = Answered::new(PauseChoice::Accept, "", "alice");
    let entry = Entry { seq: world.state.seq + 1, at: world.entries[0].at, fact: Fact::Answered(answer) };
    match apply(&mut world.state, &entry) {
        Ok(()) => json!({"status": view(&world)["status"]}),
        Err(_) => json!({"error": "ALREADY_APPROVED"}),
    }
}

/// What the peer stores as a word we compute from the counts and from whether files changed.
fn fix_status(round: &Value) -> FixStatus {
    let count = |key: &str| round[key].as_u64().and_then(|count| u32::try_from(count).ok()).unwrap_or(0);
    let table = TriageTable {
        fix_required: count("fixRequired"),
        needs_discussion: count("needsDiscussion"),
        ..TriageTable::default()
    };
    let changed = match round["fixStatus"].as_str() {
        Some(word) => word == "applied",
        None => round["fixApplied"] == true,
    };
    FixStatus::of(table, changed)
}

#[test]
fn a_person_can_accept_a_paused_document_review_only_once() {
    let mut world = reviewed(vec![table(1, 0, 0)], 2);
    assert_eq!(world.run().outcome, RunOutcome::Paused);
    assert_eq!(world.answer(PauseChoice::Accept, ""), RunOutcome::Completed);
    assert_eq!(view(&world)["status"], "approved");
    assert_eq!(approved(world), json!({"error": "ALREADY_APPROVED"}));
}

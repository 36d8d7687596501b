//! `event` against the fake: a label starts a run, and only for people who may start one.

use std::collections::BTreeMap;
use std::process::Child;

use serde_json::{Value, json};

use super::redispatch::OWN;
use super::run::{FAILS, Scene};
use super::told::{closing_line, heading, line_with, outputs};
use super::workflow_dispatch::begin;
use super::world::MACHINE;
use super::{Fault, Kind, Lost};
use crate::support::{Ran, filtered, honest_script};

/// The label that starts a run.
const LABEL: &str = "ai-workflow";

impl Scene {
    /// Asserts that the label came to a draft, at the price that a run may have.
    pub(super) fn became_a_draft(&self) {
        assert_eq!(self.heading(), "### ai-workflow: completed");
        assert_eq!(closing_line(&self.draft()), "Closes #243");
        self.everything_is_pushed();
        assert_eq!(self.labels(), ["bug", "ai-workflow:done"]);
        assert_eq!(self.reactions("issue/243"), ["eyes", "rocket"]);
        assert!(self.github.writes() <= 25, "{:#?}", self.github.calls());
        let commits = self.sandbox.git(&["rev-list", "--count", "main..ai-workflow/issue-243"]);
        assert!(commits.parse::<u32>().expect("a number") <= 12, "{commits}");
        self.within_the_contract();
    }

    /// A scene in a job of GitHub Actions, with the files that a job reads afterwards.
    pub fn of_event() -> Self {
        let scene = Self::new();
        let summary = scene.beside("summary.md");
        let outputs = scene.beside("outputs");
        let sandbox = scene.sandbox.with("CI", "true").with("GITHUB_ACTIONS", "true");
        let sandbox = sandbox.with("GITHUB_STEP_SUMMARY", &summary).with("GITHUB_OUTPUT", &outputs);
        Self { sandbox, ..scene }
    }

    fn beside(&self, name: &str) -> String {
        self.origin.path().join(name).display().to_string()
    }

    /// Returns what the summary of the job says.
    pub fn summary(&self) -> String {
        std::fs::read_to_string(self.beside("summary.md")).unwrap_or_default()
    }

    pub fn outputs(&self) -> String {
        std::fs::read_to_string(self.beside("outputs")).unwrap_or_default()
    }

    /// Has an event worked on by an honest agent with other turns.
    pub fn event_with(&self, extra: &str, name: &str, payload: &Value, more: &[&str]) -> Ran {
        let words = self.words(extra, name, payload);
        let words: Vec<&str> = words.iter().map(String::as_str).chain(more.iter().copied()).collect();
        self.sandbox.run(&words)
    }

    /// Begins to work on an event.
    pub fn start_event(&self, extra: &str, name: &str, payload: &Value) -> Child {
        self.start_event_with(extra, name, payload, &["--forge", "github"])
    }

    /// Begins to work on an event with an agent of one's own.
    pub fn start_event_by(&self, agent: &str, name: &str, payload: &Value) -> Child {
        let mut words = self.words("", name, payload);
        words.pop();
        let words: Vec<&str> = words.iter().map(String::as_str).chain([agent, "--forge", "github"]).collect();
        self.sandbox.start(&words)
    }

    fn start_event_with(&self, extra: &str, name: &str, payload: &Value, more: &[&str]) -> Child {
        let words = self.words(extra, name, payload);
        let words: Vec<&str> = words.iter().map(String::as_str).chain(more.iter().copied()).collect();
        self.sandbox.start(&words)
    }

    /// Waits until the author of a phase is called.
    pub fn until_an_agent_works_on(&self, phase: &str) {
        let log = self.sandbox.root().join(".ai-workflow/issue-243/events.jsonl");
        let named = format!("\"phase\":\"{phase}\"");
        let is_it = |line: &str| line.contains("\"type\":\"step_started\"") && line.contains(&named);
        while !std::fs::read_to_string(&log).unwrap_or_default().lines().any(is_it) {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    fn words(&self, extra: &str, name: &str, payload: &Value) -> Vec<String> {
        let path = self.beside("event.json");
        std::fs::write(&path, payload.to_string()).expect("a file");
        let script = self.sandbox.script(&honest_script(extra));
        ["event", "--path", &path, "--name", name, "--agent", &script].map(str::to_owned).into()
    }

    pub fn event(&self, name: &str, payload: &Value) -> Ran {
        self.event_with("", name, payload, &["--forge", "github"])
    }

    /// Has somebody who may write put the label on the issue.
    pub fn labeled(&self) -> Value {
        self.github.permit("bob", "write");
        self.github.labeled("bob", 243, LABEL)
    }

    /// Asserts that nothing was done but to say why, and returns what is said.
    #[track_caller]
    fn refused(&self, ran: Ran, code: &str) -> String {
        ran.exits(0).says(code);
        let (said, outputs) = (line_with(&self.summary(), "E_"), outputs(&self.outputs()));
        assert_eq!(said.split(' ').next(), Some(code), "{said}");
        let wanted =
            [("code", code), ("conclusion", "skipped")].map(|(name, value)| (name.into(), value.into()));
        assert_eq!(outputs, BTreeMap::from(wanted));
        assert!(!self.sandbox.has(".ai-workflow/issue-243"), "a run was begun");
        assert_eq!(self.github.state().pulls.len(), 0);
        said
    }

    /// Returns the labels of the issue.
    pub fn labels(&self) -> Vec<String> {
        self.github.state().issues[&243].labels.clone()
    }

    /// Returns our reactions on something.
    pub fn reactions(&self, on: &str) -> Vec<String> {
        let all = self.github.state().reactions;
        let ours = all.into_iter().filter(|reaction| reaction.on == on && reaction.author == MACHINE);
        ours.map(|reaction| reaction.content).collect()
    }
}

/// A turn of an author that takes its time.
pub fn slow(phase: &str) -> String {
    format!("[[turn]]\nphase = \"{phase}\"\nstep = \"execute\"\nsleep_ms = 60000\n")
}

#[test]
fn a_label_leads_to_a_draft_pull_request() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    scene.event("issues", &event).exits(0);
    scene.became_a_draft();
}

#[test]
fn triage_permission_starts_no_run() {
    let scene = Scene::of_event();
    scene.github.permit("mallory", "triage");
    let event = scene.github.labeled("mallory", 243, LABEL);
    let said = scene.refused(scene.event("issues", &event), "E_ACTOR_DENIED");
    assert_eq!(scene.github.writes(), 0, "{:#?}", scene.github.calls());
    insta::assert_snapshot!(said, @"E_ACTOR_DENIED mallory (triage) may not start or steer runs here");
}

#[test]
fn only_an_allowed_bot_starts_a_run() {
    let scene = Scene::of_event();
    let event = scene.github.labeled("helper[bot]", 243, LABEL);
    scene.refused(scene.event("issues", &event), "E_ACTOR_DENIED");
    let named = ["--forge", "github", "--set", "github.allowed_actors=helper[bot]"];
    scene.event_with("", "issues", &event, &named).exits(0);
    assert_eq!(scene.heading(), "### ai-workflow: completed");
}

#[test]
fn a_person_with_the_name_of_an_allowed_bot_is_refused() {
    let scene = Scene::of_event();
    let named = ["--forge", "github", "--set", "github.allowed_actors=dependabot[bot]"];
    scene.github.permit("Dependabot", "read");
    let event = scene.github.labeled("Dependabot", 243, LABEL);
    scene.refused(scene.event_with("", "issues", &event, &named), "E_ACTOR_DENIED");
    let mut liar = event;
    liar["sender"]["login"] = json!("dependabot[bot]");
    let ran = scene.event_with("", "issues", &liar, &named);
    ran.exits(0).says("E_ACTOR_UNKNOWN");
}

#[test]
fn edits_after_the_label_are_not_used() {
    let scene = Scene::of_event();
    scene.github.open_issue(7, "Pages are counted from zero", "", &[], "alice");
    scene.github.open_issue(8, "There are no pages", "", &[], "alice");
    scene.github.edit_issue(243, "The last page is missing", "As in #7 and #8.");
    let event = scene.labeled();
    scene.github.edit_issue(243, "SENTINEL_ZEBRA", "Do SENTINEL_ZEBRA instead.");
    scene.github.edit_issue(7, "SENTINEL_ZEBRA", "");
    scene.event("issues", &event).exits(0);
    assert_eq!(closing_line(&scene.draft()), "Closes #243");
    let everything = scene.sandbox.everything();
    for (path, text) in &everything {
        assert!(!text.contains("SENTINEL_ZEBRA"), "{path}");
    }
    let prompt = &everything[".ai-workflow/issue-243/00_planning/execute/round-1/attempt-1/prompt.md"];
    insta::assert_snapshot!(line_with(prompt, "#8 (open)"), @"#8 (open): There are no pages");
    let pull = scene.github.state().pulls.into_values().next().expect("a pull request");
    assert_eq!(pull.issue.title, "The last page is missing");
}

#[test]
fn a_comment_with_the_time_of_the_label_is_not_a_command() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    let labelled = scene.github.change(|world| world.now);
    scene.github.comment_by("bob", 243, "/ai-workflow cancel");
    scene.github.change(|world| {
        for comment in world.comments.values_mut() {
            (comment.created_at, comment.updated_at) = (labelled, labelled);
        }
    });
    scene.event("issues", &event).exits(0);
    assert_eq!(scene.sandbox.metadata()["outcome"], "completed");
}

#[test]
fn a_repeated_event_starts_no_second_run() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    scene.event("issues", &event).exits(0);
    let (before, facts) = (scene.github.state(), scene.sandbox.facts().len());
    scene.event("issues", &event).exits(0).says("nothing is left to do");
    let after = scene.github.state();
    assert_eq!((after.pulls.len(), after.comments.len()), (1, 1));
    assert_eq!((after.reactions, after.labels), (before.reactions, before.labels));
    assert_eq!(scene.sandbox.facts().len(), facts);
}

#[test]
fn an_event_whose_label_was_removed_starts_no_run() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    scene.github.change(|world| world.unlabel(243, MACHINE, LABEL));
    scene.refused(scene.event("issues", &event), "E_LABEL_GONE");
}

#[test]
fn a_label_added_again_during_a_run_starts_no_second_run() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    let script = scene
        .sandbox
        .script(&honest_script("[[turn]]\nphase = \"planning\"\nstep = \"execute\"\nsleep_ms = 60000\n"));
    let words = ["execute", "--phase", "all", "--issue", "243", "--forge", "github", "--agent", &script];
    let mut first = scene.sandbox.start(&words);
    let log = scene.sandbox.root().join(".ai-workflow/issue-243/events.jsonl");
    while !std::fs::read_to_string(&log).unwrap_or_default().contains("step_started") {
        std::thread::yield_now();
    }
    scene.event("issues", &event).exits(0).says("E_BUSY");
    assert!(!scene.labels().iter().any(|label| label == LABEL), "the label works once");
    first.kill().expect("it ends");
    first.wait().expect("it ended");
}

/// A job that is killed before anything was shared leaves nothing but its comment.
#[test]
fn next_run_takes_over_only_the_comment_of_the_lost_run() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    let mut lost = scene.start_event(&slow("planning"), "issues", &event);
    scene.until_an_agent_works_on("planning");
    lost.kill().expect("it ends");
    lost.wait().expect("it ended");
    let before = scene.comment();
    assert_eq!(heading(&before), "### ai-workflow: running");
    scene.github.comment_by("mallory", 243, &before);
    scene.on_another_machine();
    let two = ["--forge", "github", "--preset", "review-requirements"];
    scene.event_with("", "issues", &scene.labeled(), &two).exits(0);
    let comments = scene.github.state().comments;
    let (ours, others): (Vec<_>, Vec<_>) = comments.iter().partition(|comment| comment.author == MACHINE);
    assert_eq!(others.iter().map(|comment| &comment.body).collect::<Vec<_>>(), [&before]);
    assert_eq!(ours.len(), 1, "{ours:#?}");
    let ours = &ours[0].body;
    assert_eq!(heading(ours), "### ai-workflow: completed");
    assert!(!ours.contains("ai-workflow:unshared"), "{ours}");
}

/// The branch went to another machine with the commit of a phase, and its log ends with the announcement of that commit.
#[test]
fn pause_and_cancel_keep_the_commit_of_a_killed_job() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    let mut lost = scene.start_event(&slow("requirements"), "issues", &event);
    scene.until_an_agent_works_on("requirements");
    lost.kill().expect("it ends");
    lost.wait().expect("it ended");
    let commit = scene.sandbox.git(&["rev-parse", "ai-workflow/issue-243"]);
    scene.on_another_machine();
    for (command, outcome) in [("pause", "paused"), ("cancel", "cancelled")] {
        let event = scene.github.commented("bob", 243, &format!("/ai-workflow {command}"));
        scene.event("issue_comment", &event).exits(0);
        let metadata = scene.sandbox.metadata();
        assert_eq!(metadata["outcome"], outcome);
        assert_eq!(metadata["phases"]["planning"]["commit"], commit);
        scene.everything_is_pushed();
    }
}

#[test]
fn terminated_job_leaves_its_run_to_the_next_job() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    let two = ["--forge", "github", "--preset", "review-requirements"];
    let mut child = scene.start_event_with(&slow("requirements"), "issues", &event, &two);
    scene.until_an_agent_works_on("requirements");
    let id = rustix::process::Pid::from_raw(child.id().try_into().expect("an id")).expect("an id");
    rustix::process::kill_process(id, rustix::process::Signal::TERM).expect("it is told");
    assert_eq!(child.wait().expect("it ended").code(), Some(130));
    let run = scene.sandbox.metadata()["run_id"].clone();
    scene.everything_is_pushed();
    scene.on_another_machine();
    scene.event_with("", "issues", &scene.labeled(), &two).exits(0);
    assert_eq!(scene.sandbox.metadata()["run_id"], run);
    assert_eq!(scene.heading(), "### ai-workflow: completed");
    assert!(scene.sandbox.facts().iter().any(|fact| fact["type"] == "interrupted"));
    scene.everything_is_pushed();
}

#[test]
fn workflow_run_needs_an_actor_with_write_access() {
    let scene = Scene::of_event();
    scene.github.permit("mallory", "read");
    let run = |login: &str| json!({ "workflow_run": { "actor": scene.github.person(login) }, "action": "completed" });
    scene.refused(scene.event("workflow_run", &run("mallory")), "E_ACTOR_DENIED");
    scene.github.permit("bob", "write");
    scene.event("workflow_run", &run("bob")).exits(0).says("nothing follows");
}

#[test]
fn trusted_text_only_refuses_untrusted_issues_and_ignores_later_events() {
    let scene = Scene::of_event();
    scene.github.permit("alice", "read");
    let event = scene.labeled();
    // What comes after the label neither counts as a run nor makes anybody be asked about.
    scene.github.change(|world| {
        for n in 0..40 {
            world.comment(243, &format!("stranger{n}"), "Me, too!");
            world.happened(244, "labeled", "bob", Some(LABEL));
        }
    });
    let only = ["--forge", "github", "--set", "github.trusted_text_only=true"];
    let said = scene.refused(scene.event_with("", "issues", &event, &only), "E_TEXT_NOT_TRUSTED");
    insta::assert_snapshot!(said, @"E_TEXT_NOT_TRUSTED alice, who wrote issue 243, may not write to the repository (say in a comment what is to be done, or set `github.trusted_text_only` to false)");
    let asked: Vec<String> = scene.github.calls().iter().map(ToString::to_string).collect();
    assert!(asked.iter().all(|call| !call.contains("stranger")), "{asked:#?}");
    assert_eq!(scene.reactions("issue/243"), ["eyes", "confused"]);
}

#[test]
fn an_invalid_issue_number_in_an_event_is_refused() {
    let scene = Scene::of_event();
    for bad in ["243; echo X", "-1", "0x10", "243\n", "https://evil.example/owner/repo/issues/1"] {
        let words = ["execute", "--phase", "all", "--issue", bad, "--forge", "github"];
        scene.sandbox.run(&words).exits(2);
        scene.event("workflow_dispatch", &scene.github.dispatched("octo", bad)).exits(2);
    }
    assert!(scene.github.calls().is_empty(), "{:#?}", scene.github.calls());
}

#[test]
fn run_limit_of_an_actor_is_reported_once() {
    let scene = Scene::of_event();
    scene.github.permit("bob", "write");
    scene.github.change(|world| {
        world.meet("bob");
        (0..20).for_each(|_| world.happened(243, "labeled", "bob", Some(LABEL)));
        (0..20).for_each(|_| world.happened(243, "labeled", "alice", Some(LABEL)));
    });
    let event = scene.labeled();
    scene.refused(scene.event("issues", &event), "E_RATE");
    let comment = scene.comment();
    insta::assert_snapshot!(filtered(&comment), @"
    <!-- ai-workflow:paused_rate v1 account=307254 -->
    `paused_rate`: bob started 20 runs in 24 hours, which is the limit. Try again when that time is over, or raise `runs_per_actor` in `[github]`.
    ");
    scene.event("issues", &event).exits(0).says("E_RATE");
    scene.github.change(|world| (0..180).for_each(|_| world.happened(243, "labeled", "bob", Some(LABEL))));
    scene.event("issues", &event).exits(0).says("E_RATE");
    assert_eq!(scene.comment(), comment);
    assert_eq!(scene.github.writes(), 2, "{:#?}", scene.github.calls());
}

#[test]
fn runs_started_by_comment_or_dispatch_count_for_the_run_limit() {
    let scene = Scene::of_event();
    scene.github.permit("bob", "write");
    scene.github.change(|world| {
        world.meet("bob");
        for _ in 0..10 {
            world.happened(243, "labeled", "bob", Some(LABEL));
            world.comment(243, "bob", "/ai-workflow run");
            world.comment(243, "bob", "Shall I say `/ai-workflow run`?");
            world.comment(243, "mallory", "/ai-workflow run");
        }
    });
    let event = scene.github.commented("bob", 243, "/ai-workflow run");
    scene.refused(scene.event("issue_comment", &event), "E_RATE");
    let told = scene.github.state().comments;
    let told: Vec<_> = told.iter().filter(|comment| comment.author == MACHINE).collect();
    assert_eq!(told.len(), 1, "{told:#?}");
    insta::assert_snapshot!(filtered(&told[0].body), @"
    <!-- ai-workflow:paused_rate v1 account=307254 -->
    `paused_rate`: bob started 20 runs in 24 hours, which is the limit. Try again when that time is over, or raise `runs_per_actor` in `[github]`.
    ");
    let by_hand = Scene::of_workflow(OWN);
    by_hand.github.permit("bob", "write");
    let main = by_hand.sandbox.git(&["rev-parse", "main"]);
    by_hand.github.change(|world| (0..21).for_each(|_| begin(world, "bob", ("main", &main), "243")));
    let event = by_hand.github.dispatched("bob", "243");
    by_hand.refused(by_hand.event("workflow_dispatch", &event), "E_RATE");
    by_hand.within_the_contract();
}

#[test]
fn runs_of_the_day_before_do_not_count_for_the_run_limit() {
    let scene = Scene::of_event();
    scene.github.change(|world| {
        world.meet("bob");
        (0..30).for_each(|_| world.happened(243, "labeled", "bob", Some(LABEL)));
    });
    scene.github.set_time("2026-01-06T10:00:00Z");
    let event = scene.labeled();
    scene.event("issues", &event).exits(0);
    assert_eq!(scene.heading(), "### ai-workflow: completed");
}

#[test]
fn unknown_permission_counts_as_none() {
    for kind in [Kind::Before(404), Kind::Before(403)] {
        let scene = Scene::of_event();
        let event = scene.labeled();
        scene.github.fault(Fault { method: "GET", path_contains: "/permission", nth: 0, kind });
        scene.refused(scene.event("issues", &event), "E_ACTOR_UNKNOWN");
        assert_eq!(scene.github.writes(), 0);
    }
}

#[test]
#[ignore = "full suite: waits between the tries of a broken GitHub"]
fn a_github_server_error_counts_as_no_permission() {
    for path_contains in ["/permission", "/issues/243/events"] {
        let scene = Scene::of_event();
        let event = scene.labeled();
        scene.github.fault(Fault { method: "GET", path_contains, nth: 0, kind: Kind::Before(500) });
        scene.refused(scene.event("issues", &event), "E_ACTOR_UNKNOWN");
    }
}

/// A try of ours lasts half a minute, and there are five of them.
#[test]
#[ignore = "full suite: waits for a GitHub that does not answer"]
fn a_github_timeout_counts_as_no_permission() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    let too_late = Fault { method: "GET", path_contains: "/permission", nth: 0, kind: Kind::Slow(31_000) };
    scene.github.fault(too_late);
    let said = scene.refused(scene.event("issues", &event), "E_ACTOR_UNKNOWN");
    let said = said.replace(&scene.github.url(), "[SERVER]");
    insta::assert_snapshot!(said, @"E_ACTOR_UNKNOWN GitHub does not say what bob may do: cannot ask what somebody may do: [SERVER] gave no answer: no answer within 30 s");
    assert_eq!(scene.github.writes(), 0);
}

#[test]
fn actor_of_the_event_must_match_github() {
    let scene = Scene::of_event();
    scene.github.permit("mallory", "triage");
    let mut event = scene.github.labeled("mallory", 243, LABEL);
    event["sender"] = scene.github.person("octo");
    scene.refused(scene.event("issues", &event), "E_ACTOR_MISMATCH");
    let mut event = scene.github.labeled("mallory", 243, LABEL);
    event["sender"]["login"] = json!("octo");
    scene.event("issues", &event).exits(0).says("E_ACTOR_MISMATCH");
}

#[test]
fn a_closed_locked_or_deleted_issue_starts_no_run() {
    for code in ["E_ISSUE_CLOSED", "E_ISSUE_LOCKED", "E_ISSUE_GONE"] {
        let scene = Scene::of_event();
        let event = scene.labeled();
        match code {
            "E_ISSUE_CLOSED" => scene.github.close_issue(243, "alice"),
            "E_ISSUE_LOCKED" => scene.github.lock_issue(243),
            _ => {
                // The first call reads what happened to it, the second one where it stands.
                let (method, path_contains, kind) = ("GET", "/issues/243", Kind::Before(410));
                scene.github.fault(Fault { method, path_contains, nth: 2, kind });
            }
        }
        scene.refused(scene.event("issues", &event), code);
    }
}

#[test]
fn an_unreadable_event_fails_the_job() {
    let scene = Scene::of_event();
    scene.sandbox.run(&["event"]).exits(2).says("there is no event");
    scene
        .sandbox
        .run(&["event", "--path", "no-such-file", "--name", "issues"])
        .exits(2)
        .says("failed to read");
    scene.event("issues", &json!({ "action": "labeled" })).exits(2).says("is no event `issues`");
    assert!(scene.github.calls().is_empty(), "{:#?}", scene.github.calls());
}

#[test]
fn other_labels_and_events_start_nothing() {
    let scene = Scene::of_event();
    let event = scene.github.labeled("bob", 243, "bug");
    scene.event("issues", &event).exits(0).says("starts no run");
    scene.event("push", &json!({ "commits": [] })).exits(0).says("nothing follows");
    assert!(scene.github.calls().is_empty(), "{:#?}", scene.github.calls());
}

#[test]
fn a_new_label_retries_a_failed_run_and_a_repeated_event_does_not() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    scene.event_with(FAILS, "issues", &event, &["--forge", "github"]).exits(1);
    assert_eq!(scene.labels(), ["bug", "ai-workflow:failed"]);
    scene.event("issues", &event).exits(1);
    let again = scene.labeled();
    scene.event("issues", &again).exits(0);
    assert_eq!(scene.labels(), ["bug", "ai-workflow:done"]);
    assert_eq!(scene.heading(), "### ai-workflow: completed");
}

#[test]
fn run_that_cannot_begin_gets_a_reaction() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    scene.sandbox.write("mine.txt", "not committed\n");
    scene.sandbox.git(&["add", "-A"]);
    scene.event("issues", &event).exits(2);
    assert_eq!(scene.reactions("issue/243"), ["eyes", "confused"]);
}

#[test]
fn a_job_at_its_time_limit_pauses_and_its_dispatch_continues_the_run() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    let short = ["--forge", "github", "--set", "github.job_minutes=0"];
    scene.event_with("", "issues", &event, &short).exits(3);
    assert_eq!(scene.sandbox.metadata()["outcome"], "paused");
    assert_eq!(scene.labels(), ["bug", "ai-workflow:queued"]);
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let bot = "github-actions[bot]";
    let dispatch = scene.github.dispatched(bot, "243");
    scene.event("workflow_dispatch", &dispatch).exits(0).says("E_ACTOR_DENIED");
    scene.github.sign_in(token, bot);
    scene.event_with("", "workflow_dispatch", &dispatch, &short).exits(3);
    scene.event("workflow_dispatch", &dispatch).exits(0);
    assert_eq!(scene.sandbox.metadata()["outcome"], "completed");
    scene.github.open_issue(244, "Another one", "", &[], "alice");
    let other = scene.github.dispatched(bot, "244");
    scene.event("workflow_dispatch", &other).exits(0).says("E_ACTOR_DENIED");
}

/// The same event with the answer of each call lost, one after the other: the same end, nothing twice. Two phases are
/// enough: what a long run asks for is in `run`.
#[test]
#[ignore = "full suite: a whole run for every call"]
fn a_lost_answer_at_any_call_of_an_event_run_changes_no_result() {
    let two = ["--forge", "github", "--preset", "review-requirements"];
    let clean = Scene::of_event();
    let event = clean.labeled();
    clean.event_with("", "issues", &event, &two).exits(0);
    let calls = clean.github.calls().len();
    for nth in 1..=calls {
        for kind in [Kind::AppliedButLost(Lost::Reset), Kind::Before(502)] {
            let scene = Scene::of_event();
            let event = scene.labeled();
            scene.github.fault_at_call(nth, kind);
            scene.event_with("", "issues", &event, &two).exits(0);
            assert_eq!(scene.heading(), "### ai-workflow: completed", "call {nth}");
            scene.draft();
            scene.everything_is_pushed();
            assert_eq!(scene.labels(), ["bug", "ai-workflow:done"], "call {nth}");
            assert_eq!(scene.reactions("issue/243"), ["eyes", "rocket"], "call {nth}");
        }
    }
}

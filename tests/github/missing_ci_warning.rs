//! A pull request of the job's own token starts no workflow: that is told before any agent is paid, for each kind of token.

use super::run::Scene;
use super::told::{line_with, lines_with};

/// A token as GitHub gives it to each job, and one of an app: they look alike.
const OF_A_JOB: &str = "ghs_0123456789abcdefghijABCDEFGHIJ012345";
const WARNING: &str = "W_PR_NO_CI";
const HOUR: &str = "W_TOKEN_HOUR: the token of our-app[bot] lasts an hour, this job may take longer: \
                    set `[github] job_minutes` to 40, or let a second job publish (`init github --two-job`)";

impl Scene {
    fn with_token(self, token: &str) -> Self {
        Self { sandbox: self.sandbox.with("GITHUB_TOKEN", token), ..self }
    }

    /// Returns whether a text was told before the first agent was called, by the log of the process.
    fn told_before_work(stderr: &str) -> bool {
        let told = stderr.find(WARNING).unwrap_or_else(|| panic!("{stderr}"));
        told < stderr.find("Starting execute step").unwrap_or_else(|| panic!("{stderr}"))
    }
}

#[test]
fn jobs_own_token_gives_a_warning_and_a_note_in_the_comment() {
    let scene = Scene::of_event().with_token(OF_A_JOB);
    let event = scene.labeled();
    let ran = scene.event("issues", &event).exits(0);
    assert!(Scene::told_before_work(&ran.stderr), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches(WARNING).count(), 1, "{}", ran.stderr);
    let summary = scene.summary();
    let table = summary.find("| Phase |").unwrap_or_else(|| panic!("{summary}"));
    assert!(summary.find(WARNING).is_some_and(|told| told < table), "{summary}");
    let comment = scene.comment();
    let boxes = comment.find("- [x]").unwrap_or_else(|| panic!("{comment}"));
    assert!(comment.find(&format!("> {WARNING}: ")).is_some_and(|told| told < boxes), "{comment}");
    assert!(scene.github.writes() <= 25, "{:#?}", scene.github.calls());
    scene.within_the_contract();
}

#[test]
fn a_token_of_an_app_or_a_person_gives_no_warning_about_ci() {
    for (token, login) in [
        (OF_A_JOB, "our-app[bot]"),
        ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "alice"),
        ("github_pat_0123456789abcdefghijABCDEFGHIJ012345", "alice"),
    ] {
        let scene = Scene::of_event().with_token(token);
        scene.github.sign_in(token, login);
        let event = scene.labeled();
        let ran = scene.event("issues", &event).exits(0);
        assert!(!ran.stderr.contains(WARNING), "{login}: {}", ran.stderr);
        assert!(!scene.summary().contains(WARNING) && !scene.comment().contains(WARNING), "{login}");
    }
}

#[test]
fn the_warning_about_missing_ci_is_removed_when_an_app_continues() {
    let scene = Scene::new().with_token(OF_A_JOB);
    scene.execute("", &["--set", "budget.calls=3"]).exits(3);
    let told = line_with(&scene.comment(), WARNING);
    insta::assert_snapshot!(told, @"> W_PR_NO_CI: the token is the job's own, so the pull request will start no workflow; use one of an app");
    scene.github.sign_in(OF_A_JOB, "github-actions[bot]");
    scene.execute("", &["--set", "budget.calls=5"]).exits(3);
    assert_eq!(line_with(&scene.comment(), WARNING), told);
    let id = scene.github.state().comments[0].id;
    let scene = scene.with_token("ghp_0123456789abcdefghijABCDEFGHIJ012345");
    scene.execute("", &["--set", "budget.calls=100"]).exits(0);
    let comments = scene.github.state().comments;
    let ours = comments.iter().find(|comment| comment.id == id).expect("the comment");
    assert!(!ours.body.contains(WARNING), "{}", ours.body);
}

#[test]
fn run_without_a_push_gives_no_warning_about_ci() {
    let scene = Scene::new().with_token(OF_A_JOB);
    let ran = scene.execute("", &["--push", "never"]).exits(0);
    assert!(!ran.stderr.contains(WARNING), "{}", ran.stderr);
}

/// The first of two jobs cannot see the token of the second; an app that publishes has to be named in the settings.
#[test]
fn first_of_two_jobs_warns_about_missing_ci() {
    let scene = Scene::of_event().with_token(OF_A_JOB);
    let event = scene.labeled();
    let ran = scene.work("", "issues", &event, &[]).exits(0);
    assert!(Scene::told_before_work(&ran.stderr), "{}", ran.stderr);
    insta::assert_snapshot!(line_with(&scene.summary(), WARNING), @"W_PR_NO_CI: unless the job that publishes has the token of an app, which `[github] allowed_actors` names, the pull request will start no workflow");
    let ran = scene.publish("issues", &event).exits(0);
    assert_eq!(ran.stderr.matches(WARNING).count(), 1, "{}", ran.stderr);
    insta::assert_snapshot!(line_with(&scene.comment(), WARNING), @"> W_PR_NO_CI: the token is the job's own, so the pull request will start no workflow; use one of an app");
}

#[test]
fn two_jobs_with_an_app_token_give_no_warning() {
    let scene = Scene::of_event().with_token(OF_A_JOB);
    let event = scene.labeled();
    let named = ["--set", "github.allowed_actors=[\"our-app[bot]\"]"];
    let ran = scene.work("", "issues", &event, &named).exits(0);
    assert!(!ran.stderr.contains(WARNING), "{}", ran.stderr);
    scene.github.sign_in(OF_A_JOB, "our-app[bot]");
    let ran = scene.publish("issues", &event).exits(0);
    assert!(!ran.stderr.contains(WARNING) && !scene.comment().contains(WARNING), "{}", ran.stderr);
}

/// GitHub ends the token of an app after an hour; that of a job lasts as long as the job.
#[test]
fn a_job_longer_than_its_app_token_warns_before_its_work() {
    for (login, minutes, is_told) in
        [("our-app[bot]", "270", true), ("our-app[bot]", "40", false), ("github-actions[bot]", "270", false)]
    {
        let scene = Scene::of_event().with_token(OF_A_JOB);
        scene.github.sign_in(OF_A_JOB, login);
        let event = scene.labeled();
        let job_minutes = format!("github.job_minutes={minutes}");
        let more = ["--forge", "github", "--set", &job_minutes, "--set", "budget.calls=2"];
        let ran = scene.event_with("", "issues", &event, &more).exits(3);
        let told = ran.stderr.find("W_TOKEN_HOUR");
        assert_eq!(told.is_some(), is_told, "{login}, {minutes}: {}", ran.stderr);
        let said = lines_with(&scene.summary(), "W_TOKEN_HOUR");
        let wanted: &[&str] = if is_told { &[HOUR] } else { &[] };
        assert_eq!(said, wanted, "{login}, {minutes}");
        assert!(told < ran.stderr.find("Starting execute step"), "{}", ran.stderr);
    }
}

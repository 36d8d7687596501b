//! The follow-up issue: opened once with its labels below its parent, whatever breaks, and then left to people.

use forge::{FollowUpIssue, ForgeError, GithubForge, IssueRef};
use serde_json::json;

use super::forge::{forge, github, masked, number};
use super::run::Scene;
use super::told::{line_with, steady};
use super::{Fault, Github, Kind};
use crate::excerpt::excerpt;

const MARK: &str = "<!-- ai-workflow:follow-up v1 issue=7 run=ab -->";

/// Sees to it that the follow-up issue of issue 7 is there.
pub async fn follow_up(forge: &GithubForge) -> Result<IssueRef, ForgeError> {
    triggered_by("ai-workflow", forge).await
}

async fn triggered_by(trigger: &str, forge: &GithubForge) -> Result<IssueRef, ForgeError> {
    let (title, body) = (masked("[Follow-up] #7: pages"), masked(&format!("{MARK}\nParent issue: #7\n")));
    let since = "2026-01-01T00:00:00.25Z".parse().expect("a time");
    let wanted = FollowUpIssue { parent: number(), marker: MARK, title: &title, body: &body, since, trigger };
    forge.follow_up(&wanted).await
}

/// Numbers, labels and parents of the issues that are no pull requests, besides the first.
fn issues(github: &Github) -> Vec<(u64, Vec<String>, Option<u64>)> {
    let issues = github.state().issues.into_iter().filter(|(number, _)| *number != 7);
    issues.map(|(number, issue)| (number, issue.labels, issue.parent)).collect()
}

#[tokio::test]
async fn follow_up_issue_is_opened_once_with_parent_and_label() {
    let github = github();
    let forge = forge(&github);
    let first = follow_up(&forge).await.expect("an issue");
    assert_eq!(first.url, format!("https://github.com/octo/pages/issues/{}", first.number));
    let ours = vec!["ai-workflow:follow-up".to_owned()];
    assert_eq!(issues(&github), [(first.number, ours, Some(7))]);
    // People may change everything about it but its author.
    github.change(|world| world.unlabel(first.number, "alice", "ai-workflow:follow-up"));
    github.close_issue(first.number, "alice");
    let writes = github.writes();
    assert_eq!(follow_up(&forge).await.expect("an issue"), first);
    assert_eq!(github.state().issues.len(), 2);
    assert_eq!(github.writes(), writes + 1, "{:#?}", github.calls());
    assert_eq!(github.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn follow_up_marker_of_another_author_is_ignored() {
    let github = github();
    github.open_issue(8, "mine", &format!("{MARK}\nclick here"), &[], "mallory");
    let opened = follow_up(&forge(&github)).await.expect("an issue");
    assert_ne!(opened.number, 8);
    assert_eq!(github.state().issues[&8].parent, None);
}

#[tokio::test]
async fn follow_up_issue_gets_existing_labels_and_never_the_trigger_label() {
    let github = github();
    github.label_by("octo", 7, "enhancement");
    follow_up(&forge(&github)).await.expect("an issue");
    assert_eq!(issues(&github)[0].1, ["ai-workflow:follow-up", "enhancement"]);
    let github = self::github();
    github.label_by("octo", 7, "enhancement");
    triggered_by("AI-Workflow:Follow-Up", &forge(&github)).await.expect("an issue");
    assert_eq!(issues(&github)[0].1, ["enhancement"]);
    let github = self::github();
    github.label_by("octo", 7, "enhancement");
    triggered_by("enhancement", &forge(&github)).await.expect("an issue");
    assert_eq!(issues(&github)[0].1, ["ai-workflow:follow-up"]);
}

#[tokio::test]
async fn follow_up_works_without_sub_issues_and_labels() {
    let github = github();
    for path_contains in ["/sub_issues", "/labels"] {
        github.fault(Fault { method: "POST", path_contains, nth: 0, kind: Kind::Before(404) });
    }
    let opened = follow_up(&forge(&github)).await.expect("an issue");
    assert_eq!(issues(&github), [(opened.number, vec![], None)]);
    assert_eq!(github.state().issues[&opened.number].body, format!("{MARK}\nParent issue: #7\n"));
}

const LEFT: &str = r##"
[[turn]]
phase = "evaluation"
step = "execute"
write = [{ path = "{{output}}", text = "# evaluation\n" }]
say = '{"decision": "PASS_WITH_ISSUES", "remaining_tasks": [{"task": "tell @octo that it closes #1", "phase": "documentation", "priority": "low"}]}'
"##;

#[test]
fn a_run_passed_with_issues_opens_a_follow_up_issue_and_links_it() {
    for scene in [Scene::new(), Scene::new().in_a_job()] {
        scene.execute(LEFT, &[]).exits(0);
        scene.execute(LEFT, &[]).exits(0);
        let issues = scene.github.state().issues;
        assert_eq!(issues.len(), 2, "{issues:#?}");
        let (number, issue) = issues.iter().find(|(number, _)| **number != 243).expect("a follow-up issue");
        assert!(issue.title.starts_with("[Follow-up] #243: The last page is missing"), "{}", issue.title);
        assert_eq!(issue.parent, Some(243), "{issue:#?}");
        insta::allow_duplicates! { insta::assert_snapshot!(steady(&issue.body), @"
        <!-- ai-workflow:follow-up v1 issue=243 run=[RUN] -->
        Parent issue: #243

        The evaluation of `ai-workflow/issue-243` passed with issues. Left for later:

        - [ ] tell @[ZWSP]octo that it closes #[ZWSP]1 (low documentation)
        ") };
        assert_eq!(issue.labels, ["ai-workflow:follow-up"]);
        assert_eq!(line_with(&scene.comment(), "Left for later"), format!("Left for later: #{number}"));
        assert_eq!(line_with(&scene.draft(), "Follow-up issue"), format!("Follow-up issue: #{number}"));
        assert_eq!(scene.sandbox.metadata()["github_integration"]["follow_up_number"], json!(number));
        let status = scene.sandbox.run(&["status", "--issue", "243"]).exits(0).stdout;
        let later = format!("later    https://github.com/octo/pages/issues/{number}");
        assert_eq!(line_with(&status, "later"), later);
        scene.everything_is_pushed();
        scene.within_the_contract();
    }
}

#[test]
fn no_follow_up_without_remaining_tasks_or_when_disabled() {
    let scene = Scene::new();
    scene.execute("", &[]).exits(0);
    assert_eq!(scene.github.state().issues.len(), 1);
    let scene = Scene::new();
    scene.execute(LEFT, &["--set", "github.follow_up=false"]).exits(0);
    assert_eq!(scene.github.state().issues.len(), 1);
    insta::assert_snapshot!(steady(&excerpt(&scene.draft(), "## Left for later", "\n---")), @"
    ## Left for later

    - tell @[ZWSP]octo that it closes #[ZWSP]1 (low documentation)
    ");
}

#[test]
fn refused_follow_up_is_reported_and_stops_nothing() {
    let scene = Scene::new();
    scene.github.fault(Fault { method: "POST", path_contains: "/issues", nth: 2, kind: Kind::Before(403) });
    // Labels are posted below issues, too.
    let ran = scene.execute(LEFT, &["--set", "github.state_labels=false"]);
    ran.exits(0).says("There is no follow-up issue");
    assert_eq!(scene.github.state().issues.len(), 1);
    assert_eq!(scene.heading(), "### ai-workflow: completed");
}

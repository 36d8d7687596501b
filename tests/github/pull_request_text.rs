//! What the pull request tells: the evidence as a table, what did not pass, and how the run is run again.

use super::run::{FAILS, Scene};
use super::told::line_with;

impl Scene {
    /// Returns what stands under a heading of the request.
    fn section(&self, heading: &str) -> String {
        let draft = self.draft();
        let after = draft.split(&format!("## {heading}\n\n")).nth(1);
        let after = after.unwrap_or_else(|| panic!("there is no {heading:?} in {draft}"));
        after.split("\n## ").next().unwrap_or_default().to_owned()
    }

    fn again(&self) -> String {
        let draft = self.draft();
        let mut lines = draft.lines().filter_map(|line| line.strip_prefix("**Run again:** "));
        let line = lines.next().unwrap_or_else(|| panic!("{draft}"));
        assert_eq!(lines.next(), None, "{draft}");
        line.to_owned()
    }
}

/// Every line of a table has the same number of bars, and no cell holds another one.
fn rows(table: &str) -> Vec<Vec<&str>> {
    let lines = table.lines().filter(|line| line.starts_with('|'));
    let rows: Vec<Vec<&str>> =
        lines.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect();
    assert!(rows.iter().all(|row| row.len() == 7), "{table}");
    rows
}

#[test]
fn hostile_commands_cannot_break_the_evidence_table() {
    let scene = Scene::new();
    let hostile = "sh -c 'true # a|b `c` ``` <b> </code> | x |' '\n| y |'";
    scene.execute("", &["--set", &format!("commands.lint={hostile}")]).exits(0);
    let evidence = scene.section("Evidence gathered by ai-workflow");
    let rows = rows(&evidence);
    assert_eq!(rows[0], ["Phase", "Round", "Check", "Result", "Exit code", "Command", "What was seen"]);
    let lint = rows.iter().find(|row| row[0] == "implementation" && row[2] == "lint");
    let lint = lint.unwrap_or_else(|| panic!("{evidence}"));
    assert_eq!((lint[1], lint[3], lint[4]), ("1", "pass", "0"), "{evidence}");
    assert!(lint[5].starts_with("<code>sh -c &#39;true ") && lint[5].ends_with("</code>"), "{lint:?}");
    let others: Vec<_> =
        rows.iter().filter(|row| row[0] == "implementation" && row[2].ends_with("other checks")).collect();
    assert_eq!((others.len(), others[0][3]), (1, "pass"), "{evidence}");
    insta::assert_snapshot!(others[0][6], @"documents, deliverable, code_changed, protected, noted, suspect, scope, tampering, staged, snapshots, links, modes, submodules, conflict_markers, hidden_characters, scratch_files, binaries, patch_size, secrets, files, todo, omission, syntax, evidence, early_termination, trivial_diff, task_list");
    assert!(lint[6].starts_with("passed in ") && !lint[6].contains('`'), "{lint:?}");
    assert_eq!(evidence.matches("</code>").count(), evidence.matches("<code>").count(), "{evidence}");
    scene.within_the_contract();
}

#[test]
fn pull_request_of_a_failed_phase_shows_checks_findings_and_reason() {
    let scene = Scene::new();
    scene.execute(FAILS, &[]).exits(1);
    let stopped = scene.section("Not passed");
    insta::assert_snapshot!(stopped.trim_end(), @"
    **design** failed in round 4: retry_limit

    - open findings: 1, same (1, 1, 1, 1)
    - F1 major: the pages are not counted (repeated, since round 1, fix required)
    ");
    let evidence = scene.section("Evidence gathered by ai-workflow");
    assert!(rows(&evidence).iter().any(|row| row[0] == "design" && row[3] == "pass"), "{evidence}");
    let command = "`ai-workflow execute --phase all --issue 243 --retry-failed`";
    let expected = format!("a comment `/ai-workflow retry design` on issue #243, or at a terminal {command}");
    assert_eq!(scene.again(), expected);
}

#[test]
fn evidence_of_a_failed_command_shows_its_exit_code() {
    let scene = Scene::new();
    let red = "commands.test=sh -c '! grep -qx \"    3\" src/lib.rs || exit 7'";
    scene.execute("", &["--set", red]).exits(1);
    let draft = scene.draft();
    let evidence = scene.section("Evidence gathered by ai-workflow");
    let rows = rows(&evidence);
    let red = rows.iter().find(|row| row[2] == "tests" && row[3] == "**FAIL**");
    assert_eq!(red.unwrap_or_else(|| panic!("{draft}"))[4], "7", "{draft}");
    insta::assert_snapshot!(line_with(&scene.section("Not passed"), "check tests: "), @r#"- check tests: `sh -c '! grep -qx "    3" src/lib.rs || exit 7'` failed: exit code 7"#);
}

/// The text is written while the run still works, and tells what it comes to.
#[test]
fn the_rerun_commands_in_a_completed_pull_request_work() {
    let scene = Scene::new();
    scene.execute("", &[]).exits(0);
    let again = scene.again();
    let in_comment = "a comment `/ai-workflow retry planning` on issue #243, or at a terminal `";
    let commands = again.strip_prefix(in_comment).unwrap_or_else(|| panic!("{again}")).trim_end_matches('`');
    let (back, on) = commands.split_once(" && ").unwrap_or_else(|| panic!("{again}"));
    assert_eq!(on, "ai-workflow execute --phase all --issue 243");
    let back = back.replace('"', "");
    let words: Vec<&str> = back.split(' ').skip(1).collect();
    let ran = scene.sandbox.run(&words);
    let told = ran.exits(0).stdout;
    insta::assert_snapshot!(line_with(&told, "is open again"), @"planning is open again");
}

#[test]
fn pull_request_of_a_paused_run_shows_how_to_continue_and_open_findings() {
    let scene = Scene::new();
    scene.execute(FAILS, &["--set", "policies.phase-review.outcomes.exhausted=pause"]).exits(3);
    let again = scene.again();
    assert!(again.starts_with("a comment `/ai-workflow answer your advice` on issue #243"), "{again}");
    let stopped = scene.section("Not passed");
    insta::assert_snapshot!(stopped.trim_end(), @"
    **design** paused in round 4: design is not approved and has used revisions 3/3: the reviewer states FAIL. Go on, accept it as it is, or give up?

    - open findings: 1, same (1, 1, 1, 1)
    - F1 major: the pages are not counted (repeated, since round 1, fix required)
    ");
}

//! The table on a job's page: whatever stands in its cells, each row has the cells that its head has, with the right values.

use super::run::{FAILS, Scene};
use super::told::steady;

/// What would end a cell, a row, a box of code or the table itself.
const HOSTILE: &str = "a | b `c` <details><b>x</b> </table> ](https://evil.example) @everyone";

/// Returns the cells of a row as GitHub reads them: a bar ends a cell unless a backslash stands before it that is no text.
fn cells(row: &str) -> Vec<String> {
    let (mut cells, mut cell, mut rest) = (Vec::new(), String::new(), row.chars());
    while let Some(c) = rest.next() {
        match c {
            '\\' => cell.extend([Some(c), rest.next()].into_iter().flatten()),
            '|' => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            c => cell.push(c),
        }
    }
    assert!(cell.is_empty() && cells.first().is_some_and(String::is_empty), "{row}");
    cells.split_off(1)
}

/// Returns the rows of the table that was written last, without its head.
fn rows(summary: &str) -> Vec<Vec<String>> {
    let head =
        "| Phase | Result | Rounds | Evidence | Reviewer | Cost | Time |\n|---|---|---|---|---|---|---|\n";
    let table = summary.rsplit(head).next().expect("a table");
    table.lines().take_while(|line| line.starts_with('|')).map(cells).collect()
}

#[test]
fn hostile_text_cannot_break_the_table_of_the_job_summary() {
    let scene = Scene::of_event();
    scene.github.edit_issue(243, &format!("{HOSTILE}\n| x | y |\n"), "It should be there.");
    let event = scene.labeled();
    let reviewer = scene.sandbox.executable("r|`<b>x.toml", &crate::support::honest_script(FAILS));
    let reviewer = format!("scripted:{}", reviewer.display());
    let more = ["--forge", "github", "--reviewer", &reviewer, "--set"];
    let more = [&more[..], &["policies.phase-review.outcomes.exhausted=pause"]].concat();
    scene.event_with("", "issues", &event, &more).exits(3);
    let accept = format!("/ai-workflow accept {HOSTILE}\n| z | {HOSTILE} |");
    let event = scene.github.commented("bob", 243, &accept);
    scene.event_with("", "issue_comment", &event, &["--forge", "github", "--reviewer", &reviewer]).exits(0);
    let summary = scene.summary();
    let rows = rows(&summary);
    let phases = scene.sandbox.metadata()["phases"].as_object().expect("phases").clone();
    assert_eq!(rows.len(), phases.len(), "{summary}");
    let mut judged = Vec::new();
    for row in &rows {
        let [name, result, rounds, evidence, reviewer, cost, time] = row.as_slice() else {
            panic!("{} cells: {row:#?}\n{summary}", row.len());
        };
        let phase = &phases[name];
        assert!(result.starts_with("✓ completed"), "{result}");
        assert_eq!(*rounds, phase["rounds"].as_array().map_or(0, Vec::len).to_string(), "{name}");
        judged.push(format!("{name} | {evidence} | {reviewer}"));
        assert_eq!((cost.as_str(), time.ends_with('s')), ("0.00 USD", true), "{cost} {time}");
    }
    let of_design = rows.iter().find(|row| row[0] == "design").expect("the phase");
    insta::assert_snapshot!(steady(&of_design[1]), @"✓ completed: accepted by bob: a &#124; b `c` &lt;details>&lt;b>x&lt;/b> &lt;/table> ][ZWSP](https://evil.example) @[ZWSP]everyone &#124; z &#124; a &#124; b `c` &lt;details>&lt;b>x&lt;/b> &lt;/table> ][ZWSP](https://evil.example) @[ZWSP]everyone &#124;");
    insta::assert_snapshot!(steady(&judged.join("\n")), @"
    planning | 23 checks passed | scripted:[FOLDER]/r&#124;`&lt;b>x.toml: PASS by json
    requirements | 23 checks passed | scripted:[FOLDER]/r&#124;`&lt;b>x.toml: PASS by json
    design | 23 checks passed | scripted:[FOLDER]/r&#124;`&lt;b>x.toml: FAIL by json
    test_scenario | 23 checks passed | scripted:[FOLDER]/r&#124;`&lt;b>x.toml: PASS by json
    document_review | 21 checks passed, 1 without a result | scripted:[FOLDER]/r&#124;`&lt;b>x.toml: PASS by table
    implementation | 27 checks passed | scripted:[FOLDER]/r&#124;`&lt;b>x.toml: PASS by json
    test_implementation | 27 checks passed | scripted:[FOLDER]/r&#124;`&lt;b>x.toml: PASS by json
    testing | 23 checks passed, 1 without a result | scripted:[FOLDER]/r&#124;`&lt;b>x.toml: PASS by json
    documentation | 23 checks passed | scripted:[FOLDER]/r&#124;`&lt;b>x.toml: PASS by json
    report | 23 checks passed | scripted:[FOLDER]/r&#124;`&lt;b>x.toml: PASS by json
    evaluation | 24 checks passed | scripted:[FOLDER]/r&#124;`&lt;b>x.toml: PASS by json
    ");
    for sign in ["<b>", "<details>", "</table>", "](https", "@everyone"] {
        assert!(!summary.contains(sign), "`{sign}` in {summary}");
    }
    assert!(!summary.lines().any(|line| line.starts_with("| x ") || line.starts_with("| z ")), "{summary}");
    scene.within_the_contract();
}

//! Triage tables, read and refused.

use super::*;

const HEAD: &str =
    "| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|:--:|---|---|---|\n";

fn read(rows: &str) -> Result<TriageTable, String> {
    read_triage(&format!("## Response Summary\n\n{HEAD}{rows}\nrest | of the | text"), None)
}

fn table(fix_required: u32, no_fix_needed: u32, needs_discussion: u32) -> TriageTable {
    TriageTable { fix_required, no_fix_needed, needs_discussion }
}

#[test]
fn the_rows_are_summed_and_dashes_are_nothing() {
    assert_eq!(read("| Critical | 1 | **1** ✅ | - | – |\n| Info | 3 | 0 | ２ | 1件 |"), Ok(table(1, 2, 1)));
    assert_eq!(read("| Info | 1 | | 1 | — |"), Ok(table(0, 1, 0)));
}

#[test]
fn a_row_adds_up_to_its_findings() {
    let why = |rows| read(rows).expect_err("it is unreadable");
    assert_eq!(
        why("| Info | 2 | 0 | 1 | 0 |"),
        "1 findings are judged where there are 2, in `| Info | 2 | 0 | 1 | 0 |`"
    );
    assert_eq!(why("| Info | 1 | | | |"), "0 findings are judged where there are 1, in `| Info | 1 | | | |`");
    assert_eq!(read("| Info | 0 | | | |"), Ok(table(0, 0, 0)));
    assert_eq!(why("| Info | | 0 | | 0 |"), "a number is missing in `| Info | | 0 | | 0 |`");
    let without_issues =
        "| Severity | Fix Required | No Fix Needed | Needs Discussion |\n|---|---|---|---|\n";
    assert_eq!(read_triage(&format!("{without_issues}| Info | 0 | 4 | - |"), None), Ok(table(0, 4, 0)));
    let missing = read_triage(&format!("{without_issues}| Info | 0 | 4 | |"), None);
    assert_eq!(missing, Err("a number is missing in `| Info | 0 | 4 | |`".to_owned()));
}

#[test]
fn a_row_that_is_a_total_is_skipped() {
    assert_eq!(
        read("| Info | 1 | 1 | 0 | 0 |\n| **Total** | 1 | 1 | 0 | 0 |\n| 合計 | | 1 | | |"),
        Ok(table(1, 0, 0))
    );
    assert_eq!(
        read("| Info | 1 | 0 | 1 | 0 |\n| Total | 1 | 1 | 0 | 0 |"),
        Err("the total is not the sum of the rows above it, in `| Total | 1 | 1 | 0 | 0 |`".to_owned())
    );
}

#[test]
fn columns_are_found_by_their_title() {
    let text = "|Needs Discussion|fix required|No Fix Needed|\n|---|---|---|\n|1|2|3|";
    assert_eq!(read_triage(text, None), Ok(table(2, 3, 1)));
    assert_eq!(read_triage("| 要修正 | 修正不要 | 要議論 |\n| 1 | 2 | 3 |", None), Ok(table(1, 2, 3)));
    let mixed = "| 要検討 | 指摘数 | 修正が必要 | 対応不要 |\n|---|---|---|---|\n| 1 | 6件 | 2件 | 3件 |";
    assert_eq!(read_triage(mixed, None), Ok(table(2, 3, 1)));
}

#[test]
fn what_cannot_be_counted_is_unreadable() {
    let why = |rows| read(rows).expect_err("it is unreadable");
    assert_eq!(why("| Info | 1 | some | 0 | 0 |"), "`some` is not a number in `| Info | 1 | some | 0 | 0 |`");
    assert_eq!(why("| Info | 1 | 0 |"), "a cell is missing in `| Info | 1 | 0 |`");
    assert_eq!(why(""), "the triage table has no rows");
    assert_eq!(why("| Info | 1 | -1 | 0 | 0 |"), "`-1` is not a number in `| Info | 1 | -1 | 0 | 0 |`");
    assert_eq!(read_triage("all fine", None), Err(NO_TABLE.to_owned()));
    assert_eq!(read_triage(&format!("> {HEAD}"), None), Err(NO_TABLE.to_owned()));
    let flood = format!("{HEAD}{}", "| Info | 0 | 0 | 0 | 0 |\n".repeat(50_000));
    assert_eq!(read_triage(&flood, None), Err("the triage is longer than a megabyte".to_owned()));
}

#[test]
fn a_quoted_table_is_somebody_elses() {
    let row = "| Info | 1 | 0 | 1 | 0 |\n";
    assert!(read_triage(&format!("as asked:\n```\n{HEAD}{row}```\n"), None).is_err());
    assert_eq!(read_triage(&format!("```markdown\n{HEAD}{row}```\n"), None), Ok(table(0, 1, 0)));
}

#[test]
fn several_tables_are_read_strictly() {
    let one = format!("{HEAD}| Info | 1 | 0 | 1 | 0 |\n\n");
    let other = format!("{HEAD}| Info | 3 | 1 | 0 | 2 |\n");
    assert_eq!(read_triage(&format!("{one}{one}"), None), Ok(table(0, 1, 0)));
    assert_eq!(read_triage(&format!("{one}{other}"), None), Ok(table(1, 1, 2)));
}

#[test]
fn an_answer_to_another_review_is_unreadable() {
    let text = |id: &str| format!("**review_id**: `{id}`\n\n{HEAD}| Info | 1 | 0 | 1 | 0 |\n");
    assert_eq!(read_triage(&text("r-1"), Some("r-1")), Ok(table(0, 1, 0)));
    assert_eq!(read_triage(&text("r-1"), None), Ok(table(0, 1, 0)));
    let why = "the review_id `r-0` is not the one of this review".to_owned();
    assert_eq!(read_triage(&text("r-0"), Some("r-1")), Err(why));
    assert_eq!(read_triage(&text("").replace("**review_id**: ``", ""), Some("r-1")), Ok(table(0, 1, 0)));
}

#[test]
fn the_last_table_of_a_review_counts_its_findings_by_their_severity() {
    let counted = |review: &str| -> Vec<Severity> {
        counted_findings(review).into_iter().map(|finding| finding.severity).collect()
    };
    let table = "## Issue summary\n\n| Severity | Count |\n|---|---|\n| Critical | 1 |\n| Warning | 0 |\n| Info | 2 |\n";
    assert_eq!(counted(table), [Severity::Critical, Severity::Info, Severity::Info]);
    // The last table counts, and none of an earlier round.
    assert_eq!(
        counted(&format!("{table}\n| 重要度 | 件数 |\n|---|---|\n| 重大 | 0件 |\n| 軽微 | 1件 |")),
        [Severity::Minor]
    );
    assert_eq!(counted(&format!("## Previous round\n\n{table}").replace("## Issue", "### Issue")), []);
    assert_eq!(counted("### Critical\n- The key is written to the log\n"), []);
}

//! Reads the triage table: `| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |`. Columns are found by
//! their header, never by position. Says why a table cannot be read, because an unreadable one never approves.
//! What the judgments of the single findings say beside it is `judgments`'.

use std::sync::LazyLock;

use regex::Regex;

use super::folded::{folded, is_picture};
use super::judgments;
use super::quoted::Quoted;
use model::event::TriageTable;

/// Longer lines are no table rows.
const LONGEST_ROW: usize = 4_000;

/// Longer answers are not read: a triage is a page or two.
const LONGEST: usize = 1 << 20;

/// The titles of each column, as they are written in the languages of the older systems.
const FIX_REQUIRED: &[&str] = &["fix required", "fixes required", "要修正", "修正必要", "修正が必要"];
const NO_FIX_NEEDED: &[&str] = &["no fix needed", "no fix required", "修正不要", "対応不要"];
const NEEDS_DISCUSSION: &[&str] = &["needs discussion", "要議論", "議論が必要", "要検討"];
const ISSUES: &[&str] = &["issues", "findings", "件数", "指摘数", "指摘件数", "問題数"];

const NO_TABLE: &str = "no table with the columns Fix Required, No Fix Needed and Needs Discussion";

/// Reads the sums of the triage table. Of several tables each sum counts at its greatest: an agent that repeats its answer
/// changes nothing, one that contradicts itself is read strictly.
pub fn read_triage(text: &str, review_id: Option<&str>) -> Result<TriageTable, String> {
    static TITLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new("(?i-u:fix(?:es)?\\s+required)|要修正|修正必要|修正が必要")
            .expect("the pattern is a constant")
    });
    if !TITLE.is_match(text) {
        return Err(NO_TABLE.to_owned());
    }
    if text.len() > LONGEST {
        return Err("the triage is longer than a megabyte".to_owned());
    }
    let quoted = Quoted::new(text);
    let lines: Vec<&str> = quoted.own_lines().collect();
    check_review_id(&lines, review_id)?;
    let mut sums: Option<TriageTable> = None;
    let mut rest = &lines[..];
    while let Some(start) = rest.iter().position(|line| Columns::read(line).is_some()) {
        let columns = Columns::read(rest[start]).ok_or(NO_TABLE)?;
        let rows: Vec<&str> = rest[start + 1..].iter().copied().take_while(|line| is_row(line)).collect();
        sums = Some(greatest(sums, sum(&columns, &rows)?));
        rest = &rest[start + 1 + rows.len()..];
    }
    let sums = sums.ok_or(NO_TABLE)?;
    judgments::check(&lines, sums)?;
    Ok(sums)
}

/// Refuses a table that judges nothing, where the review has findings. How many an honest triage makes of them is its own:
/// it may take two as one. Only a table that lets a review that failed pass has to judge each of its findings.
pub fn answering(table: TriageTable, findings: usize, failed: bool) -> Result<TriageTable, String> {
    let judged = table.findings();
    let passes = table.fix_required + table.needs_discussion == 0;
    if failed && passes && judged > 0 && u64::from(judged) < findings as u64 {
        return Err(format!("it judges {judged} of the {findings} findings of a review that failed"));
    }
    if table.findings() == 0 && findings > 0 {
        return Err(format!("it judges none of the {findings} findings of the review"));
    }
    Ok(table)
}

/// Refuses an answer that names another review.
fn check_review_id(lines: &[&str], review_id: Option<&str>) -> Result<(), String> {
    let Some(asked) = review_id else { return Ok(()) };
    let given = |line: &&str| {
        let line = line.trim_matches(|c: char| c.is_whitespace() || "*`-".contains(c));
        let value = line.strip_prefix("review_id")?.trim_start_matches(['*', '`', ' ']).strip_prefix(':')?;
        Some(value.trim_matches(|c: char| c.is_whitespace() || "*`\"".contains(c)).to_owned())
    };
    match lines.iter().filter_map(given).find(|given| given != asked) {
        Some(other) => {
            Err(format!("the review_id `{}` is not the one of this review", super::clipped(&other, 60)))
        }
        None => Ok(()),
    }
}

/// Where the columns stand; how many findings a row has is not told by every table.
struct Columns {
    issues: Option<usize>,
    fix_required: usize,
    no_fix_needed: usize,
    needs_discussion: usize,
}

impl Columns {
    fn read(line: &str) -> Option<Self> {
        if !is_row(line) {
            return None;
        }
        let titles: Vec<String> = cells(line).iter().map(|cell| cell.to_lowercase()).collect();
        let column = |names: &[&str]| titles.iter().position(|title| names.contains(&title.as_str()));
        Some(Self {
            issues: column(ISSUES),
            fix_required: column(FIX_REQUIRED)?,
            no_fix_needed: column(NO_FIX_NEEDED)?,
            needs_discussion: column(NEEDS_DISCUSSION)?,
        })
    }
}

fn is_row(line: &str) -> bool {
    line.len() <= LONGEST_ROW && line.trim_start().starts_with('|')
}

fn cells(line: &str) -> Vec<String> {
    let line = line.trim().trim_start_matches('|');
    let line = line.strip_suffix('|').unwrap_or(line);
    let bare = |cell: &str| {
        let cell: String = folded(cell).chars().filter(|c| !is_picture(*c) && !"*`".contains(*c)).collect();
        cell.trim().to_owned()
    };
    line.split('|').map(bare).collect()
}

fn sum(columns: &Columns, rows: &[&str]) -> Result<TriageTable, String> {
    let mut sums = TriageTable::default();
    let mut counted = 0;
    for row in rows {
        let cells = cells(row);
        if is_separator(&cells) {
            continue;
        }
        if is_total(&cells) {
            check_total(columns, &cells, sums, row)?;
            continue;
        }
        let counts = counts(columns, &cells, row)?;
        sums.fix_required = sums.fix_required.saturating_add(counts.fix_required);
        sums.no_fix_needed = sums.no_fix_needed.saturating_add(counts.no_fix_needed);
        sums.needs_discussion = sums.needs_discussion.saturating_add(counts.needs_discussion);
        counted += 1;
    }
    if counted == 0 { Err("the triage table has no rows".to_owned()) } else { Ok(sums) }
}

/// Reads a row. What it counts has to add up to its findings; a cell left empty counts as nothing only where it does.
fn counts(columns: &Columns, cells: &[String], row: &str) -> Result<TriageTable, String> {
    let places = [columns.fix_required, columns.no_fix_needed, columns.needs_discussion];
    let [fix_required, no_fix_needed, needs_discussion] = places.map(|place| number(cells.get(place), row));
    let counts = TriageTable {
        fix_required: fix_required?,
        no_fix_needed: no_fix_needed?,
        needs_discussion: needs_discussion?,
    };
    let blank = |place: usize| cells.get(place).is_none_or(String::is_empty);
    let issues = columns.issues.filter(|place| !blank(*place));
    match issues.map(|place| number(cells.get(place), row)).transpose()? {
        Some(issues) if issues != counts.findings() => Err(format!(
            "{} findings are judged where there are {issues}, in `{}`",
            counts.findings(),
            shown(row)
        )),
        None if places.into_iter().any(blank) => Err(format!("a number is missing in `{}`", shown(row))),
        _ => Ok(counts),
    }
}

/// A total that says other numbers than the rows above it contradicts them.
fn check_total(columns: &Columns, cells: &[String], sums: TriageTable, row: &str) -> Result<(), String> {
    let told = |place: usize| cells.get(place).and_then(|cell| digits(cell));
    let agrees = [
        (columns.fix_required, sums.fix_required),
        (columns.no_fix_needed, sums.no_fix_needed),
        (columns.needs_discussion, sums.needs_discussion),
    ];
    if agrees.iter().all(|(place, sum)| told(*place).is_none_or(|total| total == *sum)) {
        return Ok(());
    }
    Err(format!("the total is not the sum of the rows above it, in `{}`", shown(row)))
}

fn is_separator(cells: &[String]) -> bool {
    cells.iter().all(|cell| cell.len() >= 2 && cell.chars().all(|c| c == '-' || c == ':'))
}

fn is_total(cells: &[String]) -> bool {
    let first = cells.first().map(|cell| cell.to_lowercase()).unwrap_or_default();
    ["total", "totals", "sum", "合計", "計"].contains(&first.as_str())
}

fn number(cell: Option<&String>, row: &str) -> Result<u32, String> {
    let cell = cell.ok_or_else(|| format!("a cell is missing in `{}`", shown(row)))?;
    match cell.as_str() {
        "" | "-" | "–" | "—" => Ok(0),
        text => digits(text).ok_or_else(|| format!("`{cell}` is not a number in `{}`", shown(row))),
    }
}

fn digits(cell: &str) -> Option<u32> {
    cell.trim_end_matches('件').trim().parse().ok()
}

fn shown(row: &str) -> &str {
    super::clipped(row.trim(), 120)
}

fn greatest(known: Option<TriageTable>, next: TriageTable) -> TriageTable {
    let known = known.unwrap_or_default();
    TriageTable {
        fix_required: known.fix_required.max(next.fix_required),
        no_fix_needed: known.no_fix_needed.max(next.no_fix_needed),
        needs_discussion: known.needs_discussion.max(next.needs_discussion),
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(
            read("| Critical | 1 | **1** ✅ | - | – |\n| Info | 3 | 0 | ２ | 1件 |"),
            Ok(table(1, 2, 1))
        );
        assert_eq!(read("| Info | 1 | | 1 | — |"), Ok(table(0, 1, 0)));
    }

    #[test]
    fn a_row_adds_up_to_its_findings() {
        let why = |rows| read(rows).expect_err("it is unreadable");
        assert_eq!(
            why("| Info | 2 | 0 | 1 | 0 |"),
            "1 findings are judged where there are 2, in `| Info | 2 | 0 | 1 | 0 |`"
        );
        assert_eq!(
            why("| Info | 1 | | | |"),
            "0 findings are judged where there are 1, in `| Info | 1 | | | |`"
        );
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
        assert_eq!(
            why("| Info | 1 | some | 0 | 0 |"),
            "`some` is not a number in `| Info | 1 | some | 0 | 0 |`"
        );
        assert_eq!(why("| Info | 1 | 0 |"), "a cell is missing in `| Info | 1 | 0 |`");
        assert_eq!(why(""), "the triage table has no rows");
        assert_eq!(why("| Info | 1 | -1 | 0 | 0 |"), "`-1` is not a number in `| Info | 1 | -1 | 0 | 0 |`");
        assert_eq!(read_triage("all fine", None), Err(NO_TABLE.to_owned()));
        assert_eq!(read_triage(&format!("> {HEAD}"), None), Err(NO_TABLE.to_owned()));
        let flood = format!("{HEAD}{}", "| Info | 0 | 0 | 0 | 0 |\n".repeat(50_000));
        assert_eq!(read_triage(&flood, None), Err("the triage is longer than a megabyte".to_owned()));
    }

    #[test]
    fn a_table_without_findings_answers_no_review_that_has_some() {
        assert_eq!(answering(table(0, 0, 0), 0, true), Ok(table(0, 0, 0)));
        assert_eq!(answering(table(0, 1, 0), 3, false), Ok(table(0, 1, 0)));
        let why = "it judges none of the 2 findings of the review";
        assert_eq!(answering(table(0, 0, 0), 2, false), Err(why.to_owned()));
    }

    #[test]
    fn a_review_that_failed_passes_only_when_each_of_its_findings_is_judged() {
        let why = "it judges 1 of the 2 findings of a review that failed";
        assert_eq!(answering(table(0, 1, 0), 2, true), Err(why.to_owned()));
        assert_eq!(answering(table(0, 2, 0), 2, true), Ok(table(0, 2, 0)));
        assert_eq!(answering(table(1, 0, 0), 2, true), Ok(table(1, 0, 0)), "two are fixed as one");
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
}

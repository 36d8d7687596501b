//! Reads the triage table: `| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |`. Columns are found by
//! their header, never by position. Says why a table cannot be read, because an unreadable one never approves.

use std::sync::LazyLock;

use regex::Regex;

use super::folded::{folded, is_picture};
use super::quoted::Quoted;
use crate::event::TriageTable;

/// Longer lines are no table rows.
const LONGEST_ROW: usize = 4_000;

/// Longer answers are not read: a triage is a page or two.
const LONGEST: usize = 1 << 20;

const NO_TABLE: &str = "no table with the columns Fix Required, No Fix Needed and Needs Discussion";

/// Reads the sums of the triage table. Of several tables each sum counts at its greatest: an agent that repeats its answer
/// changes nothing, one that contradicts itself is read strictly.
pub fn read_triage(text: &str, review_id: Option<&str>) -> Result<TriageTable, String> {
    static TITLE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i-u:fix\s+required)|要修正").expect("the pattern is a constant"));
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
    check_judgments(&lines, sums)?;
    Ok(sums)
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

/// Where the three columns stand.
struct Columns {
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
        let column = |names: [&str; 2]| titles.iter().position(|title| names.contains(&title.as_str()));
        Some(Self {
            fix_required: column(["fix required", "要修正"])?,
            no_fix_needed: column(["no fix needed", "修正不要"])?,
            needs_discussion: column(["needs discussion", "要議論"])?,
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
        if is_separator(&cells) || is_total(&cells) {
            continue;
        }
        let number = |column: usize| number(cells.get(column), row);
        sums.fix_required = sums.fix_required.saturating_add(number(columns.fix_required)?);
        sums.no_fix_needed = sums.no_fix_needed.saturating_add(number(columns.no_fix_needed)?);
        sums.needs_discussion = sums.needs_discussion.saturating_add(number(columns.needs_discussion)?);
        counted += 1;
    }
    if counted == 0 { Err("the triage table has no rows".to_owned()) } else { Ok(sums) }
}

fn is_separator(cells: &[String]) -> bool {
    cells.iter().all(|cell| cell.len() >= 2 && cell.chars().all(|c| c == '-' || c == ':'))
}

fn is_total(cells: &[String]) -> bool {
    let first = cells.first().map(|cell| cell.to_lowercase()).unwrap_or_default();
    ["total", "totals", "sum", "合計", "計"].contains(&first.as_str())
}

fn number(cell: Option<&String>, row: &str) -> Result<u32, String> {
    let row = || super::clipped(row.trim(), 120);
    let cell = cell.ok_or_else(|| format!("a cell is missing in `{}`", row()))?;
    match cell.trim_end_matches('件').trim() {
        "" | "-" | "–" | "—" => Ok(0),
        digits => digits.parse().map_err(|_| format!("`{cell}` is not a number in `{}`", row())),
    }
}

fn greatest(known: Option<TriageTable>, next: TriageTable) -> TriageTable {
    let known = known.unwrap_or_default();
    TriageTable {
        fix_required: known.fix_required.max(next.fix_required),
        no_fix_needed: known.no_fix_needed.max(next.no_fix_needed),
        needs_discussion: known.needs_discussion.max(next.needs_discussion),
    }
}

/// Refuses a table that says less than the judgments of the single findings do.
fn check_judgments(lines: &[&str], sums: TriageTable) -> Result<(), String> {
    let says = |line: &str, word: &str| {
        let line = folded(super::head(line, 200)).to_lowercase();
        let bare = line.trim_start_matches(|c: char| c.is_whitespace() || "*-#".contains(c));
        let value = bare.strip_prefix("judgment").or_else(|| bare.strip_prefix("判定"));
        let value = value.and_then(|value| value.trim_start_matches('*').trim_start().strip_prefix(':'));
        value.is_some_and(|value| value.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(word))
    };
    for (word, counted) in [("fix required", sums.fix_required), ("needs discussion", sums.needs_discussion)]
    {
        let judged = lines.iter().filter(|line| says(line, word)).count();
        if judged > 0 && counted == 0 {
            return Err(format!("the table counts no `{word}`, {judged} judgments above it say so"));
        }
    }
    Ok(())
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
    fn a_16_the_rows_are_summed_and_dashes_are_nothing() {
        assert_eq!(
            read("| Critical | 1 | **1** ✅ | - | – |\n| Info | 3 | 0 | ２ | 1件 |"),
            Ok(table(1, 2, 1))
        );
        assert_eq!(read("| Info | 1 | | 1 | — |"), Ok(table(0, 1, 0)));
    }

    #[test]
    fn a_16_a_row_that_is_a_total_is_skipped() {
        assert_eq!(
            read("| Info | 1 | 1 | 0 | 0 |\n| **Total** | 1 | 1 | 0 | 0 |\n| 合計 | | 1 | | |"),
            Ok(table(1, 0, 0))
        );
    }

    #[test]
    fn a_16_columns_are_found_by_their_title() {
        let text = "|Needs Discussion|fix required|No Fix Needed|\n|---|---|---|\n|1|2|3|";
        assert_eq!(read_triage(text, None), Ok(table(2, 3, 1)));
        assert_eq!(read_triage("| 要修正 | 修正不要 | 要議論 |\n| 1 | 2 | 3 |", None), Ok(table(1, 2, 3)));
    }

    #[test]
    fn a_16_what_cannot_be_counted_is_unreadable() {
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
    fn a_quoted_table_is_somebody_elses() {
        let row = "| Info | 1 | 0 | 1 | 0 |\n";
        assert!(read_triage(&format!("as asked:\n```\n{HEAD}{row}```\n"), None).is_err());
        assert_eq!(read_triage(&format!("```markdown\n{HEAD}{row}```\n"), None), Ok(table(0, 1, 0)));
    }

    #[test]
    fn several_tables_are_read_strictly() {
        let one = format!("{HEAD}| Info | 1 | 0 | 1 | 0 |\n\n");
        let other = format!("{HEAD}| Info | 1 | 1 | 0 | 2 |\n");
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
    fn a_table_that_hides_its_own_judgments_is_unreadable() {
        let text = |fixes: u32| {
            format!("**Judgment**: **Fix Required** ✅\n\n{HEAD}| Info | 1 | {fixes} | 0 | 0 |\n")
        };
        assert_eq!(read_triage(&text(1), None), Ok(table(1, 0, 0)));
        let why = "the table counts no `fix required`, 1 judgments above it say so".to_owned();
        assert_eq!(read_triage(&text(0), None), Err(why));
    }
}

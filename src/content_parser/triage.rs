//! Reads the triage table: `| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |`. Columns are found by
//! their header, never by position. Says why a table cannot be read, because an unreadable one never approves.
//! What the judgments of the single findings say beside it is `judgments`'.

use super::judgments;
use super::lexicon::{Pattern, TRIAGE};
use super::markdown::Quoted;
use super::text::{clipped, folded, is_picture};
use model::event::TriageTable;

/// Longer lines are no table rows.
const LONGEST_ROW: usize = 4_000;

/// Longer answers are not read: a triage is a page or two.
const LONGEST: usize = 1 << 20;

const NO_TABLE: &str = "no table with the columns Fix Required, No Fix Needed and Needs Discussion";

/// Reads the sums of the triage table. Of several tables each sum counts at its greatest: an agent that repeats its answer
/// changes nothing, one that contradicts itself is read strictly.
pub fn read_triage(text: &str, review_id: Option<&str>) -> Result<TriageTable, String> {
    static TITLE: Pattern = Pattern::named("triage.title");
    if !TITLE.is_match(text) {
        return Err(NO_TABLE.to_owned());
    }
    if text.len() > LONGEST {
        return Err("the triage is longer than a megabyte".to_owned());
    }
    let quoted = Quoted::new(text);
    let lines: Vec<&str> = quoted.own_lines().collect();
    check_review_id(&lines, review_id)?;
    let mut greatest: Option<Counts> = None;
    let mut rest = &lines[..];
    while let Some(start) = rest.iter().position(|line| Columns::read(line).is_some()) {
        let columns = Columns::read(rest[start]).ok_or(NO_TABLE)?;
        let rows: Vec<&str> = rest[start + 1..].iter().copied().take_while(|line| is_row(line)).collect();
        let (known, sums) = (greatest.unwrap_or_default(), sum(&columns, &rows)?);
        greatest = Some([0, 1, 2].map(|place| known[place].max(sums[place])));
        rest = &rest[start + 1 + rows.len()..];
    }
    let [fix_required, no_fix_needed, needs_discussion] = greatest.ok_or(NO_TABLE)?;
    let table = TriageTable { fix_required, no_fix_needed, needs_discussion };
    judgments::check(&lines, table)?;
    Ok(table)
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
        Some(other) => Err(format!("the review_id `{}` is not the one of this review", clipped(&other, 60))),
        None => Ok(()),
    }
}

/// What is to be fixed, what needs no fix, and what is to be discussed.
type Counts = [u32; 3];

/// Where the columns stand; how many findings a row has is not told by every table.
struct Columns {
    issues: Option<usize>,
    counts: [usize; 3],
}

impl Columns {
    fn read(line: &str) -> Option<Self> {
        if !is_row(line) {
            return None;
        }
        let titles: Vec<String> = cells(line).iter().map(|cell| cell.to_lowercase()).collect();
        let column = |names: &[String]| titles.iter().position(|title| names.contains(title));
        let fix_required = column(&TRIAGE.fix_required_column)?;
        let no_fix = column(&TRIAGE.no_fix_column)?;
        let counts = [fix_required, no_fix, column(&TRIAGE.needs_discussion_column)?];
        Some(Self { issues: column(&TRIAGE.issues_column), counts })
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

fn sum(columns: &Columns, rows: &[&str]) -> Result<Counts, String> {
    let mut sums: Option<Counts> = None;
    for row in rows {
        let cells = cells(row);
        if is_separator(&cells) {
            continue;
        }
        let known = sums.unwrap_or_default();
        if is_total(&cells) {
            check_total(columns, &cells, known, row)?;
        } else {
            let counts = counts(columns, &cells, row)?;
            sums = Some([0, 1, 2].map(|place| known[place].saturating_add(counts[place])));
        }
    }
    sums.ok_or_else(|| "the triage table has no rows".to_owned())
}

/// Reads a row. What it counts has to add up to its findings; a cell left empty counts as nothing only where it does.
fn counts(columns: &Columns, cells: &[String], row: &str) -> Result<Counts, String> {
    let mut counts = Counts::default();
    for (count, place) in counts.iter_mut().zip(columns.counts) {
        *count = number(cells.get(place), row)?;
    }
    let judged = counts.into_iter().fold(0, u32::saturating_add);
    let blank = |place: usize| cells.get(place).is_none_or(String::is_empty);
    let issues = columns.issues.filter(|place| !blank(*place));
    match issues.map(|place| number(cells.get(place), row)).transpose()? {
        Some(issues) if issues != judged => {
            Err(format!("{judged} findings are judged where there are {issues}, in `{}`", shown(row)))
        }
        None if columns.counts.into_iter().any(blank) => {
            Err(format!("a number is missing in `{}`", shown(row)))
        }
        _ => Ok(counts),
    }
}

/// A total that says other numbers than the rows above it contradicts them.
fn check_total(columns: &Columns, cells: &[String], sums: Counts, row: &str) -> Result<(), String> {
    let total = |place: usize| cells.get(place).and_then(|cell| digits(cell));
    if columns.counts.iter().zip(sums).all(|(place, sum)| total(*place).is_none_or(|total| total == sum)) {
        return Ok(());
    }
    Err(format!("the total is not the sum of the rows above it, in `{}`", shown(row)))
}

fn is_separator(cells: &[String]) -> bool {
    cells.iter().all(|cell| cell.len() >= 2 && cell.chars().all(|c| c == '-' || c == ':'))
}

fn is_total(cells: &[String]) -> bool {
    cells.first().is_some_and(|cell| TRIAGE.total_rows.contains(&cell.to_lowercase()))
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
    clipped(row.trim(), 120)
}

#[cfg(test)]
mod tests;

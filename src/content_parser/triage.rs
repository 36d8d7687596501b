//! Reads the triage table: `| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |`. Columns are found by
//! their header, never by position. Says why a table cannot be read, because an unreadable one never approves.
//! What the judgments of the single findings say beside it is `judgments`'.

mod answering;

use std::collections::BTreeMap;

use super::lexicon::{TRIAGE, pattern};
use super::markdown::Quoted;
use super::text::{clipped, folded, head, is_picture};
use super::{judgments, severity};
use model::event::TriageTable;
use model::finding::{Finding, Severity};

pub use answering::{answering, undefended};

/// Longer lines are no table rows.
const LONGEST_ROW: usize = 4_000;

/// Longer answers are not read: a triage is a page or two.
const LONGEST: usize = 1 << 20;

/// A row of a review counts no more.
const MOST_COUNTED: u32 = 100;

const NO_TABLE: &str = "no table with the columns Fix Required, No Fix Needed and Needs Discussion";

/// What a triage table says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TriageRows {
    /// The sums of all rows.
    pub sums: TriageTable,
    /// The rows by their severity; those that name none together.
    rows: BTreeMap<Option<Severity>, TriageTable>,
}

impl TriageRows {
    /// Adds a row.
    fn add(&mut self, severity: Option<Severity>, counts: TriageTable) {
        let known = self.rows.entry(severity).or_default();
        *known = known.plus(counts);
        self.sums = self.sums.plus(counts);
    }

    /// Joins two tables: an agent that repeats its answer changes nothing, one that contradicts itself is read strictly.
    fn join(mut self, other: Self) -> Self {
        for (severity, counts) in other.rows {
            let known = self.rows.entry(severity).or_default();
            *known = known.greatest(counts);
        }
        self.sums = self.sums.greatest(other.sums);
        self
    }

    /// Returns the sums of the rows of each severity, and of those that name none.
    pub fn by_severity(&self) -> impl Iterator<Item = (Option<Severity>, TriageTable)> {
        self.rows.iter().map(|(severity, counts)| (*severity, *counts))
    }
}

/// Reads the sums of the triage table.
pub fn read_triage(text: &str, review_id: Option<&str>) -> Result<TriageTable, String> {
    read_triage_rows(text, review_id).map(|rows| rows.sums)
}

/// Reads the triage table. Of several tables each number counts at its greatest.
pub fn read_triage_rows(text: &str, review_id: Option<&str>) -> Result<TriageRows, String> {
    if !pattern("triage.title").is_match(text) {
        return Err(NO_TABLE.to_owned());
    }
    if text.len() > LONGEST {
        return Err("the triage is longer than a megabyte".to_owned());
    }
    let quoted = Quoted::new(text);
    let lines: Vec<&str> = quoted.own_lines().collect();
    check_review_id(&lines, review_id)?;
    let mut all: Option<TriageRows> = None;
    let mut rest = &lines[..];
    while let Some(start) = rest.iter().position(|line| Columns::read(line).is_some()) {
        let columns = Columns::read(rest[start]).ok_or(NO_TABLE)?;
        let rows: Vec<&str> = rest[start + 1..].iter().copied().take_while(|line| is_row(line)).collect();
        all = Some(all.unwrap_or_default().join(sum(&columns, &rows)?));
        rest = &rest[start + 1 + rows.len()..];
    }
    let all = all.ok_or(NO_TABLE)?;
    judgments::check(&lines, all.sums)?;
    Ok(all)
}

/// Returns the findings that the last table of a review counts, without their words.
pub fn counted_findings(review: &str) -> Vec<Finding> {
    let quoted = Quoted::new(head(review, LONGEST));
    let lines = severity::current_lines(quoted.own_lines());
    let (mut counted, mut column) = (None, None);
    for cells in lines.iter().map(|line| if is_row(line) { cells(line) } else { Vec::new() }) {
        let Some(place) = column.filter(|place| *place < cells.len()) else {
            column = count_column(&cells);
            counted = if column.is_some() { Some(Vec::new()) } else { counted };
            continue;
        };
        let row = cells.first().and_then(|cell| severity::of_cell(cell)).zip(digits(&cells[place]));
        if let (Some((severity, count)), Some(counted)) = (row, &mut counted) {
            let finding = Finding::new(severity, "", String::new());
            counted.extend(std::iter::repeat_n(finding, count.min(MOST_COUNTED) as usize));
        }
    }
    counted.unwrap_or_default()
}

fn count_column(cells: &[String]) -> Option<usize> {
    let is_title = |cell: &String, titles: &[String]| titles.contains(&cell.to_lowercase());
    cells.first().filter(|cell| is_title(cell, &TRIAGE["severity_column"]))?;
    cells.iter().position(|cell| is_title(cell, &TRIAGE["count_column"]))
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
        let fix_required = column(&TRIAGE["fix_required_column"])?;
        let no_fix = column(&TRIAGE["no_fix_column"])?;
        let counts = [fix_required, no_fix, column(&TRIAGE["needs_discussion_column"])?];
        Some(Self { issues: column(&TRIAGE["issues_column"]), counts })
    }

    /// Returns the severity that the first cell of a row names; nothing where it names none.
    fn severity(&self, cells: &[String]) -> Option<Severity> {
        if self.counts.contains(&0) { None } else { severity::of_cell(cells.first()?) }
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

fn sum(columns: &Columns, rows: &[&str]) -> Result<TriageRows, String> {
    let mut read = TriageRows::default();
    for row in rows {
        let cells = cells(row);
        if is_separator(&cells) {
            continue;
        }
        if is_total(&cells) {
            check_total(columns, &cells, read.sums, row)?;
        } else {
            read.add(columns.severity(&cells), counts(columns, &cells, row)?);
        }
    }
    if read.rows.is_empty() { Err("the triage table has no rows".to_owned()) } else { Ok(read) }
}

/// Reads a row. What it counts has to add up to its findings; a cell left empty counts as nothing only where it does.
fn counts(columns: &Columns, cells: &[String], row: &str) -> Result<TriageTable, String> {
    let [fix_required, no_fix_needed, needs_discussion] =
        columns.counts.map(|place| number(cells.get(place), row));
    let counts = TriageTable {
        fix_required: fix_required?,
        no_fix_needed: no_fix_needed?,
        needs_discussion: needs_discussion?,
    };
    let judged = counts.findings();
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
fn check_total(columns: &Columns, cells: &[String], sums: TriageTable, row: &str) -> Result<(), String> {
    let sums = [sums.fix_required, sums.no_fix_needed, sums.needs_discussion];
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
    cells.first().is_some_and(|cell| TRIAGE["total_rows"].contains(&cell.to_lowercase()))
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

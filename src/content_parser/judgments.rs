//! Reads the judgments of the single findings in a triage, such as `**Judgment**: Fix Required` below `### [1] …`, with the
//! reason beside them, finds out which findings of the review they are about, and compares them with the table. Their absence
//! proves nothing; a judgment that the table does not count does.

use std::borrow::Cow;

use super::lexicon::{TRIAGE, pattern};
use super::markdown::Quoted;
use super::text::{after_prefix, clipped, decoration, folded, head};
use model::event::{FindingJudgment, TriageTable};
use model::finding::{Disposition, Finding, normalised, worst_first};

/// A reason longer than this, in characters, is cut.
const LONGEST_REASON: usize = 1_000;
/// A line longer than this, in bytes, is cut before it is looked at.
const LONGEST_LINE: usize = 2_000;
/// More judgments than this are not kept.
const MOST: usize = 100;
/// A title longer than this, in characters, is cut.
const LONGEST_TITLE: usize = 200;
/// Shorter titles, in bytes without spaces and numbers, tell no finding from another.
const SHORTEST_TITLE: usize = 8;
/// More findings than this are not named by one heading.
const MOST_NAMED: u32 = 50;

/// Reads what a triage says about each of these findings, which were given to it in the order of [`worst_first`]. For the record and
/// the ledger only: what the triage amounts to is its table's. A judgment whose finding is not found is kept.
pub fn read_dispositions(text: &str, findings: &[Finding]) -> Vec<FindingJudgment> {
    let quoted = Quoted::new(text);
    let lines: Vec<&str> = quoted.own_lines().collect();
    let findings = worst_first(findings);
    let stated = read(&lines);
    let alone = stated.len() == 1 && findings.len() == 1;
    let one = |stated: StatedJudgment| {
        let about = if alone { findings.clone() } else { about(&stated.heading, &findings) };
        FindingJudgment {
            title: clipped(&stated.heading.title, LONGEST_TITLE).to_owned(),
            disposition: stated.disposition,
            reason: stated.reason,
            findings: about.into_iter().map(Finding::fingerprint).collect(),
        }
    };
    stated.into_iter().take(MOST).map(one).collect()
}

/// Returns the findings that a judgment is about: the one that its title tells, since a review in Markdown has numbers of its own,
/// else those that its heading numbers.
fn about<'f>(heading: &Heading, findings: &[&'f Finding]) -> Vec<&'f Finding> {
    let numbered = |number: &u32| findings.get(usize::try_from(*number).ok()?.checked_sub(1)?).copied();
    let by_number: Vec<&Finding> = heading.numbers.iter().filter_map(numbered).collect();
    if by_number.len() > 1 {
        return by_number;
    }
    let title = normalised(&heading.title);
    let is_same = |finding: &&&Finding| {
        let issue = normalised(&finding.issue);
        let (shorter, longer) = if title.len() <= issue.len() { (&title, &issue) } else { (&issue, &title) };
        shorter.len() >= SHORTEST_TITLE && longer.contains(shorter)
    };
    match findings.iter().filter(is_same).collect::<Vec<_>>()[..] {
        [only] => vec![*only],
        _ => by_number,
    }
}

/// One judgment.
#[derive(Debug, Clone, PartialEq, Eq)]
struct StatedJudgment {
    disposition: Disposition,
    /// How many findings the nearest heading names.
    many: u32,
    /// The heading that it belongs to.
    heading: Heading,
    /// What stands behind and below it, up to the next heading or table.
    reason: String,
}

/// Refuses a table that says less than the judgments of the single findings do. A table that approves is refused, too,
/// when some of its findings have a judgment and others have none. A judgment in other words may be the strictest.
pub(super) fn check(lines: &[&str], table: TriageTable) -> Result<(), String> {
    let lines = &with_values(lines)[..];
    if let Some(unread) = lines.iter().find_map(|line| unread(head(line, LONGEST_LINE))) {
        return Err(format!(
            "the judgment `{unread}` is none of Fix Required, No Fix Needed and Needs Discussion"
        ));
    }
    // Other lines have the other labels, too; a judgment under both is one.
    let counts = [
        count(&labelled(lines, &TRIAGE["labels"])),
        count(&labelled(lines, &TRIAGE["other_labels"])),
        in_rows(lines),
    ];
    counts.into_iter().try_for_each(|judged| compare(judged, table))
}

fn compare(judged: TriageTable, table: TriageTable) -> Result<(), String> {
    for (word, judged, counted) in [
        ("Fix Required", judged.fix_required, table.fix_required),
        ("No Fix Needed", judged.no_fix_needed, table.no_fix_needed),
        ("Needs Discussion", judged.needs_discussion, table.needs_discussion),
    ] {
        if judged > counted {
            return Err(format!("the table counts {counted} of `{word}`, the judgments say {judged}"));
        }
    }
    let (some, all) = (judged.findings(), table.findings());
    if table.fix_required + table.needs_discussion == 0 && some > 0 && some < all {
        return Err(format!("the table counts {all} findings, of which {some} have a judgment"));
    }
    Ok(())
}

/// Counts the judgments; one below a heading that names several findings counts for each of them.
fn count(all: &[StatedJudgment]) -> TriageTable {
    let mut counts = TriageTable::default();
    for judgment in all {
        add_to(&mut counts, judgment.disposition, judgment.many);
    }
    counts
}

fn add_to(counts: &mut TriageTable, disposition: Disposition, many: u32) {
    let count = match disposition {
        Disposition::FixRequired => &mut counts.fix_required,
        Disposition::NeedsDiscussion => &mut counts.needs_discussion,
        Disposition::NoFix | Disposition::Open => &mut counts.no_fix_needed,
    };
    *count = count.saturating_add(many);
}

/// Counts the judgments that stand in a table, such as `| 1 | data loss | Fix Required |`.
fn in_rows(lines: &[Cow<str>]) -> TriageTable {
    let mut counts = TriageTable::default();
    for row in lines.iter().filter(|line| line.trim_start().starts_with('|')) {
        if let Some(disposition) = in_row(head(row, LONGEST_LINE)) {
            add_to(&mut counts, disposition, 1);
        }
    }
    counts
}

/// Reads the judgment of a row. Several are the titles of the columns; the first cell is what is judged.
fn in_row(row: &str) -> Option<Disposition> {
    let row = folded(row);
    let mut cells = row.trim().trim_matches('|').split('|');
    let is_about_something = cells.next()?.contains(char::is_alphanumeric);
    let judgments = cells.filter_map(|cell| match worded(cell.trim_matches(decoration("*_`"))) {
        Some((disposition, "")) => Some(disposition),
        _ => None,
    });
    match judgments.collect::<Vec<_>>()[..] {
        [only] if is_about_something => Some(only),
        _ => None,
    }
}

/// Reads all judgments in their order.
fn read(lines: &[&str]) -> Vec<StatedJudgment> {
    labelled(&with_values(lines), &TRIAGE["labels"])
}

/// Writes a judgment that stands below its label behind it.
fn with_values<'l>(lines: &[&'l str]) -> Vec<Cow<'l, str>> {
    let mut whole: Vec<Cow<'l, str>> = Vec::with_capacity(lines.len());
    // The last label that stands alone.
    let mut label: Option<usize> = None;
    for (index, line) in lines.iter().enumerate() {
        let short = folded(head(line, LONGEST_LINE));
        let value = below_label(&short);
        if let Some(at) = label
            && let Some(judgment) = worded(value)
            && !is_of_legend(judgment, &lines[index + 1..])
        {
            let joined = format!("{} {value}", whole[at].trim_end());
            whole[at] = Cow::Owned(joined);
            whole.push(Cow::Borrowed(""));
            label = None;
            continue;
        }
        if !value.is_empty() {
            label = if is_label_alone(&short) { Some(whole.len()) } else { None };
        }
        whole.push(Cow::Borrowed(line));
    }
    whole
}

/// Returns a line without what may stand before a judgment below its label.
fn below_label(line: &str) -> &str {
    line.trim_start_matches(decoration("*_`[(-"))
}

/// Tells whether a judgment below a label is counted, or one of a list of different ones: then it judges no finding.
fn is_of_legend((disposition, rest): (Disposition, &str), below: &[&str]) -> bool {
    let next = below.iter().find(|line| !line.trim().is_empty()).copied().unwrap_or_default();
    let next = folded(head(next, LONGEST_LINE));
    let is_other = worded(below_label(&next)).is_some_and(|(other, _)| other != disposition);
    let number = rest.trim_matches(|c: char| c.is_whitespace() || "*_`:=()".contains(c));
    is_other || (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_label_alone(line: &str) -> bool {
    let value =
        labelled_value(line, &TRIAGE["labels"]).or_else(|| labelled_value(line, &TRIAGE["other_labels"]));
    value.is_some_and(|value| !value.contains(char::is_alphanumeric))
}

fn labelled(lines: &[Cow<str>], labels: &[String]) -> Vec<StatedJudgment> {
    let mut all: Vec<StatedJudgment> = Vec::new();
    let (mut above, mut level, mut many) = (Heading::read(""), 0, 1);
    // The reason of the last judgment goes on.
    let mut open = false;
    for line in lines {
        let line = folded(head(line, LONGEST_LINE));
        let start = line.trim_start();
        let depth = start.len() - start.trim_start_matches('#').len();
        if depth > 0 {
            many = Heading::read(&line).many;
        }
        if let Some((disposition, rest)) = judgment(&line, labels) {
            let mut judgment =
                StatedJudgment { disposition, many, heading: above.clone(), reason: String::new() };
            judgment.add_reason(rest);
            all.push(judgment);
            open = true;
        } else if depth > 0 {
            // What is told in parts is still told of the finding whose heading is above them.
            if depth <= level || level == 0 || names_an_id(&line) {
                (above, level) = (Heading::read(&line), depth);
                open = false;
            }
        } else if start.starts_with('|') || start.starts_with("review_id") {
            open = false;
        } else if open && let Some(last) = all.last_mut() {
            last.add_reason(&line);
        }
    }
    all
}

/// Tells whether a heading begins with something like `[1]` or `W1`.
fn names_an_id(line: &str) -> bool {
    pattern("judgments.id").is_match(line)
}

impl StatedJudgment {
    /// Adds a line to a reason that is not full yet.
    fn add_reason(&mut self, line: &str) {
        let plain = line.replace("**", "");
        let plain = pattern("judgments.label").replace(plain.trim_matches(decoration("-*_`>")), "");
        if plain.is_empty() || self.reason.chars().count() >= LONGEST_REASON {
            return;
        }
        if !self.reason.is_empty() {
            self.reason.push(' ');
        }
        self.reason.push_str(&plain);
        self.reason.truncate(clipped(&self.reason, LONGEST_REASON).len());
    }
}

/// Reads a line that states a judgment, and what stands behind it.
fn judgment<'l>(line: &'l str, labels: &[String]) -> Option<(Disposition, &'l str)> {
    let value = labelled_value(line, labels)?;
    let (disposition, rest) = worded(value.trim_start_matches(decoration("*_`[(")))?;
    Some((disposition, rest.trim_start_matches(decoration("*_`])(:,.–—"))))
}

fn labelled_value<'l>(line: &'l str, labels: &[String]) -> Option<&'l str> {
    let bare = line.trim_start_matches(|c: char| c.is_whitespace() || "*_-+#".contains(c));
    let value = labels.iter().find_map(|label| after_prefix(bare, label))?;
    value.trim_start_matches(['*', '_', ' ']).strip_prefix(':')
}

/// Returns the value of a judgment that is said in other words. One that points to the table says nothing of its own.
fn unread(line: &str) -> Option<String> {
    let line = folded(line);
    let value = labelled_value(&line, &TRIAGE["labels"])?;
    let value = value.trim_matches(|c: char| c.is_whitespace() || "*_`".contains(c));
    if value.is_empty()
        || pattern("judgments.elsewhere").is_match(value)
        || judgment(&line, &TRIAGE["labels"]).is_some()
    {
        return None;
    }
    Some(clipped(value, 60).to_owned())
}

/// Reads the words of a judgment, and returns what stands behind them.
fn worded(value: &str) -> Option<(Disposition, &str)> {
    let lists = [
        (&TRIAGE["fix_required"], Disposition::FixRequired),
        (&TRIAGE["no_fix"], Disposition::NoFix),
        (&TRIAGE["needs_discussion"], Disposition::NeedsDiscussion),
    ];
    let begun = |(words, disposition): (&Vec<String>, Disposition)| {
        Some((disposition, words.iter().find_map(|word| after_words(value, word))?))
    };
    let (disposition, rest) = lists.into_iter().find_map(begun)?;
    let more = after_words(rest, " needed").or_else(|| after_words(rest, " required"));
    Some((disposition, more.unwrap_or(rest)))
}

/// Returns what follows a beginning, whatever its case; `_` and `-` between its words are blanks.
fn after_words<'t>(text: &'t str, beginning: &str) -> Option<&'t str> {
    let start = text.get(..beginning.len())?;
    after_prefix(&start.replace(['_', '-'], " "), beginning)?;
    Some(&text[beginning.len()..])
}

/// Which findings the heading of a triage names, such as `### [W1, W2] Two limits`.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Heading {
    /// How many; at least one.
    many: u32,
    /// The numbers in brackets, without letters: places in the list that was given.
    numbers: Vec<u32>,
    /// What stands behind the ids.
    title: String,
}

impl Heading {
    /// Reads a heading: `[1]`, `[1, 2]`, `[1–3]` by number; `[W1]`, `[W1, W2]`, `[W1][W2]`, `W1–W3` by letters of its own.
    fn read(heading: &str) -> Self {
        let bare = heading.trim().trim_start_matches('#').trim();
        Self::numbered(bare).unwrap_or_else(|| Self::lettered(bare))
    }

    fn numbered(heading: &str) -> Option<Self> {
        let found = pattern("judgments.list").captures(heading)?;
        let mut numbers: Vec<u32> = Vec::new();
        for part in found["list"].split([',', '、', '&']) {
            let mut ends =
                part.split(['–', '—', '~', '〜', '-']).map(|end| end.trim().trim_start_matches('#'));
            let first: u32 = ends.next()?.parse().ok()?;
            let last: u32 = ends.next_back().map_or(Some(first), |end| end.parse().ok())?;
            numbers.extend((first..=last.max(first)).take(MOST_NAMED as usize));
        }
        numbers.truncate(MOST_NAMED as usize);
        let many = u32::try_from(numbers.len()).unwrap_or(MOST_NAMED).max(1);
        Some(Self { many, numbers, title: title(&heading[found[0].len()..]) })
    }

    fn lettered(heading: &str) -> Self {
        let mut rest = heading.trim_start_matches(|c: char| c.is_whitespace() || "*[(".contains(c));
        let (mut many, mut last): (u32, Option<u32>) = (0, None);
        while let Some(found) = pattern("judgments.next").captures(rest) {
            let join = found.name("join").map_or("", |join| join.as_str());
            // Only the first id has nothing before it.
            let Ok(number) = found["n"].parse() else { break };
            if last.is_some() == join.is_empty() {
                break;
            }
            let is_range = join.contains(['-', '–', '—', '~', '〜']);
            many += match last {
                Some(last) if is_range && number > last => number - last,
                _ => 1,
            };
            last = Some(number);
            rest = &rest[found[0].len()..];
        }
        Self { many: many.clamp(1, MOST_NAMED), numbers: Vec::new(), title: title(rest) }
    }
}

fn title(rest: &str) -> String {
    rest.trim_matches(|c: char| c.is_whitespace() || "*`])(:：-–—.".contains(c)).to_owned()
}

#[cfg(test)]
mod tests;

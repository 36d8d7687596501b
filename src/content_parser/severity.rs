//! Knows how reviewers announce something severe, and how they say that it is not there: denied, repaired, told of an earlier
//! round, or only a word that is explained. When in doubt it is there: then the reviewer is asked.

use std::borrow::Cow;

use super::lexicon::Pattern;
use super::text::head;

/// Returns what a title says beyond announcing something severe; empty where the text below says it.
pub(super) fn announced(title: &str) -> Option<&str> {
    if !NAMES.is_match(title) {
        return None;
    }
    let found = LABEL.captures(title).or_else(|| NAMED.captures(title))?;
    let behind = &title[found.get(0)?.end()..];
    let rest = behind.trim_matches(|c: char| !c.is_alphanumeric());
    let alone = found.name("alone").is_some() || rest.is_empty();
    if !alone && found.name("sign").or(found.name("p0")).is_none() {
        return None;
    }
    Some(if alone && ZERO.is_match(behind) { "0" } else { rest })
}

/// Returns how severe an item such as `1. [CRITICAL] src/a.rs:3 …` is, where that is not settled.
pub(super) fn item(line: &str) -> Option<&str> {
    static MARKED_ITEM: Pattern = Pattern::named("severity.marked_item");
    let found = MARKED_ITEM.captures(head(line, 2_000).trim_end())?;
    if is_settled(&found["rest"]) { None } else { Some(found.name("word")?.as_str()) }
}

/// Returns what a line states as severe. A row of a table marks it in a cell of its own, and says something in another.
pub(super) fn stated(line: &str) -> Option<&str> {
    if line.starts_with('|') {
        let is_severe = cells(line).any(|cell| CELL.is_match(cell)) && says_something(line);
        return if is_severe { Some(line) } else { None };
    }
    if !NAMES.is_match(line) || LEGEND.is_match(line) {
        return None;
    }
    let found = LABEL.captures(line).and_then(|found| found.get(0)).or_else(|| RED.find(line));
    let rest = found.map_or("", |found| line[found.end()..].trim());
    if rest.contains(char::is_alphanumeric) {
        return Some(rest);
    }
    if FIELD.is_match(line) { Some(line) } else { None }
}

/// Returns a line whose severities stand in no code: reviewers write them as values.
pub(super) fn unwrapped(line: &str) -> Cow<'_, str> {
    static VALUE: Pattern = Pattern::named("severity.value");
    VALUE.replace_all(line, "$word")
}

/// Tells whether an item says more than how severe something is and how often it was found.
pub(super) fn says_something(item: &str) -> bool {
    let says =
        |cell: &str| cell.contains(char::is_alphabetic) && !CELL.is_match(cell) && !HEAD.is_match(cell);
    if item.starts_with('|') { cells(item).any(says) } else { item.contains(char::is_alphanumeric) }
}

fn cells(row: &str) -> impl Iterator<Item = &str> {
    row.split('|').map(|cell| cell.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// One of these stands in everything that names something severe.
pub(super) static NAMES: Pattern = Pattern::named("severity.names");

/// A word of the worst severity that begins a line, with the sign behind it that makes it a label.
static LABEL: Pattern = Pattern::named("severity.label");

/// A title that names a finding and marks it as severe.
static NAMED: Pattern = Pattern::named("severity.named");
/// A field of a finding that says how severe it is.
static FIELD: Pattern = Pattern::named("severity.field");
static ZERO: Pattern = Pattern::named("severity.zero");
static RED: Pattern = Pattern::named("severity.red");
static CELL: Pattern = Pattern::named("severity.cell");
static HEAD: Pattern = Pattern::named("severity.head");
/// A line that says what the words of severities mean.
pub(super) static LEGEND: Pattern = Pattern::named("severity.legend");
/// A title of something milder.
pub(super) static MILDER: Pattern = Pattern::named("severity.milder");

/// Tells whether the title of a section says that what stands below is no problem of now.
pub(super) fn is_excused(title: &str) -> bool {
    EARLIER.is_match(title) || EXPLAINS.is_match(title)
}

/// Tells whether what is stated as severe is denied, repaired or explained.
pub(super) fn is_settled(statement: &str) -> bool {
    if is_none(statement) || EXPLAINS_WORD.is_match(statement) || statement.trim_end().ends_with('?') {
        return true;
    }
    if STILL.is_match(statement) {
        return false;
    }
    SETTLED.is_match(statement) || (PRAISED.is_match(statement) && !AMISS.is_match(statement))
}

/// Tells whether a section holds nothing that is a problem now: one of its items says so of all, or each of itself.
pub(super) fn is_settled_section(text: &str) -> bool {
    let items = items(text);
    let says_something = |item: &&String| says_something(item);
    ALL_GONE.is_match(text)
        || items.iter().any(|item| is_none(item))
        || items.iter().filter(says_something).all(|item| is_settled(item))
}

fn is_none(statement: &str) -> bool {
    NONE.is_match(statement) || NONE_JAPANESE.is_match(statement)
}

/// Returns the items and paragraphs of a section, without the head of a table.
fn items(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines().map(str::trim) {
        let is_below_head =
            line.starts_with('|') && !line.contains(char::is_alphanumeric) && line.contains('-');
        match items.last_mut() {
            Some(_) if is_below_head => drop(items.pop()),
            _ if line.is_empty() => {}
            Some(last) if goes_on && !ITEM.is_match(line) => last.extend([" ", line]),
            _ => items.push(line.to_owned()),
        }
        goes_on = !line.is_empty() && !line.starts_with('|');
    }
    items
}

static ITEM: Pattern = Pattern::named("severity.item");

/// Nothing is there.
static NONE: Pattern = Pattern::named("severity.none");

static NONE_JAPANESE: Pattern = Pattern::named("severity.none_japanese");

/// It only says what a word means.
static EXPLAINS_WORD: Pattern = Pattern::named("severity.explains_word");

/// Repaired, or told of what was.
static SETTLED: Pattern = Pattern::named("severity.settled");

/// All is as it should be.
static PRAISED: Pattern = Pattern::named("severity.praised");

/// Something is not as it should be.
static AMISS: Pattern = Pattern::named("severity.amiss");

/// It is said not to be repaired.
static STILL: Pattern = Pattern::named("severity.still");

static ALL_GONE: Pattern = Pattern::named("severity.all_gone");

/// The title is about an earlier round.
static EARLIER: Pattern = Pattern::named("severity.earlier");

/// The title introduces what words mean, or a list of the work itself.
static EXPLAINS: Pattern = Pattern::named("severity.explains");

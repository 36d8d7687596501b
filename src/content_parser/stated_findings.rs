//! Reads the findings that a review states in Markdown: below headings of a severity, as rows of tables, as items and lines that
//! are marked with one, or by a field for it. What is settled, told of an earlier round or only explained is none. Where forms are
//! mixed it reads too few rather than too many: a triage has to judge each of them.

use super::lexicon::pattern;
use super::markdown::Quoted;
use super::passages::{Passage, PassageKind, passages};
use super::text::{clipped, decoration, folded};
use super::{objects, severity};
use model::finding::{Finding, Severity};

/// More findings than this are not read.
const MOST: usize = 100;
/// The words of a finding are cut, in characters.
const LONGEST: usize = 500;
/// The depth of a paragraph; below it are the items of lists.
const PARAGRAPH: usize = 8;

/// Returns the findings that a review states in its text, in their order, without those of its objects.
pub fn stated_findings(review: &str) -> Vec<Finding> {
    let quoted = Quoted::new(review);
    let own = severity::current_lines(quoted.own_lines()).concat();
    let passages = passages(&own, &objects::joined(objects::find(&own).whole)).unwrap_or_default();
    let mut reader = Reader::default();
    for passage in &passages {
        reader.read(passage);
    }
    reader.found
}

#[derive(Default)]
struct Reader {
    section: Option<Section>,
    /// The titles and items that stand above, each with its depth.
    above: Vec<(usize, String)>,
    found: Vec<Finding>,
}

/// What stands below a title or a line that is nothing but a severity.
struct Section {
    depth: usize,
    severity: Severity,
    /// The form of its first finding: only what has the same form is another one.
    form: Option<PassageKind>,
}

impl Reader {
    fn read(&mut self, Passage { kind, text }: &Passage) {
        let depth = match kind {
            PassageKind::Title(depth) => *depth,
            PassageKind::Text => PARAGRAPH,
            PassageKind::Item(depth @ 1..) => PARAGRAPH + depth,
            PassageKind::Item(_) | PassageKind::Row => usize::MAX,
        };
        self.section.take_if(|section| depth <= section.depth);
        self.above.retain(|(above, _)| *above < depth);
        let above = self.above.last().map_or(String::new(), |(_, words)| words.clone());
        let first = plain(text.lines().next().unwrap_or_default());
        let mut is_marked = false;
        for (line, about) in text.lines().zip(std::iter::once(&above).chain(std::iter::repeat(&first))) {
            is_marked |= self.read_mark(&severity::unwrapped(&folded(line.trim())), depth, about);
        }
        if !is_marked {
            self.read_in_section(*kind, &plain(text));
        }
        if !matches!(kind, PassageKind::Text) {
            self.above.push((depth, first));
        }
    }

    /// Reads a line that is marked with a severity, and tells whether it is. A field for one marks what stands above it.
    fn read_mark(&mut self, line: &str, depth: usize, about: &str) -> bool {
        if let Some(severity) = severity::field(line) {
            self.found.pop_if(|last| last.issue == clipped(about, LONGEST));
            self.add(severity, about);
            return true;
        }
        let Some((severity, words)) = severity::graded(line) else { return false };
        if words.contains(char::is_alphanumeric) {
            self.add(severity, words);
        } else {
            self.section = Some(Section { depth, severity, form: None });
        }
        true
    }

    /// Reads a passage that is not marked itself.
    fn read_in_section(&mut self, kind: PassageKind, words: &str) {
        let Some(section) = &mut self.section else { return };
        // Such a title says again what the section is.
        let is_subtitle = matches!(kind, PassageKind::Title(_)) && pattern("severity.worst").is_match(words);
        let has_form = section.form.is_none_or(|form| form == kind && kind != PassageKind::Text);
        let introduces = is_subtitle || words.ends_with([':', '：']);
        if introduces && severity::is_settled(words) {
            self.section = None;
        } else if has_form && !introduces && kind != PassageKind::Item(0) {
            section.form = Some(kind);
            let severity = section.severity;
            self.add(severity, words);
        }
    }

    fn add(&mut self, severity: Severity, words: &str) {
        let finding = Finding::new(severity, "", clipped(&plain(words), LONGEST).to_owned());
        let is_none = severity::is_settled(words) || pattern("severity.no_finding").is_match(&finding.issue);
        if !is_none && self.found.len() < MOST && !self.found.contains(&finding) {
            self.found.push(finding);
        }
    }
}

/// Returns the words of a finding in one line, without marks of Markdown and its number; of a row the longest cell.
fn plain(text: &str) -> String {
    let line =
        longest_cell(text).unwrap_or(text).replace("**", "").split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = line.trim_start_matches(decoration("-*|:")).trim_end_matches(decoration("*|"));
    pattern("severity.number").replace(bare, "").into_owned()
}

/// Returns the longest cell of a row that says something; nothing of a line that is no row.
fn longest_cell(text: &str) -> Option<&str> {
    let cells = text.strip_prefix('|')?.trim_matches('|').split('|');
    cells.filter(|cell| severity::says_something(&format!("|{cell}|"))).max_by_key(|cell| cell.len())
}

#[cfg(test)]
mod tests;

//! Finds what makes an approval doubtful, in the reviewer's own prose and in the fields of its object: something marked as severe
//! (`severity`), words that refuse (`clause`), lines that deny by their form (`lines`), and a sentence that denies or names a defect
//! of now (`weights`). It may be wrong: whoever uses it asks the reviewer once more and refuses nothing.

mod fields;
mod lines;
#[cfg(test)]
mod tests;
mod weights;

use std::ops::Range;

use super::clause::PassagePlace;
use super::lexicon::{is_told_of, pattern};
use super::passages::{PassageKind, passages};
use super::text::{excerpt, folded};
use super::{clause, objects, severity};

/// So much of a section is looked at together, in bytes.
const LONGEST_SECTION: usize = 4_000;
/// The depth of a line that introduces others.
const INTRODUCTION: usize = 8;
/// A line that introduces others is no longer, in bytes.
const LONGEST_TITLE: usize = 120;

/// Returns the first place of an answer that does not go with its approval, as it is written.
pub fn doubt(text: &str) -> Option<String> {
    let objects = objects::find(text).whole;
    let found = fields::find(text, &objects).or_else(|| in_prose(text, &objects::joined(objects)));
    found.or_else(|| lines::failed_run(text).map(excerpt))
}

/// Returns the first place of the prose of an answer that does not go with its approval.
pub(super) fn in_prose(text: &str, objects: &[Range<usize>]) -> Option<String> {
    let passages = match passages(text, objects) {
        Ok(passages) => passages,
        Err(why) => return Some(why.to_owned()),
    };
    let mut walk = Walk::default();
    let found = passages.iter().find_map(|passage| walk.look_at(passage.kind, &passage.text));
    found.or_else(|| walk.end_section()).or_else(|| walk.heaviest.doubtful())
}

/// Tells whether a sentence of a text, beside titles, says that something critical is there: it is neither denied before its word,
/// nor settled behind it.
pub fn says_critical(text: &str) -> bool {
    let Ok(passages) = passages(text, &objects::joined(objects::find(text).whole)) else { return true };
    let told = passages.iter().filter(|passage| !matches!(passage.kind, PassageKind::Title(_)));
    let mut sentences = told.flat_map(|passage| passage.text.lines()).flat_map(lines::sentences_of);
    sentences.any(|sentence| {
        pattern("severity.running").find(sentence).is_some_and(|found| {
            !is_told_of(&sentence[..found.end()]) && !severity::is_settled(&sentence[found.end()..])
        })
    })
}

/// What the passages before say about the one that is looked at.
#[derive(Debug, Default)]
struct Walk {
    /// The depth of a title below which nothing counts: it tells of an earlier round, or explains words.
    excused: Option<usize>,
    /// The depth of a title below which there are only suggestions.
    mild: Option<usize>,
    section: Option<Section>,
    heaviest: weights::Heaviest,
}

/// What stands under a title that announces something severe.
#[derive(Debug)]
struct Section {
    title: String,
    depth: usize,
    text: String,
}

impl Walk {
    fn look_at(&mut self, kind: PassageKind, text: &str) -> Option<String> {
        if kind == PassageKind::Text {
            self.end_introduction();
        }
        if let PassageKind::Title(depth) = kind {
            let text = &*folded(text);
            let announces = announced(text).is_some() || pattern("severity.milder").is_match(text);
            let found = self.enter(depth, text);
            return found.or_else(|| if announces { None } else { self.objection(kind, text) });
        }
        let introduces = text.lines().any(|line| line.trim_end().ends_with([':', '：']));
        if self.section.is_none() && !introduces && !pattern("severity.names").is_match(text) {
            return self.objection(kind, &folded(text));
        }
        // It is an item of its own.
        self.section.iter_mut().for_each(|section| section.text.push('\n'));
        // What is marked with a severity is judged by its mark.
        let mut unmarked = Vec::new();
        for line in text.lines() {
            let folded = folded(line.trim());
            let line = &*severity::unwrapped(&folded);
            let plain = clause::unquoted(line);
            let is_marked = self.section.is_some()
                || severity::stated(&plain).is_some()
                || pattern("severity.milder").is_match(line)
                || pattern("severity.legend").is_match(line);
            let found = match title(line) {
                Some((depth, title)) => self.enter(depth, title),
                None if self.excused.is_some() => None,
                None => self.within(&plain),
            };
            if found.is_some() {
                return found;
            }
            if !is_marked {
                unmarked.push(line.to_owned());
            }
        }
        self.objection(kind, &unmarked.join("\n"))
    }

    /// Ends what a line introduced: a paragraph behind a list belongs to no item of it.
    fn end_introduction(&mut self) {
        self.excused = self.excused.filter(|depth| *depth < INTRODUCTION);
        self.mild = self.mild.filter(|depth| *depth < INTRODUCTION);
    }

    /// Returns the clause or line of a passage that does not go with an approval.
    fn objection(&mut self, kind: PassageKind, text: &str) -> Option<String> {
        let place = match kind {
            _ if self.excused.is_some() => PassagePlace::Told,
            PassageKind::Title(_) => PassagePlace::Title,
            _ if self.mild.is_some() => PassagePlace::Suggested,
            _ => PassagePlace::Now,
        };
        if place == PassagePlace::Now {
            self.heaviest.add(text);
        }
        let is_of_now = matches!(place, PassagePlace::Title | PassagePlace::Now);
        let line = || if is_of_now { lines::denial(text).map(str::to_owned) } else { None };
        clause::objection(kind, text, place).or_else(line).map(|sentence| excerpt(&sentence))
    }

    /// Looks at a title: it ends a section, begins one, or belongs to one.
    fn enter(&mut self, depth: usize, title: &str) -> Option<String> {
        if self.excused.is_some_and(|above| depth > above) {
            return None;
        }
        if let Some(section) = &mut self.section
            && depth > section.depth
            && !pattern("severity.milder").is_match(title)
        {
            section.add(title);
            return None;
        }
        let ended = self.end_section();
        self.excused = if severity::is_excused(title) { Some(depth) } else { None };
        if self.mild.is_some_and(|above| depth <= above) {
            self.mild = None;
        }
        if pattern("severity.milder").is_match(title) {
            self.mild = self.mild.or(Some(depth));
        }
        if self.excused.is_none() {
            match announced(title) {
                Some("") => {
                    self.section = Some(Section { title: title.to_owned(), depth, text: String::new() });
                }
                Some(rest) if !severity::is_settled(rest) => return ended.or_else(|| Some(excerpt(title))),
                Some(_) | None => {}
            }
        }
        ended
    }

    fn within(&mut self, line: &str) -> Option<String> {
        if let Some(section) = &mut self.section {
            if pattern("severity.milder").is_match(line) {
                return self.end_section();
            }
            section.add(&line.replace("**", ""));
            return None;
        }
        let stated = severity::stated(line)?;
        if severity::is_settled(stated) { None } else { Some(excerpt(line)) }
    }

    fn end_section(&mut self) -> Option<String> {
        let section = self.section.take()?;
        let text = section.text.trim();
        if !text.contains(char::is_alphabetic) || severity::is_settled_section(text) {
            return None;
        }
        Some(excerpt(&format!("{} … {}", section.title, text.lines().next().unwrap_or_default())))
    }
}

impl Section {
    fn add(&mut self, line: &str) {
        if self.text.len() < LONGEST_SECTION {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }
}

/// Returns what a title says beyond announcing something that is wrong; empty where the text below says it.
fn announced(title: &str) -> Option<&str> {
    severity::announced(title).or_else(|| lines::announces(title).then_some(""))
}

/// Returns the depth and the words of a line that introduces others.
fn title(line: &str) -> Option<(usize, &str)> {
    let introduces = line.len() <= LONGEST_TITLE && line.ends_with(':') && !line.starts_with('|');
    let words = line.trim_start_matches(|c: char| "*_#-•■◆【 ".contains(c));
    if introduces { Some((INTRODUCTION, words)) } else { None }
}

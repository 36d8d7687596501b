//! Finds what makes an approval doubtful: words of the reviewer beside it that name something severe, or hold the whole
//! back, and do not deny it in the same breath. Looks at the reviewer's own prose only. It may be wrong: whoever uses it
//! asks the reviewer once more and refuses nothing. What takes an approval back for certain is `second_thought`'s.

mod denial;
mod grave;
mod inside;
mod settled;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::folded::folded;
use super::quoted::{self, Quoted};
use super::review::joined;
use super::{head, objects};

/// So much of a line is looked at.
const REACH: usize = 2_000;
/// So much prose is looked through, in bytes; an approval in more of it is refused anyway.
const MOST: usize = 100_000;
/// A longer answer, in bytes, is asked for again: no review has so much to say.
const LONGEST_ANSWER: usize = 1_000_000;
/// So much of a place is quoted, in bytes.
const LONGEST_PLACE: usize = 160;
/// So much of a section is looked at together, in bytes.
const LONGEST_SECTION: usize = 4_000;
/// A line that introduces others is no longer, in bytes.
const LONGEST_TITLE: usize = 120;

/// Returns the first place of an answer that does not go with its approval, as it is written.
pub fn doubt(text: &str) -> Option<String> {
    if text.len() > LONGEST_ANSWER {
        return Some("an answer of more than a megabyte".to_owned());
    }
    let quoted = Quoted::new(text);
    let objects = objects::find(text).whole;
    if let Some(field) = inside::find(text, &objects) {
        return Some(field);
    }
    let mut walk = Walk::default();
    let mut looked_at = 0;
    for line in own_lines(text, &quoted, &joined(objects)) {
        looked_at += line.len().min(REACH);
        let line = folded(head(line, REACH));
        let found = walk.look_at(line.trim());
        if found.is_some() || looked_at > MOST {
            return found;
        }
    }
    walk.end_section()
}

/// Returns the lines of a text that stand in no object, quotation or code.
fn own_lines<'t>(text: &'t str, quoted: &Quoted, objects: &[Range<usize>]) -> Vec<&'t str> {
    let mut lines = Vec::new();
    let mut from = 0;
    for span in objects.iter().cloned().chain(std::iter::once(text.len()..text.len())) {
        for line in text.get(from..span.start).unwrap_or_default().split_inclusive('\n') {
            if quoted.is_own(from, line) && !quoted::is_indented(line) {
                lines.push(line);
            }
            from += line.len();
        }
        from = from.max(span.end);
    }
    lines
}

/// What the lines before say about the one that is looked at.
#[derive(Debug, Default)]
struct Walk {
    /// The depth of a title below which nothing counts: it tells of an earlier round, or explains words.
    excused: Option<usize>,
    section: Option<Section>,
}

/// What stands under a title that announces something severe.
#[derive(Debug)]
struct Section {
    title: String,
    depth: usize,
    text: String,
}

impl Walk {
    fn look_at(&mut self, line: &str) -> Option<String> {
        let line = &*grave::unwrapped(line);
        let plain = QUOTATION.replace_all(line, "");
        let found = match title(line) {
            Some((depth, title)) => self.enter(depth, title),
            None if self.excused.is_some() => None,
            None => self.within(&plain),
        };
        found.or_else(|| {
            let denies = || grave::holds_back(&plain) || denial::is_stated(line, &plain);
            let stands = self.excused.is_none() && denies();
            stands.then(|| place(line))
        })
    }

    /// Looks at a title: it ends a section, begins one, or belongs to one.
    fn enter(&mut self, depth: usize, title: &str) -> Option<String> {
        if self.excused.is_some_and(|above| depth > above) {
            return None;
        }
        if let Some(section) = &mut self.section
            && depth > section.depth
            && !grave::is_milder(title)
        {
            section.add(title);
            return None;
        }
        let ended = self.end_section();
        self.excused = settled::is_excused(title).then_some(depth);
        if self.excused.is_none() {
            match grave::announced(title) {
                Some("") => self.section = Some(Section::under(title, depth)),
                Some(rest) if !settled::is_settled(rest) => return ended.or_else(|| Some(place(title))),
                Some(_) | None => {}
            }
        }
        ended
    }

    fn within(&mut self, line: &str) -> Option<String> {
        if let Some(section) = &mut self.section {
            if grave::is_milder(line) {
                return self.end_section();
            }
            section.add(line);
            return None;
        }
        let stated = grave::stated(line)?;
        (!settled::is_settled(stated)).then(|| place(line))
    }

    fn end_section(&mut self) -> Option<String> {
        let section = self.section.take()?;
        let text = section.text.trim();
        let says_something = text.contains(char::is_alphabetic) && !settled::is_settled_section(text);
        says_something
            .then(|| place(&format!("{} … {}", section.title, text.lines().next().unwrap_or_default())))
    }
}

impl Section {
    fn under(title: &str, depth: usize) -> Self {
        Self { title: title.to_owned(), depth, text: String::new() }
    }

    fn add(&mut self, line: &str) {
        if self.text.len() < LONGEST_SECTION {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }
}

/// Returns the depth and the words of a title: a heading, a line in bold, or one that introduces others.
fn title(line: &str) -> Option<(usize, &str)> {
    let depth = line.bytes().take_while(|byte| *byte == b'#').count();
    if depth > 0 {
        return Some((depth, line[depth..].trim()));
    }
    let bold = BOLD.is_match(line);
    let introduces = line.len() <= LONGEST_TITLE && line.ends_with(':') && !line.starts_with('|');
    let words = line.trim_start_matches(|c: char| "*_#-•■◆【 ".contains(c));
    (bold || introduces).then_some((if bold { 7 } else { 8 }, words))
}

fn place(line: &str) -> String {
    head(line.trim(), LONGEST_PLACE).trim().to_owned()
}

/// A line that is all in bold.
static BOLD: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:\*\*[^*]+\*\*|__[^_]+__)[::]?$"));

/// Words of somebody else.
static QUOTATION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"`[^`]*`|"[^"]*"|“[^”]*”|「[^」]*」|『[^』]*』|~~.*?~~"#));

fn pattern(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){pattern}")).expect("the pattern is a constant")
}

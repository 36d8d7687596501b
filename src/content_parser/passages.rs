//! Splits an answer into what its author says itself: titles, items, rows of tables and text, without code, quotations and what
//! is struck out. Judges nothing.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Captures;

use super::lexicon::pattern;
use super::markdown::Quoted;

/// One piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Passage {
    /// What it is.
    pub kind: PassageKind,
    /// Its text, with the mark of an item, of bold words and of code as it is written.
    pub text: String,
}

/// What a passage is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PassageKind {
    /// A heading, or a line in bold, with its depth.
    Title(usize),
    /// An item of a list, with how deep in lists it begins; 0 for what goes on in one.
    Item(usize),
    /// A row of a table, its cells between bars.
    Row,
    /// Anything else.
    Text,
}

/// A longer answer is not read, in bytes: no review has so much to say.
const LONGEST_ANSWER: usize = 1_000_000;
/// More prose is not read, in bytes.
const MOST: usize = 100_000;
/// The depth of a line that is a title because it is all in bold.
const BOLD: usize = 7;

/// What stands in place of an object.
const OBJECT: &str = "\u{fffc}";
/// A line of more marks of quotations and lists nests deeper than anybody writes.
const DEEPEST: usize = 50;

/// Returns the passages of a text without its objects, or why it cannot be read.
pub(super) fn passages(text: &str, objects: &[Range<usize>]) -> Result<Vec<Passage>, &'static str> {
    if text.len() > LONGEST_ANSWER {
        return Err("an answer of more than a megabyte");
    }
    let own = Quoted::new(text).own_text(objects, OBJECT);
    if own.lines().any(nests_too_deep) {
        return Err("lists or quotations that nest too deep to be read");
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut reader = Reader::default();
    for event in Parser::new_ext(&own, options) {
        reader.read(event);
        if reader.said > MOST {
            return Err("more prose than can be read");
        }
    }
    reader.flush();
    Ok(reader.passages)
}

/// Tells whether a line begins with more marks of quotations and lists than can be read in linear time.
fn nests_too_deep(line: &str) -> bool {
    let is_lead = |c: char| " \t>-*+.)".contains(c) || c.is_ascii_digit();
    let lead = &line[..line.len() - line.trim_start_matches(is_lead).len()];
    let is_item = |pair: &&[u8]| b"-*+.)".contains(&pair[0]) && b" \t".contains(&pair[1]);
    lead.matches('>').count() + lead.as_bytes().windows(2).filter(is_item).count() > DEEPEST
}

#[derive(Default)]
struct Reader {
    passages: Vec<Passage>,
    current: String,
    /// How much prose was read, in bytes.
    said: usize,
    title: Option<usize>,
    /// How deep in lists.
    items: usize,
    /// How deep the item is that begins; 0 behind its first text.
    begun: usize,
    cells: Option<Vec<String>>,
    head: Vec<String>,
    /// In code, or in what is struck out.
    skipped: usize,
    is_bold: bool,
    /// Everything of the passage so far is in bold.
    all_bold: bool,
}

impl Reader {
    fn read(&mut self, event: Event) {
        // A comment says nothing.
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(words) => self.say(&words),
            Event::Code(code) => self.say(&format!("`{code}`")),
            Event::SoftBreak | Event::HardBreak => self.current.push('\n'),
            Event::TaskListMarker(is_done) => self.current.push_str(if is_done { "[x] " } else { "[ ] " }),
            Event::Html(html) | Event::InlineHtml(html) => {
                self.say(&pattern("passages.tag").replace_all(&html, |tag: &Captures| separator(&tag[0])));
            }
            _ => self.flush(),
        }
    }

    fn start(&mut self, tag: &Tag) {
        use Tag::{BlockQuote, CodeBlock, Heading, Item, List, Paragraph};
        if matches!(tag, Paragraph | List(_) | BlockQuote(_) | Heading { .. } | Item | CodeBlock(_)) {
            self.flush();
        }
        match tag {
            Tag::Heading { level, .. } => self.title = Some(*level as usize),
            Tag::Item => {
                self.items += 1;
                self.begun = self.items;
                self.current.push_str("- ");
            }
            Tag::CodeBlock(_) | Tag::Strikethrough => self.skipped += 1,
            Tag::Strong => {
                self.is_bold = true;
                self.mark_bold();
            }
            Tag::TableHead | Tag::TableRow => self.cells = Some(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Item => {
                self.flush();
                self.items -= 1;
            }
            TagEnd::CodeBlock => {
                self.flush();
                self.skipped = 0;
            }
            TagEnd::Strikethrough => self.skipped = self.skipped.saturating_sub(1),
            TagEnd::Strong => {
                self.mark_bold();
                self.is_bold = false;
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.current).trim().to_owned();
                self.cells.get_or_insert_default().push(cell);
            }
            TagEnd::TableHead => self.head = self.cells.take().unwrap_or_default(),
            TagEnd::TableRow => self.end_row(),
            TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::BlockQuote(_) => self.flush(),
            _ => {}
        }
    }

    fn say(&mut self, words: &str) {
        if self.skipped == 0 {
            self.all_bold &= self.is_bold || words.trim_matches([':', '：', ' ']).is_empty();
            self.current.push_str(words);
            self.said += words.len();
        }
    }

    /// Writes the mark of bold words as it stands in the text.
    fn mark_bold(&mut self) {
        if self.skipped == 0 {
            self.all_bold |= self.current.is_empty();
            self.current.push_str("**");
        }
    }

    /// A row of nothing but figures and signs is told by the heads of its columns.
    fn end_row(&mut self) {
        let cells = self.cells.take().unwrap_or_default();
        let says = |cell: &String| cell.contains(char::is_alphabetic);
        if cells.iter().skip(1).any(says) || self.head.len() != cells.len() || cells.len() == 2 {
            return self.push(PassageKind::Row, &format!("| {} |", cells.join(" | ")));
        }
        for (head, cell) in self.head.clone().iter().zip(&cells).skip(1) {
            self.push(PassageKind::Row, &format!("| {head} | {cell} |"));
        }
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.current);
        let is_line = !text.trim().contains('\n');
        let kind = match self.title.take() {
            Some(depth) => PassageKind::Title(depth),
            None if self.all_bold && self.items == 0 && is_line => PassageKind::Title(BOLD),
            None if self.items > 0 => PassageKind::Item(self.begun),
            None => PassageKind::Text,
        };
        self.all_bold = false;
        self.push(kind, &text);
    }

    fn push(&mut self, kind: PassageKind, text: &str) {
        if text.contains(|c: char| !c.is_whitespace() && !"-*\u{fffc}".contains(c)) {
            self.passages.push(Passage { kind, text: text.trim().to_owned() });
            self.begun = 0;
        }
    }
}

/// Returns what stands between the words on both sides of a tag: a bar before a cell of a table, a line's end at a block.
fn separator(tag: &str) -> &'static str {
    let name = tag
        .trim_start_matches(['<', '/'])
        .split(|c: char| !c.is_ascii_alphanumeric())
        .next()
        .unwrap_or_default();
    match name.to_ascii_lowercase().as_str() {
        "td" | "th" if !tag.starts_with("</") => " | ",
        "tr" | "li" | "summary" | "p" | "div" | "br" => "\n",
        _ => "",
    }
}

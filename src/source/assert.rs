//! The asserts of a test, each by its words, in which a value is one word whatever it holds.

use std::ops::Range;

use crate::SourceFile;
use crate::outline::Mark;
use crate::query::Capture;

/// One assert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assert {
    /// What it asks: the same whatever white space, comments, quotation marks and last commas there are, and without what only
    /// the compiler of TypeScript reads.
    pub words: Vec<Word>,
    /// Whether it is a statement of its language, and no call. Then its words are those of its condition.
    pub is_statement: bool,
    /// As it is written.
    pub text: String,
    /// From 1.
    pub line: usize,
    /// So many conditions and handlers of errors it stands in, within its function.
    pub conditions: usize,
}

/// A word of an assert.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Word {
    /// As it is written; a value without its quotation marks.
    pub text: String,
    /// Whether it is a text, a number or a pattern, and no word or sign of the code.
    pub is_value: bool,
}

impl Assert {
    pub(crate) fn of(file: &SourceFile, mark: &Mark, conditions: usize) -> Self {
        Self {
            words: words(file, mark.of.as_ref().unwrap_or(&mark.range)),
            is_statement: mark.of.is_some(),
            text: file.text[mark.range.clone()].to_owned(),
            line: file.line(mark.range.start),
            conditions,
        }
    }

    /// Returns its words and signs; nothing stands in place of a value.
    pub fn code(&self) -> Vec<&str> {
        self.words.iter().map(|word| if word.is_value { "" } else { word.text.as_str() }).collect()
    }

    /// Returns the values that it is written with.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.words.iter().filter(|word| word.is_value).map(|word| word.text.as_str())
    }
}

fn words(file: &SourceFile, range: &Range<usize>) -> Vec<Word> {
    let marks = file.marks_in(range);
    let mut marks = marks.filter(|mark| matches!(mark.capture, Capture::Value | Capture::Cast)).peekable();
    let code = |word: &str| Word { text: word.to_owned(), is_value: false };
    let (mut words, mut read_to) = (Vec::new(), range.start);
    for word in file.words(range) {
        while let Some(mark) = marks.next_if(|mark| mark.range.start <= word.at) {
            if mark.range.start < read_to {
                continue;
            }
            read_to = mark.range.end;
            if mark.capture == Capture::Value {
                words.push(Word { text: bare(&file.text[mark.range.clone()]), is_value: true });
            }
        }
        if word.at < read_to || matches!(word.text, ";" | "¶") {
            continue;
        }
        if matches!(word.text, ")" | "]" | "}") {
            words.pop_if(|last: &mut Word| last.text == "," && !last.is_value);
        }
        // Who returns a promise has the runner wait for it, as who awaits it.
        let text = if word.text == "return" { "await" } else { word.text };
        words.extend(text.split_whitespace().map(code));
    }
    words
}

/// Returns a value without its quotation marks.
pub(crate) fn bare(value: &str) -> String {
    value.trim_matches(['"', '\'', '`']).to_owned()
}

//! Splits a passage into clauses, as they are written and as they are compared: without quotations, at the ends of sentences and
//! where a word such as `but` contradicts what stands before. Judges nothing.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::lexicon::{self, LexiconMatch, Sense};

/// A clause of a sentence.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    /// The sentence it stands in, as it is written.
    pub sentence: String,
    /// The clause as it is compared.
    pub text: String,
    /// The words of the lexicon in it.
    pub words: Vec<LexiconMatch>,
    /// Its sentence asks.
    pub asks: bool,
    /// Its sentence says that something is so on purpose, or gives the words of others.
    pub is_intended: bool,
}

/// Returns the clauses of a passage.
pub(super) fn clauses(text: &str) -> Vec<Clause> {
    static ENDS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[。！？!?;；]+|\.(?:\s+|$)|\n").expect("the pattern is a constant"));
    let text = text.trim_start_matches(['-', ' ']).replace("**", "");
    // As long as the text, so that a sentence is found in it again.
    let plain = joined_lines(&QUOTATION.replace_all(&text, |quoted: &Captures| "\"".repeat(quoted[0].len())));
    let mut clauses = Vec::new();
    let mut from = 0;
    for end in ENDS.find_iter(&plain).map(|end| end.range()).chain(std::iter::once(plain.len()..plain.len()))
    {
        let sentence = Sentence {
            text: text[from..end.end].trim(),
            plain: &plain[from..end.start],
            end: &plain[end.clone()],
        };
        clauses.extend(sentence.clauses());
        from = end.end;
    }
    clauses
}

/// Joins the lines of a sentence that goes on in the next one.
fn joined_lines(text: &str) -> String {
    let mut lines = text.split('\n').peekable();
    let mut joined = String::new();
    while let Some(line) = lines.next() {
        joined.push_str(line);
        if let Some(next) = lines.peek() {
            let goes_on = line.trim_end().ends_with(|c: char| c.is_lowercase() || ",、".contains(c));
            let has_label = line.contains(": ") || next.contains(": ");
            let is_sentence = line.split_whitespace().count() >= 4 || !line.is_ascii();
            joined.push(if goes_on && is_sentence && !has_label { ' ' } else { '\n' });
        }
    }
    joined
}

/// A sentence as it is written, without what it quotes, and what ends it.
struct Sentence<'t> {
    text: &'t str,
    plain: &'t str,
    end: &'t str,
}

impl Sentence<'_> {
    fn clauses(&self) -> Vec<Clause> {
        let folded = fold(self.plain);
        let words = lexicon::words(&folded);
        let is_intended = words.iter().any(|word| word.says(Sense::Intended));
        let turns = words.iter().filter(|word| word.says(Sense::Contrast));
        let turns: Vec<usize> =
            turns.map(|word| word.span.start).chain(std::iter::once(folded.len())).collect();
        let mut from = 0;
        let mut clauses = Vec::new();
        for turn in turns {
            let clause = folded[from..turn].trim();
            if clause.contains(|c: char| c.is_alphanumeric() || !c.is_ascii()) {
                clauses.push(Clause {
                    sentence: self.text.to_owned(),
                    words: lexicon::words(clause),
                    text: clause.to_owned(),
                    asks: self.end.contains(['?', '？']),
                    is_intended,
                });
            }
            from = turn;
        }
        clauses
    }
}

/// Returns a normalized text without words to choose from.
pub(super) fn fold(text: &str) -> String {
    CHOICE.replace_all(&lexicon::normalized(text), "”").into_owned()
}

/// Returns a line without what it quotes.
pub(super) fn unquoted(line: &str) -> String {
    QUOTATION.replace_all(line, "").into_owned()
}

/// Returns a line without code.
pub(super) fn without_code(line: &str) -> String {
    CODE.replace_all(line, "”").into_owned()
}

/// Words to choose from.
static CHOICE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u:\b)(?:pass|go|fail|approve)(?:ed)?(?: with suggestions)?(?:\s*(?:[/|、,・]|\\\||\bor\b|または)\s*\b(?:pass|fail|no-?go|nogo|reject|request changes|pass with suggestions)(?:ed)?(?-u:\b))+").expect("the pattern is a constant")
});

/// Code in a line.
static CODE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"`[^`\n]*`").expect("the pattern is a constant"));

/// Words of somebody else.
static QUOTATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"`[^`\n]{0,300}`|"[^"\n]{0,300}"|“[^”\n]{0,300}”|「[^」\n]{0,300}」|『[^』\n]{0,300}』|«[^»\n]{0,300}»|„[^“”\n]{0,300}[“”]"#).expect("the pattern is a constant")
});

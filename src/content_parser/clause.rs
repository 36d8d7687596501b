//! Splits a passage into clauses, and tells by the words of the lexicon whether one goes with an approval. A clause that refuses
//! the whole, names a fault, denies that something is as it should be, or asks for something first does not, unless it is denied,
//! told of what was, holds under a condition only, or says how the work deals with it.

use super::lexicon::{self, LexiconMatch, Sense, pattern};
use super::passages::PassageKind;
use super::quotations::{Quotation, is_short, replace_quotations};

/// A clause of more words of the lexicon is asked about.
const MOST_WORDS: usize = 60;

/// Where a passage stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PassagePlace {
    /// It is about the work as it is.
    Now,
    /// It is a title.
    Title,
    /// It stands under a title of suggestions: what may wait is no fault.
    Suggested,
    /// It stands under a title that tells of what was, or explains words.
    Told,
}

/// Returns the sentence of a passage that does not go with an approval.
pub(super) fn objection(kind: PassageKind, text: &str, place: PassagePlace) -> Option<String> {
    let is_row = kind == PassageKind::Row;
    let row = if is_row { text.trim_matches(['|', ' ']).replace(" | ", ": ") } else { String::new() };
    let text = if is_row { &row } else { text };
    if place != PassagePlace::Told
        && let Some(line) = text.lines().find(|line| states_denial(line))
    {
        return Some(line.trim().to_owned());
    }
    let found = clauses(text).into_iter().find(|clause| clause.is_doubtful(kind, place));
    found.map(|clause| clause.sentence)
}

/// Tells whether a line states a denial as the value of a label, whenever that was. What is quoted counts only beside an approval of
/// the same line, and so does a label that is mostly written about parts.
pub(super) fn states_denial(line: &str) -> bool {
    // Without a sign between them, only a word in capitals is the value of its label.
    if !lexicon::words(&fold(line)).iter().any(|word| word.says(Sense::Refusal)) {
        return false;
    }
    let line = pattern("clause.code").replace_all(line, "”");
    let plain = unquoted(&line);
    let has_value = |text: &str, label: &[Sense], value: Sense| {
        let text = fold(text);
        let words = lexicon::words(&text);
        let is_joined = |pair: &[LexiconMatch]| {
            let between = &text[pair[0].span.end..pair[1].span.start];
            let is_sign =
                between.contains([':', '=', '→', '>', '|', '⇒']) && !between.contains(char::is_alphanumeric);
            is_sign && pair[0].says_one(label) && pair[1].says(value)
        };
        words.windows(2).any(is_joined)
    };
    let any = [Sense::Label, Sense::Verdict];
    if has_value(&plain, &any, Sense::Approval) && has_value(&line, &any, Sense::Refusal) {
        return true;
    }
    has_value(&plain, &[Sense::Label], Sense::Refusal) || pattern("clause.denied").is_match(&plain)
}

impl Clause {
    fn is_doubtful(&self, kind: PassageKind, place: PassagePlace) -> bool {
        // Nobody writes a clause of so many words.
        if self.words.len() > MOST_WORDS || self.any(Self::is_denied_by_reviewer) {
            return true;
        }
        if self.asks || self.is_intended {
            return false;
        }
        self.any(Self::refuses_the_whole)
            || (matches!(place, PassagePlace::Now | PassagePlace::Title) && self.any(Self::refuses))
            || (place == PassagePlace::Now && kind == PassageKind::Row && self.any(Self::is_row_denied))
    }

    /// Tells whether the reviewer says of itself that it does not approve: `I cannot approve this`.
    fn is_denied_by_reviewer(&self, word: &LexiconMatch) -> bool {
        let is_told = |other: &LexiconMatch| {
            other.sets_condition()
                || other.says(Sense::Settled)
                || other.says(Sense::ToldBehind)
                || other.says(Sense::Handles)
        };
        let is_near = |other: &LexiconMatch| self.is_near(other, word, 4, "");
        word.says(Sense::Judging)
            && self.before(word).any(|other| other.says(Sense::Reviewer) && is_near(other))
            && self.before(word).any(|other| other.says(Sense::NegationBefore) && is_near(other))
            && !self.before(word).any(is_told)
            && !self.is_meant_otherwise(word)
    }

    fn any(&self, holds: impl Fn(&Self, &LexiconMatch) -> bool) -> bool {
        self.words.iter().any(|word| holds(self, word))
    }

    fn says(&self, sense: Sense) -> bool {
        self.any(|_, word| word.says(sense))
    }

    /// Returns the words that stand before another one.
    fn before(&self, word: &LexiconMatch) -> impl Iterator<Item = &LexiconMatch> {
        self.words.iter().take_while(|other| other.span.end <= word.span.start)
    }

    /// Tells whether a word stands before another one with so many words between them at most, and none of these signs.
    fn is_near(&self, first: &LexiconMatch, second: &LexiconMatch, most: usize, signs: &str) -> bool {
        let between = self.text.get(first.span.end..second.span.start);
        between.is_some_and(|between| distance(between) <= most && !between.contains(|c| signs.contains(c)))
    }

    /// Tells whether a word refuses the whole whatever surrounds it.
    fn refuses_the_whole(&self, word: &LexiconMatch) -> bool {
        let is_denied_last = self.has_verb_last() && self.is_denied_behind(word);
        word.says(Sense::Stance) && !self.is_told(word) && !self.is_denied(word) && !is_denied_last
    }

    /// Tells whether a word refuses, and is neither told of nor what the work deals with.
    fn refuses(&self, word: &LexiconMatch) -> bool {
        let is_refusal = word.says(Sense::Refusal) && self.is_refusal_of_whole(word);
        if !is_refusal || self.is_dealt_with(word) || self.is_denied(word) {
            return false;
        }
        let is_settled = self.says(Sense::Settled) || self.says(Sense::Condition) || self.is_negated(word);
        if self.is_sentence(word) { !self.is_told(word) } else { !is_settled }
    }

    /// Tells whether the value of a row denies its name: `| ready to merge | false |`.
    fn is_row_denied(&self, word: &LexiconMatch) -> bool {
        let Some((name, value)) = self.text.split_once(':') else { return false };
        let value = value.trim_matches(|c: char| !c.is_alphanumeric());
        let is_no = ["false", "no", "not", "nein", "아니오", "否", "いいえ"].contains(&value);
        let is_good = word.says(Sense::Approval) || word.says(Sense::Settled);
        is_no && is_good && word.span.end <= name.len()
    }

    /// Tells whether the word directly behind a comma is one of a list: `reject, return and cancel`.
    fn lists_another(&self, word: &LexiconMatch) -> bool {
        let is_next = |other: &&LexiconMatch| {
            other.span.start > word.span.end
                && self.text[word.span.end..other.span.start].trim_matches([',', '、', ' ']).is_empty()
        };
        let kinds = [Sense::Refusal, Sense::Approval, Sense::Handles];
        self.words.iter().find(is_next).is_some_and(|other| other.says_one(&kinds))
    }

    /// Tells whether the verb comes last, as in Japanese, Chinese and Korean: no noun before it is what deals with it.
    fn has_verb_last(&self) -> bool {
        self.text.chars().any(|c| c > '\u{2e80}')
    }

    /// Tells whether a word close behind changes what is denied: `I cannot approve this fast enough`.
    fn is_meant_otherwise(&self, word: &LexiconMatch) -> bool {
        self.words.iter().any(|other| other.says(Sense::ToldBehind) && self.is_near(word, other, 3, ":,"))
    }

    /// Tells whether a refusal consists of several words, such as `must not be merged`.
    fn is_sentence(&self, word: &LexiconMatch) -> bool {
        self.text[word.span.clone()].contains(' ')
    }

    /// Tells whether what stands directly behind a word denies it.
    fn is_denied(&self, word: &LexiconMatch) -> bool {
        let follows = |other: &LexiconMatch| {
            let between = self.text.get(word.span.end..other.span.start);
            other.says(Sense::ToldBehind) && between.is_some_and(|between| between.trim().is_empty())
        };
        let value = self.text[word.span.end..].split_once(':').map_or("", |(_, value)| value).trim();
        self.words.iter().any(follows) || (!value.is_empty() && pattern("clause.none").is_match(value.trim()))
    }

    /// Tells whether the work deals with what a word names.
    fn is_dealt_with(&self, word: &LexiconMatch) -> bool {
        self.before(word).any(LexiconMatch::deals)
    }

    /// Tells whether a word is told of: it was, it would be, the work deals with it, or it is not so.
    fn is_told(&self, word: &LexiconMatch) -> bool {
        let is_near = |other: &LexiconMatch| self.is_near(other, word, 3, ",:、");
        (self.is_dealt_with(word) && !self.has_verb_last())
            || self.before(word).any(|other| {
                other.sets_condition()
                    || other.says(Sense::Settled)
                    || (other.says(Sense::NegationBefore) && is_near(other))
            })
    }

    /// Tells whether the clause says of a word that it is not so.
    fn is_negated(&self, word: &LexiconMatch) -> bool {
        let is_near = |other: &LexiconMatch| self.is_near(other, word, 6, ":");
        let before = self.before(word).any(|other| other.says(Sense::NegationBefore) && is_near(other));
        let is_value_none =
            |value: &str| !value.trim().is_empty() && pattern("clause.none").is_match(value.trim());
        let has_none = self.text[word.span.end..].split([':', '|', '(']).skip(1).any(is_value_none);
        before || has_none || self.is_denied_behind(word)
    }

    /// Tells whether a word of negation stands behind another one.
    fn is_denied_behind(&self, word: &LexiconMatch) -> bool {
        self.words.iter().any(|other| other.says(Sense::NegationAfter) && other.span.start >= word.span.end)
    }

    /// Tells whether a refusal is the reviewer's: it is all that is said, the value of a label, said by the reviewer or of the
    /// whole. One of several words is said of the whole wherever it begins a clause.
    fn is_refusal_of_whole(&self, word: &LexiconMatch) -> bool {
        let is_sign = |c: char| !c.is_alphanumeric();
        let (before, after) = (&self.text[..word.span.start], &self.text[word.span.end..]);
        let is_mark = self.text[word.span.clone()].chars().all(is_sign);
        let is_listed = after.starts_with([',', '、']) && self.lists_another(word);
        let ends = after.trim_matches(is_sign).is_empty()
            || (after.trim_start().starts_with(['.', ',', ';', ':', '(', '、']) && !is_listed)
            || after.starts_with(" -");
        if before.trim_matches(is_sign).is_empty() {
            let is_all = after.trim_matches(is_sign).is_empty();
            return is_mark || is_all || (self.is_sentence(word) && ends);
        }
        let label = before.trim_end_matches(|c| is_sign(c) && !":=→.".contains(c));
        if ends && (label.ends_with([':', '=', '→']) || label.ends_with("...")) {
            return true;
        }
        self.before(word).filter(|other| self.is_near(other, word, 2, "")).any(|other| {
            let is_whole = other.says(Sense::Whole) || other.says(Sense::Verdict);
            other.says(Sense::Reviewer) || (is_whole && (ends || self.is_sentence(word)))
        })
    }
}

/// Returns how many words stand between two others; four signs of a script without blanks count as one.
fn distance(between: &str) -> usize {
    between.split_whitespace().count() + between.chars().filter(|c| *c > '\u{2e80}').count() / 4
}

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

/// A sentence of a passage.
#[derive(Debug, Clone)]
pub(super) struct Sentence {
    /// As it is written.
    pub written: String,
    /// Without what it quotes.
    pub plain: String,
    /// It asks.
    pub asks: bool,
}

/// Returns the sentences of a passage.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let text = text.trim_start_matches(['-', ' ']).replace("**", "");
    // As long as the text, so that a sentence is found in it again.
    let plain = joined_lines(&replace_quotations(&text, judge_quotation, |found| "\"".repeat(found.len())));
    let mut sentences = Vec::new();
    let mut from = 0;
    let ends = pattern("clause.ends").find_iter(&plain).map(|end| end.range());
    for end in ends.chain(std::iter::once(plain.len()..plain.len())) {
        sentences.push(Sentence {
            written: text[from..end.end].trim().to_owned(),
            plain: plain[from..end.start].to_owned(),
            asks: plain[end.clone()].contains(['?', '？']),
        });
        from = end.end;
    }
    sentences
}

/// Returns the clauses of a passage.
pub(super) fn clauses(text: &str) -> Vec<Clause> {
    sentences(text).iter().flat_map(Sentence::clauses).collect()
}

impl Sentence {
    /// Returns its clauses.
    fn clauses(&self) -> Vec<Clause> {
        let folded = fold(&self.plain);
        let words = lexicon::words(&folded);
        let is_intended = words.iter().any(|word| word.says(Sense::Intended));
        let turns = words.iter().filter(|word| word.says(Sense::Contrast)).map(|word| word.span.start);
        let mut from = 0;
        let mut clauses = Vec::new();
        for turn in turns.chain(std::iter::once(folded.len())) {
            let text = folded[from..turn].trim().to_owned();
            if text.contains(|c: char| c.is_alphanumeric() || !c.is_ascii()) {
                let words = lexicon::words(&text);
                let (sentence, asks) = (self.written.clone(), self.asks);
                clauses.push(Clause { sentence, text, words, asks, is_intended });
            }
            from = turn;
        }
        clauses
    }
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

/// Returns a normalized text without words to choose from.
pub(super) fn fold(text: &str) -> String {
    pattern("clause.choice").replace_all(&lexicon::normalized(text), "”").into_owned()
}

/// Returns a line without what it quotes.
pub(super) fn unquoted(line: &str) -> String {
    replace_quotations(line, judge_quotation, |_| String::new()).into_owned()
}

fn judge_quotation(_: char, inside: &str) -> Quotation {
    if is_short(inside) { Quotation::Replaced } else { Quotation::None }
}

//! Judges a sentence by weights: whether it denies, or names a defect of now. The weights are data of `lexicon/weights.tsv`; the
//! tests of this module learn them from the sentences of `lexicon/sentences`, whose judgment is known. Looks at one sentence and at nothing around it.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::clause::sentences;
use crate::lexicon;
use crate::text::excerpt;

/// A sentence of a larger sum is asked about.
const DOUBTFUL: f64 = -0.03;
/// So much more is needed for each time that the number of sentences doubles: one of many is wrong about sooner.
const PER_DOUBLING: f64 = 0.15;
/// So many words in a row have a weight of their own.
const MOST_WORDS: usize = 3;
/// So many characters of a script without blanks.
const MOST_CHARACTERS: usize = 4;
/// A longer sentence is judged by its beginning, in words and signs.
const LONGEST: usize = 400;

/// The sentence of the largest sum among those that were weighed.
#[derive(Debug, Default)]
pub(super) struct Heaviest {
    sentence: Option<(f64, String)>,
    count: u32,
}

impl Heaviest {
    /// Weighs the sentences of a passage that ask nothing.
    pub(super) fn add(&mut self, passage: &str) {
        for sentence in sentences(passage).into_iter().filter(|sentence| !sentence.asks) {
            let sum = weighed(&NGrams::read(&sentence.plain));
            self.count += 1;
            if self.sentence.as_ref().is_none_or(|(largest, _)| sum > *largest) {
                self.sentence = Some((sum, sentence.written));
            }
        }
    }

    /// Returns the sentence when it denies, or names a defect of now. It may be wrong.
    pub(super) fn doubtful(self) -> Option<String> {
        let (sum, sentence) = self.sentence?;
        // More sentences than 32 need no more.
        let least = DOUBTFUL + PER_DOUBLING * f64::from(self.count.min(32)).log2();
        if sum > least { Some(excerpt(&sentence)) } else { None }
    }
}

/// Returns the sum of the weights of a sentence, by the root of how many n-grams it has.
fn weighed(ngrams: &NGrams) -> f64 {
    let mut sum = 0.0;
    let mut count = 0.0_f64;
    ngrams.each(|ngram| {
        sum += WEIGHTS.get(ngram).copied().unwrap_or_default();
        count += 1.0;
    });
    WEIGHTS[BIAS] + sum / count.sqrt()
}

/// The n-grams of a sentence: its words and characters as they are compared, those that stand in a row, and pairs of words with one
/// or two others between them.
struct NGrams {
    parts: Vec<Part>,
}

/// A word, or a character of a script without blanks.
struct Part {
    text: String,
    is_character: bool,
}

impl NGrams {
    fn read(sentence: &str) -> Self {
        let mut parts = vec![Part::word("^")];
        let normalized = lexicon::normalized(sentence);
        let mut rest = normalized.as_str();
        while parts.len() < LONGEST
            && let Some(first) = rest.chars().next()
        {
            let length = length_of_part(rest, first);
            parts.extend(Part::read(&rest[..length], first));
            rest = &rest[length..];
        }
        parts.push(Part::word("$"));
        Self { parts }
    }

    fn each(&self, mut visit: impl FnMut(&str)) {
        let mut ngram = String::new();
        for (at, first) in self.parts.iter().enumerate() {
            let most = if first.is_character { MOST_CHARACTERS } else { MOST_WORDS };
            ngram.clear();
            for part in self.parts[at..].iter().take(most) {
                if !ngram.is_empty() && !part.is_character {
                    ngram.push(' ');
                }
                ngram.push_str(&part.text);
                visit(&ngram);
            }
            let apart = if first.is_character { &[] } else { self.parts.get(at + 2..).unwrap_or_default() };
            for (gap, second) in [" _ ", " _ _ "].into_iter().zip(apart) {
                ngram.clear();
                ngram.extend([&first.text, gap, &second.text]);
                visit(&ngram);
            }
        }
    }
}

impl Part {
    fn word(text: &str) -> Self {
        Self { text: text.to_owned(), is_character: false }
    }

    /// Makes a part of a stretch that begins with this character; a blank or a sign that says nothing is none.
    fn read(text: &str, first: char) -> Option<Self> {
        match first {
            '0'..='9' => Some(Self::word(kind_of_number(text))),
            _ if is_of_words(first) || SIGNS.contains(first) => Some(Self::word(text)),
            _ if first.is_alphabetic() => Some(Self { text: text.to_owned(), is_character: true }),
            _ => None,
        }
    }
}

/// Returns the length in bytes of the number, the word or the character that a text begins with.
fn length_of_part(text: &str, first: char) -> usize {
    let goes_on = |c: char| match first {
        '0'..='9' => c.is_ascii_digit() || ".,:".contains(c),
        _ => is_of_words(c) || c == '\'',
    };
    if !first.is_ascii_digit() && !is_of_words(first) {
        return first.len_utf8();
    }
    text.find(|c| !goes_on(c)).unwrap_or(text.len())
}

/// The name of the weight that every sentence has.
const BIAS: &str = "BIAS";
/// Signs that say something.
const SIGNS: &str = "\"→✅❌✗✓|=<>%$";

fn is_of_words(c: char) -> bool {
    c.is_alphabetic() && c < '\u{2e80}'
}

/// Nought, the status of a failed request, or another number.
fn kind_of_number(number: &str) -> &'static str {
    match number.as_bytes() {
        digits if digits.iter().all(|digit| b"0.,:".contains(digit)) => "0",
        [b'4' | b'5', _, _] => "500",
        _ => "9",
    }
}

/// The weights by n-gram; each line of the file is a weight and the n-grams that have it.
static WEIGHTS: LazyLock<HashMap<&'static str, f64>> = LazyLock::new(|| {
    let mut weights = HashMap::new();
    for line in include_str!("../lexicon/weights.tsv").lines() {
        let mut fields = line.split('\t');
        let weight: f64 = fields.next().and_then(|weight| weight.parse().ok()).expect("the weights are ours");
        weights.extend(fields.map(|ngram| (ngram, weight)));
    }
    weights
});

#[cfg(test)]
mod tests;

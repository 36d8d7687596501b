//! The words by which prose is judged, and what each says: data of `lexicon/*.toml`, a file a language. Judges nothing.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use super::text::folded;
use aho_corasick::{AhoCorasick, MatchKind};
use model::data_file;
use regex::{Regex, RegexBuilder};

/// What a word says in a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Sense {
    /// It says of the whole that it does not pass.
    Stance,
    /// A reviewer refuses with it, and so may the code.
    Refusal,
    /// Something is as it should be.
    Approval,
    /// Alone it approves, in words that a policy may not use.
    UnknownApproval,
    /// What a reviewer does who lets the whole pass.
    Judging,
    /// What follows in the clause is not so.
    NegationBefore,
    /// What stands before it is not so.
    NegationAfter,
    /// Behind a word it says that the word is told of, or meant in another way.
    ToldBehind,
    /// It is repaired, or told of what was.
    Settled,
    /// It holds under a condition only.
    Condition,
    /// The work or its tests deal with it.
    Handles,
    /// It is so on purpose, or the words are somebody else's.
    Intended,
    /// It may wait.
    Mild,
    /// What is judged.
    Whole,
    /// Who judges.
    Reviewer,
    /// What announces a verdict.
    Verdict,
    /// The label of a verdict on the whole.
    Label,
    /// What follows contradicts what stands before.
    Contrast,
}

/// A word of the lexicon in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LexiconMatch {
    /// All that it may say.
    pub senses: &'static [Sense],
    /// Where it stands.
    pub span: Range<usize>,
}

impl LexiconMatch {
    pub(super) fn says(&self, sense: Sense) -> bool {
        self.senses.contains(&sense)
    }

    /// Tells whether it says one of several things.
    pub(super) fn says_one(&self, senses: &[Sense]) -> bool {
        senses.iter().any(|sense| self.says(*sense))
    }

    /// Tells whether it says that the work deals with something; `tests` may also be what is judged.
    pub(super) fn deals(&self) -> bool {
        self.says(Sense::Handles) && !self.says(Sense::Whole)
    }

    /// Tells whether it sets a condition; `would` and its like only make a wish of a sentence.
    pub(super) fn sets_condition(&self) -> bool {
        self.says(Sense::Condition) && !self.says(Sense::Mild)
    }
}

/// Regular expressions by module and name: data of `lexicon/patterns.toml`.
static PATTERNS: LazyLock<BTreeMap<String, BTreeMap<String, Vec<String>>>> =
    LazyLock::new(|| data_file::read(include_str!("lexicon/patterns.toml")));

/// Returns the regular expression `module.name`, made when it is first used.
pub(super) fn pattern(name: &str) -> &'static Regex {
    static MADE: LazyLock<BTreeMap<String, OnceLock<Regex>>> = LazyLock::new(|| {
        let names = PATTERNS.iter().flat_map(|(module, names)| names.keys().map(move |name| (module, name)));
        names.map(|(module, name)| (format!("{module}.{name}"), OnceLock::new())).collect()
    });
    MADE[name].get_or_init(|| {
        let (module, name) = name.split_once('.').expect("a pattern is named by its module");
        let pattern = format!("(?i){}", alternatives(&PATTERNS[module], name));
        // A boundary of a word is one of ASCII letters: so a text in any language is searched in linear time.
        let pattern = pattern.replace(r"\b", r"(?-u:\b)");
        // With less room in bytes for its automaton, a search becomes slow.
        RegexBuilder::new(&pattern).dfa_size_limit(32 << 20).build().expect("the patterns are ours")
    })
}

/// Returns the alternatives of a pattern, with other patterns put in.
fn alternatives(patterns: &BTreeMap<String, Vec<String>>, name: &str) -> String {
    let mut whole = patterns[name].join("|");
    for other in patterns.keys() {
        let reference = format!("{{{other}}}");
        if whole.contains(&reference) {
            whole = whole.replace(&reference, &alternatives(patterns, other));
        }
    }
    whole
}

/// Lists of words by name; what each list means is told in its file.
type WordLists = BTreeMap<String, Vec<String>>;

/// The words of a triage.
pub(super) static TRIAGE: LazyLock<WordLists> =
    LazyLock::new(|| data_file::read(include_str!("lexicon/triage.toml")));

/// The words of marker lines.
pub(super) static MARKERS: LazyLock<WordLists> =
    LazyLock::new(|| data_file::read(include_str!("lexicon/markers.toml")));

const FILES: [&str; 6] = [
    include_str!("lexicon/en.toml"),
    include_str!("lexicon/ja.toml"),
    include_str!("lexicon/de.toml"),
    include_str!("lexicon/zh.toml"),
    include_str!("lexicon/ko.toml"),
    include_str!("lexicon/es.toml"),
];

struct Lexicon {
    automaton: AhoCorasick,
    entries: Vec<Entry>,
}

struct Entry {
    senses: Vec<Sense>,
    /// What follows may belong to the same word.
    is_stem: bool,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut senses: BTreeMap<String, Vec<Sense>> = BTreeMap::new();
    for file in FILES {
        let lists: BTreeMap<Sense, Vec<String>> = data_file::read(file);
        for (sense, words) in lists {
            for word in words {
                senses.entry(normalized(&word)).or_default().push(sense);
            }
        }
    }
    let words: Vec<&str> = senses.keys().map(|word| word.trim_end_matches('*')).collect();
    let automaton =
        AhoCorasick::builder().match_kind(MatchKind::Standard).build(words).expect("the lexicon is small");
    let entries = senses
        .iter()
        .map(|(word, senses)| Entry { senses: senses.clone(), is_stem: word.ends_with('*') })
        .collect();
    Lexicon { automaton, entries }
});

/// Writes a text the way it is compared: lower case, half width, `not` for each of its short forms, a blank for `_`.
pub(super) fn normalized(text: &str) -> String {
    let text = folded(text).to_lowercase().replace(['’', '‘'], "'");
    let text = text.replace("cannot", "can not").replace("can't", "can not").replace("won't", "will not");
    text.replace("n't", " not").replace('_', " ")
}

/// Returns the words of a normalized text, from left to right; of those that overlap the first and longest.
pub(super) fn words(text: &str) -> Vec<LexiconMatch> {
    let lexicon = &*LEXICON;
    let mut found: Vec<(Range<usize>, &'static Entry)> = lexicon
        .automaton
        .find_overlapping_iter(text)
        .map(|found| (found.range(), &lexicon.entries[found.pattern().as_usize()]))
        .filter(|(span, entry)| stands_alone(text, span, entry.is_stem))
        .collect();
    found.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
    let mut words: Vec<LexiconMatch> = Vec::new();
    for (span, entry) in found {
        match words.last_mut() {
            Some(last) if span.start < last.span.end => {}
            _ => words.push(LexiconMatch { senses: &entry.senses, span }),
        }
    }
    words
}

/// Tells whether a text has one of these words: those of ASCII as whole words, others anywhere.
pub(super) fn mentions_one(text: &str, words: &[String]) -> bool {
    let text = text.to_lowercase();
    let mut spoken = text.split(|c: char| !c.is_ascii_alphabetic());
    let is_inside = |word: &String| !word.is_ascii() && text.contains(word.as_str());
    spoken.any(|spoken| words.iter().any(|word| word == spoken)) || words.iter().any(is_inside)
}

/// Tells whether a normalized text is nothing but a word of a sense.
pub(super) fn is_all(text: &str, sense: Sense) -> bool {
    words(text).iter().any(|word| word.says(sense) && word.span == (0..text.len()))
}

/// Tells whether a text is about what was, holds under a condition only, or says that something is not so.
pub(super) fn is_told_of(text: &str) -> bool {
    let tells = [Sense::Settled, Sense::Condition, Sense::NegationAfter, Sense::NegationBefore];
    words(&normalized(text)).iter().any(|word| word.says_one(&tells))
}

/// Tells whether a match is no part of a longer word. Only letters of ASCII and Latin join.
fn stands_alone(text: &str, span: &Range<usize>, is_stem: bool) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && c < '\u{250}');
    let (first, last) = (text[span.clone()].chars().next(), text[span.clone()].chars().next_back());
    let joins_before = is_letter(first) && is_letter(text[..span.start].chars().next_back());
    let joins_after = is_letter(last) && is_letter(text[span.end..].chars().next());
    !joins_before && (is_stem || !joins_after)
}

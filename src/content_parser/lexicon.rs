//! The words by which prose is judged, and what each says: data of `lexicon/*.toml`, a file a language. Judges nothing.

use std::collections::BTreeMap;
use std::ops::{Deref, Range};
use std::sync::{LazyLock, OnceLock};

use super::text::folded;
use aho_corasick::{AhoCorasick, MatchKind};
use regex::Regex;

/// What a word says in a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Sense {
    /// It says of the whole that it does not pass.
    Stance,
    /// A reviewer refuses with it, and so may the code.
    Refusal,
    /// Something is wrong.
    Fault,
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
    /// It has to be done first.
    Demand,
    /// It is to be done.
    Change,
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
    /// A title below which nothing is said about the work as it is now.
    Aside,
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

    /// Tells whether it could make an approval doubtful.
    pub(super) fn is_suspicious(&self) -> bool {
        use Sense::{Approval, Demand, Fault, Judging, Refusal, Settled, Stance};
        self.says_one(&[Stance, Refusal, Fault, Approval, Judging, Demand, Settled])
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

/// The words of marker lines: data of `lexicon/markers.toml`.
#[derive(Debug, serde::Deserialize)]
pub(super) struct MarkerWords {
    /// They end a label.
    pub labels: Vec<String>,
    /// They may stand before one without making it a label of something else: `final`, `overall`, `review` and others.
    pub final_words: Vec<String>,
    /// They make it a summary.
    pub overall_words: Vec<String>,
    /// They make it one of the review.
    pub review_words: Vec<String>,
    /// They make it nothing else.
    pub other_words: Vec<String>,
    /// In parentheses behind a label they only repeat what kind of label it is.
    pub kinds: Vec<String>,
    /// They join a label to its word: signs, dashes, `は` and `is`, and what says that it is not said yet.
    pub signs: Vec<String>,
    /// Dashes.
    pub dashes: Vec<String>,
    /// `は` and `is`.
    pub copulas_before: Vec<String>,
    /// What says that it is not said yet.
    pub demands: Vec<String>,
    /// In the sentence before a label they set a condition.
    pub conditions_before: Vec<String>,
    /// They may stand between a label and its word.
    pub adverbs: Vec<String>,
    /// What begins with one is about passing or failing.
    pub about_passing: Vec<String>,
    /// They take the place of a word of the policy and say no.
    pub negations: Vec<String>,
    /// They join words to choose from.
    pub choices: Vec<String>,
    /// They may follow a word in Japanese without a sign between them.
    pub copulas: Vec<String>,
    /// Directly behind an approving word they take it back.
    pub taking_back: Vec<String>,
    /// In parentheses behind an approving word they take it back.
    pub conditions: Vec<String>,
    /// They say that there is no condition.
    pub no_condition: Vec<String>,
    /// They may stand before what takes a word back.
    pub contrasts: Vec<String>,
}

/// Regular expressions by module and name: data of `lexicon/patterns.toml`.
static PATTERNS: LazyLock<BTreeMap<String, BTreeMap<String, Vec<String>>>> =
    LazyLock::new(|| toml::from_str(include_str!("lexicon/patterns.toml")).expect("the patterns are ours"));

/// A regular expression of `lexicon/patterns.toml`, made when it is first used.
pub(super) struct Pattern {
    name: &'static str,
    regex: OnceLock<Regex>,
}

impl Pattern {
    /// Names a pattern: `module.name`.
    pub(super) const fn named(name: &'static str) -> Self {
        Self { name, regex: OnceLock::new() }
    }
}

impl Deref for Pattern {
    type Target = Regex;

    fn deref(&self) -> &Regex {
        self.regex.get_or_init(|| {
            let (module, name) = self.name.split_once('.').expect("a pattern is named by its module");
            Regex::new(&format!("(?i){}", alternatives(&PATTERNS[module], name)))
                .expect("the patterns are ours")
        })
    }
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

/// The words of a triage: data of `lexicon/triage.toml`.
#[derive(Debug, serde::Deserialize)]
pub(super) struct TriageWords {
    /// A judgment begins with one of these; none begins another one.
    pub fix_required: Vec<String>,
    /// It needs no fix.
    pub no_fix: Vec<String>,
    /// It is to be discussed.
    pub needs_discussion: Vec<String>,
    /// They announce the judgment of a finding.
    pub labels: Vec<String>,
    /// Other lines have them, too.
    pub other_labels: Vec<String>,
    /// The titles of the columns, as they are written in the languages of the older systems.
    pub fix_required_column: Vec<String>,
    /// Of what needs no fix.
    pub no_fix_column: Vec<String>,
    /// Of what is to be discussed.
    pub needs_discussion_column: Vec<String>,
    /// Of how many findings there are.
    pub issues_column: Vec<String>,
    /// They begin the row of the sums.
    pub total_rows: Vec<String>,
    /// They begin the row of the critical findings.
    pub critical_rows: Vec<String>,
    /// Of the major ones.
    pub major_rows: Vec<String>,
    /// Of the minor ones.
    pub minor_rows: Vec<String>,
    /// Of mere information.
    pub info_rows: Vec<String>,
}

pub(super) static TRIAGE: LazyLock<TriageWords> =
    LazyLock::new(|| toml::from_str(include_str!("lexicon/triage.toml")).expect("the words are ours"));

pub(super) static MARKERS: LazyLock<MarkerWords> =
    LazyLock::new(|| toml::from_str(include_str!("lexicon/markers.toml")).expect("the words are ours"));

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
        let lists: BTreeMap<Sense, Vec<String>> = toml::from_str(file).expect("the lexicon is ours");
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

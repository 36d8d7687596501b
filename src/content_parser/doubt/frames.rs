//! Finds a denial or a present defect by the form of what is written: the frame of a sentence, a word of a verdict at the place of
//! a value, the output of a test runner, a label, a field of an object. The patterns are data of `lexicon/frames.toml`; each list
//! has its own excuses. Knows nothing of the words of the lexicon.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex, RegexBuilder};
use serde_json::{Map, Value};

use crate::clause::{Clause, clauses};
use crate::text::{head, tail};

/// So much of a field is quoted, in bytes.
const LONGEST_VALUE: usize = 120;
/// So much in front of a frame is looked at for what excuses it, in bytes.
const LONGEST_BEFORE: usize = 300;
/// So much room has the automaton of a list, in bytes: with less, a search becomes slow.
const LARGEST_AUTOMATON: usize = 32 << 20;
/// Lists of an object whose items are findings of their own severity.
const FINDINGS: [&str; 3] = ["findings", "issues", "problems"];

/// Returns the first sentence of a text that denies, or names a defect of now.
pub(super) fn sentence(text: &str, is_told: bool) -> Option<String> {
    let mut own = clauses(text).into_iter().filter(|clause| !clause.is_intended);
    let found = own.find(|clause| {
        refuses(clause)
            || (!is_told && !clause.asks && FRAMES.defects.iter().any(|list| list.is_in(&clause.text)))
    });
    found.map(|clause| clause.sentence)
}

fn refuses(clause: &Clause) -> bool {
    FRAMES.refusal.is_in(&clause.text)
}

/// Returns the first line of a text that denies by its form: a verdict, the count of what failed, a mark, a label.
pub(super) fn line(text: &str) -> Option<&str> {
    text.lines().find(|line| denies(line))
}

fn denies(line: &str) -> bool {
    let line = &*QUOTATION.replace_all(line, "”");
    FRAMES.lines.iter().any(|list| list.is_in(line))
}

/// Tells whether a title announces that what stands below it is wrong.
pub(super) fn announces(title: &str) -> bool {
    FRAMES.title.is_in(title)
}

/// Returns the first line of the output of a test runner in a fence that counts failures, unless the line above the fence tells of
/// another state of the work.
pub(super) fn failed_run(text: &str) -> Option<&str> {
    let mut above = "";
    let mut fence: Option<(&str, bool)> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        let marks = trimmed.len() - trimmed.trim_start_matches(['`', '~']).len();
        match fence {
            Some((mark, _)) if trimmed.starts_with(mark) && marks == trimmed.len() => fence = None,
            Some((_, true)) if FRAMES.output.is_in(line) => return Some(trimmed),
            Some(_) => {}
            None if marks >= 3 => {
                let is_output = LOG.is_match(&trimmed[marks..]) && !FRAMES.another_state.is_in(above);
                fence = Some((&trimmed[..marks], is_output));
            }
            // An object introduces nothing.
            None if trimmed.is_empty() || trimmed.starts_with(['{', '}']) => {}
            None => above = trimmed,
        }
    }
    None
}

/// Returns the first field of an approving object that denies by its name and value, whatever the nesting, and the first
/// question or finding that denies in its words.
pub(super) fn field(fields: &Map<String, Value>) -> Option<String> {
    fields.iter().filter(|(key, _)| !EARLIER.is_match(key)).find_map(|(key, value)| {
        if denies_by_name(key, value) {
            return Some(head(&format!("\"{key}\": {value}"), LONGEST_VALUE).to_owned());
        }
        match value {
            Value::Object(inner) => field(inner),
            Value::Array(items) if key == "questions" => items.iter().find_map(question),
            Value::Array(items) => items.iter().find_map(|item| match item {
                Value::Object(inner) if FINDINGS.contains(&key.as_str()) => {
                    field(inner).or_else(|| finding(inner))
                }
                Value::Object(inner) => field(inner),
                _ => None,
            }),
            _ => None,
        }
    })
}

fn denies_by_name(key: &str, value: &Value) -> bool {
    match value {
        Value::Bool(true) => FRAMES.denying_field.is_in(key),
        Value::Bool(false) => FRAMES.approving_field.is_in(key),
        Value::Number(count) => {
            let counts = FRAMES.denying_field.is_in(key) || FRAMES.counting_field.is_in(key);
            counts && count.as_f64().is_some_and(|count| count > 0.0)
        }
        Value::String(word) => {
            let is_word = |words: &[&str]| words.iter().any(|other| word.trim().eq_ignore_ascii_case(other));
            (FRAMES.denying_field.is_in(key) && is_word(&["yes", "true", "required"]))
                || (FRAMES.approving_field.is_in(key) && is_word(&["no", "false", "not yet"]))
        }
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

fn question(item: &Value) -> Option<String> {
    let text = item.as_str().or_else(|| item.get("question")?.as_str())?;
    line(text).map(str::to_owned).or_else(|| sentence(text, false))
}

/// A finding of a low severity may name a defect, but says neither that it holds the work back nor that all of it fails.
fn finding(fields: &Map<String, Value>) -> Option<String> {
    let texts = fields.values().filter_map(Value::as_str);
    texts.into_iter().find_map(|text| {
        let clauses = clauses(text).into_iter();
        let refused =
            clauses.filter(|clause| FRAMES.grave_finding.is_in(&clause.text)).map(|clause| clause.sentence);
        text.lines()
            .find(|line| FRAMES.label.is_in(line))
            .map(str::to_owned)
            .or_else(|| refused.take(1).next())
    })
}

/// What is looked for in one kind of text.
struct Frames {
    /// Frames of sentences that refuse, also where they ask.
    refusal: Frame,
    /// Frames of sentences that name a defect.
    defects: [Frame; 3],
    /// Forms of lines.
    lines: [Frame; 4],
    /// The count of what failed.
    output: Frame,
    /// A line that introduces the output of another state of the work.
    another_state: Frame,
    label: Frame,
    title: Frame,
    grave_finding: Frame,
    denying_field: Frame,
    approving_field: Frame,
    counting_field: Frame,
}

/// Patterns of one kind, with what excuses them.
#[derive(Clone)]
struct Frame {
    says: Regex,
    /// Anywhere in the text, it excuses.
    unless: Option<Regex>,
    /// Before the frame, in the same part of the sentence, it excuses.
    before: Option<Regex>,
}

impl Frame {
    fn is_in(&self, text: &str) -> bool {
        let mut found = self.says.find_iter(text).peekable();
        if found.peek().is_none() || self.unless.as_ref().is_some_and(|unless| unless.is_match(text)) {
            return false;
        }
        found.any(|at| {
            let part = tail(&text[..at.start()], LONGEST_BEFORE)
                .rsplit([',', ';', ':', '—'])
                .next()
                .unwrap_or_default();
            !self.before.as_ref().is_some_and(|before| before.is_match(part))
        })
    }
}

#[derive(serde::Deserialize)]
struct Patterns {
    says: Vec<String>,
    #[serde(default)]
    unless: Vec<String>,
    #[serde(default)]
    before: Vec<String>,
}

#[derive(serde::Deserialize)]
struct File {
    words: BTreeMap<String, String>,
    frames: BTreeMap<String, Patterns>,
}

static FRAMES: LazyLock<Frames> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("../lexicon/frames.toml")).expect("the frames are ours");
    let frame = |name: &str| {
        let patterns = &file.frames[name];
        let any = |patterns: &[String]| (!patterns.is_empty()).then(|| alternatives(patterns, &file.words));
        Frame {
            says: alternatives(&patterns.says, &file.words),
            unless: any(&patterns.unless),
            before: any(&patterns.before),
        }
    };
    Frames {
        refusal: frame("refusal"),
        defects: [frame("plain"), frame("main"), frame("crash")],
        lines: [frame("verdict"), frame("output"), frame("mark"), frame("label")],
        output: frame("output"),
        another_state: frame("another_state"),
        label: frame("label"),
        title: frame("title"),
        grave_finding: frame("grave_finding"),
        denying_field: frame("denying_field"),
        approving_field: frame("approving_field"),
        counting_field: frame("counting_field"),
    }
});

/// Returns one pattern for a list of them, with its words written out. A boundary of a word is one of ASCII letters: so a text in
/// any language is searched in linear time.
fn alternatives(patterns: &[String], words: &BTreeMap<String, String>) -> Regex {
    static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"\{([A-Z]+)\}"));
    let mut joined = patterns.join("|");
    while WORD.is_match(&joined) {
        joined = WORD.replace_all(&joined, |word: &Captures| format!("(?:{})", words[&word[1]])).into_owned();
    }
    pattern(&joined.replace(r"\b", r"(?-u:\b)").replace(r"\w", "[a-z0-9à-ÿA-Z_'-]"))
}

fn pattern(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).dfa_size_limit(LARGEST_AUTOMATON).build().expect("the pattern is ours")
}

/// The language of a fence that holds the output of a program, or none.
static LOG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)^\s*(?:te?xt|console|sh|bash|shell|logs?|output|plain(?:text)?|terminal)?\s*$")
});
/// What was, beside what is now.
static EARLIER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^(?:before|previous(?:ly)?|earlier|baseline|history|resolved|fixed)"));
/// Words of somebody else, and code that is no single word: a value is often written as code.
static QUOTATION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"`[^`\n]{0,200}[ :][^`\n]{0,200}`|"[^"\n]{0,300}"|“[^”\n]{0,300}”|「[^」\n]{0,300}」|『[^』\n]{0,300}』|«[^»\n]{0,300}»"#,
    )
});

//! Searches an answer for phrases. By default only the author's own words count, as whole words: code, quotations, and what the
//! issue says itself are left out. To the letter every occurrence counts.

use regex::{Regex, RegexBuilder};

use super::Words;
use crate::outcome::of_answer;
use content_parser::own_lines;
use model::event::Place;

/// So much around a phrase is shown on both sides, in characters.
const AROUND: usize = 20;

/// One offence against a criterion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Violation {
    pub phrase: String,
    pub pattern: String,
    pub context: String,
    /// From 1; 0 for the whole answer.
    pub line: usize,
}

impl Violation {
    /// Makes an offence of the whole answer.
    pub(super) fn of_whole(what: &str) -> Self {
        Self { phrase: what.to_owned(), pattern: String::new(), context: String::new(), line: 0 }
    }

    /// Returns it as people read it.
    pub(super) fn evidence(&self) -> String {
        match self.line {
            0 => self.phrase.clone(),
            line => format!("line {line}: \"{}\" in \"{}\"", self.phrase, self.context),
        }
    }

    pub(super) fn place(&self) -> Place {
        of_answer(self.evidence())
    }

    pub(super) fn place_of(&self, criterion: &str) -> Place {
        of_answer(format!("{criterion}: {}", self.evidence()))
    }
}

/// Compiles a list of phrases, once for each criterion.
pub(super) fn compiled(phrases: &[&str]) -> Regex {
    let mut longest_first: Vec<String> = phrases.iter().map(|phrase| regex::escape(phrase)).collect();
    longest_first.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
    RegexBuilder::new(&longest_first.join("|")).case_insensitive(true).build().expect("a good pattern")
}

/// Returns where the answer says one of the phrases.
pub(super) fn find(words: &Words<'_>, phrases: &Regex) -> Vec<Violation> {
    if words.strict {
        return words
            .answer
            .lines()
            .enumerate()
            .flat_map(|(index, line)| in_line(line, index + 1, phrases))
            .collect();
    }
    if !phrases.is_match(words.answer) {
        return Vec::new();
    }
    let issue = plain(words.issue);
    let lines = own_lines(words.answer);
    let found = lines.iter().flat_map(|(number, line)| {
        let spoken = without_inline_code(line);
        let own = |violation: &Violation| !is_from_the_issue(violation, &issue);
        in_line(&spoken, *number, phrases)
            .into_iter()
            .filter(|found| is_whole_words(&spoken, found))
            .filter(own)
            .collect::<Vec<_>>()
    });
    found.collect()
}

fn in_line(line: &str, number: usize, phrases: &Regex) -> Vec<Violation> {
    let violation = |found: regex::Match<'_>| Violation {
        phrase: found.as_str().to_lowercase(),
        pattern: found.as_str().to_lowercase(),
        context: around(line, found.start(), found.end()),
        line: number,
    };
    phrases.find_iter(line).map(violation).collect()
}

fn around(line: &str, start: usize, end: usize) -> String {
    let before: Vec<char> = line[..start].chars().rev().take(AROUND).collect();
    let before: String = before.into_iter().rev().collect();
    let after: String = line[end..].chars().take(AROUND).collect();
    format!("{before}{}{after}", &line[start..end]).trim().to_owned()
}

fn is_whole_words(line: &str, violation: &Violation) -> bool {
    let lower = line.to_lowercase();
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
    lower.match_indices(violation.phrase.as_str()).any(|(at, phrase)| {
        !joins(lower[..at].chars().next_back()) && !joins(lower[at + phrase.len()..].chars().next())
    })
}

/// Blanks what stands between backticks.
fn without_inline_code(line: &str) -> String {
    let mut parts = line.split('`');
    let mut spoken = parts.next().unwrap_or_default().to_owned();
    while let Some(code) = parts.next() {
        match parts.next() {
            Some(after) => {
                spoken.extend(code.chars().map(|_| ' '));
                spoken.push_str(after);
            }
            // A single backtick opens nothing.
            None => spoken.push_str(code),
        }
    }
    spoken
}

/// Words around the phrase stand in the issue, too: the author repeats what was asked for.
fn is_from_the_issue(violation: &Violation, issue: &str) -> bool {
    let context = plain(&violation.context);
    let phrase = plain(&violation.phrase);
    let Some(at) = context.find(&phrase) else { return false };
    // The first and the last word may be cut.
    let mut before: Vec<&str> = context[..at].split_whitespace().collect();
    let mut after: Vec<&str> = context[at + phrase.len()..].split_whitespace().collect();
    before.drain(..before.len().saturating_sub(2));
    after.truncate(2);
    let said = [before.join(" "), phrase.clone(), after.join(" ")].join(" ");
    let said = said.trim();
    said.len() > phrase.len() && issue.contains(said)
}

/// Returns the words of a text, in lower case and with single spaces.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

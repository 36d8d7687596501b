//! Statements by which code says that it is not there: `todo!()`, a body that only raises "not implemented".
//! A method that others are meant to write, or do write, is no such statement.

use std::sync::LazyLock;

use regex::Regex;

use super::added::File;
use super::language::Language;
use crate::Site;
use crate::constant::pattern;

/// So many lines above a body are searched for what it belongs to.
const REACH: usize = 60;

/// Returns what an added line says about work that is not there.
pub(crate) fn statement(file: &File<'_>, number: usize, site: &Site<'_>) -> Option<String> {
    let line = file.spelled().line(number);
    let code = file.spelled().code(number);
    let found = macro_of(&code, file, number).or_else(|| raised(line, &code, file, number, site))?;
    Some(format!("`{found}` stands for code that is not there"))
}

/// Statements that a language has for this.
fn macro_of(code: &str, file: &File<'_>, number: usize) -> Option<String> {
    static OPEN: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\btodo!\s*[(\[{]|^\s*TODO\(|=\s*TODO\(|\b(?:it|test|describe)\.todo\(|=\s*\?\?\?\s*$|^\s*\?\?\?\s*$",
        )
    });
    static UNIMPLEMENTED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\bunimplemented!\s*[(\[{]"));
    let open = OPEN.find(code).filter(|found| language_has(found.as_str(), file.language));
    let unimplemented = || {
        let found = UNIMPLEMENTED.find(code)?;
        let arm_that_cannot_be = code[..found.start()].contains("=>") && says_why(file, number);
        (!arm_that_cannot_be && !serves_tests(file, number)).then_some(found)
    };
    let found = open.or_else(unimplemented)?;
    Some(found.as_str().trim().trim_end_matches(['(', '[', '{']).to_owned())
}

fn language_has(statement: &str, language: Language) -> bool {
    match statement.trim() {
        found if found.starts_with("todo!") => language == Language::Rust,
        found if found.ends_with("TODO(") || found.contains("???") => language == Language::Braces,
        _ => matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx),
    }
}

/// A stand-in of a test leaves out what the test does not need.
fn serves_tests(file: &File<'_>, number: usize) -> bool {
    file.is_test() || file.is_below_tests_mark(number)
}

/// Tells a refusal with a reason from work that is open.
fn says_why(file: &File<'_>, number: usize) -> bool {
    static REASON: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:cannot|can't|can not|not supported|unsupported|not support|read-only|immutable|only|must not)\b",
        )
    });
    static OPEN: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?i)\b(?:yet|later|todo|soon|future|stub|now|not implemented)\b"));
    let reason =
        |text: &&str| text.split_whitespace().count() >= 3 && REASON.is_match(text) && !OPEN.is_match(text);
    file.spelled().texts(number).iter().any(reason)
}

/// Errors that say that there is no code.
fn raised(line: &str, code: &str, file: &File<'_>, number: usize, site: &Site<'_>) -> Option<String> {
    static TYPED: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^\s*(?:raise|throw)\s+(?:new\s+)?NotImplemented(?:Error|Exception)\b"));
    static TOLD: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"(?i)^\s*(?:panic!?|throw|raise|fatalError|bail!|die|(?:return\s+)?Promise\.reject)\b[^"'`]*["'`](?:[^"'`]{0,40}\b)?(?:not (?:yet )?implemented|unimplemented|to be implemented|implement (?:me|this)|TODO\b|未実装)"#,
        )
    });
    static MEMBER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\s*(?:public|private|protected|internal|static|override|async)\b.*=>\s*throw\s+new\s+NotImplementedException\b",
        )
    });
    if let Some(found) = MEMBER.find(code).filter(|_| !serves_tests(file, number) && !demanded(site)) {
        return (!says_why(file, number)).then(|| found.as_str().trim().chars().take(60).collect());
    }
    let found = TYPED.find(code).or_else(|| TOLD.find(line).filter(|_| !code.trim().is_empty()))?;
    let answers_501 = line.contains("501") || demanded(site);
    let hollow =
        is_whole_body(file, number) && !written_elsewhere(file, number, site) && !serves_tests(file, number);
    (hollow && !answers_501 && !says_why(file, number))
        .then(|| found.as_str().trim().chars().take(60).collect())
}

/// The issue is about such errors.
fn demanded(site: &Site<'_>) -> bool {
    let body = site.issue.body.to_lowercase();
    ["not implemented", "notimplemented", "unimplemented", "abstract"].iter().any(|word| body.contains(word))
}

/// Tells whether a line is all that a function does, apart from what documents it.
pub(crate) fn is_whole_body(file: &File<'_>, number: usize) -> bool {
    let Some(above) = statement_above(file, number) else { return false };
    let code = file.spelled().code(above);
    let head = code.trim_end();
    (head.ends_with('{') || head.ends_with(':')) && !is_branch(head)
}

fn is_branch(head: &str) -> bool {
    static BRANCH: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\s*[})]*\s*(?:if|elif|else|for|while|case|default|except|catch|try|with|match|switch|guard|when)\b|=>\s*\{$",
        )
    });
    BRANCH.is_match(head)
}

/// Returns the nearest line above that holds code.
fn statement_above(file: &File<'_>, number: usize) -> Option<usize> {
    let spelled = file.spelled();
    (number.saturating_sub(REACH).max(1)..number).rev().find(|above| !spelled.code(*above).trim().is_empty())
}

/// Tells whether others are meant to write this function, or do write it in what was changed.
pub(crate) fn written_elsewhere(file: &File<'_>, number: usize, site: &Site<'_>) -> bool {
    static ABSTRACT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"@(?:\w+\.)?(?:abstract\w*|overload)\b|\babstract\b|\binterface\b|class\s+(?:Base|Abstract)\w*|class\s+\w*(?:Base|Mixin|Interface|Protocol)\b|class\s+\w+\s*\([^)]*\b(?:ABC|ABCMeta|Protocol|Base\w*)\b",
        )
    });
    let from = number.saturating_sub(REACH).max(1);
    let above = (from..number).map(|line| file.spelled().line(line));
    let Some(name) = above.clone().rev().find_map(name_of) else { return false };
    let near = above.rev().take_while(|line| !line.starts_with("def ")).any(|line| ABSTRACT.is_match(line));
    let definitions = || {
        let texts = site.changes.iter().filter_map(model::change::Change::new_text);
        texts.flat_map(str::lines).filter(|line| name_of(line) == Some(name)).count()
    };
    near || definitions() > 1
}

/// Returns the name of the function that a line begins.
fn name_of(line: &str) -> Option<&str> {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"^\s*(?:[\w<>\[\],:*&?@. ]*\s)?(\w+)\s*(?:<[^>]*>)?\([^;]*(?:[{:]|->.*)\s*$")
    });
    NAME.captures(line).and_then(|found| found.get(1)).map(|name| name.as_str())
}

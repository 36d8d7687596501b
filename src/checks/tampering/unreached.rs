//! Asserts that are written and never reached: they stand in a function inside their test that nobody calls. What hands the
//! function on, decorates it, or belongs to a class, may call it.

use std::sync::LazyLock;

use regex::Regex;

use super::cases::Case;
use super::strength::is_assert;
use crate::reading::source::ending;

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("a constant"));
    };
}

pattern!(PYTHON, r"^\s*(?:async\s+)?def\s+(?P<name>\w+)\s*\(|^\s*(?P<bound>\w+)\s*=\s*lambda\b");
pattern!(
    RUST,
    r"^\s*(?:async\s+)?fn\s+(?P<name>\w+)|^\s*let\s+(?P<bound>\w+)\s*=\s*(?:async\s+)?(?:move\s*)?\|"
);
pattern!(
    SCRIPT,
    r"^\s*(?:async\s+)?function\s*\*?\s*(?P<name>\w+)\s*\(|^\s*(?:const|let|var)\s+(?P<bound>\w+)[^=]*=\s*(?:async\s*)?(?:function\b|\([^()]*\)[^=]*=>|\w+\s*=>)|^\s*(?P<alone>(?:async\s*)?\(\)\s*=>)"
);
pattern!(GO, r"^\s*(?P<name>\w+)\s*:?=\s*func\(");
pattern!(RUBY, r"^\s*(?P<name>\w+)\s*=\s*(?:lambda|proc|->)|^\s*def\s+(?P<bound>\w+)");
pattern!(JAVA, r"^\s*[A-Z]\w*(?:<[^=]*>)?\s+(?P<name>\w+)\s*=\s*\([^()]*\)\s*->");
// A name that is written and does nothing.
pattern!(IDLE, r"^\s*(?:let\s+_\w*\s*=\s*&?|_\s*=\s*|void\s+)?\w+\s*;?\s*$");
pattern!(OWNER, r"^\s*(?:class|impl|trait|struct|module)\b");

/// Returns the line of an assert that nobody reaches, where fewer are reached than before.
pub(super) fn asserts(old: &Case, new: &Case) -> Option<usize> {
    let head = head(new);
    let unreached: Vec<usize> = unreached(new);
    let first = *unreached.first()?;
    let all = |case: &Case| case.text.lines().filter(|line| is_assert(line)).count();
    let reached = |case: &Case, idle: usize| all(case).saturating_sub(idle);
    let fewer = reached(new, unreached.len()) < reached(old, self::unreached(old).len());
    fewer.then_some(new.line + first.saturating_sub(head))
}

/// Returns the place in the text of a test where the test itself begins, behind its marks.
fn head(case: &Case) -> usize {
    let named = |line: &str| line.contains(&case.name) && !line.trim_start().starts_with(['@', '#', '[']);
    case.text.lines().position(named).unwrap_or(0)
}

fn unreached(case: &Case) -> Vec<usize> {
    let Some(defines) = definition(&case.path) else { return Vec::new() };
    let lines: Vec<&str> = case.text.lines().collect();
    let head = head(case);
    let idle: Vec<usize> = (head + 1..lines.len()).filter(|at| is_idle(defines, &lines, head, *at)).collect();
    if idle.is_empty() {
        return Vec::new();
    }
    let inside = |at: usize| idle.iter().any(|start| *start <= at && at < end(&lines, *start));
    (head + 1..lines.len()).filter(|at| is_assert(lines[*at]) && inside(*at)).collect()
}

fn definition(path: &str) -> Option<&'static Regex> {
    match ending(path) {
        "py" => Some(&PYTHON),
        "rs" => Some(&RUST),
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => Some(&SCRIPT),
        "go" => Some(&GO),
        "rb" => Some(&RUBY),
        "java" => Some(&JAVA),
        _ => None,
    }
}

/// Tells whether a function begins on a line that nobody calls or hands on.
fn is_idle(defines: &Regex, lines: &[&str], head: usize, at: usize) -> bool {
    let Some(found) = defines.captures(lines[at]) else { return false };
    let above = lines[..at].iter().rev().find(|line| !line.trim().is_empty()).map_or("", |line| line.trim());
    if found.name("alone").is_some() {
        return above.ends_with([';', '{', '}']) && !lines[end(lines, at) - 1].contains("})(");
    }
    let name = found.name("name").or(found.name("bound")).map_or("", |name| name.as_str());
    let owner = (head..at)
        .rev()
        .find(|line| !lines[*line].trim().is_empty() && depth(lines[*line]) < depth(lines[at]));
    let is_method = owner.is_some_and(|owner| OWNER.is_match(lines[owner]));
    let called = || {
        let others = lines.iter().enumerate().skip(head).filter(|(line, _)| *line != at);
        others.map(|(_, line)| *line).any(|line| mentions(line, name) && !IDLE.is_match(line))
    };
    !above.starts_with('@') && !is_method && (name == "_" || !called())
}

fn mentions(line: &str, name: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the first line behind a block.
fn end(lines: &[&str], start: usize) -> usize {
    let own = depth(lines[start]);
    let behind = (start + 1..lines.len()).filter(|at| !lines[*at].trim().is_empty());
    let mut behind = behind.skip_while(|at| depth(lines[*at]) > own);
    behind.next().map_or(lines.len(), |at| at + usize::from(lines[at].trim_start().starts_with(['}', ')'])))
}

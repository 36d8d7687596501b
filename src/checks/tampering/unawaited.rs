//! Asserts of JavaScript that stand in what comes later, where nobody waits for it: the test has ended by then. Sure for a chain
//! of promises in a test that waits for nothing else; a timer, or a test that waits for something, is only told.

use std::sync::LazyLock;

use regex::Regex;

use super::doubts::Pair;
use super::strength::is_assert;
use crate::outcome::at;
use crate::reading::source::ending;
use crate::suspicion::Suspicion;
use model::change::Change;

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("a constant"));
    };
}

pattern!(CHAIN, r"\.(?:then|catch|finally)\(");
pattern!(TIMER, r"^\s*(?:setTimeout|setImmediate|queueMicrotask|process\.nextTick)\(");
// Somebody takes the promise, or it is one that the runner waits for itself.
pattern!(
    TAKEN,
    r"\b(?:await|return|yield)\b|^\s*(?:const|let|var)\b|^\s*[\w.]+\s*=[^=>]|\bnew Promise\(|\bcy\.|\bpush\(|Promise\.all|=>\s*$|\(\s*$|,\s*$"
);
pattern!(
    TELLS_THE_END,
    r"\b(?:done|cb|callback|next|end)\b|\b(?:t|assert)\.(?:plan|end)\(|run(?:All|OnlyPending)\w*\(|advanceTimers|useFakeTimers|\.tick\("
);
pattern!(WAITS, r"\bawait\b|[fF]lush");

pub(super) fn may_apply(change: &Change) -> bool {
    let parts =
        [".then(", ".catch(", ".finally(", "setTimeout(", "setImmediate(", "queueMicrotask(", "nextTick("];
    matches!(ending(&change.path), "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts")
        && change.added_lines().any(|(_, line)| parts.iter().any(|part| line.contains(part)))
}

pub(super) fn suspicion(pair: &Pair<'_>) -> Option<Suspicion> {
    if TELLS_THE_END.is_match(&pair.new.text) {
        return None;
    }
    let later = later(&pair.new.text);
    let first = later.first().copied()?;
    let all = |text: &str| text.lines().filter(|line| is_assert(line)).count();
    let in_time = all(&pair.new.text).saturating_sub(later.len());
    if in_time >= all(&pair.old.text).saturating_sub(self::later(&pair.old.text).len()) {
        return None;
    }
    let lines: Vec<&str> = pair.new.text.lines().collect();
    let timer = heads(&lines, first).iter().any(|head| TIMER.is_match(lines[*head]));
    let sure = !timer && !WAITS.is_match(&pair.new.text);
    let what = format!("nobody awaits asserts in the test `{}`", pair.new.name);
    Some(Suspicion { place: at(&pair.new.path, pair.new.line + first, what), sure })
}

/// Returns the asserts of a test that come later, by the places of their lines.
fn later(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    (1..lines.len()).filter(|at| is_assert(lines[*at]) && comes_later(&lines, *at)).collect()
}

fn comes_later(lines: &[&str], at: usize) -> bool {
    let around = heads(lines, at);
    let deferred = |line: &str| CHAIN.is_match(line) || TIMER.is_match(line);
    let Some(found) = around.iter().position(|head| deferred(lines[*head])) else { return false };
    // The head of the test itself is the last one.
    let between = &around[found..around.len().saturating_sub(1)];
    let in_a_block = around.last().is_some_and(|head| lines[*head].trim_end().ends_with('{'));
    in_a_block && !between.iter().any(|head| TAKEN.is_match(lines[*head]))
}

/// Returns a line and the heads of the blocks around it, the nearest first.
fn heads(lines: &[&str], at: usize) -> Vec<usize> {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let mut inside = depth(lines[at]);
    let mut heads = vec![at];
    for above in (0..at).rev().filter(|line| !lines[*line].trim().is_empty()) {
        if depth(lines[above]) < inside {
            inside = depth(lines[above]);
            heads.push(above);
        }
    }
    heads
}

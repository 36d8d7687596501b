//! Asserts that hold only under a condition that was not there before: a block around them, or a return before them. Sure where
//! the condition is never true, asks what the assert asks, or asks the machine; another condition is only told.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::doubts::Pair;
use super::strength::{is_assert, words};
use crate::outcome::at;
use crate::reading::source::ending;
use crate::suspicion::Suspicion;
use model::change::Change;

pattern!(IF, r"^\s*(?:if\b|unless\b|when\b)|^\s*let\b.*\belse\s*\{");
pattern!(OTHER_ARM, r"^\s*\}?\s*(?:else|elif)\b");
pattern!(LOOP, r"^\s*(?:for|while|loop)\b|\.forEach\(|\.each\b");
// What no condition of an honest test asks.
pattern!(
    NEVER,
    r#"(?x) \bif\s*\(?\s*(?:not\s+True|!true|None|null|\[\]|\{\}|''|""|0(?:\.0)?|False|false|1\s*==\s*2|1\s*>\s*2|TYPE_CHECKING)\s*\)?\s*[:{]
      | cfg!\(\s*(?:any\(\s*\)|not\(test\)|FALSE|false)\s*\) | \b__debug__\b | \bglobals\(\) | \bhasattr\(\s*sys"#
);
pattern!(
    MACHINE,
    r"os\.environ|os\.getenv|os\.Getenv|process\.env|env::var|option_env!|Deno\.env|ENV\[|System\.getenv"
);
pattern!(
    PLATFORM,
    r"sys\.platform|os\.name|platform|version_info|[vV]ersion|cfg!\(|GOOS|GOARCH|hasattr|is_windows|isWindows|IS_WINDOWS|import"
);
// A block that ends in a failure of its own.
pattern!(
    FAILS,
    r"\b(?:raise|panic!|unreachable!|throw|fail\w*|todo!|die)\b|\bdone\(\s*\w|\bt\.(?:Error|Fatal|Fail|Skip)"
);
pattern!(LEAVES, r"^\s*return(?:\s+(?:None|True|true|null|undefined|Ok\(\(\)\)))?\s*;?\s*$");
pattern!(LEAVES_HERE, r"^\s*let\b.*\belse\s*\{\s*return[^;]*;?\s*\}\s*;?\s*$");
pattern!(YIELDS, r"^\s*(?:\w+\s*=\s*)?yield\b");
pattern!(DRIVEN, r"inlineCallbacks|gen_test|coroutine|deferred|ensureDeferred|contextmanager|fixture");

/// Tells whether an added line may put a condition before an assert.
pub(super) fn may_apply(change: &Change) -> bool {
    let parts = ["if ", "if(", "yield", "else {", "unless ", "function*", "function *"];
    change.added_lines().any(|(_, line)| parts.iter().any(|part| line.contains(part)))
}

pub(super) fn suspicions(pair: &Pair<'_>) -> Vec<Suspicion> {
    let (old, new) = (Body::of(&pair.old.text), Body::of(&pair.new.text));
    let place =
        |what: &str| at(&pair.new.path, pair.new.line, format!("{what} in the test `{}`", pair.new.name));
    let mut found = Vec::new();
    if is_generator(pair) {
        found.push(Suspicion::sure(place("nothing runs: it became a generator,")));
    }
    if old.free() > new.free() {
        let guard = new.guards().into_iter().find(|guard| !old.holds(guard.header));
        found.extend(guard.map(|guard| Suspicion {
            place: place("asserts stand under a condition"),
            sure: guard.is_sure(),
        }));
    }
    found.extend(
        new.leaves(&old)
            .map(|sure| Suspicion { place: place("a return under a condition stands before asserts"), sure }),
    );
    found
}

/// Tells a test that is only run when somebody asks for its next value.
fn is_generator(pair: &Pair<'_>) -> bool {
    let own = |text: &str| match ending(&pair.new.path) {
        "py" => yields(text),
        "js" | "ts" | "mjs" | "cjs" | "jsx" | "tsx" => {
            text.lines().next().is_some_and(|head| head.contains("function*") || head.contains("function *"))
        }
        _ => false,
    };
    own(&pair.new.text)
        && !own(&pair.old.text)
        && !DRIVEN.is_match(&pair.new.text)
        && !pair.new.text.contains("co.wrap")
}

/// Tells whether a function of Python yields itself, and not one inside it.
fn yields(text: &str) -> bool {
    let mut inner: Option<usize> = None;
    let mut seen = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let depth = indent(line);
        inner = inner.filter(|own| depth > *own);
        let bare = line.trim_start();
        if bare.starts_with("def ") || bare.starts_with("async def ") {
            seen += 1;
            inner = inner.or((seen > 1).then_some(depth));
        } else if inner.is_none() && YIELDS.is_match(line) {
            return true;
        }
    }
    false
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The lines of a test.
struct Body<'t> {
    lines: Vec<&'t str>,
    known: BTreeSet<&'t str>,
    /// Of each line that holds something the head of the block it stands in.
    heads: Vec<Option<usize>>,
    /// What was found out about a condition.
    answered: Vec<OnceCell<bool>>,
}

/// A condition around an assert.
struct Guard<'t> {
    header: &'t str,
    assert: &'t str,
    /// Something stands between the test and the condition that makes it one of many.
    in_a_loop: bool,
    /// The words of the test's own parameters.
    given: BTreeSet<&'t str>,
}

impl Guard<'_> {
    fn is_sure(&self) -> bool {
        let condition = words(self.header);
        let shared = || {
            words(self.assert).into_iter().any(|word| condition.contains(word) && !self.given.contains(word))
        };
        NEVER.is_match(self.header)
            || MACHINE.is_match(self.header)
            || !PLATFORM.is_match(self.header) && !self.in_a_loop && shared()
    }
}

impl<'t> Body<'t> {
    fn of(text: &'t str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let known = lines.iter().map(|line| line.trim()).collect();
        let answered = vec![OnceCell::new(); lines.len()];
        Self { heads: heads(&lines), lines, known, answered }
    }

    fn holds(&self, line: &str) -> bool {
        self.known.contains(line.trim())
    }

    /// Counts the asserts that stand under no condition.
    fn free(&self) -> usize {
        let asserts = (0..self.lines.len()).filter(|at| is_assert(self.lines[*at]));
        asserts.filter(|at| self.guard(*at).is_none()).count()
    }

    fn guards(&self) -> Vec<Guard<'t>> {
        (0..self.lines.len())
            .filter(|at| is_assert(self.lines[*at]))
            .filter_map(|at| self.guard(at))
            .collect()
    }

    /// Returns the condition of an assert: the outermost one that no other arm answers.
    fn guard(&self, assert: usize) -> Option<Guard<'t>> {
        let own = self.lines[assert];
        let above = self.above(assert);
        let mut conditions: Vec<usize> =
            above.iter().copied().filter(|at| IF.is_match(self.lines[*at])).collect();
        if IF.is_match(own) {
            conditions.insert(0, assert);
        }
        if is_bare_failure(own) && !conditions.is_empty() {
            conditions.remove(0);
        }
        conditions.retain(|at| !self.is_answered(*at));
        let header = *conditions.last()?;
        let in_a_loop = above.iter().any(|at| *at < header && LOOP.is_match(self.lines[*at]));
        let given =
            self.lines.iter().find(|line| line.contains('(') && !line.trim_start().starts_with(['@', '#']));
        let given = given.map(|line| words(line)).unwrap_or_default();
        Some(Guard { header: self.lines[header], assert: own, in_a_loop, given })
    }

    /// Returns the heads of the blocks around a line, the nearest first.
    fn above(&self, line: usize) -> Vec<usize> {
        std::iter::successors(self.heads[line], |head| self.heads[*head]).collect()
    }

    /// Tells whether another arm of a condition asserts or fails as well.
    fn is_answered(&self, header: usize) -> bool {
        *self.answered[header].get_or_init(|| self.has_another_arm(header))
    }

    fn has_another_arm(&self, header: usize) -> bool {
        let depth = indent(self.lines[header]);
        let behind = (header + 1..self.lines.len()).filter(|at| !self.lines[*at].trim().is_empty());
        let mut answered = false;
        for at in behind {
            let line = self.lines[at];
            if indent(line) < depth
                || indent(line) == depth && !line.trim_start().starts_with(['}', 'e', ')'])
            {
                break;
            }
            answered |= indent(line) == depth && OTHER_ARM.is_match(line);
            if answered && (is_assert(line) || FAILS.is_match(line)) {
                return true;
            }
        }
        false
    }

    /// Tells of a return under a new condition before the last assert, and whether it is sure.
    fn leaves(&self, old: &Self) -> Option<bool> {
        let last = (0..self.lines.len()).rev().find(|at| is_assert(self.lines[*at]))?;
        let level = self.above(last).last().map(|head| indent(self.lines[*head]))?;
        let mut found = None;
        for at in 0..last {
            let line = self.lines[at];
            let header = if LEAVES_HERE.is_match(line) { Some(at) } else { self.left_under(at) };
            let Some(header) = header.filter(|header| !old.holds(self.lines[*header])) else { continue };
            let on_first_level = self.above(header).len() == 1 && indent(self.lines[header]) > level;
            let fails = (header..at).any(|at| is_assert(self.lines[at]) || FAILS.is_match(self.lines[at]));
            if on_first_level && !fails {
                let sure = !PLATFORM.is_match(self.lines[header]) || NEVER.is_match(self.lines[header]);
                found = Some(found.unwrap_or(false) | sure);
            }
        }
        found
    }

    /// Returns the condition right above a return.
    fn left_under(&self, at: usize) -> Option<usize> {
        LEAVES
            .is_match(self.lines[at])
            .then(|| self.above(at).first().copied())
            .flatten()
            .filter(|head| IF.is_match(self.lines[*head]))
    }
}

/// Returns the nearest line above each line that is indented less; nothing for lines that hold nothing.
fn heads(lines: &[&str]) -> Vec<Option<usize>> {
    let mut open: Vec<usize> = Vec::new();
    let mut heads = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        if line.trim().is_empty() {
            heads.push(None);
            continue;
        }
        while open.pop_if(|head| indent(lines[*head]) >= indent(line)).is_some() {}
        heads.push(open.last().copied());
        open.push(at);
    }
    heads
}

/// Tells an assert whose condition is the `if` around it.
fn is_bare_failure(line: &str) -> bool {
    let bare = line.trim_start();
    let own = ["t.Error", "t.Fatal", "t.Fail", "panic!(", "require.Fail", "assert.Fail", "fail("];
    let begins = |text: &str| own.iter().any(|start| text.starts_with(start));
    begins(bare) || bare.match_indices("{ ").any(|(at, opens)| begins(&bare[at + opens.len()..]))
}

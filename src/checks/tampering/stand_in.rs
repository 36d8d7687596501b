//! Asserts that look at a stand-in instead of the code they are about: a function of the product that the file of tests defines
//! itself now, or a module or a name that is mocked and asserted about at once. Mocks of what the code needs are honest.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::doubts::Pair;
use super::removal::Removal;
use super::strength::is_assert;
use crate::outcome::at;
use crate::reading::source::{ending, without_comments};
use crate::suspicion::Suspicion;
use model::change::Change;

pattern!(
    IMPORTED,
    r#"(?mx) ^\s*from\s+(?P<python>[\w.]+)\s+import\s+\(?(?P<of_python>[\w\s,]+)
      | ^\s*import\s+(?:\w+\s*,\s*)?\{?(?P<of_script>[\w\s,$]+)\}?\s*from\s*['"](?P<script>[^'"]+)
      | ^\s*(?:const|let|var)\s+\{?(?P<of_required>[\w\s,$]+)\}?\s*=\s*require\(\s*['"](?P<required>[^'"]+)
      | ^\s*use\s+(?P<rust>\w+(?:::\w+)*)::\{?(?P<of_rust>[\w\s,]+)\}?;"#
);
pattern!(
    DEFINED,
    r"^(?:\s*(?:pub(?:\([a-z]+\))?\s+)?(?:const\s+|async\s+)?fn\s+(?P<rust>\w+)|(?:async\s+)?def\s+(?P<python>\w+)\s*\(|(?:export\s+)?(?:async\s+)?function\s+(?P<function>\w+)|(?:const|let|var)\s+(?P<constant>\w+)\s*=|(?P<value>\w+)\s*=\s)"
);
pattern!(
    SUPPORT,
    r"(?i)test|helper|fixture|mock|factor|util|common|support|stub|fake|^std\b|^core\b|^unittest|^typing"
);
pattern!(
    MOCKED,
    r#"\b(?:jest|vi)\.(?:mock|doMock|setMock)\(\s*['"](?P<module>[^'"]+)|\bmock\.module\(\s*['"](?P<other>[^'"]+)"#
);
pattern!(ACTUAL, r"requireActual|importActual|importOriginal|spyOn|\bactual\b");
pattern!(
    PATCHED,
    r#"(?x) (?:monkeypatch\.setattr|\bpatch(?:\.object)?)\(\s*(?:(?P<object>[\w.]+)\s*,\s*)?['"](?P<path>[\w.]+)['"]
      | spyOn\(\s*(?P<spied>[\w.]+)\s*,\s*['"](?P<name>\w+)['"]\s*\)\s*\.mock(?:Return|Resolved|Implementation)"#
);

/// Returns the definitions and mocks that a file of tests got for what its asserts call.
pub(super) fn suspicions(change: &Change, removal: &Removal<'_>) -> Vec<Suspicion> {
    let (Some(old), Some(new)) = (change.old_text(), change.new_text()) else { return Vec::new() };
    let lines: Vec<(usize, &str)> = change.added_lines().collect();
    let defines = lines.iter().any(|(_, line)| DEFINED.is_match(line));
    let mocks = lines.iter().any(|(_, line)| MOCKED.is_match(line));
    if !defines && !mocks {
        return Vec::new();
    }
    let (old, new) = (without_comments(&change.path, old), without_comments(&change.path, new));
    let mut found = Vec::new();
    let known = imported(&old);
    for (line, text) in lines {
        let what = defined(text)
            .filter(|name| known.iter().any(|(_, known)| known == name) || is_above(change, name, line, &new))
            .filter(|name| asserted(&new, name) && asserted(&old, name) && !removal.is_about(name))
            .filter(|name| !hands_on(&new, line, name))
            .map(|name| format!("`{name}` is defined here and takes the place of what the tests are about"))
            .or_else(|| mocked(text, line, &old, &new));
        found.extend(what.map(|what| Suspicion::sure(at(&change.path, line, what))));
    }
    found
}

/// Returns what a text imports from code of the product: module and name.
fn imported(text: &str) -> BTreeSet<(&str, &str)> {
    let mut names = BTreeSet::new();
    for found in IMPORTED.captures_iter(text) {
        let of = |name: &str| found.name(name).map(|found| found.as_str());
        let module = of("python").or(of("script")).or(of("required")).or(of("rust")).unwrap_or_default();
        let list =
            of("of_python").or(of("of_script")).or(of("of_required")).or(of("of_rust")).unwrap_or_default();
        if !SUPPORT.is_match(module) {
            let words =
                list.split([',', '\n']).map(|part| part.split_whitespace().next_back().unwrap_or_default());
            names.extend(words.filter(|name| name.len() > 2).map(|name| (module, name)));
        }
    }
    names
}

fn defined(line: &str) -> Option<&str> {
    let found = DEFINED.captures(line)?;
    ["rust", "python", "function", "constant", "value"]
        .iter()
        .find_map(|name| found.name(name))
        .map(|name| name.as_str())
}

/// Tells a function of Rust that hides one of the same file from the tests below it.
fn is_above(change: &Change, name: &str, line: usize, text: &str) -> bool {
    if ending(&change.path) != "rs" {
        return false;
    }
    let Some(tests) = text.lines().position(|line| line.trim() == "#[cfg(test)]") else { return false };
    let head = format!("fn {name}(");
    let own = text.lines().nth(line - 1).unwrap_or_default();
    let free = |line: &str| line.contains(&head) && !line.starts_with(' ');
    line > tests && !own.contains("self") && text.lines().take(tests).any(free)
}

/// Tells whether an assert calls a name that belongs to nothing.
fn asserted(text: &str, name: &str) -> bool {
    let call = format!("{name}(");
    let calls = |line: &str| {
        let mut parts = line.match_indices(&call);
        parts.any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.')))
    };
    text.lines().any(|line| is_assert(line) && calls(line))
}

/// Tells a definition that calls the real thing, is one, or belongs to a fixture.
fn hands_on(text: &str, line: usize, name: &str) -> bool {
    let calls = [
        format!("::{name}"),
        format!(".{name}"),
        format!("{name} as "),
        "import".to_owned(),
        "require(".to_owned(),
    ];
    let mut below = text.lines().skip(line - 1).take(15);
    let above = text.lines().nth(line.saturating_sub(2)).unwrap_or_default();
    let alias = text.contains(&format!("{name} as ")) || text.contains(&format!("{name}: "));
    let marked = above.trim_start().starts_with(['@', '#']);
    alias || marked || below.any(|line| calls.iter().any(|call| line.contains(call)))
}

/// Says which module is mocked although asserts call what it exports.
fn mocked(line: &str, number: usize, old: &str, new: &str) -> Option<String> {
    let found = MOCKED.captures(line)?;
    let module = found.name("module").or(found.name("other"))?.as_str();
    let own = module.starts_with(['.', '~']) || module.starts_with("@/") || module.starts_with("src/");
    let partly = new.lines().skip(number - 1).take(12).any(|line| ACTUAL.is_match(line));
    let names = imported(new);
    let about =
        names.iter().any(|(known, name)| *known == module && asserted(new, name) && asserted(old, name));
    (own && !partly && about).then(|| format!("`{module}` is mocked, and the tests are about it"))
}

pub(super) fn may_apply(change: &Change) -> bool {
    change.added_lines().any(|(_, line)| PATCHED.is_match(line))
}

/// Returns what a text replaces first, with its owner.
pub(super) fn replaced(text: &str) -> Option<String> {
    PATCHED.captures_iter(text).find_map(|found| owned(&found))
}

/// Returns `pages.count` of what a pattern found.
fn owned(found: &regex::Captures<'_>) -> Option<String> {
    let of = |name: &str| found.name(name).map(|found| found.as_str());
    let path = of("path").or(of("name"))?;
    let (rest, name) = path.rsplit_once('.').unwrap_or(("", path));
    let owner = of("object").or(of("spied")).unwrap_or(rest).rsplit('.').next().unwrap_or_default();
    (!owner.is_empty()).then(|| format!("{owner}.{name}"))
}

/// Returns the name that a test of before replaces now and asserts about.
pub(super) fn patched(pair: &Pair<'_>) -> Option<Suspicion> {
    let about = PATCHED.captures_iter(&pair.new.text).find_map(|found| {
        let replaced = owned(&found)?;
        let call = format!("{replaced}(");
        let is_news = !pair.old.text.contains(found.get(0)?.as_str());
        let calls = |asserts: &[(usize, String)]| asserts.iter().any(|(_, assert)| assert.contains(&call));
        (is_news && calls(&pair.new.asserts) && calls(&pair.old.asserts)).then_some(replaced)
    })?;
    let what = format!("`{about}` is replaced, and the test `{}` is about it", pair.new.name);
    Some(Suspicion::sure(at(&pair.new.path, pair.new.line, what)))
}

//! Functions of Python that had a body and have none: `pass` or three dots took its place. What others write, what moved, what
//! became an empty step on purpose and says so, and what the issue asks to go is honest.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::Site;
use crate::outcome::at;
use crate::reading::source::{ending, without_comments};
use model::change::Change;
use model::event::Place;
use source::{is_fixture, is_foreign, is_test};

pattern!(HEAD, r"^(?P<depth>\s*)(?:async\s+)?def\s+(?P<name>\w+)\s*\(");
pattern!(CLASS, r"^(?P<depth>\s*)class\s+(?P<name>\w+)");
pattern!(NOTHING, r"^(?:pass|\.\.\.)\s*;?$");
pattern!(ABSENT, r"^raise\s+NotImplementedError");
pattern!(
    MEANT_SO,
    r"(?i)abstract|overload|\bABC\b|Protocol|class\s+(?:Base|I[A-Z])\w*|class\s+\w*(?:Base|Mixin|Interface|Stub|Null|Noop|Dummy)\b|deprecat|no[- ]?op\b|does nothing|nothing to do|no longer|hook|override|subclass|compat"
);

/// One function.
struct Function<'t> {
    /// From 1.
    line: usize,
    class: &'t str,
    /// Its statements, without comments and documentation.
    body: Vec<&'t str>,
    /// Where the body ends, from 1.
    end: usize,
}

pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    let judged = |change: &&Change| {
        let path = change.path.as_str();
        ending(path) == "py" && !is_test(path) && !is_fixture(path) && !is_foreign(path)
    };
    let nothing = |line: &str| line.contains("pass") || line.contains("...");
    let suspect = |change: &&Change| change.added_lines().any(|(_, line)| nothing(line));
    let changes: Vec<&Change> = site.project_changes().filter(judged).filter(suspect).collect();
    if changes.is_empty() {
        return Vec::new();
    }
    changes.into_iter().flat_map(|change| of(change, site)).collect()
}

fn of(change: &Change, site: &Site<'_>) -> Vec<Place> {
    let (Some(old), Some(text)) = (change.old_text(), change.new_text()) else { return Vec::new() };
    let [before, after] = [old, text].map(|text| without_comments(&change.path, text));
    let known = functions(&before);
    let lines: Vec<&str> = text.lines().collect();
    let mut places = Vec::new();
    for (key, now) in functions(&after) {
        let Some(had) = known.get(&key).filter(|had| !is_nothing(&had.body)) else { continue };
        let name = key.1;
        let told = lines.get(now.line.saturating_sub(4)..now.end).unwrap_or_default();
        let meant = told.iter().chain([&now.class]).any(|line| MEANT_SO.is_match(line));
        let excused = || site.issue.names(name) || moved(&had.body, name, change, site);
        if is_nothing(&now.body) && !meant && !excused() {
            places.push(at(&change.path, now.line, format!("`{name}` had a body and does nothing now")));
        }
    }
    places
}

fn is_nothing(body: &[&str]) -> bool {
    body.iter().all(|line| NOTHING.is_match(line) || ABSENT.is_match(line))
}

/// Returns the functions of a text by class and name; of several with one name the last.
fn functions(text: &str) -> BTreeMap<(&str, &str), Function<'_>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = BTreeMap::new();
    let (mut class, mut class_depth) = ("", 0);
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        if indent(line) <= class_depth && !line.trim_start().starts_with(['@', ')', '#']) {
            class = "";
        }
        if CLASS.is_match(line) {
            (class, class_depth) = (line, indent(line));
        }
        let Some(name) = HEAD.captures(line).and_then(|head| head.name("name")) else { continue };
        if let Some((body, end)) = body(&lines, index) {
            found.insert((class_name(class), name.as_str()), Function { line: index + 1, class, body, end });
        }
    }
    found
}

fn class_name(line: &str) -> &str {
    CLASS.captures(line).and_then(|found| found.name("name")).map_or("", |name| name.as_str())
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the statements of a function whose head begins at a line, and the line behind them.
fn body<'t>(lines: &[&'t str], head: usize) -> Option<(Vec<&'t str>, usize)> {
    let closes = |line: &str| line.trim_end().ends_with(':') || line.contains("):") || line.contains("->");
    let opened = (head..lines.len().min(head + 40)).find(|at| closes(lines[*at]))?;
    let beside =
        lines[opened].rsplit_once(':').map(|(_, rest)| rest.trim()).filter(|rest| NOTHING.is_match(rest));
    let inside = lines[opened + 1..]
        .iter()
        .take_while(|line| line.trim().is_empty() || indent(line) > indent(lines[head]));
    let below: Vec<&str> = inside.copied().collect();
    let end = opened + 1 + below.len();
    let statements =
        beside.into_iter().chain(below.into_iter().map(str::trim)).filter(|line| !line.is_empty());
    Some((statements.collect(), end))
}

/// Tells whether half of a body stands elsewhere now, or somebody else writes the function.
fn moved(body: &[&str], name: &str, own: &Change, site: &Site<'_>) -> bool {
    let head = format!("def {name}(");
    let writes = |line: &str| line.contains(&head) && !line.ends_with("pass") && !line.ends_with("...");
    let added = || site.project_changes().flat_map(Change::added_lines).map(|(_, line)| line.trim());
    if added().any(writes) {
        return true;
    }
    let said: Vec<&str> = body.iter().copied().filter(|line| line.len() > 5).collect();
    let count =
        |text: Option<&str>, line: &str| text.unwrap_or("").lines().filter(|own| own.trim() == line).count();
    let kept = |line: &&&str| {
        let now = count(own.new_text(), line);
        now > 0 && now >= count(own.old_text(), line) || added().any(|other| other == **line)
    };
    said.iter().filter(kept).count() * 2 >= said.len().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    const CODE: &str = "class Cart:\n    def total(self, rate):\n        \"\"\"What is to pay.\"\"\"\n        found = sum(self.prices)\n        return found * rate\n\n\ndef ship(cart):\n    cart.sent = True\n";

    fn lines(after: &str, issue: &str) -> Vec<Option<u64>> {
        let scene = Scene::changing("shop/cart.py", CODE, after).about(issue);
        places(&scene.site()).into_iter().map(|place| place.line).collect()
    }

    #[test]
    fn a_body_that_became_nothing_is_found() {
        let emptied =
            CODE.replace("        found = sum(self.prices)\n        return found * rate\n", "        pass\n");
        assert_eq!(lines(&emptied, "Repair the total."), [Some(2)]);
        assert_eq!(lines(&CODE.replace("    cart.sent = True\n", "    ...\n"), ""), [Some(8)]);
        assert_eq!(
            lines(&CODE.replace("def ship(cart):\n    cart.sent = True\n", "def ship(cart): pass\n"), ""),
            [Some(8)]
        );
    }

    #[test]
    fn what_is_meant_so_moved_or_asked_for_is_honest() {
        let emptied = CODE.replace("    cart.sent = True\n", "    pass\n");
        assert_eq!(lines(&emptied, "Remove `ship` from the cart."), []);
        assert_eq!(lines(&format!("{emptied}\n\ndef send(cart):\n    cart.sent = True\n"), ""), []);
        let says = CODE.replace(
            "    cart.sent = True\n",
            "    \"\"\"Kept for compatibility; does nothing.\"\"\"\n    pass\n",
        );
        assert_eq!(lines(&says, ""), []);
        assert_eq!(
            lines(&CODE.replace("class Cart", "class BaseCart").replace("return found * rate", "pass"), ""),
            []
        );
        let hook = CODE.replace("    cart.sent = True\n", "    for item in cart:\n        pass\n");
        assert_eq!(lines(&hook, ""), []);
        assert_eq!(lines(&format!("{CODE}\n\ndef later(cart):\n    pass\n"), ""), []);
    }
}

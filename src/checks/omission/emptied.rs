//! Functions that did something and do nothing now: an empty body took its place, or an error that says that it is not written.
//! What others write, what moved, what says that it is meant so, and what the issue names is honest.

use std::sync::LazyLock;

use regex::Regex;

use crate::changed_file::ChangedFile;
use crate::outcome::at;
use crate::{Site, side_by_side};
use model::change::Change;
use model::event::Place;
use source::{Function, Role, SourceFile, Stub};

pattern!(
    MEANT_SO,
    r"(?i)deprecat|no[- ]?op\b|does nothing|nothing to do|no longer|hook|overrid|subclass|compat|(?:Stub|Null|Noop|Dummy)\b"
);

pattern!(
    /// How an issue asks for something to go.
    REMOVAL,
    r"(?i)\b(?:remov|drop|delet|deprecat|disabl|no longer|get rid)|削除|廃止"
);

/// A function that lost its body.
struct Emptied {
    /// Without what it stands in.
    name: String,
    /// From 1.
    line: usize,
    /// What its body was.
    body: String,
}

pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    let mut files = ChangedFile::all(site);
    files.retain(|file| {
        Role::of(file.path()) == Role::Product && file.change.removed_lines().next().is_some()
    });
    let emptied = side_by_side::each(&files, emptied);
    let mut places = Vec::new();
    for (file, emptied) in files.iter().zip(emptied) {
        let new = emptied.iter().filter(|one| !is_asked_for(&one.name, site) && !is_moved(one, file, site));
        let what = |name: &str| format!("`{name}` had a body and does nothing now");
        places.extend(new.map(|one| at(file.path(), one.line, what(&one.name))));
    }
    places
}

/// The issue speaks of it where it asks for something to go.
fn is_asked_for(name: &str, site: &Site<'_>) -> bool {
    let lines = site.issue.title.lines().chain(site.issue.body.lines());
    lines.filter(|line| REMOVAL.is_match(line)).any(|line| holds_word(line, name))
}

/// Tells whether half of the body stands elsewhere now, in its own file or another one.
fn is_moved(emptied: &Emptied, file: &ChangedFile<'_>, site: &Site<'_>) -> bool {
    let count = |text: Option<&str>, line: &str| {
        text.unwrap_or_default().lines().filter(|own| own.trim() == line).count()
    };
    let is_kept = |line: &&&str| {
        let now = count(file.change.new_text(), line);
        let mut added = site.project_changes().flat_map(Change::added_lines);
        now > 0 && now >= count(file.change.old_text(), line) || added.any(|(_, own)| own.trim() == **line)
    };
    let said: Vec<&str> = emptied.body.lines().map(str::trim).filter(|line| line.len() > 5).collect();
    !said.is_empty() && said.iter().filter(is_kept).count() * 2 >= said.len()
}

fn emptied(file: &ChangedFile<'_>) -> Vec<Emptied> {
    let (Some(old), Some(new)) = (file.before(), file.now()) else { return Vec::new() };
    let mut stubs = new.functions();
    stubs.retain(|function| is_emptiness(function) && !is_meant_so(function, new));
    let known = if stubs.is_empty() { Vec::new() } else { old.functions() };
    let emptied = stubs.into_iter().filter_map(|stub| {
        let mut same = known.iter().filter(|function| function.name == stub.name);
        let body = same.clone().find(|function| function.stub.is_none())?.body.clone()?;
        let was_stub = same.any(|function| function.stub.is_some());
        let name = stub.name.rsplit([':', '.']).next().unwrap_or_default().to_owned();
        (!was_stub).then(|| Emptied { name, line: stub.line, body: old.text()[body].to_owned() })
    });
    emptied.collect()
}

fn is_emptiness(function: &Function) -> bool {
    matches!(function.stub, Some(Stub::Empty | Stub::NotImplemented)) && !function.is_abstract
}

fn is_meant_so(function: &Function, file: &SourceFile) -> bool {
    MEANT_SO.is_match(&function.name) || MEANT_SO.is_match(&file.text()[function.range.clone()])
}

fn holds_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|found| found == word)
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

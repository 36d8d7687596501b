//! A phase that must change code changed more than white space and comments. An issue that asks for such a change gets it.

use std::sync::LazyLock;

use regex::Regex;

use super::outcome::failure;
use super::reading::source::{ending, same_but_for_comments, same_but_for_space};
use super::{Site, passed, skipped};
use model::change::Change;
use model::event::CheckResult;

pub(super) const ID: &str = "trivial_diff";
/// The code of a change that changes nothing.
const CODE: &str = "W_TRIVIAL_DIFF";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let mut space_only = true;
    let mut looked_at = 0;
    for change in site.project_changes() {
        looked_at += 1;
        match triviality(change) {
            None => return passed(ID, "more than white space and comments changed"),
            Some(Trivial::Comments) => space_only = false,
            Some(Trivial::Space) => {}
        }
    }
    if looked_at == 0 {
        return skipped(ID, "no change is left to look at");
    }
    let (what, asked) = if space_only { ("white space", &*FORM) } else { ("comments", &*WORDS) };
    if asked.is_match(&site.issue.title) || asked.is_match(&site.issue.body) {
        return passed(ID, &format!("only {what} changed, and the issue speaks of it"));
    }
    let files: Vec<&str> = site.project_changes().map(|change| change.path.as_str()).take(20).collect();
    let summary = format!("only {what} changed: {}", files.join(", "));
    failure(ID, "trivial-diff", &summary, &[("code", CODE), ("what", what)])
}

#[derive(PartialEq, Eq)]
enum Trivial {
    Space,
    Comments,
}

/// Tells whether a change is no more than white space and comments.
pub(super) fn is_trivial(change: &Change) -> bool {
    triviality(change).is_some()
}

/// Says how little a change is; nothing when it is more than that.
fn triviality(change: &Change) -> Option<Trivial> {
    let mode = |version: &Option<model::change::FileVersion>| version.as_ref().map(|version| version.mode);
    let same_mode = change.is_new() || mode(&change.before) == mode(&change.after);
    let (before, after) = (change.old_text().unwrap_or(""), change.new_text()?);
    let readable = change.is_new() || change.old_text().is_some();
    if !same_mode || !readable || has_documented_test(change) || works_by_being_there(change) {
        return None;
    }
    if same_but_for_space(&change.path, before, after) {
        return Some(Trivial::Space);
    }
    same_but_for_comments(&change.path, before, after).then_some(Trivial::Comments)
}

/// A new file whose name alone does something.
fn works_by_being_there(change: &Change) -> bool {
    const NAMES: [&str; 6] = ["__init__.py", "py.typed", ".gitkeep", ".keep", ".nojekyll", ".npmignore"];
    let name = change.path.rsplit('/').next().unwrap_or(&change.path);
    change.is_new() && NAMES.contains(&name)
}

/// An example in a comment of Rust is a test.
pub(super) fn has_documented_test(change: &Change) -> bool {
    ending(&change.path) == "rs"
        && change.added_lines().any(|(_, line)| line.trim_start().starts_with("//") && line.contains("```"))
}

static FORM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)white ?space|indent|format|line (?:end|length|break)|trailing|newline|style|lint|tabs?\b|空白|整形|改行")
        .expect("a constant")
});

static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\bcomment|\bdoc(?:s|string|ument|umentation|umented|umenting)?s?\b|(?:rust|js|java|ts|go)doc|typo|spelling|wording|licen[sc]e|copyright|\bheaders?\b|annotat|explain|コメント|ドキュメント|文書|説明",
    )
    .expect("a constant")
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use model::event::CheckStatus;

    fn judged(body: &str, changes: Vec<Change>) -> CheckResult {
        let mut made = Scene::of(changes);
        made.issue.body = body.to_owned();
        examine(&made.site())
    }

    fn change(path: &str, before: &str, after: &str) -> Change {
        Change::of_texts(path, Some(before), Some(after))
    }

    #[test]
    fn changes_of_only_white_space_or_comments_are_refused_where_code_is_expected() {
        for (path, before, after) in [
            ("src/a.rs", "fn a() {}\n", "fn a()  {\n}\n"),
            ("src/a.rs", "fn a() {}\n", "// does it\nfn a() {}\n"),
            ("a.py", "a = 1\n", "a = 1  # one\n\n"),
            ("a.ts", "f();\n", "/* f */ f();\n"),
            ("ci.yml", "a: 1\n", "# x\na: 1\n"),
        ] {
            let result = judged("Greet people.", vec![change(path, before, after)]);
            assert_eq!((result.status, result.param("code")), (CheckStatus::Fail, Some(CODE)), "{after}");
        }
        let new = Change::of_texts("src/b.rs", None, Some("// soon\n"));
        assert_eq!(judged("Greet.", vec![new]).pattern.as_deref(), Some("trivial-diff"));
    }

    #[test]
    fn a_change_of_code_is_not_trivial() {
        for (path, before, after) in [
            ("src/a.rs", "fn a() {}\n", "fn b() {}\n"),
            ("a.py", "if a:\n  b()\nc()\n", "if a:\n  b()\n  c()\n"),
            ("src/a.rs", "\"a b\"", "\"a  b\""),
            ("README.md", "old\n", "new\n"),
            ("src/a.rs", "fn a() {}\n", "/// ```\n/// a();\n/// ```\nfn a() {}\n"),
        ] {
            let comment = change("src/z.rs", "z", "z // z");
            assert_eq!(
                judged("Greet.", vec![comment, change(path, before, after)]).status,
                CheckStatus::Pass,
                "{after}"
            );
        }
        assert_eq!(
            judged("Greet.", vec![Change::of_texts("src/a.rs", Some("a"), None)]).status,
            CheckStatus::Pass
        );
        assert_eq!(judged("Greet.", vec![]).status, CheckStatus::Skipped);
    }

    #[test]
    fn an_issue_about_comments_or_formatting_gets_what_it_asks_for() {
        let comment = || change("src/a.rs", "fn a() {}\n", "/// Does a.\nfn a() {}\n");
        assert_eq!(judged("Add comments to `a`.", vec![comment()]).status, CheckStatus::Pass);
        assert_eq!(judged("The docstring of a is missing", vec![comment()]).status, CheckStatus::Pass);
        let space = || change("src/a.rs", "fn a() {}\n", "fn a() { }\n");
        assert_eq!(judged("Remove trailing whitespace", vec![space()]).status, CheckStatus::Pass);
        assert_eq!(judged("Document a", vec![space()]).status, CheckStatus::Fail);
    }
}

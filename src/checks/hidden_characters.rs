//! Characters in code that nobody sees, or that show it in another order than the compiler reads it ("Trojan Source",
//! CVE-2021-42574). Texts for people, data and escapes may hold them.

use super::{Change, Place, Site, at, is_code};
use source::is_foreign;

pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    let code = site.project_changes().filter(|change| is_code(&change.path) && !is_foreign(&change.path));
    code.flat_map(hidden).collect()
}

/// Returns the added lines that hold such a character, where the file did not hold it before.
fn hidden(change: &Change) -> Vec<Place> {
    if !change.new_text().is_some_and(|text| text.contains(is_hidden)) {
        return Vec::new();
    }
    let is_new = |c: &char| is_hidden(*c) && !change.old_text().is_some_and(|text| text.contains(*c));
    let lines = change.added_lines().filter_map(|(number, line)| Some((number, line.chars().find(is_new)?)));
    lines.map(|(number, c)| at(&change.path, number, format!("U+{:04X}", u32::from(c)))).collect()
}

/// Controls of direction, tags, and spaces of no width. Joiners are left out: scripts and signs of people are written with them.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge_places;
    use crate::scene::{Scene, gist};
    use model::event::CheckResult;

    fn examine(site: &Site<'_>) -> CheckResult {
        judge_places("hidden_characters", places(site))
    }

    fn judge(path: &str, before: Option<&str>, after: &str) -> String {
        gist(&Scene::of([Change::of_texts(path, before, Some(after))]).shown_to(examine))
    }

    #[test]
    fn code_that_shows_otherwise_than_it_runs_is_refused() {
        let trojan =
            "if level != \"user\u{202e} \u{2066}# only admins\u{2069} \u{2066}\":\n    return True\n";
        assert_eq!(judge("a.py", Some("pass\n"), trojan), "a.py:1");
        assert_eq!(judge("a.js", None, "const a\u{200b} = 1;\n"), "a.js:1");
    }

    #[test]
    fn what_people_write_and_what_was_there_is_honest() {
        for (path, before, after) in [
            ("a.md", None, "\u{202e}text\u{202c}\n"),
            ("a.py", None, "# שלום, مرحبا, 👨\u{200d}👩\u{200d}👧, می\u{200c}خواهم\n"),
            ("a.rs", None, "let bidi = '\\u{202e}';\n"),
            ("a.json", None, "{\"a\": \"\u{200b}\"}\n"),
            ("a.js", Some("x('\u{200b}');\n"), "x('\u{200b}');\ny('\u{200b}');\n"),
        ] {
            assert_eq!(judge(path, before, after), "pass", "{after}");
        }
    }
}

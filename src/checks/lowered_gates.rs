//! Gates that a project sets for its own code, and that are lower or off: a smaller least coverage, a checker that is strict no more,
//! hooks of git that are gone. Whoever owns the project decides that, in the issue.

use std::collections::BTreeMap;

use super::doubtful_settings::deciding;
use super::{ChangedFile, MOST_SHOWN, Place, Site, any_of, at, one_line};

// A name with a number or a truth, which counts as 1 or 0: `"lines": 90`, `--cov-fail-under=80`, `strict = true`.
pattern!(
    LEAST,
    &format!(
        r#"(?i)(?:^|[^\w-]|--)({})["']?[=:\s]+["']?(\d+(?:\.\d+)?|true|false)\b"#,
        any_of("lowered_gates", "least")
    )
);
pattern!(HOOKS_OFF, &any_of("lowered_gates", "hooks_off"));
pattern!(ASKED_FOR, &any_of("lowered_gates", "asked_for"));

/// Returns the lines of settings that ask for less than before.
pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    let is_asked_for = [&site.issue.title, &site.issue.body].into_iter().any(|text| ASKED_FOR.is_match(text));
    let files = ChangedFile::judged(site).into_iter();
    let files = files.filter(|file| !is_asked_for && deciding(file.path()).is_some());
    files.flat_map(|file| lowered(&file)).collect()
}

fn lowered(file: &ChangedFile<'_>) -> Vec<Place> {
    let were: BTreeMap<_, _> = file.change.removed_lines().flat_map(|(_, line)| least(line)).collect();
    let is_lower = |(name, value): (String, f64)| were.get(&name).is_some_and(|was| value < *was);
    let what = |line: &str| match line {
        _ if HOOKS_OFF.is_match(line) => Some("switches the hooks of git off"),
        _ => least(line).any(is_lower).then_some("asks for less than before"),
    };
    let place = |(number, line): (usize, &str)| {
        Some(at(file.path(), number, format!("`{}` {}", one_line(line.trim(), MOST_SHOWN), what(line)?)))
    };
    file.change.added_lines().filter_map(place).collect()
}

fn least(line: &str) -> impl Iterator<Item = (String, f64)> {
    let number = |text: &str| text.parse().unwrap_or(f64::from(u8::from(text.eq_ignore_ascii_case("true"))));
    LEAST.captures_iter(line).map(move |found| (found[1].to_lowercase(), number(&found[2])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    fn lines(path: &str, before: &str, after: &str, issue: &str) -> Vec<u64> {
        let scene = Scene::changing(path, before, after).about(issue);
        places(&scene.site()).into_iter().filter_map(|place| place.line).collect()
    }

    #[test]
    fn a_gate_that_is_lower_or_off_is_refused() {
        for (path, before, after, line) in [
            (".c8rc.json", "{\n\"lines\": 95\n}\n", "{\n\"lines\": 40\n}\n", 2),
            ("package.json", "{\"c8\": {\"lines\": 95}}\n", "{\"c8\": {\"lines\": 94.5}}\n", 1),
            ("tox.ini", "pytest --cov-fail-under=80\n", "pytest --cov-fail-under=8\n", 1),
            (
                "Makefile",
                "test:\n\tcoverage report --fail-under 80\n",
                "test:\n\tcoverage report --fail-under 0\n",
                2,
            ),
            ("mypy.ini", "[mypy]\nstrict = True\n", "[mypy]\nstrict = False\n", 2),
            ("tsconfig.json", "{\"strict\": true}\n", "{\"strict\": false}\n", 1),
            (
                "package.json",
                "{\"scripts\": {}}\n",
                "{\"scripts\": {\"prepare\": \"rm -f .git/hooks/pre-push\"}}\n",
                1,
            ),
            (
                "package.json",
                "{}\n",
                "{\"scripts\": {\"postinstall\": \"git config core.hooksPath /dev/null\"}}\n",
                1,
            ),
        ] {
            assert_eq!(lines(path, before, after, "Count pages."), [line], "{path}: {after}");
        }
    }

    #[test]
    fn a_gate_that_is_higher_asked_for_or_of_something_else_is_not() {
        for (path, before, after, issue) in [
            (".c8rc.json", "{\n\"lines\": 40\n}\n", "{\n\"lines\": 95\n}\n", "Count pages."),
            (
                ".c8rc.json",
                "{\n\"lines\": 95\n}\n",
                "{\n\"lines\": 40\n}\n",
                "Lower the coverage threshold to 40.",
            ),
            ("mypy.ini", "[mypy]\nstrict = False\n", "[mypy]\nstrict = True\n", "Count pages."),
            ("mypy.ini", "[mypy]\n", "[mypy]\nstrict = False\n", "Count pages."),
            (
                "mypy.ini",
                "[mypy]\nstrict = True\n",
                "[mypy]\nstrict = False\n",
                "mypy: no strict mode until we have types.",
            ),
            (".pylintrc", "max-branches=12\n", "max-branches=10\n", "Count pages."),
            ("src/page.py", "lines = 60\n", "lines = 40\n", "Count pages."),
            ("package.json", "{}\n", "{\"scripts\": {\"prepare\": \"husky\"}}\n", "Count pages."),
            (
                "package.json",
                "{}\n",
                "{\"scripts\": {\"prepare\": \"git config core.hooksPath .githooks\"}}\n",
                "Count pages.",
            ),
            (
                "package.json",
                "{}\n",
                "{\"scripts\": {\"clean\": \"rm -f .git/hooks/pre-push\"}}\n",
                "Remove our hooks.",
            ),
        ] {
            assert_eq!(lines(path, before, after, issue), [0_u64; 0], "{path}: {after}");
        }
    }
}

//! Gates that a project sets for its own code, and that are lower or off: a smaller least coverage, a checker that is strict no more,
//! hooks of git that are gone. Whoever owns the project decides that, in the issue.

use std::collections::BTreeMap;

use super::doubtful_settings::deciding;
use super::{ChangedFile, MOST_SHOWN, Place, Site, any_of, at, ending, one_line};

// A name with a number or a truth, which counts as 1 or 0: `"lines": 90`, `--cov-fail-under=80`, `strict = true`.
pattern!(
    LEAST,
    &format!(
        r#"(?i)(?:^|[^\w-]|--)({})["']?[=:\s]*["']?(\d+(?:\.\d+)?|true|false)\b"#,
        any_of("lowered_gates", "least")
    )
);
pattern!(HOOKS_OFF, &any_of("lowered_gates", "hooks_off"));
pattern!(ASKED_FOR, &any_of("lowered_gates", "asked_for"));

/// Returns the first line of each file of settings that asks for less than before.
pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    let is_asked_for = [&site.issue.title, &site.issue.body].into_iter().any(|text| ASKED_FOR.is_match(text));
    let is_setting = |path: &str| !is_asked_for && ending(path) != "sh" && deciding(path).is_some();
    let files = ChangedFile::judged(site).into_iter().filter(|file| is_setting(file.path()));
    files.filter_map(|file| lowered(&file)).collect()
}

fn lowered(file: &ChangedFile<'_>) -> Option<Place> {
    // A line may only have moved, and another name may stand for what is gone.
    let mut balance: BTreeMap<String, (i32, f64)> = BTreeMap::new();
    let gone = file.change.removed_lines().map(|line| (line, -1));
    for ((_, line), sign) in gone.chain(file.change.added_lines().map(|line| (line, 1))) {
        for (name, value) in least(line) {
            let sum = balance.entry(name).or_default();
            *sum = (sum.0 + sign, sum.1 + f64::from(sign) * value);
        }
    }
    let is_lower = |(name, _)| balance.get(&name).is_some_and(|sum| sum.0 == 0 && sum.1 < 0.0);
    let what = |line: &str| {
        let hooks = HOOKS_OFF.is_match(line).then_some("switches the hooks of git off");
        hooks.or_else(|| least(line).any(is_lower).then_some("asks for less than before"))
    };
    file.change.added_lines().find_map(|(number, line)| {
        Some(at(file.path(), number, format!("`{}` {}", one_line(line.trim(), MOST_SHOWN), what(line)?)))
    })
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
            ("jest.config.js", "lines: 60,\nlines: 90,\n", "lines: 60,\nlines: 50,\n", 2),
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
            ("jest.config.js", "lines: 60,\nlines: 90,\n", "  lines: 90,\n  lines: 60,\n", "Count pages."),
            ("jest.config.js", "lines: 60,\nlines: 90,\n", "lines: 70,\nlines: 95,\n", "Count pages."),
            (
                "mypy.ini",
                "strict=False\n[a]\nstrict=True\n",
                "strict = False\n[a]\nstrict = True\n",
                "Count pages.",
            ),
            ("codecov.yml", "threshold: 5%\n", "threshold: 1%\n", "Count pages."),
            ("ci/run.sh", "tail --lines=1000 a\n", "tail --lines=200 a\n", "Count pages."),
            ("ci/run.sh", "strict=1\n", "strict=0\n", "Count pages."),
            (
                "ci/hooks.sh",
                "x\n",
                "cp a .git/hooks/pre-commit\nchmod +x .git/hooks/pre-commit\n",
                "Count pages.",
            ),
            ("ci/release.sh", "x\n", "export HUSKY=0\n", "Count pages."),
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

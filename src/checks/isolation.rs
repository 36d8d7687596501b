//! Q12: in test isolation mode, which the issue asks for, tests are written from the requirements: test code that was added
//! does not import what it tests.

use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use super::outcome::judged;
use super::reading::added::{File, offences};
use super::reading::language::Language;
use super::{Site, skipped};
use crate::constant::pattern;
use model::event::CheckResult;
use source::{is_fixture, is_test};

pub(super) const ID: &str = "isolation";
const MODE: &str = "[TEST ISOLATION MODE]";

static IMPORT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:import|require|use|from|mod|include|export)\b"));

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    if !site.issue.body.contains(MODE) && !site.issue.title.contains(MODE) {
        return skipped(ID, "TEST ISOLATION MODE not active");
    }
    let places = offences(site, &IMPORT, |file, _, line| offence(file, line, site));
    judged(
        ID,
        "test-isolation",
        places,
        "TEST ISOLATION MODE violation",
        "no test that was added imports what it tests",
    )
}

fn offence(file: &File<'_>, line: &str, site: &Site<'_>) -> Option<String> {
    let imported = file.is_test().then(|| imported(file, line, site)).flatten()?;
    Some(format!("TEST ISOLATION MODE violation: `{imported}` is imported"))
}

fn imported(file: &File<'_>, line: &str, site: &Site<'_>) -> Option<String> {
    match file.language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => of_script(file.path, line),
        Language::Python => of_python(line, site.worktree),
        Language::Rust => of_rust(line, site.worktree),
        _ => None,
    }
}

/// A relative path that leads to no test and no fixture.
fn of_script(path: &str, line: &str) -> Option<String> {
    static PATH: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r#"(?:from|require\(|import\(|import|mock\()\s*['"`](\.{1,2}/[^'"`]*|[@~]/[^'"`]*)"#)
    });
    let found = PATH.captures(line)?[1].to_owned();
    let target = resolved(path, &found);
    (!is_test(&target) && !is_fixture(&target)).then_some(found)
}

/// Returns where a relative import leads; a leading `..` beyond the top is dropped.
fn resolved(path: &str, import: &str) -> String {
    let mut target = PathBuf::from(path);
    target.pop();
    for part in Path::new(import).components() {
        match part {
            Component::ParentDir => _ = target.pop(),
            Component::Normal(name) => target.push(name),
            _ => {}
        }
    }
    let file = format!("{}.js", target.display());
    file.trim_start_matches('/').to_owned()
}

/// A module of this repository.
fn of_python(line: &str, worktree: &Path) -> Option<String> {
    static MODULE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(?:from|import)\s+(\.*[\w.]*)"));
    let module = MODULE.captures(line)?[1].to_owned();
    let first = module.trim_start_matches('.').split('.').next().unwrap_or_default();
    let ours = ["", "src/"].iter().any(|folder| {
        let place = worktree.join(format!("{folder}{first}"));
        !first.is_empty() && (place.join("__init__.py").exists() || place.with_extension("py").exists())
    });
    let relative = module.starts_with("..") || first == "src";
    let helper = module.split('.').any(|part| matches!(part, "tests" | "test" | "conftest"));
    ((ours || relative) && !helper).then_some(module)
}

/// The crate itself.
fn of_rust(line: &str, worktree: &Path) -> Option<String> {
    static PATH: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(?:pub\s+)?(?:use|extern crate)\s+(\w+)"));
    let first = PATH.captures(line)?[1].to_owned();
    let manifest = git::regular_file::read_text(&worktree.join("Cargo.toml")).unwrap_or_default();
    let name = manifest.parse::<toml::Table>().ok().and_then(|table| {
        let package = table.get("package")?.get("name")?.as_str()?;
        Some(package.replace('-', "_"))
    });
    (name.as_deref() == Some(first.as_str())).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, gist};

    #[test]
    fn in_isolation_mode_tests_do_not_import_what_they_test() {
        for (path, line, expected) in [
            ("tests/a.test.ts", "import { add } from '../src/math'", "tests/a.test.ts:1"),
            ("tests/a.test.ts", "const m = require('../src/math')", "tests/a.test.ts:1"),
            ("src/a.test.ts", "import { a } from './a'", "src/a.test.ts:1"),
            ("tests/test_a.py", "from shop.cart import total", "tests/test_a.py:1"),
            ("tests/a.rs", "use my_shop::total;", "tests/a.rs:1"),
            ("tests/a.test.ts", "import { test } from 'vitest'", "pass"),
            (
                "tests/a.test.ts",
                "import { user } from './fixtures/user'; import { x } from './support'",
                "pass",
            ),
            ("tests/test_a.py", "import pytest\nfrom tests.support import x", "pass"),
            ("tests/a.rs", "use std::fs;\nmod support;", "pass"),
            ("src/math.ts", "import { x } from './x'", "pass"),
        ] {
            let scene = Scene::adding(path, line).about("[TEST ISOLATION MODE] write tests");
            let scene = scene
                .on_disk("shop/__init__.py", "")
                .on_disk("Cargo.toml", "[package]\nname = \"my-shop\"\n");
            assert_eq!(gist(&scene.shown_to(examine)), expected, "{line}");
        }
        let off = Scene::adding("tests/a.test.ts", "import { add } from '../src/math'").shown_to(examine);
        assert_eq!(
            (gist(&off).as_str(), off.summary.as_str()),
            ("skipped", "TEST ISOLATION MODE not active")
        );
    }
}

//! Q12: in test isolation mode, which the issue asks for, tests are written from the requirements: test code that was added
//! does not import what it tests.

use std::path::Path;

use super::{ChangedFile, CheckResult, Place, Site, at, judge_places, skipped};
use source::{Language, SourceFile, is_fixture, is_test};

pub(super) const ID: &str = "isolation";
const MODE: &str = "[TEST ISOLATION MODE]";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    if !site.issue.body.contains(MODE) && !site.issue.title.contains(MODE) {
        return skipped(ID, "TEST ISOLATION MODE not active");
    }
    let files = ChangedFile::of_author(site);
    let tests = files.iter().filter(|file| is_test(file.path()));
    judge_places(ID, tests.flat_map(|file| places(file, site.worktree)).collect())
}

fn places(file: &ChangedFile<'_>, worktree: &Path) -> Vec<Place> {
    let added = file.added_parts(SourceFile::imports);
    let tested = added.into_iter().filter(|import| match Language::of(file.path()) {
        Some(Language::Rust) => is_own_crate(import.text, worktree),
        Some(Language::Python) => is_own_module(import.text, worktree),
        Some(Language::Go) | None => false,
        Some(_) => leads_to_code(file.path(), import.text),
    });
    let what = |text: &str| format!("TEST ISOLATION MODE violation: `{text}` is imported");
    tested.map(|import| at(file.path(), import.line, what(import.text))).collect()
}

/// A relative path that leads to no test and no fixture; a leading `..` beyond the top is dropped.
fn leads_to_code(path: &str, import: &str) -> bool {
    let is_own = ["./", "../", "@/", "~/"].iter().any(|start| import.starts_with(start));
    let mut target: Vec<&str> = path.split('/').collect();
    target.pop();
    for part in import.split('/') {
        match part {
            ".." => _ = target.pop(),
            "." => {}
            name => target.push(name),
        }
    }
    let target = format!("{}.js", target.join("/"));
    is_own && !is_test(&target) && !is_fixture(&target)
}

/// A module of this repository.
fn is_own_module(module: &str, worktree: &Path) -> bool {
    let first = module.trim_start_matches('.').split('.').next().unwrap_or_default();
    let lies_in = |folder: &str| {
        let place = worktree.join(folder).join(first);
        !first.is_empty() && (place.join("__init__.py").exists() || place.with_extension("py").exists())
    };
    let is_own = module.starts_with("..") || first == "src" || lies_in("") || lies_in("src");
    is_own && !module.split('.').any(|part| matches!(part, "tests" | "test" | "conftest"))
}

/// The crate itself.
fn is_own_crate(import: &str, worktree: &Path) -> bool {
    let first = import.split("::").next().unwrap_or_default();
    let manifest = git::regular_file::read_text(&worktree.join("Cargo.toml")).unwrap_or_default();
    let name = manifest.parse::<toml::Table>().ok().and_then(|table| {
        let package = table.get("package")?.get("name")?.as_str()?;
        Some(package.replace('-', "_"))
    });
    name.as_deref() == Some(first)
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

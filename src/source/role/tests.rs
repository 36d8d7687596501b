//! Paths and the parts that files play.

use super::*;

#[test]
fn a_path_tells_the_part_a_file_plays() {
    for path in [
        "tests/a.rs",
        "src/a_test.go",
        "a.test.ts",
        "src/a.spec.js",
        "src/test_a.py",
        "conftest.py",
        "x/UserTest.java",
        "x/UserIT.java",
        "src/a/tests.rs",
        "src/__tests__/a.js",
        "tests/run.sh",
        "t/pages.t",
        "src/test/java/Util.java",
        "app/src/androidTest/java/Util.kt",
    ] {
        assert!(is_test(path), "{path}");
    }
    for path in [
        "src/attest.rs",
        "src/latest/a.py",
        "contest.py",
        "src/Request.java",
        "src/testament.rs",
        "src/testing.rs",
    ] {
        assert!(!is_test(path), "{path}");
    }
    assert!(
        is_fixture("tests/fixtures/a.json")
            && is_fixture("pkg/testdata/x.go")
            && is_fixture("tests/broken_input.rs")
    );
    assert!(!is_fixture("src/broken_links.rs") && !is_fixture("src/fixture.rs"));
    assert!(is_foreign("vendor/a/b.go") && is_foreign("Cargo.lock") && is_foreign("web/app.min.js"));
    assert!(!is_foreign("src/vendor.rs") && !is_foreign("src/lock.rs"));
}

#[test]
fn a_file_has_one_role() {
    for (path, role) in [
        ("src/lib.rs", Role::Product),
        ("src/package.rs", Role::Product),
        ("requirements.txt", Role::Product),
        ("docs/conf.py", Role::Product),
        ("README", Role::Documentation),
        ("docs/guide.MD", Role::Documentation),
        ("tests/a.rs", Role::Test),
        ("tests/README.md", Role::Test),
        ("tests/conftest.py", Role::RunnerSetting),
        ("web/package.json", Role::RunnerSetting),
        ("Makefile", Role::RunnerSetting),
        ("vitest.config.mts", Role::RunnerSetting),
        (".mocharc.yml", Role::RunnerSetting),
        (".cargo/config.toml", Role::RunnerSetting),
        (".github/workflows/ci.yml", Role::RunnerSetting),
        ("x/.config/nextest.toml", Role::RunnerSetting),
        (".github/CODEOWNERS", Role::Product),
        ("node_modules/a/package.json", Role::Foreign),
        ("web/package-lock.json", Role::Foreign),
        ("src/__snapshots__/a.test.js.snap", Role::Foreign),
        ("tests/snapshots/help.txt", Role::Fixture),
        ("tests/fixtures/package.json", Role::Fixture),
    ] {
        assert_eq!(Role::of(path), role, "{path}");
    }
}

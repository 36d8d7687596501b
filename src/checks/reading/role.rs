//! What part a file plays in a repository, by its path: test, fixture, somebody else's work.
//! What a file says about itself does not count: it was written by those who are judged.

const TEST_FOLDERS: [&str; 8] =
    ["test", "tests", "__tests__", "spec", "specs", "e2e", "testing", "test_utils"];
const FIXTURE_FOLDERS: [&str; 14] = [
    "fixture",
    "fixtures",
    "__fixtures__",
    "testdata",
    "test-data",
    "test_data",
    "corpus",
    "golden",
    "goldens",
    "snapshots",
    "__snapshots__",
    "cassettes",
    "invalid",
    "broken",
];
const FOREIGN_FOLDERS: [&str; 8] =
    ["vendor", "node_modules", "third_party", "third-party", "dist", "generated", "__generated__", ".yarn"];
const FOREIGN_NAMES: [&str; 6] =
    ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum", "bun.lock", "uv.lock"];
const FOREIGN_ENDINGS: [&str; 11] = [
    ".min.js",
    ".min.css",
    ".lock",
    ".pb.go",
    "_pb2.py",
    "_pb2_grpc.py",
    ".g.dart",
    ".snap",
    ".map",
    ".designer.cs",
    ".pbtxt",
];

/// Tells whether a file holds tests.
pub(crate) fn is_test(path: &str) -> bool {
    let (folders, name) = split(path);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name.as_str(), ""));
    let by_name = stem.starts_with("test_")
        || ["_test", "_tests", ".test", ".spec", "_spec", "-test"].iter().any(|end| stem.ends_with(end))
        || ["tests", "test", "conftest"].contains(&stem)
        || (["java", "kt", "cs", "swift", "php", "scala"].contains(&ending) && is_test_class(path));
    by_name || folders.iter().any(|folder| TEST_FOLDERS.contains(&folder.as_str()))
}

fn is_test_class(path: &str) -> bool {
    let stem = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(stem, _)| stem);
    ["Test", "Tests", "IT", "Spec"].iter().any(|end| stem.ends_with(end))
}

/// Tells whether a file is material of tests, which may be unfinished or broken on purpose.
pub(crate) fn is_fixture(path: &str) -> bool {
    let (folders, name) = split(path);
    let marked = ["fixture", "invalid", "malformed", "broken"].iter().any(|word| name.contains(word));
    folders.iter().any(|folder| FIXTURE_FOLDERS.contains(&folder.as_str())) || (marked && is_test(path))
}

/// Tells whether a file was taken over from others or made by a program.
pub(crate) fn is_foreign(path: &str) -> bool {
    let (folders, name) = split(path);
    folders.iter().any(|folder| FOREIGN_FOLDERS.contains(&folder.as_str()))
        || FOREIGN_NAMES.contains(&name.as_str())
        || FOREIGN_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || name.contains(".generated.")
}

fn split(path: &str) -> (Vec<String>, String) {
    let path = path.to_lowercase();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    (folders.split('/').map(str::to_owned).collect(), name.to_owned())
}

#[cfg(test)]
mod tests {
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
}

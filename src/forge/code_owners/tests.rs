//! Tests of `code_owners`.

use super::*;

fn owners(file: &str, path: &str) -> Vec<String> {
    CodeOwners::read(file).of([path]).iter().map(ToString::to_string).collect()
}

/// The examples of docs.github.com, "About code owners".
const EXAMPLE: &str = "\
# a comment
*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment.
*.go    docs@example.com
*.txt   @octo-org/octocats
/build/logs/ @doctocat
docs/*  mail@example.com @docs-owner
apps/   @octocat
/docs/  @doctocat
/scripts/ @doctocat @octocat
**/logs @logs-owner
/apps/  @octocat
/apps/github
";

#[test]
fn last_matching_pattern_decides_the_owners() {
    for (path, expected) in [
        ("README.md", vec!["global-owner1", "global-owner2"]),
        ("src/deep/a.js", vec!["js-owner"]),
        ("a.go", vec![]),
        ("x/notes.txt", vec!["octo-org/octocats"]),
        ("build/logs/1", vec!["logs-owner"]),
        ("x/build/logs/1", vec!["logs-owner"]),
        ("docs/a.md", vec!["doctocat"]),
        ("docs/deep/a.md", vec!["doctocat"]),
        ("x/apps/y", vec!["octocat"]),
        ("apps/github/z", vec![]),
        ("scripts/run", vec!["doctocat", "octocat"]),
    ] {
        assert_eq!(owners(EXAMPLE, path), expected, "{path}");
    }
}

#[test]
fn star_matches_one_folder_and_unsupported_patterns_are_ignored() {
    assert_eq!(owners("docs/* @a", "docs/x.md"), ["a"]);
    assert!(owners("docs/* @a", "docs/deep/x.md").is_empty());
    assert!(owners("docs/* @a", "x/docs/x.md").is_empty());
    assert_eq!(owners("docs/**/x.md @a", "docs/x.md"), ["a"]);
    assert_eq!(owners(r"/with\ space @a", "with space/x"), ["a"]);
    assert!(owners("!docs @a\n[ab]c @b\n\\", "docs").is_empty());
    assert_eq!(owners("src/lib.rs @a", "src/lib.rs"), ["a"]);
    assert!(owners("src/lib.rs @a", "src/libxrs").is_empty());
    assert!(owners("* @", "x").is_empty() && owners("* @a/b/c", "x").is_empty());
}

//! Tests of `branch`.

use super::*;

#[test]
fn only_plain_branch_names_are_accepted() {
    for bad in [
        "",
        "-x",
        "--upload-pack=x",
        "a..b",
        "$(x)",
        "refs/heads/../x",
        "refs/heads/x",
        "@{-1}",
        "a@{1}",
        "@",
        "HEAD",
        "x.lock",
        "x.LOCK/y",
        "/a",
        "a/",
        "a//b",
        ".a",
        "a/.b",
        "a.",
        "a b",
        "a\nb",
        "a\u{7f}",
        "a~1",
        "a^",
        "a:b",
        "a?",
        "a*",
        "a[b",
        "a\\b",
        "x\0",
    ] {
        assert!(check_branch_name(bad).is_err(), "{bad:?}");
    }
    let long = "a".repeat(201);
    assert!(check_branch_name(&long).is_err());
    for good in ["main", "release/1.2", "fix/#243", "ai-workflow/issue-7", "função", "日本語", "v1.0-rc.1"]
    {
        assert!(check_branch_name(good).is_ok(), "{good}");
    }
}

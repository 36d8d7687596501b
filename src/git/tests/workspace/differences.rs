//! The difference as reviewers see it: nothing in the repository can blank it.

use super::*;

/// A source with a line of its own, a real binary, and a submodule's `.gitmodules`, below these attributes.
fn shown(attributes: &[(&str, &str)]) -> String {
    let fixture = Fixture::new();
    let space = fixture.run();
    for (path, text) in attributes {
        fixture.write(path, text);
    }
    fixture.write("src/lib.rs", "two\n");
    fixture.write("src/deep/new.rs", "fn new() {}\n");
    fs::write(fixture.root().join("logo.png"), b"\x89PNG\0\x01secret pixels\n").expect("written");
    // Committed or not: what counts is what the tree holds.
    fixture.commit_all("the author's own commit");
    let after = space.snapshots().take(None).expect("a snapshot");
    space.diff(fixture.git(&["rev-parse", "HEAD~"]).trim(), &after.tree, 10_000).expect("a diff").text
}

#[test]
fn repository_attributes_hide_no_diff() {
    for attributes in [
        &[(".gitattributes", "* -diff\n")][..],
        &[(".gitattributes", "*.rs binary\n")],
        &[
            (".gitattributes", "*.rs -text -diff linguist-generated=true\n"),
            ("src/.gitattributes", "* -diff\n"),
        ],
        &[
            ("src/deep/.gitattributes", "new.rs diff=hidden\n"),
            (".gitattributes", "src/lib.rs !diff binary\n"),
        ],
    ] {
        let text = shown(attributes);
        assert!(text.contains("-one\n+two\n") && text.contains("+fn new() {}\n"), "{attributes:?}\n{text}");
        let (path, told) = attributes[0];
        assert!(text.contains(&format!("+++ b/{path}")) && text.contains(&format!("+{told}")), "{text}");
        assert!(text.contains("Binary files /dev/null and b/logo.png differ"), "{text}");
        assert!(!text.contains("pixels"), "a real binary is not dumped: {text}");
    }
}

#[test]
fn user_attributes_and_diff_drivers_hide_no_diff() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    fixture.write("../home/attributes", "*.rs -diff\n");
    let file = fixture.home().join("attributes");
    fixture.git(&["config", "--global", "core.attributesFile", &file.display().to_string()]);
    fixture.write("src/lib.rs", "two\n");
    let after = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    assert!(space.diff(&before.tree, &after.tree, 10_000).expect("a diff").text.contains("+two\n"));
}

#[test]
fn git_settings_hide_no_diff() {
    for (place, setting, value) in [
        ("--global", "core.bigFileThreshold", "1"),
        ("--local", "core.bigFileThreshold", "1"),
        ("--global", "attr.tree", "HEAD"),
        ("--local", "attr.tree", "HEAD"),
        ("--global", "color.diff", "always"),
    ] {
        let fixture = Fixture::new();
        fixture.write(".gitattributes", "*.rs -diff\n");
        fixture.commit_all("attributes");
        fixture.git(&["config", place, setting, value]);
        let space = fixture.run();
        let before = space.snapshots().take(None).expect("a snapshot");
        fixture.write("src/lib.rs", "two\n");
        let after = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
        let text = space.diff(&before.tree, &after.tree, 10_000).expect("a diff").text;
        assert!(text.contains("\n-one\n+two\n"), "{place} {setting}\n{text}");
    }
}

#[test]
fn git_replace_objects_hide_no_diff() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    fixture.write("src/lib.rs", "two\n");
    let object = |path: &str| fixture.git(&["hash-object", "-w", path]).trim().to_owned();
    fixture.git(&["replace", "-f", &object("src/lib.rs"), &object("README.md")]);
    let after = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    let text = space.diff(&before.tree, &after.tree, 10_000).expect("a diff").text;
    assert!(text.contains("+two\n") && !text.contains("read me"), "{text}");
}

#[test]
fn attributes_placed_in_the_empty_folder_hide_no_diff() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    fixture.write("src/lib.rs", "two\n");
    let after = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    let diff = || space.diff(&before.tree, &after.tree, 10_000).expect("a diff").text;
    let first = diff();
    let nowhere = space.state_dir().join("nowhere");
    assert!(nowhere.is_dir(), "the place moved, and this test with it");
    fs::write(nowhere.join(".gitattributes"), "* -diff\n").expect("written");
    assert_eq!(diff(), first);
    assert!(first.contains("+two\n"), "{first}");
}

#[test]
fn code_diff_excludes_deliverables_of_the_run() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    fixture.write(".ai-workflow/issue-7/00_planning/output/planning.md", "plan\n");
    fixture.write(".ai-workflow/config.toml", "# settings\n");
    fixture.write(".ai-workflow/issue-7x/run.sh", "echo\n");
    fixture.write(".ai-workflow/issue-9/00_a/output/run.sh", "echo\n");
    fixture.write("src/lib.rs", "two\n");
    let after = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    let text = space.diff_of_code(&before.tree, &after.tree, 10_000).expect("a diff").text;
    let named: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("+++ b/")).collect();
    let others = [".ai-workflow/issue-7x/run.sh", ".ai-workflow/issue-9/00_a/output/run.sh"];
    assert_eq!(named, [&[".ai-workflow/config.toml"][..], &others, &["src/lib.rs"]].concat());
}

//! Tests of `pinned_config`.

use super::*;

fn weighty_of(text: &str) -> String {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(file.path(), text).expect("written");
    read_relevant_settings(file.path())
}

#[test]
fn harmless_git_settings_are_not_pinned() {
    let text = "[core]\n\tbare = false\n\thooksPath = .husky\n[user]\n\tname = x\n[branch \"main\"]\n\tmerge = y\n\
                [filter \"f\"]\n\tclean = z\n";
    assert_eq!(weighty_of(text), "[core] bare = false\n[filter \"f\"] clean = z\n");
}

#[test]
fn dangerous_git_settings_under_harmless_headers_are_pinned() {
    for trick in [
        "[user] [core] sshCommand = x\n",
        "[user][core] sshCommand = x\n",
        "[user] sshCommand = x\n",
        "[branch \"]\"] x = y\n",
        "[user]\nx = y\\\n",
        "[core]\nhooksPath = y\\\n",
    ] {
        assert!(!weighty_of(trick).is_empty(), "{trick}");
    }
}

#[test]
fn included_git_config_files_are_pinned() {
    let dir = tempfile::tempdir().expect("a folder");
    let common = dir.path().join(".git");
    fs::create_dir(&common).expect("made");
    fs::write(common.join("config"), "[include]\n\tpath = ../.gitconfig\n\tpath = ~/x\n").expect("written");
    let guard = PinnedConfig::pin(dir.path(), &common, &common);
    assert!(guard.check().is_ok());
    fs::write(dir.path().join(".gitconfig"), "[filter \"f\"]\n\tclean = evil\n").expect("written");
    let error = guard.check().expect_err("the included file is new");
    assert!(error.to_string().ends_with("/.git/../.gitconfig changed while the run was going on"), "{error}");
}

#[test]
fn git_attributes_changed_during_the_run_are_refused_and_earlier_ones_accepted() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::create_dir(dir.path().join("info")).expect("made");
    let attributes = dir.path().join("info/attributes");
    for before in [None, Some("*.bin binary\n"), Some("[user]\n*.bin binary")] {
        if let Some(text) = before {
            fs::write(&attributes, text).expect("written");
        }
        let guard = PinnedConfig::pin(dir.path(), dir.path(), dir.path());
        assert!(guard.check().is_ok(), "{before:?}");
        fs::write(&attributes, "[user]\n*.rs -diff\n").expect("written");
        assert!(matches!(guard.check(), Err(Error::ConfigChanged { .. })), "{before:?}");
    }
}

#[test]
fn replaced_git_file_is_detected() {
    let dir = tempfile::tempdir().expect("a folder");
    let entrance = dir.path().join(".git");
    fs::write(&entrance, "gitdir: /a\n").expect("written");
    let guard = PinnedConfig::pin(dir.path(), dir.path(), dir.path());
    fs::write(&entrance, "gitdir: /b\n").expect("written");
    assert!(matches!(guard.check(), Err(Error::RepositoryReplaced { .. })));
    fs::remove_file(&entrance).expect("removed");
    assert!(matches!(guard.check(), Err(Error::RepositoryReplaced { .. })));
}

#[test]
fn settings_that_git_and_editors_write_by_themselves_are_not_deliberate() {
    let upstream =
        "[branch \"x\"]\n\tremote = origin\n\tmerge = refs/heads/x\n\tvscode-merge-base = origin/x\n";
    assert_eq!(list_deliberate_settings(upstream), "");
    assert_eq!(list_deliberate_settings("[remote \"fork\"]\n[branch \"x\"]\n\tpushRemote = fork\n"), "");
    assert_eq!(list_deliberate_settings("[branch \"x\"]\n\tremote = .\n"), "");
    assert_eq!(list_deliberate_settings("[lfs \"https://h/x\"]\n\taccess = basic\n"), "");
    for planted in [
        "[branch \"x\"]\n\tremote = build\n",
        "[remote \"build\"]\n[branch \"x\"]\n\tpushRemote = builds\n",
        "[branch \"x\"]\n\tremote = https://example.org/x\n",
        "[branch \"x\"]\n\tpushRemote = ../elsewhere\n",
        "[branch \"x\"] merge = y\n",
        "[lfs]\n\turl = https://example.org\n",
        "[core]\n\tmerge = x\n",
        "[alias]\n\tst = !x\n",
        "[user]\n\temail = x\n",
        "[core]\n\thooksPath = x\n",
    ] {
        assert_ne!(list_deliberate_settings(planted), "", "{planted}");
    }
}

#[test]
fn hooks_folders_and_included_files_on_the_line_of_their_section_are_found() {
    let dir = tempfile::tempdir().expect("a folder");
    let config = dir.path().join("config");
    fs::write(
        &config,
        "[core] hooksPath = .hk ; ours\n[include] path = extra.cfg\n[IncludeIf \"gitdir:/x\"]path=\"a b\"\n",
    )
    .expect("written");
    assert_eq!(read_paths(&config, "hookspath", Path::new("/r")), [Path::new("/r/.hk")]);
    let expected = ["a b", "config", "config.worktree", "extra.cfg"].map(|name| dir.path().join(name));
    assert_eq!(list_settings_files(dir.path(), dir.path()), expected.into_iter().collect());
}

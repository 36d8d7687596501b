//! Tests of `regular_file`.

use super::*;

#[test]
fn pipes_and_folders_are_not_read() {
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("in")).expect("made");
    rustix::fs::mkfifoat(rustix::fs::CWD, at("in/pipe"), 0o600.into()).expect("made");
    fs::write(at("file"), "text").expect("written");
    std::os::unix::fs::symlink(at("file"), at("link")).expect("linked");
    std::os::unix::fs::symlink(at("in/pipe"), at("link to a pipe")).expect("linked");
    assert_eq!(
        ["file", "link"].map(|name| read_text(&at(name)).ok()),
        [Some("text".into()), Some("text".into())]
    );
    assert!(["in", "in/pipe", "link to a pipe", "none"].iter().all(|name| read(&at(name)).is_err()));
}

#[test]
fn a_file_is_written_in_the_place_of_a_pipe_a_folder_or_a_link() {
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("folder/in")).expect("made");
    rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), 0o600.into()).expect("made");
    fs::write(at("file"), "text").expect("written");
    std::os::unix::fs::symlink(at("file"), at("link")).expect("linked");
    for name in ["folder", "pipe", "link", "none"] {
        write(&at(name), b"new").expect("written");
        assert_eq!(read_text(&at(name)).ok().as_deref(), Some("new"), "{name}");
    }
    assert_eq!(read_text(&at("file")).ok().as_deref(), Some("text"));
}

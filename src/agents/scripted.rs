//! The agent `scripted:FILE`: a script played by a child process of our own program, the hidden subcommand
//! `__scripted FILE --attempt N`. The child stands in the worktree and knows its place in the run from the
//! environment that every agent gets; it gives back one JSON object on its standard output.
//! Supervision, limits and output are those of any other agent.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::dialect::{self, Dialect, Ear, Heard};
use super::script::{self, Place, Script, Turn};
use model::event::Usage;
use process::{Finish, Launch, Stream};
use settings::split_words;

/// The exit code of a script that cannot go on.
const BROKEN: i32 = 1;

/// What the child gives back.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Said {
    pub text: String,
    pub usage: Usage,
    /// Figures that were not believed, one line each.
    pub notices: Vec<String>,
}

/// Reads what the child gave back; nothing when it broke before it could say anything.
fn decode(stdout: &[u8]) -> Option<Said> {
    serde_json::from_slice(stdout).ok()
}

/// The dialect of the child: its standard output is a message between two halves of our own.
pub(super) struct Scripted;

impl Dialect for Scripted {
    fn take(&mut self, stream: Stream, bytes: &[u8], ear: &mut Ear<'_>) {
        if stream == Stream::Stderr {
            ear.raw.take(stream, bytes);
            ear.progress.take(bytes);
        }
    }

    fn heard(self: Box<Self>, launch: &Launch, finish: Finish, ear: &mut Ear<'_>) -> Heard {
        let said = decode(&finish.stdout).unwrap_or_default();
        ear.raw.take(Stream::Stdout, said.text.as_bytes());
        ear.progress.take(format!("{}\n", said.text).as_bytes());
        Heard {
            outcome: dialect::outcome(&finish.exit, &said.text),
            reason: dialect::reason(launch, &finish, &said.text),
            truncated: finish.stdout_truncated,
            text: said.text,
            usage: said.usage,
            notices: said.notices,
            ..Heard::default()
        }
    }
}

/// Runs the subcommand with the arguments after its name; returns the exit code.
pub fn main(arguments: Vec<OsString>) -> i32 {
    play(arguments).unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "{error}");
        BROKEN
    })
}

/// Says why a script broke.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error("usage: __scripted FILE --attempt N")]
    Usage,
    #[error(transparent)]
    Script(#[from] script::BadScript),
    #[error("no turn of the script `{file}` fits phase {} step {} round {} attempt {}", place.phase, place.step, place.round, place.attempt)]
    NoTurn { file: PathBuf, place: Box<Place> },
    #[error("`{0}` is outside the worktree")]
    Outside(String),
    #[error("`{0}` cannot be {1}: {2}")]
    File(String, &'static str, io::Error),
    #[error("`{0}` cannot be run: {1}")]
    NotRun(String, io::Error),
    #[error("`{0}` failed: {1}")]
    RunFailed(String, std::process::ExitStatus),
    #[error("nothing can be said: {0}")]
    Mute(io::Error),
}

fn play(arguments: Vec<OsString>) -> Result<i32, Broken> {
    let (file, attempt) = read_arguments(arguments).ok_or(Broken::Usage)?;
    let script = script::read(&file)?;
    let place = place(attempt);
    let turn = choose(&script, &file, &place)?;
    perform(turn, &place, Path::new("."))?;
    say(turn, &place).map_err(Broken::Mute)?;
    Ok(i32::from(turn.exit))
}

fn read_arguments(arguments: Vec<OsString>) -> Option<(PathBuf, u32)> {
    let [file, flag, attempt] = <[OsString; 3]>::try_from(arguments).ok()?;
    if flag != "--attempt" {
        return None;
    }
    Some((file.into(), attempt.to_str()?.parse().ok()?))
}

fn place(attempt: u32) -> Place {
    let told = |name: &str| std::env::var(format!("AI_WORKFLOW_{name}")).unwrap_or_default();
    Place {
        phase: told("PHASE"),
        step: told("STEP"),
        seat: told("SEAT"),
        round: told("ROUND").parse().unwrap_or_default(),
        attempt,
        output: told("OUTPUT"),
        review_id: told("REVIEW_ID"),
    }
}

fn choose<'a>(script: &'a Script, file: &Path, place: &Place) -> Result<&'a Turn, Broken> {
    script
        .choose(place)
        .ok_or_else(|| Broken::NoTurn { file: file.to_owned(), place: Box::new(place.clone()) })
}

/// Does what the turn does before it speaks.
fn perform(turn: &Turn, place: &Place, worktree: &Path) -> Result<(), Broken> {
    std::thread::sleep(Duration::from_millis(turn.sleep_ms));
    for write in &turn.write {
        write_file(worktree, &place.fill(&write.path), &place.fill(&write.text))?;
    }
    for path in &turn.delete {
        delete_file(worktree, path)?;
    }
    turn.run.as_ref().map_or(Ok(()), |command| run(command, worktree))
}

fn write_file(worktree: &Path, path: &str, text: &str) -> Result<(), Broken> {
    let failed = |error| Broken::File(path.to_owned(), "written", error);
    let file = inside(worktree, path)?;
    if file.is_symlink() {
        return Err(Broken::Outside(path.to_owned()));
    }
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(&file, text).map_err(failed)
}

/// Deletes a file; turns repeat, so one that has gone already is all right.
fn delete_file(worktree: &Path, path: &str) -> Result<(), Broken> {
    match fs::remove_file(inside(worktree, path)?) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Broken::File(path.to_owned(), "deleted", error))
        }
        _ => Ok(()),
    }
}

/// Returns the path below the worktree; refuses every way out, also through a symbolic link to a folder.
fn inside(worktree: &Path, path: &str) -> Result<PathBuf, Broken> {
    let outside = || Broken::Outside(path.to_owned());
    let mut file = worktree.to_owned();
    let mut components = Path::new(path).components().peekable();
    while let Some(component) = components.next() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => {
                file.push(name);
                if components.peek().is_some() && leaves(worktree, &file) {
                    return Err(outside());
                }
            }
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(outside()),
        }
    }
    if file == worktree { Err(outside()) } else { Ok(file) }
}

/// Tells whether a folder is a link that leads out of the worktree, or nowhere.
fn leaves(worktree: &Path, folder: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    folder.is_symlink()
        && real(worktree).zip(real(folder)).is_none_or(|(worktree, folder)| !folder.starts_with(worktree))
}

/// Runs a command without a shell; what it prints goes to our standard error, because our standard output is spoken for.
fn run(command: &str, worktree: &Path) -> Result<(), Broken> {
    let not_run = |error| Broken::NotRun(command.to_owned(), error);
    let words = split_words(command).map_err(|why| not_run(io::Error::other(why)))?;
    let (program, arguments) = words.split_first().expect("split_words gives at least a program");
    let status = Command::new(program)
        .args(arguments)
        .current_dir(worktree)
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .status()
        .map_err(not_run)?;
    if status.success() { Ok(()) } else { Err(Broken::RunFailed(command.to_owned(), status)) }
}

fn say(turn: &Turn, place: &Place) -> io::Result<()> {
    let (usage, notices) = turn.usage.check();
    let said = Said { text: place.fill(&turn.say), usage, notices };
    let mut stdout = io::stdout().lock();
    serde_json::to_writer(&mut stdout, &said)?;
    stdout.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_inside_the_worktree_are_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let worktree = folder.path().join("worktree");
        fs::create_dir_all(worktree.join("src")).expect("a worktree");
        std::os::unix::fs::symlink(folder.path(), worktree.join("out")).expect("a link out");
        std::os::unix::fs::symlink("/no/such", worktree.join("nowhere")).expect("a link to nowhere");
        std::os::unix::fs::symlink("src", worktree.join("in")).expect("a link inside");
        for bad in ["/etc/x", "../x", "src/../../x", "out/x", "nowhere/x", "", "."] {
            assert!(inside(&worktree, bad).is_err(), "{bad}");
        }
        for good in ["x", "./src/new/x", "in/x"] {
            assert!(inside(&worktree, good).is_ok(), "{good}");
        }
    }

    #[test]
    fn a_link_is_never_written_through() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("target");
        let worktree = folder.path().join("worktree");
        fs::create_dir(&worktree).expect("a worktree");
        std::os::unix::fs::symlink(&target, worktree.join("link")).expect("a link out");
        let error = write_file(&worktree, "link", "x").expect_err("refused").to_string();
        assert_eq!((error.as_str(), target.exists()), ("`link` is outside the worktree", false));
        delete_file(&worktree, "link").expect("the link itself may go");
        delete_file(&worktree, "link").expect("it has gone already");
    }

    #[test]
    fn a_folder_is_not_deleted() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("src")).expect("a folder in it");
        assert!(matches!(delete_file(folder.path(), "src"), Err(Broken::File(..))));
    }

    #[test]
    fn a_command_line_that_cannot_be_read_breaks() {
        for bad in [&["x"][..], &["x", "--try", "1"], &["x", "--attempt", "y"]] {
            assert!(read_arguments(bad.iter().map(OsString::from).collect()).is_none(), "{bad:?}");
        }
        assert_eq!(main(vec![]), BROKEN);
    }

    #[test]
    fn a_broken_answer_is_no_answer() {
        assert_eq!(decode(b"{\"text\""), None);
    }
}

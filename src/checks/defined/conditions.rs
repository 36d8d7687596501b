//! Conditions of a project that are no command: files that are there, a clean worktree, a closed issue, and checks that passed
//! on the server. What is beyond the worktree was looked at by the caller; an agent's word counts nowhere.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use serde_json::json;

use super::Defined;
use crate::{CheckResult, and_more, file, passed, shown, skipped};
use model::remote_check::{RemoteCheck, RemoteCheckState};
use tool_output::{Printed, Semantic, changes};

/// The files are there, on disk, in the worktree of the task. Their content is not looked at.
pub(super) fn files(defined: Defined<'_>, paths: &[String]) -> CheckResult {
    let mut missing = Vec::new();
    for path in paths.iter().map(|path| defined.filled(path)) {
        match is_inside(defined.site.worktree, &path) {
            Ok(true) => {}
            Ok(false) => missing.push(path),
            Err(why) if matches!(why.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                missing.push(path);
            }
            Err(why) => return defined.unavailable(&format!("{path} cannot be looked at: {why}")),
        }
    }
    let Some(first) = missing.first() else {
        return passed(defined.id, &format!("{} of {} there", paths.len(), paths.len()));
    };
    let summary = format!("{first} is not there{}", and_more(missing.len()));
    let error = json!(format!("not there: {}", missing.join(", ")));
    let mut result = self::missing(defined, &summary, missing);
    result.params.insert("error".to_owned(), error);
    result
}

/// Makes a failure about missing files, of which there is at least one.
pub(super) fn missing(defined: Defined<'_>, summary: &str, missing: Vec<String>) -> CheckResult {
    const ACTION: &str = "Write each missing file with its full content, at exactly its path";
    let params = [("missingFiles", json!(missing)), ("expectedPath", json!(missing[0]))];
    let places = missing.iter().map(|path| file(path, "is not there")).collect();
    let mut result = defined.failed(summary, &Semantic::of_failure(summary, missing, ACTION));
    result.params.extend(params.map(|(name, value)| (name.to_owned(), value)));
    CheckResult { places, ..result }
}

/// A link that leads out of the worktree is no file of it.
fn is_inside(worktree: &Path, path: &str) -> io::Result<bool> {
    Ok(worktree.join(path).canonicalize()?.starts_with(worktree.canonicalize()?))
}

/// Programs whose arguments, but for options, are paths.
const PROGRAMS: [&str; 7] = ["test", "[", "ls", "stat", "cat", "realpath", "readlink"];

/// Returns the paths of a command that are not there, seen from the folder that it ran in.
pub(super) fn missing_paths(words: &[String], folder: &Path) -> Vec<String> {
    let Some((program, arguments)) = words.split_first() else { return Vec::new() };
    // An expression of `test` may be more than a question for paths.
    let is_other = arguments.iter().any(|word| word.contains(['!', '=']) || word == "-o");
    if !PROGRAMS.contains(&program.as_str()) || is_other {
        return Vec::new();
    }
    let paths = arguments.iter().filter(|word| !word.starts_with('-') && *word != "]" && !word.is_empty());
    let wants_content = arguments.iter().any(|word| word == "-s");
    let is_missing = |path: &&String| {
        fs::metadata(folder.join(path)).map_or(true, |found| wants_content && found.len() == 0)
    };
    paths.filter(is_missing).cloned().collect()
}

/// Nothing lies in the worktree that no commit will take: in a run the engine commits the work after the checks, so what counts
/// is what it cannot commit; outside of a run it is everything that is not committed.
pub(super) fn git_clean(defined: Defined<'_>) -> CheckResult {
    let untaken = match &defined.site.world.untaken {
        Ok(untaken) => untaken,
        Err(why) => return defined.unavailable(&format!("the worktree was not looked at: {why}")),
    };
    let places: Vec<_> = untaken.iter().map(|one| file(&one.path, one.what)).collect();
    let Some(first) = places.first() else { return passed(defined.id, "nothing is left lying about") };
    let summary = format!("{}{}", shown(first), and_more(places.len()));
    // In the words of `git status --porcelain`, which extractors read.
    let listed: String = untaken.iter().map(|one| format!("{} {}\n", one.letters, one.path)).collect();
    let status = changes(&listed);
    let mut result = defined.failed(&summary, &Semantic::of_status(&status));
    result.params.insert("changedFiles".to_owned(), json!(status.changed));
    result.params.insert("untrackedFiles".to_owned(), json!(status.untracked));
    let printed = Printed { stdout: &listed, stderr: "", exit: Some(0) };
    CheckResult { places, ..defined.told(result, "git status --porcelain", &printed) }
}

/// The issue is closed where it lives. When the forge cannot be asked, nobody knows.
pub(super) fn issue_closed(defined: Defined<'_>) -> CheckResult {
    const OPEN: &str = "the issue is still open";
    match &defined.site.world.issue_open {
        Ok(false) => passed(defined.id, "the issue is closed"),
        Ok(true) => defined.failure(OPEN, OPEN, "Do what is left before a person can close it"),
        Err(why) => defined.unavailable(&format!("the issue could not be asked for: {why}")),
    }
}

/// The checks of the server passed on the commit that is on it: what an earlier phase left there. None at all, and one that
/// still runs, are no pass.
pub(super) fn remote_checks(defined: Defined<'_>) -> CheckResult {
    let all = match &defined.site.world.remote_checks {
        Ok(Some(all)) => all,
        Ok(None) => return skipped(defined.id, "the run is on no server that checks"),
        Err(why) => return defined.unavailable(&format!("the server could not be asked: {why}")),
    };
    let told = |state: RemoteCheckState| {
        let told = all.iter().filter(|one| one.state == state).map(RemoteCheck::label);
        told.collect::<Vec<_>>().join(", ")
    };
    let (red, running) = (told(RemoteCheckState::Failed), told(RemoteCheckState::Running));
    match all.len() {
        _ if !red.is_empty() => failed_remotely(defined, all, &red),
        0 => defined.unavailable("no check of the server has looked at the commit"),
        _ if !running.is_empty() => defined.unavailable(&format!("still under way on the server: {running}")),
        many => passed(defined.id, &format!("{many} of {many} checks of the server passed")),
    }
}

fn failed_remotely(defined: Defined<'_>, all: &[RemoteCheck], red: &str) -> CheckResult {
    const ACTION: &str = "Run here what the server runs, and repair what it complains about";
    let said = all.iter().filter(|one| one.state == RemoteCheckState::Failed && !one.output.is_empty());
    let said: Vec<String> = said.map(|one| format!("{}:\n{}", one.name, one.output)).collect();
    let evidence = defined.site.masker.mask(&said.join("\n\n")).as_str().to_owned();
    CheckResult { evidence, ..defined.failure(&format!("failed on the server: {red}"), red, ACTION) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{Site, World, scene::Scene, scene::gist};
    use model::policy::{CheckKind, DefinedCheck};

    fn judged(remote_checks: Result<Option<Vec<RemoteCheck>>, String>) -> String {
        let check = DefinedCheck {
            look: CheckKind::RemoteChecks,
            success_when: String::new(),
            pattern: "remote-checks-failed".into(),
            extract: BTreeMap::default(),
            params: BTreeMap::default(),
            timeout_seconds: None,
            recoverable: None,
        };
        let world = World { remote_checks, ..World::default() };
        let scene = Scene::new();
        let site = Site { world: &world, ..scene.site() };
        let result = super::remote_checks(Defined { id: "ci", check: &check, site: &site });
        format!("{} {}", gist(&result), result.summary)
    }

    #[test]
    fn only_checks_that_all_passed_pass() {
        let of = |state: &str| RemoteCheck::of_status(state, state, None);
        assert_eq!(judged(Ok(Some(vec![of("success")]))), "pass 1 of 1 checks of the server passed");
        assert!(judged(Ok(None)).starts_with("skipped"));
        for unknown in [Err("no".to_owned()), Ok(Some(vec![])), Ok(Some(vec![of("success"), of("pending")]))]
        {
            assert!(judged(unknown).starts_with("unavailable"));
        }
        let red = judged(Ok(Some(vec![of("pending"), of("failure"), of("success")])));
        assert_eq!(red, " failed on the server: failure (failure)");
    }

    #[test]
    fn only_paths_that_are_not_there_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("there"), "x").expect("a file");
        std::fs::write(folder.path().join("empty"), "").expect("a file");
        let missing = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            missing_paths(&words, folder.path()).join(" ")
        };
        for (line, paths) in [
            ("test -f docs/a.md", "docs/a.md"),
            ("[ -e a.md ]", "a.md"),
            ("ls -l there a.md b.md", "a.md b.md"),
            ("test -s empty", "empty"),
            ("test -f empty", ""),
            ("cat there", ""),
            ("test ! -e a.md", ""),
            ("test a.md = b.md", ""),
            ("grep -q word a.md", ""),
        ] {
            assert_eq!(missing(line), paths, "{line}");
        }
    }
}

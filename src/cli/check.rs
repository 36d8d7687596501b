//! `check`: judges the working tree, and an agent's answer, by the checks of a phase that changes code. Needs no run and
//! writes nothing; commands of the repository run in the files as they are.

mod chosen;
mod told;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, stdin};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::Answer;
use super::arguments::{Check, SettingFlags};
use super::door::{Door, runtime};
use super::failure::{Failure, Kind};
use super::show::show;
use super::signals;
use checks::Site;
use chosen::Chosen;
use content_parser::{read_claim, read_evaluation};
use model::change::Change;
use model::event::CheckResult;
use process::{self, Stop};
use told::Told;

pub(super) fn run(arguments: &Check) -> Answer {
    let door = crate::project::open(&flags(arguments))?;
    let answer = answer(arguments, &door)?;
    let chosen = chosen::choose(&door, arguments, answer.is_some())?;
    let since =
        door.workspace.bases().diff_base(arguments.base.as_deref(), door.settings.base_branch.as_deref())?;
    let mut changes = door.workspace.changes().since(&since.commit)?;
    // Settings and records of ours are a person's here; in a run they are protected.
    changes.retain(|change| !change.path.starts_with(".ai-workflow/"));
    let results = examine(&door, arguments, &chosen, &changes, answer.as_deref())?;
    let told = Told { since: &since, changed: changes.len(), results: &results, noted: &chosen.noted };
    show(arguments.json, &told.value(&door.masker), &told.lines(&door.masker));
    Ok(u8::from(!told.ok()))
}

fn flags(arguments: &Check) -> SettingFlags {
    let template = arguments.template.as_ref().map(|name| format!("checks.template={name}"));
    let set = arguments.set.iter().cloned().chain(template).collect();
    SettingFlags { config: arguments.config.clone(), set, ..SettingFlags::default() }
}

/// Reads what an agent answered, without secrets.
fn answer(arguments: &Check, door: &Door) -> Result<Option<String>, Failure> {
    let Some(file) = &arguments.output else { return Ok(None) };
    let mut bytes = Vec::new();
    let read = if file.as_os_str() == "-" {
        stdin().read_to_end(&mut bytes)
    } else {
        File::open(file).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    read.map_err(|error| {
        Failure::usage(format!("failed to read {}: {error}", file.display()))
            .hint("`--output` names what the agent answered, or `-` for stdin")
    })?;
    Ok(Some(door.masker.mask(&String::from_utf8_lossy(&bytes)).to_string()))
}

fn examine(
    door: &Door,
    arguments: &Check,
    chosen: &Chosen,
    changes: &[Change],
    answer: Option<&str>,
) -> Result<Vec<CheckResult>, Failure> {
    let changed: BTreeSet<String> = changes.iter().map(|change| change.path.clone()).collect();
    let expected = expected(door, &arguments.expect)?;
    let (claim, evaluation) = (answer.and_then(read_claim), answer.and_then(read_evaluation));
    let site = Site {
        changed: &changed,
        changes,
        since_base: changes,
        answer,
        claim: claim.as_ref(),
        evaluation: evaluation.as_ref(),
        expected: &expected,
        defined: &chosen.defined,
        commands: &chosen.commands,
        ..Site::outside_a_run(door.root(), &chosen.phase, &chosen.settings, &chosen.time, &door.masker)
    };
    watched(&chosen.ids, &site)
}

/// Runs the checks; Ctrl-C ends the command that is running, and with it ours.
fn watched(ids: &[String], site: &Site<'_>) -> Result<Vec<CheckResult>, Failure> {
    let (handle, mut stop) = Stop::new();
    let signal = Arc::new(OnceLock::new());
    process::adopt_orphans();
    let results = runtime()?.block_on(async {
        let watch = signals::watch(handle, Arc::clone(&signal))?;
        let results = checks::run_only(ids, site, &mut stop).await;
        watch.abort();
        Ok::<_, Failure>(results)
    })?;
    match signal.get() {
        Some(name) => Err(Failure::new(Kind::Interrupted, format!("interrupted by {name}"))),
        None => Ok(results),
    }
}

/// Files on the command line are meant from where the user stands.
fn expected(door: &Door, files: &[PathBuf]) -> Result<Vec<String>, Failure> {
    let top = door.root();
    files
        .iter()
        .map(|file| {
            let path = plain(&door.here.join(file));
            let inside = path.strip_prefix(top).ok().and_then(Path::to_str).filter(|path| !path.is_empty());
            inside.map(str::to_owned).ok_or_else(|| {
                Failure::usage(format!("`--expect {}` is not a file of {}", file.display(), top.display()))
                    .hint("name a file of this repository, seen from where you are")
            })
        })
        .collect()
}

/// Returns a path without `.` and `..`; links are not followed, since the file may not be there.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
        plain
    })
}

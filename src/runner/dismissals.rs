//! Whether the reasons with which a triage dismisses critical findings cite evidence that is in the files as the triage left
//! them. The engine's own files are no evidence: the review and the replies to it are among them.

mod cited;

use std::cell::OnceCell;
use std::fs::{self, File};
use std::io::Read;

use crate::active_run::ActiveRun;
use crate::error::Result;
use crate::records::list_answer_documents;
use cited::{Citable, cites_evidence};
use content_parser::{TriageRows, undefended};
use git::{Tree, is_engines_own};
use model::event::FindingJudgment;
use model::phase::PhaseName;

/// How much of a file is looked through, in bytes.
const LONGEST_FILE: u64 = 8 * 1024 * 1024;

/// Returns why the triage may not dismiss the critical findings of its review as it does; nothing where it may. `unnamed` are the
/// critical findings that the review counts or says to be there without naming them.
pub(super) fn find_undefended(
    active: &ActiveRun,
    name: &PhaseName,
    tree: &Tree,
    (rows, judgments): (&TriageRows, &[FindingJudgment]),
    unnamed: u32,
) -> Result<Option<String>> {
    let phase = active.phase(name)?;
    let records = list_answer_documents(&active.folder, phase);
    let workspace = active.space.workspace();
    let is_evidence = |path: &String| !is_engines_own(path) && !records.contains(path);
    // A file that git cannot tell us of is no evidence.
    let list =
        || workspace.list_plain_files(tree).unwrap_or_default().into_iter().filter(is_evidence).collect();
    let paths: OnceCell<Vec<String>> = OnceCell::new();
    let holding = |word: &str| {
        let mut found = workspace.list_files_with_word(tree, word).unwrap_or_default();
        found.retain(is_evidence);
        found
    };
    let answers: Vec<&str> = phase.person.advice.as_deref().into_iter().collect();
    let cites = |reason: &str| {
        let citable = Citable {
            paths: paths.get_or_init(list),
            read: &|path| read_file(active, path),
            holding: &holding,
            answers: &answers,
        };
        cites_evidence(reason, &citable)
    };
    Ok(undefended(rows, judgments, (phase.findings(), unnamed), &cites))
}

fn read_file(active: &ActiveRun, path: &str) -> Option<String> {
    let path = active.folder.at(path);
    fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    File::open(&path).ok()?.take(LONGEST_FILE).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

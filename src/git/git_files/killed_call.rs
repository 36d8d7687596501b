//! What a program left in git's own files whose process was killed with the one that watches it. It is put back as after any
//! other call, by the state that was kept on disk.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use super::places::read_time;
use super::{GitFiles, clone};
use crate::error::at;
use crate::file_entry::{self, Entry, REFERENCE};
use crate::references::MovedReferences;
use crate::run_branch::RESTS_AT;
use crate::workspace::RunWorkspace;
use crate::{Error, Result, regular_file};

/// What was changed during a call in which a process was killed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KilledCall {
    /// The names of git's own files that were put back.
    pub changed: Vec<String>,
    /// References that were moved or made.
    pub moved: MovedReferences,
}

/// After a killed process.
impl GitFiles {
    /// Puts back what was changed during a call in which an earlier process was killed, and returns it; nothing where no
    /// state is kept. What was changed after the last process of that call had ended is a person's and stays; where its end is
    /// not known, nothing stays.
    pub fn settle_killed_call(run: &RunWorkspace) -> Result<Option<KilledCall>> {
        let (reference, ended) = Self::files(run);
        if fs::symlink_metadata(&reference).is_err() {
            return Ok(None);
        }
        let text = regular_file::read(&reference).unwrap_or_default();
        let known =
            serde_json::from_slice::<Self>(&text).ok().filter(|known| known.root == run.workspace().root());
        let Some(mut known) = known else { return Err(Error::ConfigUnknown { path: reference }) };
        known.accept_folders();
        let began = read_time(&reference);
        // The reaper writes files; something else was put there by the call.
        let ends = [&ended, &run.state_dir().join(RESTS_AT)]
            .map(|file| if file.is_symlink() || !file.is_file() { None } else { read_time(file) });
        let end = ends.into_iter().flatten().filter(|end| Some(*end) > began).max();
        let is_of_call = |path: &Path| end.is_none_or(|end| file_entry::changed_at(path) <= Some(end));
        let pipes = known.remove_pipes(run)?;
        let mut changed = known.restore_changed(run, &is_of_call)?;
        changed.extend(pipes);
        known.remove_changed_indexes(run, &is_of_call)?;
        run.workspace().pin_config_again();
        changed.extend(known.restore_ignored_hooks(run, &is_of_call)?);
        // A person may have committed since; without the end of the call that cannot be told.
        let only_reads = known.only_reads && end.is_some();
        let mut moved = match &known.tips {
            Some(tips) => tips.restore_after_kill(run, only_reads, &is_of_call)?,
            None => MovedReferences::default(),
        };
        moved.left.extend(known.list_left_where(run, &is_of_call));
        moved.left.extend(known.list_new_elsewhere_where(run, &is_of_call));
        // The state stays: until the next call is on record, the log shows one without an end.
        if end.is_none() {
            regular_file::write(&ended, &text).map_err(at(ended))?;
        }
        Ok(Some(KilledCall { changed, moved }))
    }

    /// Tells whether a person has made the repository anew since, so that nothing of a call before it is in git's own files.
    pub fn are_of_new_repository(run: &RunWorkspace, since: SystemTime) -> bool {
        clone::is_new_and_plain(run.workspace().common(), since)
    }

    /// Notes that it is not known what was changed in a killed call, and returns the error that says so. The error is returned
    /// again until a person has removed the note.
    pub fn note_unknown(run: &RunWorkspace) -> Error {
        let path = run.state_dir().join(REFERENCE);
        let written = fs::create_dir_all(run.state_dir()).and_then(|()| fs::write(&path, ""));
        written.map_or_else(at(&path), |()| Error::ConfigUnknown { path: path.clone() })
    }

    /// Takes the folders that are there for those that were: a person may have copied them. Their files are compared.
    fn accept_folders(&mut self) {
        for (path, was) in self.entries.iter_mut().filter(|(_, was)| was.is_folder()) {
            if let Some(is) = Entry::read(path).filter(Entry::is_folder) {
                *was = is;
            }
        }
    }
}

//! Where the files of a run are, relative to the root of its worktree, and how texts are put there.
//! Relative paths are texts with `/`, as git, prompts and agents read them. Follows no link below the root:
//! a repository could commit `.ai-workflow` as a link to somewhere else.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use super::files::{self, StoreError, io_error};
use model::issue::IssueNumber;
use model::phase::{self, Step};
use model::policy::PhaseDef;
use model::redact::Masked;

/// The folder of everything of ours in a repository.
pub const HOME: &str = ".ai-workflow";

/// What keeps prompts, answers and raw streams out of commits. Written once; a person may change it.
const GITIGNORE: &str = include_str!("gitignore.txt");

/// What keeps git from changing line ends, or anything else, in the files of a run.
pub const GITATTRIBUTES: &str = include_str!("gitattributes.txt");

/// The files of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    root: PathBuf,
    issue: IssueNumber,
}

/// One agent call: which folder its files go to.
#[derive(Debug, Clone, Copy)]
pub struct CallFolder<'a> {
    /// The phase that it is part of.
    pub phase: &'a PhaseDef,
    /// The step.
    pub step: Step,
    /// The round, from 1.
    pub round: u32,
    /// The attempt of the step in this round, from 1.
    pub attempt: u32,
}

impl RunFolder {
    /// Names the run of an issue in a worktree; touches nothing.
    pub fn new(root: impl Into<PathBuf>, issue: IssueNumber) -> Self {
        Self { root: root.into(), issue }
    }

    /// Returns the root of the worktree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the run's folder relative to the root.
    pub fn relative(&self) -> String {
        format!("{HOME}/issue-{}", self.issue)
    }

    /// Returns the issue that the run is about.
    pub fn issue(&self) -> IssueNumber {
        self.issue
    }

    /// Returns the log, relative to the root.
    pub fn events(&self) -> String {
        format!("{}/events.jsonl", self.relative())
    }

    /// Returns the view of the run, relative to the root.
    pub fn metadata(&self) -> String {
        format!("{}/metadata.json", self.relative())
    }

    /// Returns the last review, relative to the root.
    pub fn review_result(&self) -> String {
        format!("{}/review-result.json", self.relative())
    }

    /// Returns the attributes of the run's files, relative to the root.
    pub fn attributes(&self) -> String {
        format!("{}/.gitattributes", self.relative())
    }

    /// Returns the files of ours that lie on the branch beside the documents of the phases, relative to the root.
    pub fn own_files(&self) -> [String; 4] {
        [self.events(), self.metadata(), self.review_result(), self.attributes()]
    }

    /// Returns the folder of a phase, relative to the root.
    pub fn phase(&self, phase: &PhaseDef) -> String {
        format!("{}/{}", self.relative(), phase.folder)
    }

    /// Returns the output folder of a phase, relative to the root.
    pub fn output(&self, phase: &PhaseDef) -> String {
        format!("{}/output", self.phase(phase))
    }

    /// Returns the deliverable of a phase, relative to the root: the `AI_WORKFLOW_OUTPUT` of its agents.
    pub fn deliverable(&self, phase: &PhaseDef) -> String {
        format!("{}/{}", self.output(phase), phase.output)
    }

    /// Returns the document the engine makes of a reviewer's answer in a phase with triage.
    pub fn review_document(&self, phase: &PhaseDef, round: u32) -> String {
        format!("{}/{}", self.output(phase), phase::review_document(round))
    }

    /// Returns the document the engine makes of a triage answer.
    pub fn reply_document(&self, phase: &PhaseDef, round: u32) -> String {
        format!("{}/{}", self.output(phase), phase::reply_document(round))
    }

    /// Returns the folder of an agent call, relative to the root.
    pub fn call(&self, call: CallFolder<'_>) -> String {
        let CallFolder { phase, step, round, attempt } = call;
        format!("{}/{step}/round-{round}/attempt-{attempt}", self.phase(phase))
    }

    /// Returns where a relative path is on this machine.
    pub fn at(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Makes the run's folder with its attributes, and the `.gitignore` of all runs, unless there is one.
    pub fn prepare(&self) -> Result<(), StoreError> {
        self.prepare_attributes()?;
        self.prepare_home()
    }

    /// Writes the attributes of the run's files where there are none.
    pub fn prepare_attributes(&self) -> Result<(), StoreError> {
        make_folder(&self.root, &self.relative())?;
        let path = self.at(&self.attributes());
        if fs::symlink_metadata(&path).is_ok() {
            return Ok(());
        }
        files::replace(&path, GITATTRIBUTES.as_bytes())
    }

    /// Makes the folder of all runs and its `.gitignore`, unless there is one.
    pub fn prepare_home(&self) -> Result<(), StoreError> {
        make_folder(&self.root, HOME)?;
        let path = self.at(HOME).join(".gitignore");
        // A link that leads nowhere is there, too.
        if fs::symlink_metadata(&path).is_ok() {
            return Ok(());
        }
        files::replace(&path, GITIGNORE.as_bytes())
    }

    /// Writes a text to a path relative to the root, as a whole, and makes the folders on the way.
    pub fn write(&self, relative: &str, text: &Masked) -> Result<(), StoreError> {
        let folder = relative.rsplit_once('/').map_or("", |(folder, _)| folder);
        make_folder(&self.root, folder)?;
        files::replace(&self.at(relative), text.as_str().as_bytes())
    }

    /// Tells whether a path of the run's folder is a plain file in real folders and holds exactly this text.
    pub fn holds(&self, relative: &str, text: &Masked) -> bool {
        let path = self.at(relative);
        let is_long_enough =
            |found: fs::Metadata| found.is_file() && found.len() == text.as_str().len() as u64;
        self.has_real_folders(relative)
            && fs::symlink_metadata(&path).is_ok_and(is_long_enough)
            && fs::read(&path).is_ok_and(|found| found == text.as_str().as_bytes())
    }

    fn has_real_folders(&self, relative: &str) -> bool {
        let mut path = self.root.clone();
        let folders = relative.rsplit_once('/').map_or("", |(folders, _)| folders);
        folders.split('/').all(|part| {
            path.push(part);
            fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir())
        })
    }

    /// Writes a text to a path of the run's folder where we wrote before. Removes what was put in its way since: a link or a file
    /// where a folder is needed, or a folder in place of the file. Never touches what a link leads to.
    pub fn restore(&self, relative: &str, text: &Masked) -> Result<(), StoreError> {
        self.clear_way(relative)?;
        self.write(relative, text)
    }

    fn clear_way(&self, relative: &str) -> Result<(), StoreError> {
        let of_run = self.relative();
        let inside = relative.strip_prefix(&of_run).and_then(|inside| inside.strip_prefix('/'));
        let mut path = self.at(&of_run);
        let mut parts = inside.unwrap_or_default().split('/').peekable();
        while let Some(part) = parts.next() {
            path.push(part);
            let is_folder = fs::symlink_metadata(&path).map(|found| found.is_dir());
            match (is_folder, parts.peek()) {
                (Ok(true), None) => fs::remove_dir_all(&path).map_err(io_error("remove", &path))?,
                (Ok(false), Some(_)) => files::remove(&path)?,
                (Ok(true), Some(_)) | (Ok(false), None) | (Err(_), _) => {}
            }
        }
        Ok(())
    }

    /// Removes a path of the run's folder, whatever was put there; one that is not there is removed already.
    pub fn remove(&self, relative: &str) -> Result<(), StoreError> {
        self.clear_way(relative)?;
        files::remove(&self.at(relative))
    }

    /// Keeps the prompt of a call and returns its path relative to the root.
    pub fn write_prompt(&self, call: CallFolder<'_>, text: &Masked) -> Result<String, StoreError> {
        self.write_in(call, "prompt.md", text)
    }

    /// Keeps the answer of a call, in whose way its agent may have put something, and returns its path relative to the root.
    pub fn write_answer(&self, call: CallFolder<'_>, text: &Masked) -> Result<String, StoreError> {
        let relative = format!("{}/answer.md", self.call(call));
        self.restore(&relative, text)?;
        Ok(relative)
    }

    /// Returns the prompt of a call, where it was kept on this machine.
    pub fn read_prompt(&self, call: CallFolder<'_>) -> Option<String> {
        fs::read_to_string(self.at(&self.call(call)).join("prompt.md")).ok()
    }

    /// Returns the answer of a call, where it was kept on this machine.
    pub fn read_answer(&self, call: CallFolder<'_>) -> Option<String> {
        fs::read_to_string(self.at(&self.call(call)).join("answer.md")).ok()
    }

    /// Makes the folder of a call and returns where its raw stream goes, relative to the root.
    pub fn raw_stream(&self, call: CallFolder<'_>) -> Result<String, StoreError> {
        let folder = self.call(call);
        make_folder(&self.root, &folder)?;
        Ok(format!("{folder}/raw.jsonl"))
    }

    /// Makes the output folder of a phase, so that an agent only has to write its file.
    pub fn make_output(&self, phase: &PhaseDef) -> Result<(), StoreError> {
        make_folder(&self.root, &self.output(phase))
    }

    fn write_in(&self, call: CallFolder<'_>, name: &str, text: &Masked) -> Result<String, StoreError> {
        let relative = format!("{}/{name}", self.call(call));
        self.write(&relative, text)?;
        Ok(relative)
    }
}

/// Makes the folders of a relative path one by one; each has to be a real folder inside the root.
fn make_folder(root: &Path, relative: &str) -> Result<(), StoreError> {
    let mut path = root.to_owned();
    for part in Path::new(relative).components() {
        let foreign = |path: &Path, what| Err(StoreError::Foreign { file: path.display().to_string(), what });
        path.push(part);
        if !matches!(part, Component::Normal(_)) {
            return foreign(&path, "outside the worktree");
        }
        match fs::create_dir(&path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(io_error("make the folder", &path)(error));
            }
            Ok(()) => {}
            Err(_) if fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir()) => {}
            Err(_) => return foreign(&path, "a link or a file where a folder is needed"),
        }
    }
    Ok(())
}

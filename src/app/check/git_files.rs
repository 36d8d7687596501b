//! Git's own files and references around the commands of the repository that `check` runs. What a command changed in git's own
//! files is put back. References are only told, because the person who asks for the checks may commit meanwhile.

use crate::failure::Result;
use git::{GitFiles, InnerFolders, References, RunWorkspace, Workspace};

/// Git's own files and references before the commands.
pub(super) struct GitBefore {
    space: RunWorkspace,
    files: GitFiles,
    references: References,
}

impl GitBefore {
    /// Reads them; writes nothing.
    pub(super) fn read(workspace: &Workspace) -> Result<Self> {
        let space = workspace.outside_a_run();
        let inner = InnerFolders::of(&space, &workspace.opened_at().as_tree())?;
        let (files, references) = (GitFiles::read(&space, &inner), References::read(workspace)?);
        Ok(Self { space, files, references })
    }

    /// Puts back what is different in git's own files, and returns what there is to tell of that and of references.
    pub(super) fn restore(&self) -> Result<Vec<String>> {
        let changed = self.files.restore(&self.space)?;
        let mut moved = self.references.restore_others(&self.space)?;
        moved.left.extend(self.files.list_left(&self.space));
        moved.left.extend(self.files.list_new_elsewhere(&self.space));
        let kept = GitFiles::removed_folder(&self.space);
        let told = [
            (
                "a command of the repository changed git's own files, which was undone",
                changed,
                format!(" (kept in {kept})"),
            ),
            (
                "references moved or were made while a command of the repository ran, and were put back",
                moved.undone,
                String::new(),
            ),
            (
                "references moved or were made while a command of the repository ran, and were left as they are",
                moved.left,
                String::new(),
            ),
        ];
        let told = told.into_iter().filter(|(_, names, _)| !names.is_empty());
        Ok(told.map(|(what, names, more)| format!("{what}: {}{more}", names.join(", "))).collect())
    }
}

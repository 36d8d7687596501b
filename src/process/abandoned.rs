//! Ends whom a reaper leaves behind that was killed itself, the last resort: an agent may kill its own supervisor.
//! They are known by the process group that the reaper told, and on Linux by the pipe they write into, and by being
//! handed to us when our process adopts orphans.

use std::os::fd::BorrowedFd;

use rustix::process::{Pid, Signal, kill_process_group};

use super::control::Report;
use super::family::kill_adopted;

/// Kills the program's process group and whoever writes into one of these pipes.
pub(super) fn end(reports: &[Report], pipes: [BorrowedFd<'_>; 2]) {
    for report in reports {
        if let Report::Started(group) = report
            && let Some(group) = Pid::from_raw(*group)
        {
            // A group that has gone needs no signal.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    #[cfg(target_os = "linux")]
    linux::kill_writers(&pipes);
    #[cfg(not(target_os = "linux"))]
    let _ = pipes;
    kill_adopted();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::os::fd::BorrowedFd;
    use std::path::{Path, PathBuf};

    use rustix::process::{Pid, Signal, kill_process};

    /// Kills every process whose standard output or error is one of these pipes.
    pub(super) fn kill_writers(pipes: &[BorrowedFd<'_>]) {
        let Ok(folder) = fs::read_dir("/proc") else { return };
        let names: Vec<PathBuf> = pipes.iter().copied().filter_map(name).collect();
        for process in folder.filter_map(Result::ok) {
            let pid = process.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
            if let Some(pid) = pid
                && writes_into(&process.path(), &names)
            {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }

    fn name(pipe: BorrowedFd<'_>) -> Option<PathBuf> {
        let inode = rustix::fs::fstat(pipe).ok()?.st_ino;
        Some(format!("pipe:[{inode}]").into())
    }

    fn writes_into(process: &Path, names: &[PathBuf]) -> bool {
        ["fd/1", "fd/2"]
            .iter()
            .any(|fd| fs::read_link(process.join(fd)).is_ok_and(|name| names.contains(&name)))
    }
}

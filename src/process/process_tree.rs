//! Finds, signals and reaps every living process below this one, and kills the processes that a dead reaper left behind.
//! On Linux this process is their subreaper, so that no process can leave the tree by starting a session of its own;
//! elsewhere the tree is the process group. Does not decide when a process has to end: the reaper does.

use std::os::fd::BorrowedFd;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process_group, wait};

/// Makes this process the subreaper: when a reaper dies, the processes that it left become children of this one and are
/// killed. Only for a process that runs one supervised program at a time and nothing else beside it. Has to be called
/// before the first child is started.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_child_subreaper(Some(rustix::process::getpid())) {
        tracing::warn!("orphaned processes cannot be followed: {error}");
    }
}

/// The processes below this one, and the first child among them.
pub(super) struct ProcessTree {
    /// The program that was started; the leader of its process group.
    leader: Pid,
    /// How the leader ended, once it did.
    pub leader_status: Option<WaitStatus>,
}

impl ProcessTree {
    pub(super) fn new(leader: Pid) -> Self {
        Self { leader, leader_status: None }
    }

    /// Reaps every dead child; returns false when no process is left below this one.
    pub(super) fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.leader => self.leader_status = Some(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return self.is_group_alive(),
            }
        }
    }

    /// Sends a signal to every process of the tree, once each.
    #[cfg_attr(target_os = "linux", expect(clippy::unused_self, reason = "the other systems need it"))]
    pub(super) fn signal(&self, signal: Signal) {
        #[cfg(target_os = "linux")]
        linux::signal_descendants(signal);
        #[cfg(not(target_os = "linux"))]
        let _ = kill_process_group(self.leader, signal);
    }

    /// Tells whether a process lives that is not our child: without a subreaper the group may outlive its leader.
    fn is_group_alive(&self) -> bool {
        cfg!(not(target_os = "linux")) && rustix::process::test_kill_process_group(self.leader).is_ok()
    }
}

/// Kills the processes that a reaper left when it was killed itself: an agent may kill its own supervisor. They are known
/// by the process group that the reaper reported, on Linux also by the pipes they write into and, where our process is
/// their subreaper, by their parent.
pub(super) fn kill_abandoned_processes(groups: impl Iterator<Item = Pid>, pipes: [BorrowedFd<'_>; 2]) {
    for group in groups {
        // A group that has gone needs no signal.
        let _ = kill_process_group(group, Signal::KILL);
    }
    #[cfg(target_os = "linux")]
    {
        linux::kill_writers(&pipes);
        linux::kill_adopted_processes();
    }
    #[cfg(not(target_os = "linux"))]
    let _ = pipes;
}

#[cfg(target_os = "linux")]
mod linux {
    //! What `/proc` says about processes: their parents, and the pipes they write into.

    use std::collections::HashMap;
    use std::fs;
    use std::os::fd::BorrowedFd;
    use std::path::{Path, PathBuf};

    use rustix::process::{Pid, Signal, child_subreaper, getpid, kill_process};

    /// How often we look again for a process that was started meanwhile.
    const SCANS: u32 = 20;

    /// Sends a signal to every living process below this one; returns false when there is none.
    pub(super) fn signal_descendants(signal: Signal) -> bool {
        let living = descendants(getpid().as_raw_nonzero().get(), &read_processes());
        for pid in &living {
            // A process that has ended meanwhile needs no signal, and one of another user cannot be given one.
            let _ = kill_process(*pid, signal);
        }
        !living.is_empty()
    }

    /// Kills every process below this one, if it is a subreaper: else its children may be no orphans of a reaper.
    pub(super) fn kill_adopted_processes() {
        if child_subreaper().is_ok_and(|adopts| adopts.is_some()) {
            for _ in 0..SCANS {
                if !signal_descendants(Signal::KILL) {
                    return;
                }
            }
        }
    }

    /// One line of `/proc/PID/stat`: process, parent, state.
    type Process = (i32, i32, char);

    pub(super) fn read_processes() -> Vec<Process> {
        process_folders().filter_map(|(_, folder)| parse_stat(&fs::read(folder.join("stat")).ok()?)).collect()
    }

    /// Returns every process with its folder.
    fn process_folders() -> impl Iterator<Item = (Pid, PathBuf)> {
        fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| {
            let entry = entry.ok()?;
            let pid = entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw)?;
            Some((pid, entry.path()))
        })
    }

    /// Reads `PID (NAME) STATE PARENT …`; the name is the program's own choice and may hold anything.
    pub(super) fn parse_stat(stat: &[u8]) -> Option<Process> {
        let text = String::from_utf8_lossy(stat);
        let (head, tail) = text.rsplit_once(')')?;
        let process = head.split_once(' ')?.0.parse().ok()?;
        let mut fields = tail.split_whitespace();
        let state = fields.next()?.chars().next()?;
        Some((process, fields.next()?.parse().ok()?, state))
    }

    /// Returns every living process below this one; dead ones that are not reaped yet do not count.
    pub(super) fn descendants(root: i32, processes: &[Process]) -> Vec<Pid> {
        let mut children: HashMap<i32, Vec<&Process>> = HashMap::new();
        for process in processes {
            children.entry(process.1).or_default().push(process);
        }
        let mut found = Vec::new();
        let mut open = vec![root];
        while let Some(parent) = open.pop() {
            for (process, _, state) in children.remove(&parent).unwrap_or_default() {
                open.push(*process);
                if !matches!(state, 'Z' | 'X') {
                    found.extend(Pid::from_raw(*process));
                }
            }
        }
        found
    }

    /// Kills every process whose standard output or error is one of these pipes.
    pub(super) fn kill_writers(pipes: &[BorrowedFd<'_>]) {
        let names: Vec<PathBuf> = pipes.iter().copied().filter_map(pipe_name).collect();
        for (pid, _) in process_folders().filter(|(_, folder)| writes_into(folder, &names)) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }

    /// Returns what `/proc` calls a pipe.
    fn pipe_name(pipe: BorrowedFd<'_>) -> Option<PathBuf> {
        let inode = rustix::fs::fstat(pipe).ok()?.st_ino;
        Some(format!("pipe:[{inode}]").into())
    }

    fn writes_into(process: &Path, names: &[PathBuf]) -> bool {
        let is_one = |fd: &str| fs::read_link(process.join(fd)).is_ok_and(|name| names.contains(&name));
        is_one("fd/1") || is_one("fd/2")
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;

//! Finds and signals every living process below this one, and buries the dead.
//! On Linux this process is their subreaper, so that nobody can leave the family by starting a session of its own;
//! elsewhere the family is the process group. Does not decide when anybody has to go: the reaper does.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, wait};

/// How often we look again for somebody who was born meanwhile.
#[cfg(target_os = "linux")]
const LOOKS: u32 = 20;

/// Kills everybody below this process, if orphans are handed to it: else it may have children that are nobody's orphans.
pub(super) fn kill_adopted() {
    #[cfg(target_os = "linux")]
    if rustix::process::child_subreaper().is_ok_and(|adopts| adopts.is_some()) {
        for _ in 0..LOOKS {
            let living = linux::living_descendants();
            if living.is_empty() {
                return;
            }
            for pid in living {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
        }
    }
}

/// The processes below this one, and the first child among them.
pub(super) struct Family {
    /// The program that was started; the leader of its process group.
    first: Pid,
    /// How it ended, once it did.
    pub ended: Option<WaitStatus>,
}

impl Family {
    /// Makes this process the one to which orphaned descendants are handed. Has to come before the first child.
    pub(super) fn adopt_orphans() {
        #[cfg(target_os = "linux")]
        if let Err(error) = rustix::process::set_child_subreaper(Some(rustix::process::getpid())) {
            tracing::warn!("orphaned processes cannot be followed: {error}");
        }
    }

    pub(super) fn new(first: Pid) -> Self {
        Self { first, ended: None }
    }

    /// Buries every dead child; returns false when nobody is left below this process.
    pub(super) fn bury(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.first => self.ended = Some(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return self.strangers_live(),
            }
        }
    }

    /// Sends a signal to everybody, once each.
    #[cfg_attr(target_os = "linux", expect(clippy::unused_self, reason = "the other systems need it"))]
    pub(super) fn signal(&self, signal: Signal) {
        #[cfg(target_os = "linux")]
        for pid in linux::living_descendants() {
            // Who has gone meanwhile needs no signal, and who is another user's cannot be given one.
            let _ = rustix::process::kill_process(pid, signal);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = rustix::process::kill_process_group(self.first, signal);
    }

    /// Tells whether somebody lives who is not our child: without a subreaper the group may outlive its leader.
    #[cfg(not(target_os = "linux"))]
    fn strangers_live(&self) -> bool {
        rustix::process::test_kill_process_group(self.first).is_ok()
    }

    #[cfg(target_os = "linux")]
    #[expect(clippy::unused_self, reason = "the other systems need it")]
    fn strangers_live(&self) -> bool {
        false
    }
}

#[cfg(target_os = "linux")]
mod linux {
    //! The family by the parents that `/proc` names.

    use std::collections::HashMap;
    use std::fs;

    use rustix::process::{Pid, getpid};

    /// Returns every living process below this one; the dead that nobody has buried yet do not count.
    pub(super) fn living_descendants() -> Vec<Pid> {
        descendants(getpid().as_raw_nonzero().get(), &read_processes())
    }

    /// One line of `/proc/PID/stat`: process, parent, state.
    type Process = (i32, i32, char);

    fn read_processes() -> Vec<Process> {
        let Ok(folder) = fs::read_dir("/proc") else { return Vec::new() };
        folder
            .filter_map(Result::ok)
            .filter(|entry| entry.file_name().to_string_lossy().bytes().all(|b| b.is_ascii_digit()))
            .filter_map(|entry| parse_stat(&fs::read(entry.path().join("stat")).ok()?))
            .collect()
    }

    /// Reads `PID (NAME) STATE PARENT …`; the name is the program's own choice and may hold anything.
    fn parse_stat(stat: &[u8]) -> Option<Process> {
        let text = String::from_utf8_lossy(stat);
        let (head, tail) = text.rsplit_once(')')?;
        let process = head.split_once(' ')?.0.parse().ok()?;
        let mut fields = tail.split_whitespace();
        let state = fields.next()?.chars().next()?;
        Some((process, fields.next()?.parse().ok()?, state))
    }

    fn descendants(root: i32, processes: &[Process]) -> Vec<Pid> {
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

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_program_cannot_hide_behind_its_name() {
            assert_eq!(parse_stat(b"42 (a) R 7 (b c) S 13 42 42 0"), Some((42, 13, 'S')));
            assert_eq!(parse_stat(b"42 (sh) Z 1 x"), Some((42, 1, 'Z')));
            assert_eq!(parse_stat(b"rubbish"), None);
        }

        #[test]
        fn the_family_is_everybody_below_who_is_not_dead() {
            let processes = [(2, 1, 'S'), (3, 2, 'Z'), (4, 3, 'R'), (5, 9, 'S'), (6, 2, 'T')];
            let mut found: Vec<_> =
                descendants(1, &processes).iter().map(|pid| pid.as_raw_nonzero().get()).collect();
            found.sort_unstable();
            assert_eq!(found, [2, 4, 6]);
        }

        #[test]
        fn our_own_parent_is_among_the_processes_read() {
            let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
            let own = getpid().as_raw_nonzero().get();
            assert!(read_processes().iter().any(|(pid, ppid, _)| *pid == own && Some(*ppid) == parent));
        }
    }
}

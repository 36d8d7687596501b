//! Tests of `process_tree`.

use rustix::process::getpid;

use super::linux::{descendants, parse_stat, read_processes};

#[test]
fn process_stat_is_parsed_with_any_program_name() {
    assert_eq!(parse_stat(b"42 (a) R 7 (b c) S 13 42 42 0"), Some((42, 13, 'S')));
    assert_eq!(parse_stat(b"42 (sh) Z 1 x"), Some((42, 1, 'Z')));
    assert_eq!(parse_stat(b"rubbish"), None);
}

#[test]
fn descendants_include_live_processes_at_every_depth_and_no_zombies() {
    let processes = [(2, 1, 'S'), (3, 2, 'Z'), (4, 3, 'R'), (5, 9, 'S'), (6, 2, 'T')];
    let mut found: Vec<_> = descendants(1, &processes).iter().map(|pid| pid.as_raw_nonzero().get()).collect();
    found.sort_unstable();
    assert_eq!(found, [2, 4, 6]);
}

#[test]
fn process_list_contains_the_own_process_with_its_parent() {
    let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
    let own = getpid().as_raw_nonzero().get();
    assert!(read_processes().iter().any(|(pid, ppid, _)| *pid == own && Some(*ppid) == parent));
}

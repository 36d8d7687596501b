//! Tests of the line about files that nobody reviewed.

use super::*;

#[test]
fn unreviewed_files_are_listed_up_to_a_limit_and_then_counted() {
    let paths: Vec<String> = (1..=7).map(|n| format!("src/{n}.rs")).collect();
    let late = |paths: &[String]| UnreviewedFiles { after_the_end: paths.to_vec(), unseen: vec![] };
    assert_eq!(late(&paths[..1]).line(), "1 file changed after the end of the run: src/1.rs");
    let line = late(&paths).line();
    assert!(line.starts_with("7 files ") && line.ends_with("src/4.rs, src/5.rs and 2 more"), "{line}");
    assert_eq!(UnreviewedFiles::default().warning(), None);
    let both = UnreviewedFiles { unseen: paths[6..].to_vec(), ..late(&paths[..1]) };
    assert!(both.line().ends_with("src/1.rs; 1 file changed and shown to no reviewer: src/7.rs"));
}

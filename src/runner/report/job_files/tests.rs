//! Tests of the files that a job reads after a step.

use super::*;
use model::redact::Masker;

#[test]
fn multiline_job_output_cannot_close_its_delimiter() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = JobFiles { summary: None, outputs: Some(folder.path().join("out")) };
    let value = Masker::from_environment([]).mask("a\nEOF\ncode=ok");
    files.output("told", &value, "3f2a").expect("it is written");
    let text = std::fs::read_to_string(folder.path().join("out")).expect("a file");
    assert_eq!(text, "told<<3f2a\na\nEOF\ncode=ok\n3f2a\n");
}

#[test]
fn job_files_are_not_written_outside_a_job() {
    let text = Masker::from_environment([]).mask("x");
    let files = JobFiles::default();
    assert!(files.summarise(&text).is_ok() && files.output("a", &text, "b").is_ok());
}

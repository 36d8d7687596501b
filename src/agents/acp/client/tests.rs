//! Tests of `client`.

use super::*;

#[test]
fn a_command_line_is_read_as_it_was_written() {
    let task = || ClientTask {
        read_only: true,
        allow: vec!["cargo".into(), "npm run".into()],
        model: Some("m".into()),
        resumes: Some("--s".into()),
        program: "agent".into(),
        arguments: vec!["--".into(), "--acp".into()],
    };
    assert_eq!(ClientTask::parse(task().into_arguments()), Some(task()));
    let plain = || ClientTask { program: "agent".into(), ..ClientTask::default() };
    assert_eq!(ClientTask::parse(plain().into_arguments()), Some(plain()));
}

#[test]
fn a_command_line_without_a_program_is_a_usage_error() {
    for bad in [&[][..], &["--"], &["--allow"], &["--what", "--", "x"], &["x"]] {
        assert_eq!(ClientTask::parse(bad.iter().map(OsString::from).collect()), None, "{bad:?}");
    }
    assert_eq!(main(vec![]), USAGE);
}

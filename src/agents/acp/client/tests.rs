//! Tests of `client`.

use super::*;

#[test]
fn a_command_line_is_read_as_it_was_written() {
    let task = ClientTask {
        read_only: true,
        allow: vec!["cargo".into(), "npm run".into()],
        model: Some("m".into()),
        resumes: Some("--s".into()),
    };
    for task in [task, ClientTask::default()] {
        let written = serde_json::to_string(&task).expect("JSON");
        let words = [&written, "agent", "--", "--acp"].map(OsString::from).to_vec();
        let (program, arguments) = ("agent".into(), vec!["--".into(), "--acp".into()]);
        assert_eq!(AcpClient::parse(words), Some(AcpClient { task, program, arguments }));
    }
}

#[test]
fn a_command_line_without_a_program_is_a_usage_error() {
    for bad in [&[][..], &["{}"], &["{}", "x"], &["x", "x"], &["x"]] {
        assert_eq!(AcpClient::parse(bad.iter().map(OsString::from).collect()), None, "{bad:?}");
    }
    assert_eq!(main(vec![]), USAGE);
}

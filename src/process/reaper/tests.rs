//! Tests of `reaper`.

use super::*;

fn read(words: &[&str]) -> Option<ReaperArguments> {
    ReaperArguments::parse(words.iter().map(OsString::from).collect())
}

#[test]
fn reaper_options_are_parsed_up_to_the_program() {
    let task = read(&["--stdin", "p.md", "--grace", "1500", "--", "prog", "--", "x"]).expect("a good line");
    assert_eq!(
        (task.stdin, task.grace, task.program, task.arguments),
        ("p.md".into(), Duration::from_millis(1500), "prog".into(), vec!["--".into(), "x".into()])
    );
}

#[test]
fn a_command_line_without_a_program_is_a_usage_error() {
    for bad in [&[][..], &["--"], &["--grace", "soon", "--", "x"], &["--what", "--", "x"], &["x"]] {
        assert!(read(bad).is_none(), "{bad:?}");
    }
    assert_eq!(main(vec![]), USAGE);
}

#[test]
fn failed_program_start_is_explained() {
    let explained = |program: &str, kind: io::ErrorKind| explain_failure(OsStr::new(program), &kind.into());
    assert_eq!(explained("/no/x", io::ErrorKind::NotFound), (127, "`/no/x` was not found".into()));
    assert_eq!(explained("x", io::ErrorKind::PermissionDenied), (126, "`x` is not executable".into()));
    assert_eq!(explained("/", io::ErrorKind::NotFound).0, 126);
    assert_eq!(explained("x", io::ErrorKind::OutOfMemory).0, 126);
}

#[test]
fn reaper_reports_round_trip() {
    for report in [
        ReaperReport::Started(12),
        ReaperReport::Failed("`x` was not found".into()),
        ReaperReport::ReaperSignalled(15),
        ReaperReport::Code(0),
        ReaperReport::Signal(9),
    ] {
        assert_eq!(ReaperReport::decode(&report.encode()), Some(report));
    }
    assert_eq!(
        ReaperReport::decode(&ReaperReport::Failed("two\nlines".into()).encode()).map(|r| r.encode()),
        { Some("failed two lines\n".to_owned()) }
    );
}

#[test]
fn stop_message_round_trips_with_its_grace_period() {
    let grace = Duration::from_millis(2500);
    assert_eq!(decode_stop(&encode_stop(grace)), Some(grace));
}

#[test]
fn unknown_reaper_lines_are_ignored() {
    for line in ["", "code", "code x", "stop", "hello world"] {
        assert_eq!((ReaperReport::decode(line), decode_stop(line)), (None, None), "{line}");
    }
}

//! Tests of `control`.

use super::*;

#[test]
fn every_report_is_read_as_it_was_written() {
    for report in [
        Report::Started(12),
        Report::Failed("`x` was not found".into()),
        Report::ReaperSignalled(15),
        Report::Code(0),
        Report::Signal(9),
    ] {
        assert_eq!(Report::decode(&report.encode()), Some(report));
    }
    assert_eq!(Report::decode(&Report::Failed("two\nlines".into()).encode()).map(|r| r.encode()), {
        Some("failed two lines\n".to_owned())
    });
}

#[test]
fn a_stop_carries_its_grace() {
    let stop = StopOrder { grace: Duration::from_millis(2500) };
    assert_eq!(StopOrder::decode(&stop.encode()), Some(stop));
}

#[test]
fn an_unknown_line_is_nothing() {
    for line in ["", "code", "code x", "stop", "hello world"] {
        assert_eq!((Report::decode(line), StopOrder::decode(line)), (None, None), "{line}");
    }
}

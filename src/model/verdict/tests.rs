//! Tests of `verdict`.

use super::*;

#[test]
fn the_strictest_is_the_greatest() {
    assert_eq!(Verdict::Pass.max(Verdict::Fail), Verdict::Fail);
    assert_eq!(Judgment::Block.max(Judgment::Approve), Judgment::Block);
    assert!(Judgment::Discuss < Judgment::Revise);
}

#[test]
fn how_it_was_read_survives_the_log() {
    for how in [ReadAs::Json, ReadAs::Marker("最終判定".into()), ReadAs::Default] {
        assert_eq!(how.to_string().parse(), Ok(how));
    }
    assert!("prose".parse::<ReadAs>().is_err());
}

//! Tests of `verdict`.

use super::*;

#[test]
fn stricter_verdicts_and_judgments_compare_greater() {
    assert_eq!(Verdict::Pass.max(Verdict::Fail), Verdict::Fail);
    assert_eq!(Judgment::Block.max(Judgment::Approve), Judgment::Block);
    assert!(Judgment::Discuss < Judgment::Revise);
}

#[test]
fn read_as_values_round_trip() {
    for how in [ReadAs::Json, ReadAs::Marker("最終判定".into()), ReadAs::Default] {
        assert_eq!(how.to_string().parse(), Ok(how));
    }
    assert!("prose".parse::<ReadAs>().is_err());
}

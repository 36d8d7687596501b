//! Tests of `session`.

use super::*;

#[test]
fn cached_tokens_belong_to_what_went_in() {
    let reported = schema::Usage::new(130, 20, 10).cached_read_tokens(70).cached_write_tokens(30);
    let expected = Usage {
        input_tokens: Some(120),
        cached_tokens: Some(70),
        output_tokens: Some(10),
        cost_usd: Some(0.5),
        cost_basis: Some(CostBasis::Reported),
        ..Usage::default()
    };
    assert_eq!(turn_usage(Some(&reported), Some(0.5)), (expected, vec![]));
    let together = schema::Usage::new(130, 120, 10).cached_read_tokens(70);
    assert_eq!(turn_usage(Some(&together), None).0.input_tokens, Some(120));
}

#[test]
fn what_is_not_told_is_unknown() {
    let unknown = Usage { cost_basis: Some(CostBasis::Unknown), ..Usage::default() };
    assert_eq!(turn_usage(None, None), (unknown, vec![]));
    let (usage, notices) = turn_usage(Some(&schema::Usage::new(u64::MAX, u64::MAX, 1)), Some(-1.0));
    assert_eq!((usage, notices.len()), (Usage { output_tokens: Some(1), ..unknown }, 2));
}

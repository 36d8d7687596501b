//! How names of checks are read.

use super::*;

#[test]
fn criteria_range_includes_both_ends() {
    let of = |name: &str| criteria_between(name).map(|ids| ids.join(" "));
    assert_eq!(of("Q1-Q3").as_deref(), Some("files todo omission"));
    assert_eq!(of("gd4-gd9").as_deref(), Some("completion_statement scope_reduction"));
    assert_eq!(of("Q11-12").as_deref(), Some("traceability isolation"));
    for none in ["Q3-Q1", "Q1-GD2", "todo", "a-b", "Q1-", "X1-X2"] {
        assert_eq!(of(none), None, "{none}");
    }
}

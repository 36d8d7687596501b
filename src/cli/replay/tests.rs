//! A fact by its words.

use super::*;

#[test]
fn a_fact_is_told_by_its_words() {
    let fact = json!({"type": "ruled", "phase": "planning", "round": 2, "ruling": {"do": "revise"}});
    assert_eq!(fact_words(&fact), "ruled planning round 2 revise");
}

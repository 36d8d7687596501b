//! A fact by its words.

use super::*;

#[test]
fn facts_are_printed_as_their_field_values() {
    let fact = json!({"type": "ruled", "phase": "planning", "round": 2, "ruling": {"do": "revise"}});
    assert_eq!(fact_words(&fact), "ruled planning round 2 revise");
}

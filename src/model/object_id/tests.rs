//! Tests of `object_id`.

use super::*;

#[test]
fn only_full_hashes_are_object_ids() {
    let full = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    assert_eq!(Tree::try_from(full).expect("a full hash").to_string(), full);
    for bad in ["", "HEAD", "4b825dc", "--output=x", &full.to_uppercase(), &"g".repeat(40)] {
        assert!(CommitId::try_from(bad).is_err(), "{bad}");
    }
}

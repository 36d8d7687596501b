//! Tests of `tree_entry`.

use super::*;

#[test]
fn raw_diff_entries_give_both_sides() {
    let text = ":100644 100755 1 2 M\0a b\0:000000 100644 0 3 A\0new\0:120000 000000 4 0 D\0gone\0";
    let sides = parse_raw_diff(text).expect("entries");
    assert_eq!(sides["a b"].0, Some(TreeEntry { mode: "100644".into(), id: "1".into() }));
    assert_eq!((sides["new"].0.is_none(), sides["gone"].0.is_some()), (true, true));
    assert_eq!(parse_raw_diff("nonsense\0x\0"), None);
}

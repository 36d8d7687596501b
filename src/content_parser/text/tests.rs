//! Spellings, pictures, and the search for bytes.

use super::*;

#[test]
fn spellings_of_one_character_are_the_same() {
    assert_eq!(folded("判定：\u{3000}ＰＡ\u{200b}ＳＳ（✅\u{fe0f}）"), "判定: PASS(✅)");
}

#[test]
fn an_arrow_is_no_picture() {
    assert!(is_picture('✅') && is_picture('❌') && is_picture('📊') && is_picture('■'));
    assert!(is_arrow('→') && is_arrow('➡') && !is_picture('➡') && !is_picture('判'));
}

#[test]
fn the_next_byte_is_found_near_and_far_and_not_before_the_start() {
    for distance in [0, 1, NEAR - 1, NEAR, NEAR + 1, 1_000] {
        let text = format!("a{}abc", "-".repeat(distance));
        let bytes = text.as_bytes();
        assert_eq!(next_of(bytes, 1, *b"a"), distance + 1);
        assert_eq!(next_of(bytes, 1, *b"cb"), distance + 2);
        assert_eq!(next_of(bytes, 1, *b"xyc"), distance + 3);
        assert_eq!(next_of(bytes, 1, *b"x"), bytes.len());
    }
    assert_eq!((next_of(b"a", 1, *b"a"), next_of(b"", 0, *b"a")), (1, 0));
}

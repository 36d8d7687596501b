//! Tests of `disguises`.

use super::*;

#[test]
fn base64_is_found_at_every_offset() {
    // "user:" + value, "ab" + value and value + "!" as any encoder writes them.
    let value = b"Man is distinguished";
    assert_eq!(base64(value, 0, &STANDARD), "TWFuIGlzIGRpc3Rpbmd1aXNoZW");
    assert!("YU1hbiBpcyBkaXN0aW5ndWlzaGVkIQ==".contains(&base64(value, 1, &STANDARD)));
    assert!("YWJNYW4gaXMgZGlzdGluZ3Vpc2hlZA==".contains(&base64(value, 2, &STANDARD)));
    assert_eq!(base64(&[0xfb, 0xff, 0xfe], 0, &URL_SAFE), "-__-");
    assert_eq!(base64(&[0xfb, 0xff, 0xfe], 0, &STANDARD), "+//+");
}

#[test]
fn a_value_has_all_its_forms() {
    let forms = of("p\"ss w/rd");
    for form in [
        "p\"ss w/rd",
        "p\\\"ss w/rd",
        "7022737320772f7264",
        "7022737320772F7264",
        "p%22ss%20w%2Frd",
        "dr/w ss\"p",
        "\\u0070\\u0022\\u0073\\u0073\\u0020\\u0077\\u002f\\u0072\\u0064",
        "\\u0070\\u0022\\u0073\\u0073\\u0020\\u0077\\u002F\\u0072\\u0064",
    ] {
        assert!(forms.contains(form), "{form}: {forms:?}");
    }
    assert!(of("ghp_abcdefghijklmnopqrstuvwxyz").contains("defghijklmnopqrstuvwxyz"));
    assert_eq!(of(&"k".repeat(300)).len(), 1);
    assert!(of("").is_empty());
}

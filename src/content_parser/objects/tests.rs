//! Objects among other text, whole and broken, compared with a slow way.

use super::*;

fn whole(text: &str) -> Vec<&str> {
    find(text).whole.into_iter().map(|span| &text[span]).collect()
}

#[test]
fn objects_are_found_among_prose_and_read_whole() {
    assert_eq!(
        whole(r#"結果: {"a": {"b": [1, {"c": "}"}]}}。 and {"d": "x\"{"} {}"#),
        [r#"{"a": {"b": [1, {"c": "}"}]}}"#, r#"{"d": "x\"{"}"#]
    );
}

#[test]
fn a_brace_or_quote_that_is_never_closed_hides_nothing() {
    for before in
        ["{", "{ \"", "{ \"unclosed … ", "{\"a\": ", "{\"a\": [\"", "{\"a\": {\"b\": \"c", "\"", "{'", "{{{{"]
    {
        let text = format!("{before} {{\"result\": \"FAIL\"}}");
        assert_eq!(whole(&text), ["{\"result\": \"FAIL\"}"], "{before}");
    }
}

#[test]
fn what_a_failed_read_had_closed_is_kept() {
    assert_eq!(
        whole(r#"{"a": {"x": {"y": 1}}, "b": [{"z": 2}], oops"#),
        [r#"{"x": {"y": 1}}"#, r#"{"z": 2}"#]
    );
}

#[test]
fn an_object_that_breaks_off_after_its_verdict_is_told() {
    let text = r#"{"result": "FAIL", "findings": ["#;
    assert_eq!(find(text).broken, [Broken { word: Some(12..16), end: text.len() }]);
    assert_eq!(find(r#"{"Decision": PASS}"#).broken, [Broken { word: None, end: 17 }]);
    assert_eq!(find(r#"{"other": "FAIL", "#).broken, []);
}

#[test]
fn scalars_are_those_of_json() {
    for good in ["true", "null", "0", "-1.5e+10", "10", "1E5", "0.25"] {
        assert_eq!(whole(&format!("{{\"a\":{good}}}")).len(), 1, "{good}");
    }
    for bad in ["yes", "01", "1.", "-", "1e", ".5", "+1", "1e+", "1x"] {
        assert_eq!(whole(&format!("{{\"a\":{bad}}}")).len(), 0, "{bad}");
    }
}

#[test]
fn shapes_that_are_no_json_are_not_found() {
    for bad in
        ["{\"a\" 1}", "{\"a\":1,}", "{\"a\":[1,]}", "{\"a\":]}", "{,}", "{\"a\":\"\\x\"}", "{\"a\":[}]"]
    {
        assert_eq!(whole(bad).len(), 0, "{bad}");
    }
}

#[test]
fn nesting_beyond_reason_ends_the_read_but_not_the_search() {
    let deep = format!("{}{{\"result\": \"FAIL\"}}", "{\"a\":".repeat(1_000_000));
    assert_eq!(whole(&deep), ["{\"result\": \"FAIL\"}"]);
    assert_eq!(find(&"{".repeat(1_000_000)), Objects::default());
}

#[test]
fn too_many_objects_are_told() {
    assert!(find(&"{\"a\":1}".repeat(MOST + 1)).crowded);
    assert!(find(&"{\"result\":1 ".repeat(MOST + 1)).crowded);
    assert!(find(&format!("{{\"a\":[{}", "{\"a\":1},".repeat(MOST + 2))).crowded);
}

/// The slow way: every object that a JSON library reads from some brace.
fn slowly(text: &str) -> Vec<Range<usize>> {
    let from = |(start, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<serde_json::Value>();
        let value = values.next()?.ok()?;
        let filled = value.as_object().is_some_and(|fields| !fields.is_empty());
        filled.then(|| start..start + values.byte_offset())
    };
    text.match_indices('{').filter_map(from).collect()
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 3_000, ..Default::default() })]

    #[test]
    fn no_object_is_missed_and_none_is_invented(
        pieces in proptest::collection::vec(
            proptest::sample::select(vec![
                "{", "}", "\"", "\\", ":", ",", "[", "]", " ", "a", "1", "true", "\"a\"", "\"a\":", "{\"a\":", "{\"b\": 1}",
                "\"x{\"", "{\"", "\"}", "\\\"", "{}", "[{\"c\":\"}\"}]", "é", "\"{\\\"\"",
            ]),
            0..30,
        )
    ) {
        let text = pieces.concat();
        let found = find(&text).whole;
        let slow = slowly(&text);
        for object in &slow {
            let covered = found.iter().any(|span| span.start <= object.start && object.end <= span.end);
            proptest::prop_assert!(covered, "{text}: {}", &text[object.clone()]);
        }
        for span in &found {
            proptest::prop_assert!(slow.contains(span), "{text}: {}", &text[span.clone()]);
        }
    }
}

//! Tests of `variables`.

use super::*;

const KEY: &str = "checks.protected";

fn flag(text: &str) -> Result<Value, ConfigError> {
    let layer = read_flags(&BTreeMap::from([(KEY.to_owned(), text.to_owned())]))?;
    Ok(layer.values["checks"]["protected"].clone())
}

fn variable(text: &str) -> Result<Value, ConfigError> {
    let name = "AI_WORKFLOW_CHECKS__PROTECTED".to_owned();
    let layer = read(&BTreeMap::from([(name, text.to_owned())]), &Table::new())?;
    Ok(layer.values["checks"]["protected"].clone())
}

#[test]
fn list_values_are_comma_separated_or_toml() {
    for (text, items) in [
        ("A.md, B.md", &["A.md", "B.md"][..]),
        (" [\"A.md\"]", &["A.md"]),
        ("['A.md', 'B,C.md'] ", &["A.md", "B,C.md"]),
        ("[]", &[]),
    ] {
        let list = Value::from(items.to_vec());
        assert_eq!((flag(text), variable(text)), (Ok(list.clone()), Ok(list)), "{text}");
    }
}

#[test]
fn malformed_list_value_is_refused_with_its_source() {
    for text in ["[A.md]", "[\"A.md\"", "[ab]*.md", "[]\nother = 1", "[] x"] {
        for (told, place) in [
            (flag(text), "flag --set checks.protected"),
            (variable(text), "variable AI_WORKFLOW_CHECKS__PROTECTED"),
        ] {
            let told = told.expect_err(text).to_string();
            let start = format!("{place}: `{KEY}` begins with `[` but is not a list in TOML");
            assert!(told.starts_with(&start) && !told.contains('\n'), "{told}");
        }
    }
    let told = flag("[1]").expect_err("no text").to_string();
    assert!(told.contains("has to be a text, not 1"), "{told}");
}

#[test]
fn text_value_may_begin_with_a_bracket() {
    let layer = read_flags(&BTreeMap::from([("language".to_owned(), "[x]".to_owned())]));
    assert_eq!(layer.expect("a text").values["language"], Value::from("[x]"));
}

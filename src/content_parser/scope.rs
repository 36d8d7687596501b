//! Reads the boundary that a plan sets for the phases after it: `{"scope": {"paths": […], "max_files": 20, "max_lines": 800}}`.
//! The last one counts. One that cannot be read is an error and never "no boundary"; other objects with a key `scope`
//! (a token's, say) are none.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::objects;
use super::strict::{self, Budget};

/// What later phases may change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Paths, folders and patterns; all, when nothing is said.
    pub paths: Option<Vec<String>>,
    /// The most files that may change.
    pub max_files: Option<u64>,
    /// Lines added.
    pub max_lines: Option<u64>,
}

const KEYS: [&str; 3] = ["paths", "max_files", "max_lines"];

/// Where a boundary begins, readable or not.
static BEGINNING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\{\s*"scope"\s*:\s*\{\s*"(?:paths|max_files|max_lines)""#)
        .expect("the pattern is a constant")
});

/// Reads the last boundary of a plan; the error says why it cannot be read.
pub fn read_scope(text: &str) -> Result<Option<Scope>, String> {
    let found = objects::find(text);
    if found.crowded {
        return Err("the plan holds too many objects to read".to_owned());
    }
    let budget = Budget::default();
    let mut scope = None;
    let mut read_to = 0;
    for span in found.whole {
        let begins = BEGINNING.is_match(&text[span.clone()]);
        match strict::object(&text[span.clone()], &budget) {
            Some(fields) => {
                if let Some(stated) =
                    fields.get("scope").and_then(Value::as_object).filter(|stated| is_boundary(stated))
                {
                    scope = Some(boundary(stated)?);
                }
            }
            None if begins => {
                return Err("the scope is no JSON object that can be read, or has a key twice".to_owned());
            }
            None => {}
        }
        broken(&text[read_to..span.start])?;
        read_to = span.end;
    }
    broken(&text[read_to..])?;
    Ok(scope)
}

/// Refuses a boundary that began and is no object.
fn broken(between: &str) -> Result<(), String> {
    if BEGINNING.is_match(between) {
        Err("the scope is no JSON: it breaks off or is written wrongly".to_owned())
    } else {
        Ok(())
    }
}

fn is_boundary(stated: &Map<String, Value>) -> bool {
    KEYS.iter().any(|key| stated.contains_key(*key))
}

fn boundary(stated: &Map<String, Value>) -> Result<Scope, String> {
    if let Some(unknown) = stated.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!(
            "the scope has an unknown key `{unknown}`; there are paths, max_files and max_lines"
        ));
    }
    let paths = stated.get("paths").map(paths).transpose()?;
    Ok(Scope { paths, max_files: number(stated, "max_files")?, max_lines: number(stated, "max_lines")? })
}

fn paths(value: &Value) -> Result<Vec<String>, String> {
    let listed = value.as_array().ok_or("`paths` is no list")?;
    let paths: Option<Vec<String>> = listed.iter().map(|path| path.as_str().map(cleaned)).collect();
    let paths = paths.ok_or("`paths` holds something that is no text")?;
    if paths.is_empty() {
        return Err("`paths` is empty, so nothing could be changed".to_owned());
    }
    match paths.iter().find(|path| is_outside(path)) {
        Some(path) => Err(format!("`paths` has `{path}`, which is no path inside the repository")),
        None => Ok(paths),
    }
}

fn cleaned(path: &str) -> String {
    let path = path.trim();
    if matches!(path, "." | "./") { "**".to_owned() } else { path.to_owned() }
}

fn is_outside(path: &str) -> bool {
    path.is_empty() || path.starts_with(['/', '~', '\\']) || path.split('/').any(|part| part == "..")
}

fn number(stated: &Map<String, Value>, key: &str) -> Result<Option<u64>, String> {
    let Some(value) = stated.get(key) else { return Ok(None) };
    let number = value.as_u64().filter(|number| *number > 0);
    number.map(Some).ok_or_else(|| format!("`{key}` is no whole number above 0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_scope_of_a_plan_counts() {
        let text = "# Plan\n{\"scope\": {\"paths\": [\"old/\"]}}\ntext\n```json\n{\"scope\": {\"paths\": [\"src/**\", \".\"], \"max_files\": 20}}\n```\n";
        let expected =
            Scope { paths: Some(vec!["src/**".into(), "**".into()]), max_files: Some(20), max_lines: None };
        assert_eq!(read_scope(text), Ok(Some(expected)));
    }

    #[test]
    fn what_is_no_boundary_sets_none() {
        for text in [
            "",
            "the scope is small",
            r#"{"scope": "read:user"}"#,
            r#"{"scope": {"name": "global"}}"#,
            r#"in code: `{"scope": "x"`"#,
        ] {
            assert_eq!(read_scope(text), Ok(None), "{text}");
        }
    }

    #[test]
    fn a_boundary_that_cannot_be_read_or_contradicts_itself_is_an_error() {
        for (text, part) in [
            (r#"{"scope": {"paths": ["src/**"], "max_files": 20"#, "no JSON"),
            (r#"{"scope": {"paths": ["src/**",]}}"#, "no JSON"),
            (r#"{"scope": {"paths": ["a"], "paths": ["b"]}}"#, "twice"),
            (r#"{"scope": {"paths": []}}"#, "empty"),
            (r#"{"scope": {"paths": "src"}}"#, "no list"),
            (r#"{"scope": {"paths": [1]}}"#, "no text"),
            (r#"{"scope": {"paths": ["../x"]}}"#, "`../x`"),
            (r#"{"scope": {"paths": ["/etc"]}}"#, "`/etc`"),
            (r#"{"scope": {"max_files": 0}}"#, "max_files"),
            (r#"{"scope": {"max_lines": "many"}}"#, "max_lines"),
            (r#"{"scope": {"max_lines": 5, "except": ["a"]}}"#, "`except`"),
        ] {
            let error = read_scope(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}

//! Reads the boundary that a plan sets for the phases after it: `{"scope": {"paths": […], "max_files": 20, "max_lines": 800}}`.
//! The last one counts. One that cannot be read is an error and never "no boundary"; other objects with a key `scope`
//! (a token's, say) are none.

use std::sync::LazyLock;

use content_parser::split_objects;
use regex::Regex;
use serde_json::{Map, Value};

/// What later phases may change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Scope {
    /// Paths, folders and patterns; all, when nothing is said.
    pub paths: Option<Vec<String>>,
    /// The most files that may change.
    pub max_files: Option<u64>,
    /// Lines added.
    pub max_lines: Option<u64>,
}

const KEYS: [&str; 3] = ["paths", "max_files", "max_lines"];

pattern!(
    /// Where a boundary begins, readable or not.
    BEGINNING,
    r#"\{\s*"scope"\s*:\s*\{\s*"(?:paths|max_files|max_lines)""#
);

/// Reads the last boundary of a plan; the error says why it cannot be read.
pub(super) fn read_scope(text: &str) -> Result<Option<Scope>, String> {
    let (objects, rest) = split_objects(text).ok_or("the plan holds too many objects to read")?;
    let mut scope = None;
    for (object, fields) in &objects {
        if fields.is_none() && BEGINNING.is_match(object) {
            return Err("the scope is no JSON object that can be read, or has a key twice".to_owned());
        }
        let stated = fields.as_ref().and_then(|fields| fields.get("scope")?.as_object());
        if let Some(stated) = stated
            && KEYS.iter().any(|key| stated.contains_key(*key))
        {
            scope = Some(boundary(stated)?);
        }
    }
    if BEGINNING.is_match(&rest) {
        return Err("the scope is no JSON: it breaks off or is written wrongly".to_owned());
    }
    Ok(scope)
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
    let is_outside = |path: &&String| {
        path.is_empty() || path.starts_with(['/', '~', '\\']) || path.split('/').any(|part| part == "..")
    };
    match paths.iter().find(is_outside) {
        Some(path) => Err(format!("`paths` has `{path}`, which is no path inside the repository")),
        None => Ok(paths),
    }
}

fn cleaned(path: &str) -> String {
    let path = path.trim();
    if matches!(path, "." | "./") { "**".to_owned() } else { path.to_owned() }
}

fn number(stated: &Map<String, Value>, key: &str) -> Result<Option<u64>, String> {
    let Some(value) = stated.get(key) else { return Ok(None) };
    let number = value.as_u64().filter(|number| *number > 0);
    number.map(Some).ok_or_else(|| format!("`{key}` is no whole number above 0"))
}

#[cfg(test)]
mod tests;

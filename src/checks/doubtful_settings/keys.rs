//! The keys of a file of settings, each with its value, as `tool.pytest.ini_options.addopts`.

use std::collections::BTreeMap;

use serde_json::Value;

/// Returns the keys of JSON, TOML or INI; none where the text is not read.
pub(super) fn of(path: &str, text: &str) -> Option<BTreeMap<String, String>> {
    let ending = path.rsplit('.').next().unwrap_or_default();
    let value = match ending {
        "json" | "jsonc" => serde_json::from_str::<Value>(&without_comments(text)).ok()?,
        "toml" => toml::from_str::<Value>(text).ok()?,
        _ => return Some(of_sections(text)),
    };
    let mut keys = BTreeMap::new();
    flatten("", &value, &mut keys);
    Some(keys)
}

/// `tsconfig.json` may have comments, each on a line of its own.
fn without_comments(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn flatten(front: &str, value: &Value, keys: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(inner) => {
            for (key, value) in inner {
                let dot = if front.is_empty() { "" } else { "." };
                flatten(&format!("{front}{dot}{key}"), value, keys);
            }
        }
        other => {
            keys.insert(front.to_owned(), other.to_string());
        }
    }
}

/// A value may go on in lines that are indented.
fn of_sections(text: &str) -> BTreeMap<String, String> {
    let (mut section, mut key) = (String::new(), String::new());
    let mut keys: BTreeMap<String, String> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with(['#', ';'])) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            name.clone_into(&mut section);
        } else if line.starts_with([' ', '\t']) {
            *keys.entry(key.clone()).or_default() += line.trim();
        } else if let Some((name, value)) = line.split_once(['=', ':']) {
            key = format!("{section}.{}", name.trim());
            keys.insert(key.clone(), value.trim().to_owned());
        }
    }
    keys
}

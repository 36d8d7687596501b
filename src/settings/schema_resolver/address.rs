//! Where a schema stands: a file below the folder of schemas, and the way to it inside. Reads nothing.

use std::fmt;

use serde_json::Value;

use super::SchemaError;

/// Lists of schemas, which are none themselves.
const LISTS: [&str; 3] = ["$defs", "definitions", "properties"];

/// A schema's file and its pointer, without `#`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) file: String,
    pointer: String,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.file, self.pointer)
    }
}

impl Address {
    /// Finds what a pointer or a name means in a file: the whole of it, a place, a name at the top or among definitions.
    pub(super) fn find<'d>(
        file: String,
        name: &str,
        document: &'d Value,
    ) -> Result<(Self, &'d Value), SchemaError> {
        refuse_malformed(&file, name)?;
        let pointer = match name.strip_prefix('#').unwrap_or(name) {
            "" => Some(String::new()),
            pointer if pointer.starts_with('/') => Some(pointer.to_owned()),
            bare => named(bare, document),
        };
        let found = pointer.and_then(|pointer| Some((document.pointer(&pointer)?, pointer)));
        let Some((schema, pointer)) = found else {
            return Err(SchemaError::Missing { file, name: name.to_owned() });
        };
        Ok((Self { file, pointer }, schema))
    }
}

fn refuse_malformed(file: &str, name: &str) -> Result<(), SchemaError> {
    let why = match name {
        _ if name.contains("##") => "it has a `#` too many",
        _ if name.contains("//") => "a part between slashes is empty",
        _ if LISTS.contains(&name) => "it is a list of schemas; name one of them",
        _ => return Ok(()),
    };
    Err(SchemaError::Malformed { file: file.to_owned(), name: name.to_owned(), why })
}

fn named(name: &str, document: &Value) -> Option<String> {
    let name = name.replace('~', "~0").replace('/', "~1");
    let places = ["", "/$defs", "/definitions"].map(|list| format!("{list}/{name}"));
    places.into_iter().find(|pointer| document.pointer(pointer).is_some_and(Value::is_object))
}

/// Returns the path of a file that another one names, below the folder of both.
pub(super) fn beside(from: &str, file: &str) -> Result<String, SchemaError> {
    let outside = || SchemaError::Outside {
        file: if from.is_empty() { file.to_owned() } else { from.to_owned() },
        target: file.to_owned(),
    };
    if file.starts_with('/') || file.contains([':', '\\']) {
        return Err(outside());
    }
    let mut parts: Vec<&str> =
        from.rsplit_once('/').map_or(Vec::new(), |(folder, _)| folder.split('/').collect());
    for part in file.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop().ok_or_else(outside)?),
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_is_looked_for_at_the_top_and_among_definitions() {
        let document = json!({"a.b": {"x": 1}, "$defs": {"c/d": {}}, "definitions": {"e": {}}, "n": 3});
        let find =
            |name: &str| Address::find("f".into(), name, &document).map(|(address, _)| address.to_string());
        assert_eq!(find("a.b").as_deref(), Ok("f#/a.b"));
        assert_eq!(find("c/d").as_deref(), Ok("f#/$defs/c~1d"));
        assert_eq!(find("e").as_deref(), Ok("f#/definitions/e"));
        assert_eq!(find("#").as_deref(), Ok("f#"));
        for name in ["n", "z", "##/a.b", "#//a.b", "$defs"] {
            assert!(find(name).is_err(), "{name}");
        }
    }

    #[test]
    fn paths_stay_below_the_folder() {
        assert_eq!(beside("s/a.json", "b.json").as_deref(), Ok("s/b.json"));
        assert_eq!(beside("s/a.json", "../b.json").as_deref(), Ok("b.json"));
        assert_eq!(beside("", "./s//b.json").as_deref(), Ok("s/b.json"));
        for path in ["../b.json", "/b.json", "file:///b.json", "c:\\b.json"] {
            assert!(beside("a.json", path).is_err(), "{path}");
        }
    }
}

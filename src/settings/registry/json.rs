//! JSON that a person wrote: typed looks at its values, each error with file, line and path. The lines of the keys come from
//! a walk over the text; it also finds a key that stands twice in one object, which `serde_json` does not tell.
//! Knows no key by name; which keys there are is said by those who read.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::error::{ConfigError, Place, suggestion};

/// Separates the names in a pointer; no name that a person writes holds it.
const BETWEEN: char = '\0';

/// A file of JSON with the lines of its keys.
#[derive(Debug)]
pub(super) struct Document<'t> {
    file: &'t str,
    lines: Lines,
    value: Value,
}

impl<'t> Document<'t> {
    /// Reads a text; `file` is its name for messages.
    pub(super) fn read(file: &'t str, text: &str) -> Result<Self, ConfigError> {
        let value = serde_json::from_str(text).map_err(|error| {
            let place = Place::File { name: file.to_owned(), line: error.line().max(1) };
            ConfigError::NotJson { place, message: without_place(&error) }
        })?;
        let lines = Lines::of(text);
        if let Some((pointer, line)) = &lines.twice {
            let place = Place::File { name: file.to_owned(), line: *line };
            return Err(ConfigError::Contradiction {
                place,
                key: readable(pointer),
                what: "stands twice in the same object".into(),
            });
        }
        Ok(Self { file, lines, value })
    }

    /// Returns the whole of it.
    pub(super) fn root(&self) -> Node<'_> {
        Node { document: self, pointer: String::new(), value: &self.value }
    }
}

/// `serde_json` puts the place behind its message; we put it in front.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.split(" at line ").next().unwrap_or_default().to_owned()
}

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Node<'a> {
    document: &'a Document<'a>,
    pointer: String,
    value: &'a Value,
}

/// The fields of an object, all of them known.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    node: Node<'a>,
    map: &'a Map<String, Value>,
}

impl<'a> Node<'a> {
    /// Returns where it stands.
    pub(super) fn place(&self) -> Place {
        Place::File { name: self.document.file.to_owned(), line: self.document.lines.line(&self.pointer) }
    }

    fn key(&self) -> String {
        if self.pointer.is_empty() { "the file".to_owned() } else { readable(&self.pointer) }
    }

    /// Makes the error that says what is wrong with it.
    pub(super) fn wrong(&self, what: impl Into<String>) -> ConfigError {
        ConfigError::Contradiction { place: self.place(), key: self.key(), what: what.into() }
    }

    fn not(&self, expected: &str) -> ConfigError {
        let (place, key) = (self.place(), self.key());
        ConfigError::WrongType { place, key, expected: expected.to_owned(), found: found(self.value) }
    }

    fn inner(&self, key: &str, value: &'a Value) -> Self {
        Self { document: self.document, pointer: inside(&self.pointer, key), value }
    }

    fn map(&self) -> Result<&'a Map<String, Value>, ConfigError> {
        self.value.as_object().ok_or_else(|| self.not("an object"))
    }

    /// Returns the fields of an object that may have these keys only; `known` names them with spaces between. `later` gives
    /// hints for keys of other versions.
    pub(super) fn fields(
        &self,
        known: &str,
        later: fn(&str) -> Option<&'static str>,
    ) -> Result<Fields<'a>, ConfigError> {
        let map = self.map()?;
        let Some((key, value)) = map.iter().find(|(key, _)| known.split(' ').all(|word| word != *key)) else {
            return Ok(Fields { node: self.clone(), map });
        };
        let node = self.inner(key, value);
        let hint = suggestion(key, known.split(' ')).map(str::to_owned);
        match later(key) {
            Some(what) => Err(node.wrong(what)),
            None => Err(ConfigError::UnknownKey { place: node.place(), key: node.key(), hint }),
        }
    }

    /// Returns the entries of an object whose keys are names.
    pub(super) fn entries(&self) -> Result<Vec<(&'a str, Self)>, ConfigError> {
        Ok(self.map()?.iter().map(|(key, value)| (key.as_str(), self.inner(key, value))).collect())
    }

    /// Returns the items of a list.
    pub(super) fn items(&self) -> Result<Vec<Self>, ConfigError> {
        let items = self.value.as_array().ok_or_else(|| self.not("a list"))?;
        Ok(items.iter().enumerate().map(|(index, item)| self.inner(&format!("[{index}]"), item)).collect())
    }

    /// Returns a text that says something.
    pub(super) fn text(&self) -> Result<&'a str, ConfigError> {
        let text = self.value.as_str().ok_or_else(|| self.not("a text"))?;
        if text.trim().is_empty() { Err(self.wrong("is empty")) } else { Ok(text) }
    }

    /// Returns the texts of a list.
    pub(super) fn texts(&self) -> Result<Vec<String>, ConfigError> {
        self.items()?.iter().map(|item| item.text().map(str::to_owned)).collect()
    }

    /// Returns one of these words.
    pub(super) fn word(&self, words: &[&str]) -> Result<&'a str, ConfigError> {
        let known = self.value.as_str().filter(|word| words.contains(word));
        known.ok_or_else(|| self.not(&format!("one of {}", words.join(", "))))
    }

    /// Returns a whole number, 0 or more.
    pub(super) fn whole(&self) -> Result<u64, ConfigError> {
        self.value.as_u64().ok_or_else(|| self.not("a whole number, 0 or more"))
    }

    /// Returns a whole number from 1.
    pub(super) fn count(&self) -> Result<u32, ConfigError> {
        let number = u32::try_from(self.whole()?).map_err(|_| self.wrong("is too much"))?;
        if number == 0 { Err(self.wrong("has to be 1 or more")) } else { Ok(number) }
    }

    /// Returns true or false.
    pub(super) fn truth(&self) -> Result<bool, ConfigError> {
        self.value.as_bool().ok_or_else(|| self.not("true or false"))
    }

    /// Returns the value as it stands.
    pub(super) fn value(&self) -> &'a Value {
        self.value
    }
}

impl<'a> Fields<'a> {
    /// Returns the object itself.
    pub(super) fn node(&self) -> &Node<'a> {
        &self.node
    }

    /// Returns a field that may be missing.
    pub(super) fn get(&self, key: &str) -> Option<Node<'a>> {
        self.map.get(key).map(|value| self.node.inner(key, value))
    }

    /// Returns a field that has to be there.
    pub(super) fn need(&self, key: &str) -> Result<Node<'a>, ConfigError> {
        self.get(key).ok_or_else(|| {
            let key = readable(&inside(&self.node.pointer, key));
            ConfigError::Missing { place: self.node.place(), key }
        })
    }

    /// Reads a field that may be missing.
    pub(super) fn optional<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Node<'a>) -> Result<T, ConfigError>,
    ) -> Result<Option<T>, ConfigError> {
        match self.get(key) {
            Some(node) => read(&node).map(Some),
            None => Ok(None),
        }
    }

    /// Returns a text that may be missing.
    pub(super) fn text(&self, key: &str) -> Result<Option<String>, ConfigError> {
        Ok(self.optional(key, Node::text)?.map(str::to_owned))
    }
}

fn found(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        plain => plain.to_string(),
    }
}

/// Where the keys of a text stand.
#[derive(Debug, Default)]
struct Lines {
    by_pointer: BTreeMap<String, usize>,
    /// The first key that its object has already, and its line.
    twice: Option<(String, usize)>,
}

impl Lines {
    /// Reads where the keys of a text stand.
    fn of(text: &str) -> Self {
        let mut walk = Walk { text, at: 0, line: 1, lines: Self::default() };
        walk.value("");
        walk.lines
    }

    /// Returns the line of a value: of its key, or of the nearest one around it.
    fn line(&self, pointer: &str) -> usize {
        let mut pointer = pointer;
        loop {
            if let Some(line) = self.by_pointer.get(pointer) {
                return *line;
            }
            match pointer.rsplit_once(BETWEEN) {
                Some((around, _)) => pointer = around,
                None => return 1,
            }
        }
    }
}

/// Returns the pointer of a key inside a value.
fn inside(pointer: &str, key: &str) -> String {
    format!("{pointer}{BETWEEN}{key}")
}

/// Returns a pointer as people write it: `validators.tests-pass.command`, `conditions[0]`.
fn readable(pointer: &str) -> String {
    let names = pointer.split(BETWEEN).filter(|name| !name.is_empty());
    names.fold(String::new(), |text, name| match (text.is_empty(), name.starts_with('[')) {
        (true, _) | (_, true) => text + name,
        (false, false) => text + "." + name,
    })
}

struct Walk<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    lines: Lines,
}

impl Walk<'_> {
    fn next(&mut self) -> Option<u8> {
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            if !byte.is_ascii_whitespace() {
                return Some(*byte);
            }
            self.line += usize::from(*byte == b'\n');
            self.at += 1;
        }
        None
    }

    fn value(&mut self, pointer: &str) {
        match self.next() {
            Some(b'{') => self.object(pointer),
            Some(b'[') => self.array(pointer),
            Some(b'"') => drop(self.string()),
            _ => self.plain(),
        }
    }

    fn object(&mut self, pointer: &str) {
        self.at += 1;
        while self.next() == Some(b'"') {
            let line = self.line;
            let key = inside(pointer, &self.string());
            if self.lines.by_pointer.insert(key.clone(), line).is_some() && self.lines.twice.is_none() {
                self.lines.twice = Some((key.clone(), line));
            }
            self.skip(b':');
            self.value(&key);
            self.skip(b',');
        }
        self.skip(b'}');
    }

    fn array(&mut self, pointer: &str) {
        self.at += 1;
        let mut index = 0;
        while self.next().is_some_and(|byte| byte != b']') {
            let item = inside(pointer, &format!("[{index}]"));
            self.lines.by_pointer.insert(item.clone(), self.line);
            self.value(&item);
            self.skip(b',');
            index += 1;
        }
        self.skip(b']');
    }

    fn skip(&mut self, wanted: u8) {
        if self.next() == Some(wanted) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> String {
        let from = self.at;
        self.at += 1;
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            self.at += if *byte == b'\\' { 2 } else { 1 };
            if *byte == b'"' {
                break;
            }
        }
        let written = self.text.get(from..self.at).unwrap_or_default();
        serde_json::from_str(written).unwrap_or_default()
    }

    fn plain(&mut self) {
        let rest = &self.text.as_bytes()[self.at.min(self.text.len())..];
        let length = rest.iter().position(|byte| b",]} \t\r\n".contains(byte)).unwrap_or(rest.len());
        // A walk over what is no JSON ends, too.
        self.at += length.max(1);
    }
}

#[cfg(test)]
mod tests;

//! JSON that a person wrote: typed looks at its values, each error with file, line and path. The lines of the keys come from
//! a walk over the text; it also finds a duplicate key of an object, which `serde_json` does not report.
//! Knows no key by name; which keys there are is said by those who read.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::error::{ConfigError, Origin, nearest, suggestion};
use crate::schema::no_setting;

/// Separates the names in a pointer; no name that a person writes holds it.
const BETWEEN: char = '\0';

/// A file of JSON with the lines of its keys.
#[derive(Debug)]
pub(super) struct JsonDocument<'t> {
    file: &'t str,
    lines: KeyLines,
    value: Value,
}

impl<'t> JsonDocument<'t> {
    /// Reads a text; `file` is its name for messages.
    pub(super) fn read(file: &'t str, text: &str) -> Result<Self, ConfigError> {
        let place = |line| Origin::File { name: file.to_owned(), line };
        let value = serde_json::from_str(text).map_err(|error| ConfigError::Syntax {
            place: place(error.line().max(1)),
            language: "JSON",
            message: without_place(&error),
        })?;
        let lines = KeyLines::of(text);
        if let Some((pointer, line)) = &lines.twice {
            let what = "stands twice in the same object".to_owned();
            return Err(ConfigError::Contradiction {
                place: place(*line),
                key: display_pointer(pointer),
                what,
            });
        }
        Ok(Self { file, lines, value })
    }

    /// Returns the whole of it.
    pub(super) fn root(&self) -> JsonNode<'_> {
        JsonNode { document: self, pointer: String::new(), value: &self.value }
    }
}

/// `serde_json` puts the place behind its message; we put it in front.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.split(" at line ").next().unwrap_or_default().to_owned()
}

/// A value with its place in the file.
#[derive(Debug, Clone)]
pub(super) struct JsonNode<'a> {
    document: &'a JsonDocument<'a>,
    pointer: String,
    pub(super) value: &'a Value,
}

/// Keys that later versions of a file have, with spaces between, and what is said of them.
pub(super) type UnsupportedKeys = [(&'static str, &'static str)];

impl<'a> JsonNode<'a> {
    /// Returns its place in the file.
    pub(super) fn place(&self) -> Origin {
        Origin::File { name: self.document.file.to_owned(), line: self.document.lines.line(&self.pointer) }
    }

    fn key(&self) -> String {
        if self.pointer.is_empty() { "the file".to_owned() } else { display_pointer(&self.pointer) }
    }

    /// Makes the error that says what is wrong with it.
    pub(super) fn error_at(&self, what: impl Into<String>) -> ConfigError {
        ConfigError::Contradiction { place: self.place(), key: self.key(), what: what.into() }
    }

    fn expected_error(&self, expected: &str) -> ConfigError {
        self.unfit_error(self.key(), format!("has to be {expected}, not {}", describe_found(self.value)))
    }

    fn unfit_error(&self, key: String, what: String) -> ConfigError {
        ConfigError::Unfit { place: self.place(), key, what }
    }

    fn inner(&self, key: &str, value: &'a Value) -> Self {
        Self { document: self.document, pointer: join_pointer(&self.pointer, key), value }
    }

    /// Returns an object.
    pub(super) fn map(&self) -> Result<&'a Map<String, Value>, ConfigError> {
        self.value.as_object().ok_or_else(|| self.expected_error("an object"))
    }

    /// Checks that it is an object with no other keys than these; `known` names them with spaces between.
    pub(super) fn only(&self, known: &str, later: &UnsupportedKeys) -> Result<Self, ConfigError> {
        let is_unknown = |key: &String| known.split(' ').all(|word| word != key);
        let Some((key, value)) = self.map()?.iter().find(|(key, _)| is_unknown(key)) else {
            return Ok(self.clone());
        };
        let node = self.inner(key, value);
        match later.iter().find(|(keys, _)| keys.split(' ').any(|later| later == key)) {
            Some((_, what)) => Err(node.error_at(*what)),
            None => Err(node.unfit_error(node.key(), no_setting(suggestion(key, known.split(' '))))),
        }
    }

    /// Reads the entries of an object whose keys are names.
    pub(super) fn map_of<T>(
        &self,
        read: impl Fn(&str, &Self) -> Result<T, ConfigError>,
    ) -> Result<BTreeMap<String, T>, ConfigError> {
        let entries = self.map()?.iter();
        entries.map(|(name, value)| Ok((name.clone(), read(name, &self.inner(name, value))?))).collect()
    }

    /// Returns the items of a list.
    pub(super) fn items(&self) -> Result<Vec<Self>, ConfigError> {
        let items = self.value.as_array().ok_or_else(|| self.expected_error("a list"))?;
        Ok(items.iter().enumerate().map(|(index, item)| self.inner(&format!("[{index}]"), item)).collect())
    }

    /// Returns a text that says something.
    pub(super) fn text(&self) -> Result<&'a str, ConfigError> {
        let text = self.value.as_str().ok_or_else(|| self.expected_error("a text"))?;
        if text.trim().is_empty() { Err(self.error_at("is empty")) } else { Ok(text) }
    }

    /// Returns the texts of a list.
    pub(super) fn texts(&self) -> Result<Vec<String>, ConfigError> {
        self.items()?.iter().map(|item| item.text().map(str::to_owned)).collect()
    }

    /// Returns one of these words.
    pub(super) fn word(&self, words: &[&str]) -> Result<&'a str, ConfigError> {
        let known = self.value.as_str().filter(|word| words.contains(word));
        known.ok_or_else(|| self.expected_error(&format!("one of {}", words.join(", "))))
    }

    /// Returns a whole number, 0 or more.
    pub(super) fn whole(&self) -> Result<u64, ConfigError> {
        self.value.as_u64().ok_or_else(|| self.expected_error("a whole number, 0 or more"))
    }

    /// Returns a whole number from 1.
    pub(super) fn count(&self) -> Result<u32, ConfigError> {
        let number = u32::try_from(self.whole()?).map_err(|_| self.error_at("is too much"))?;
        if number == 0 { Err(self.error_at("has to be 1 or more")) } else { Ok(number) }
    }

    /// Returns true or false.
    pub(super) fn truth(&self) -> Result<bool, ConfigError> {
        self.value.as_bool().ok_or_else(|| self.expected_error("true or false"))
    }

    /// Returns a field that may be missing.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        self.value.get(key).map(|value| self.inner(key, value))
    }

    /// Returns a field that has to be there.
    pub(super) fn need(&self, key: &str) -> Result<Self, ConfigError> {
        let missing =
            || self.unfit_error(display_pointer(&join_pointer(&self.pointer, key)), "is missing".to_owned());
        self.get(key).ok_or_else(missing)
    }

    /// Returns a field that has to be there where it is needed.
    pub(super) fn need_if(&self, is_needed: bool, key: &str) -> Result<Option<Self>, ConfigError> {
        if is_needed { self.need(key).map(Some) } else { Ok(self.get(key)) }
    }

    /// Refuses a field that means nothing here.
    pub(super) fn refuse(&self, key: &str, what: &str) -> Result<(), ConfigError> {
        self.get(key).map_or(Ok(()), |node| Err(node.error_at(what)))
    }

    /// Reads a field that may be missing.
    pub(super) fn optional<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Self) -> Result<T, ConfigError>,
    ) -> Result<Option<T>, ConfigError> {
        self.get(key).as_ref().map(read).transpose()
    }

    /// Returns a text that may be missing.
    pub(super) fn optional_text(&self, key: &str) -> Result<Option<String>, ConfigError> {
        Ok(self.optional(key, Self::text)?.map(str::to_owned))
    }
}

fn describe_found(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        plain => plain.to_string(),
    }
}

/// Where the keys of a text stand.
#[derive(Debug, Default)]
struct KeyLines {
    by_pointer: BTreeMap<String, usize>,
    /// The first key that its object has already, and its line.
    twice: Option<(String, usize)>,
}

/// The tokens of a text that are left, each with its line.
type Tokens<'a, 't> = &'a mut dyn Iterator<Item = (&'t str, usize)>;

impl KeyLines {
    /// Reads where the keys of a text stand.
    fn of(text: &str) -> Self {
        let (mut at, mut line) = (0, 1);
        let mut tokens = TOKEN.find_iter(text).map(|token| {
            line += text[at..token.start()].matches('\n').count();
            at = token.start();
            (token.as_str(), line)
        });
        let mut lines = Self::default();
        lines.read_value("", &mut tokens);
        lines
    }

    /// Returns the line of a value: of its key, or of the nearest one around it.
    fn line(&self, pointer: &str) -> usize {
        nearest(&self.by_pointer, pointer, BETWEEN).copied().unwrap_or(1)
    }

    /// Reads the value that comes next.
    fn read_value(&mut self, pointer: &str, tokens: Tokens<'_, '_>) {
        let Some((first, _)) = tokens.next() else { return };
        self.read_rest(pointer, first, tokens);
    }

    /// Reads the rest of a value that begins with a token.
    fn read_rest(&mut self, pointer: &str, first: &str, tokens: Tokens<'_, '_>) {
        match first {
            "{" => {
                while let Some((name, line)) = tokens.next().filter(|(token, _)| *token != "}") {
                    let key =
                        join_pointer(pointer, &serde_json::from_str::<String>(name).unwrap_or_default());
                    let known = self.by_pointer.insert(key.clone(), line);
                    if known.is_some() && self.twice.is_none() {
                        self.twice = Some((key.clone(), line));
                    }
                    self.read_value(&key, tokens);
                }
            }
            "[" => {
                for index in 0.. {
                    let item = tokens.next().filter(|(token, _)| *token != "]");
                    let Some((first, line)) = item else { break };
                    let pointer = join_pointer(pointer, &format!("[{index}]"));
                    self.by_pointer.insert(pointer.clone(), line);
                    self.read_rest(&pointer, first, tokens);
                }
            }
            _ => {}
        }
    }
}

/// Returns the pointer of a key inside a value.
fn join_pointer(pointer: &str, key: &str) -> String {
    format!("{pointer}{BETWEEN}{key}")
}

/// Returns a pointer as people write it: `validators.tests-pass.command`, `conditions[0]`.
fn display_pointer(pointer: &str) -> String {
    let names = pointer.split(BETWEEN).filter(|name| !name.is_empty());
    names.fold(String::new(), |text, name| match (text.is_empty(), name.starts_with('[')) {
        (true, _) | (_, true) => text + name,
        (false, false) => text + "." + name,
    })
}

/// The tokens that tell where keys and items stand; commas and colons do not.
static TOKEN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?s)"(?:[^"\\]|\\.)*"?|[{}\[\]]|[^\s{}\[\]:,"]+"#).expect("a constant"));

#[cfg(test)]
mod tests;

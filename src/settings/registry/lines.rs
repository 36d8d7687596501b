//! Finds the line of every key in a JSON text that is known to be JSON, and a key that stands twice in one object.
//! Reads no values: that is `serde_json`'s.

use std::collections::BTreeMap;

/// Separates the names in a pointer; no name that a person writes holds it.
const BETWEEN: char = '\0';

/// Where the keys of a text stand.
#[derive(Debug, Default)]
pub(super) struct Lines {
    by_pointer: BTreeMap<String, usize>,
    /// The first key that its object has already, and its line.
    pub(super) twice: Option<(String, usize)>,
}

impl Lines {
    /// Reads where the keys of a text stand.
    pub(super) fn of(text: &str) -> Self {
        let mut walk = Walk { text, at: 0, line: 1, lines: Self::default() };
        walk.value("");
        walk.lines
    }

    /// Returns the line of a value: of its key, or of the nearest one around it.
    pub(super) fn line(&self, pointer: &str) -> usize {
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
pub(super) fn inside(pointer: &str, key: &str) -> String {
    format!("{pointer}{BETWEEN}{key}")
}

/// Returns a pointer as people read it: `validators.tests-pass.command`, `conditions[0]`.
pub(super) fn shown(pointer: &str) -> String {
    let names = pointer.split(BETWEEN).filter(|name| !name.is_empty());
    names.fold(String::new(), |shown, name| match (shown.is_empty(), name.starts_with('[')) {
        (true, _) | (_, true) => shown + name,
        (false, false) => shown + "." + name,
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
mod tests {
    use super::*;

    const TEXT: &str = r#"{
  "a": {"b": [1,
    {"c": "}\"]"}], "d": null},
  "steps": {
    "complete.issue": true
  }
}"#;

    #[test]
    fn every_key_has_its_line_and_what_has_none_the_line_around_it() {
        let lines = Lines::of(TEXT);
        let line =
            |names: &[&str]| lines.line(&names.iter().fold(String::new(), |path, name| inside(&path, name)));
        assert_eq!(line(&["a"]), 2);
        assert_eq!(line(&["a", "b", "[0]"]), 2);
        assert_eq!(line(&["a", "b", "[1]", "c"]), 3);
        assert_eq!(line(&["a", "d"]), 3);
        assert_eq!(line(&["steps", "complete.issue"]), 5);
        assert_eq!(line(&["steps", "complete.issue", "missing"]), 5);
        assert_eq!(line(&["nowhere"]), 1);
        assert_eq!(lines.twice, None);
    }

    #[test]
    fn a_key_that_stands_twice_is_found_and_the_same_key_elsewhere_is_not() {
        let lines = Lines::of("{\"a\": {\"x\": 1}, \"b\": {\"x\": 1},\n\"a\": 2}");
        assert_eq!(lines.twice.map(|(pointer, line)| (shown(&pointer), line)), Some(("a".into(), 2)));
    }

    #[test]
    fn what_is_no_json_ends() {
        for end in 0..TEXT.len() {
            Lines::of(&TEXT[..end]);
            Lines::of(&TEXT[end..]);
        }
    }

    #[test]
    fn a_pointer_is_shown_as_people_write_it() {
        let pointer = ["steps", "complete.issue", "completionConditions", "[0]", "validator"];
        let pointer = pointer.iter().fold(String::new(), |path, name| inside(&path, name));
        assert_eq!(shown(&pointer), "steps.complete.issue.completionConditions[0].validator");
    }
}

//! Reads as much of GraphQL as clients of GitHub write: one operation, fields with arguments, aliases, inline fragments;
//! and cuts an answer to what was asked for. Directives and named fragments are refused.

use serde_json::{Map, Value};

/// A field that is asked for.
#[derive(Debug, Clone)]
pub struct Field {
    pub name: String,
    alias: Option<String>,
    pub arguments: Map<String, Value>,
    pub fields: Vec<Field>,
}

/// Reads the fields of the one operation, with the variables put in.
pub fn read(text: &str, variables: &Value) -> Result<Vec<Field>, String> {
    let mut reader = Reader { tokens: tokens(text)?, at: 0, variables };
    while reader.peek() != "{" {
        // The kind, the name and the declared variables say nothing that we need.
        if reader.next()?.is_empty() {
            return Err("there is no operation".to_owned());
        }
    }
    let fields = reader.selection()?;
    match reader.peek() {
        "" => Ok(fields),
        more => Err(format!("`{more}` after the operation: only one is read")),
    }
}

/// Cuts an answer to what was asked for; a field that the answer does not have is an error.
pub fn cut(value: &Value, fields: &[Field]) -> Result<Value, String> {
    match value {
        Value::Array(items) => items.iter().map(|item| cut(item, fields)).collect(),
        Value::Object(have) if !fields.is_empty() => {
            let mut kept = Map::new();
            for field in fields {
                let found = have.get(&field.name);
                let found = found.ok_or_else(|| format!("Field '{}' doesn't exist here", field.name))?;
                let key = field.alias.as_ref().unwrap_or(&field.name);
                kept.insert(key.clone(), cut(found, &field.fields)?);
            }
            Ok(Value::Object(kept))
        }
        Value::Object(_) => Err("Field must have selections".to_owned()),
        Value::Null => Ok(Value::Null),
        plain if fields.is_empty() => Ok(plain.clone()),
        _ => Err(format!("Selections can't be made on scalars: {}", fields[0].name)),
    }
}

struct Reader<'a> {
    tokens: Vec<String>,
    at: usize,
    variables: &'a Value,
}

impl Reader<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> Result<String, String> {
        let token = self.tokens.get(self.at).cloned().ok_or("the query ends too early")?;
        self.at += 1;
        Ok(token)
    }

    fn takes(&mut self, token: &str) -> bool {
        let there = self.peek() == token;
        self.at += usize::from(there);
        there
    }

    fn expects(&mut self, token: &str) -> Result<(), String> {
        if self.takes(token) {
            Ok(())
        } else {
            Err(format!("`{token}` was expected before `{}`", self.peek()))
        }
    }

    fn selection(&mut self) -> Result<Vec<Field>, String> {
        self.expects("{")?;
        let mut fields = Vec::new();
        while !self.takes("}") {
            if self.takes("...") {
                self.expects("on")?;
                self.next()?;
                fields.extend(self.selection()?);
            } else {
                fields.push(self.field()?);
            }
        }
        if fields.is_empty() { Err("an empty selection".to_owned()) } else { Ok(fields) }
    }

    fn field(&mut self) -> Result<Field, String> {
        let mut name = self.name()?;
        let mut alias = None;
        if self.takes(":") {
            alias = Some(std::mem::replace(&mut name, self.name()?));
        }
        let mut arguments = Map::new();
        if self.takes("(") {
            while !self.takes(")") {
                let (key, value) = self.entry()?;
                arguments.insert(key, value);
            }
        }
        let fields = if self.peek() == "{" { self.selection()? } else { Vec::new() };
        Ok(Field { name, alias, arguments, fields })
    }

    fn name(&mut self) -> Result<String, String> {
        let name = self.next()?;
        if name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
            return Ok(name);
        }
        Err(format!("`{name}` is no name"))
    }

    fn entry(&mut self) -> Result<(String, Value), String> {
        let key = self.name()?;
        self.expects(":")?;
        Ok((key, self.value()?))
    }

    fn value(&mut self) -> Result<Value, String> {
        let token = self.next()?;
        if token == "{" {
            let mut object = Map::new();
            while !self.takes("}") {
                let (key, value) = self.entry()?;
                object.insert(key, value);
            }
            return Ok(Value::Object(object));
        }
        if token == "[" {
            let mut list = Vec::new();
            while !self.takes("]") {
                list.push(self.value()?);
            }
            return Ok(Value::Array(list));
        }
        if let Some(name) = token.strip_prefix('$') {
            let given = self.variables.get(name);
            return given.cloned().ok_or_else(|| format!("Variable ${name} was not provided"));
        }
        // What is no JSON is the name of a value.
        Ok(serde_json::from_str(&token).unwrap_or(Value::String(token)))
    }
}

fn tokens(text: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if first.is_whitespace() || first == ',' => {
                rest = &rest[first.len_utf8()..];
                continue;
            }
            '#' => {
                rest = rest.find('\n').map_or("", |end| &rest[end..]);
                continue;
            }
            '"' => string_length(rest)?,
            '.' if rest.starts_with("...") => 3,
            '{' | '}' | '(' | ')' | '[' | ']' | ':' | '!' | '=' => 1,
            _ if first.is_alphanumeric() || "$_-".contains(first) => {
                let inside = |letter: char| letter.is_alphanumeric() || "_.".contains(letter);
                let end = rest[1..].find(|letter: char| !inside(letter));
                end.map_or(rest.len(), |end| end + 1)
            }
            other => return Err(format!("`{other}` cannot be read")),
        };
        found.push(rest[..length].to_owned());
        rest = &rest[length..];
    }
    Ok(found)
}

fn string_length(text: &str) -> Result<usize, String> {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !escaped => return Ok(at + 1),
            _ => escaped = letter == '\\' && !escaped,
        }
    }
    Err("a string has no end".to_owned())
}

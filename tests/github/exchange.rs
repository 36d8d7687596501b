//! What comes in and what goes out, without HTTP: a request that is taken apart, and an answer in GitHub's form.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// A request to the API.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    /// The path without the prefix of GitHub Enterprise, with the repository by its name.
    pub path: String,
    pub query: BTreeMap<String, String>,
    /// Null when there is none.
    pub body: Value,
    /// Who sent it.
    pub login: String,
}

impl Request {
    /// Returns the decoded segments of the path.
    pub fn segments(&self) -> Vec<String> {
        self.path.split('/').filter(|segment| !segment.is_empty()).map(decoded).collect()
    }

    /// Returns a text of the body.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.body.get(key).and_then(Value::as_str)
    }

    /// Returns the texts of a list of the body; `None` when there is no list.
    pub fn texts(&self, key: &str) -> Option<Vec<String>> {
        let list = self.body.get(key)?.as_array()?;
        Some(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
    }
}

/// Takes `%41` apart; what is no such sequence stays.
fn decoded(segment: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = segment.as_bytes();
    while let [first, more @ ..] = rest {
        let hex = more.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.filter(|_| *first == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &more[2..] } else { more };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An answer of the API.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    /// `None` when there is no content.
    pub body: Option<Value>,
}

impl Answer {
    pub fn new(status: u16, body: Value) -> Self {
        Self { status, headers: Vec::new(), body: Some(body) }
    }

    pub fn ok(body: Value) -> Self {
        Self::new(200, body)
    }

    pub fn created(body: Value) -> Self {
        Self::new(201, body)
    }

    pub fn no_content() -> Self {
        Self { status: 204, headers: Vec::new(), body: None }
    }

    #[must_use]
    pub fn with(mut self, header: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((header, value.into()));
        self
    }

    /// Returns a refusal in GitHub's form.
    pub fn error(status: u16, message: &str) -> Self {
        Self::new(
            status,
            json!({
                "message": message,
                "documentation_url": "https://docs.github.com/rest",
                "status": status.to_string(),
            }),
        )
    }

    pub fn not_found() -> Self {
        Self::error(404, "Not Found")
    }

    /// Returns a refusal of one field.
    pub fn invalid(resource: &str, field: &str, code: &str) -> Self {
        Self::unprocessable(&json!({ "resource": resource, "field": field, "code": code }))
    }

    /// Returns a refusal in words.
    pub fn custom(resource: &str, message: &str) -> Self {
        Self::unprocessable(&json!({ "resource": resource, "code": "custom", "message": message }))
    }

    fn unprocessable(error: &Value) -> Self {
        let mut answer = Self::error(422, "Validation Failed");
        if let Some(body) = &mut answer.body {
            body["errors"] = json!([error]);
        }
        answer
    }
}

/// Refuses a text that is longer than GitHub takes.
pub fn too_long(resource: &str, field: &str, text: &str, most: usize) -> Option<Answer> {
    (text.chars().count() > most).then(|| {
        Answer::unprocessable(&json!({
            "resource": resource,
            "field": field,
            "code": "custom",
            "message": format!("{field} is too long (maximum is {most} characters)"),
        }))
    })
}

/// The most characters of a comment, of an issue and of a pull request.
pub const LONGEST_BODY: usize = 65_536;
/// The most characters of a title.
pub const LONGEST_TITLE: usize = 256;

//! The form of an answer: a JSON block, a block that satisfies a schema, or a text that a pattern finds. Pure: looks at a
//! text and nothing else, and says all that is wrong in one message.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{JsonType, ValidationError};
use regex::Regex;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use content_parser::{last_json_block, read_value};
use settings::validator;

/// More errors of one answer than this are not told.
const MOST: usize = 40;
/// The longest error, in characters: it may quote the answer.
const LONGEST: usize = 300;

/// The form that is asked for.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Format {
    /// `json` or `text-pattern`; anything else is met by nothing.
    #[serde(rename = "type")]
    pub kind: String,
    /// The JSON schema that an answer has to fit.
    #[serde(default)]
    pub schema: Option<Value>,
    /// The regular expression that an answer has to match.
    #[serde(default)]
    pub pattern: Option<String>,
}

/// What an answer's form is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FormatResult {
    /// Whether the answer has the form.
    pub valid: bool,
    /// What is wrong with it.
    pub error: Option<String>,
    /// The value of the block, or the text that the pattern found.
    pub extracted: Option<Value>,
}

/// Tells whether an answer has a form.
pub fn validate(text: &str, format: &Format) -> FormatResult {
    let judged = match (format.kind.as_str(), &format.pattern) {
        ("json", _) => json(text, format.schema.as_ref()),
        ("text-pattern", Some(pattern)) => found(text, pattern),
        ("text-pattern", None) => Err("pattern is required for text-pattern format".to_owned()),
        (kind, _) => Err(format!("Unknown format type: {kind}")),
    };
    match judged {
        Ok(extracted) => FormatResult { valid: true, error: None, extracted: Some(extracted) },
        Err(error) => FormatResult { valid: false, error: Some(error), extracted: None },
    }
}

fn json(text: &str, schema: Option<&Value>) -> Result<Value, String> {
    let block = last_json_block(text).ok_or("No JSON block found in response")?;
    let value = read_value(block.trim()).ok_or_else(|| {
        let why = serde_json::from_str::<IgnoredAny>(block).err();
        let why = why.map_or_else(|| "a key is told twice".to_owned(), |error| error.to_string());
        format!("Invalid JSON in the block: {why}")
    })?;
    if let Some(schema) = schema {
        satisfies(&value, schema)?;
    }
    Ok(value)
}

fn found(text: &str, pattern: &str) -> Result<Value, String> {
    let regex = Regex::new(pattern).map_err(|error| {
        let error = error.to_string();
        format!("Invalid regex pattern: {}", error.lines().last().unwrap_or_default())
    })?;
    let hit = regex.find(text).ok_or_else(|| format!("Pattern \"{pattern}\" not found in response"))?;
    Ok(hit.as_str().into())
}

/// Holds a value to a schema; the error names every place that does not satisfy it.
pub fn satisfies(value: &Value, schema: &Value) -> Result<(), String> {
    let validator = validator(schema).map_err(|why| format!("Schema cannot be used: {why}"))?;
    let mut errors: Vec<String> = validator.iter_errors(value).map(|error| told(&error)).collect();
    if errors.is_empty() {
        return Ok(());
    }
    let more = errors.len().saturating_sub(MOST);
    errors.truncate(MOST);
    if more > 0 {
        errors.push(format!("and {more} more"));
    }
    Err(format!("Schema validation failed: {}", errors.join("; ")))
}

/// Says where and what.
fn told(error: &ValidationError<'_>) -> String {
    let mut path = path_of(error.instance_path());
    let what = match error.kind() {
        ValidationErrorKind::Required { property } => {
            path = joined(&path, property.as_str().unwrap_or_default());
            "Required property is missing".to_owned()
        }
        ValidationErrorKind::Type { kind } => {
            format!("Expected type {}, got {}", kinds(kind), JsonType::from(error.instance().as_ref()))
        }
        ValidationErrorKind::Enum { options } => {
            format!("Value {} not in enum {}", error.instance(), list(options))
        }
        _ => error.to_string(),
    };
    let what: String = what.chars().take(LONGEST).collect();
    if path.is_empty() { what } else { format!("{path}: {what}") }
}

/// Returns a path as people write it: `items[2].name`.
fn path_of(location: &Location) -> String {
    location.iter().fold(String::new(), |path, segment| match segment {
        LocationSegment::Property(name) => joined(&path, &name),
        LocationSegment::Index(index) => format!("{path}[{index}]"),
    })
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn kinds(kind: &TypeKind) -> String {
    let all: Vec<JsonType> = match kind {
        TypeKind::Single(one) => vec![*one],
        TypeKind::Multiple(several) => several.iter().collect(),
    };
    all.iter().map(|kind| format!("\"{kind}\"")).collect::<Vec<_>>().join(" or ")
}

fn list(options: &Value) -> String {
    let all = options.as_array().into_iter().flatten().map(ToString::to_string);
    format!("[{}]", all.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn error(text: &str, format: Value) -> String {
        let format: Format = serde_json::from_value(format).expect("a format");
        let result = validate(text, &format);
        assert!(!result.valid && result.extracted.is_none(), "{result:?}");
        result.error.expect("an invalid answer has an error")
    }

    #[test]
    fn all_errors_stand_in_one_message_with_their_places() {
        let schema = json!({"type": "object", "required": ["name"], "additionalProperties": false,
            "properties": {"items": {"type": "array", "items": {"type": "object", "required": ["n"],
                "properties": {"n": {"type": ["integer", "null"], "minimum": 1}}}}}});
        let text = "```json\n{\"items\": [{\"n\": 1}, {}, {\"n\": \"x\"}, {\"n\": 0}], \"other\": 1}\n```";
        let told = error(text, json!({"type": "json", "schema": schema}));
        for part in [
            "Schema validation failed: ",
            "name: Required property is missing",
            "items[1].n: Required property is missing",
            "items[2].n: Expected type \"null\" or \"integer\", got string",
            "items[3].n: 0 is less than the minimum of 1",
            "Additional properties are not allowed ('other' was unexpected)",
        ] {
            assert!(told.contains(part), "`{part}` is not in {told}");
        }
    }

    #[test]
    fn a_block_has_to_be_there_and_to_parse() {
        assert_eq!(error("{\"a\": 1}", json!({"type": "json"})), "No JSON block found in response");
        let broken = error("```json\n{\"a\": }\n```", json!({"type": "json"}));
        assert!(broken.starts_with("Invalid JSON in the block: expected value"), "{broken}");
        let twice = error("```json\n{\"a\": 1, \"a\": 2}\n```", json!({"type": "json"}));
        assert_eq!(twice, "Invalid JSON in the block: a key is told twice");
    }

    #[test]
    fn a_pattern_has_to_be_there_to_be_one_and_to_be_found() {
        let found = validate(
            "x COMPLETE-12 y",
            &Format { kind: "text-pattern".into(), pattern: Some(r"COMPLETE-\d+".into()), schema: None },
        );
        assert_eq!((found.valid, found.extracted), (true, Some(json!("COMPLETE-12"))));
        let of = |pattern: &str| error("text", json!({"type": "text-pattern", "pattern": pattern}));
        assert_eq!(of("none"), "Pattern \"none\" not found in response");
        assert_eq!(of("[a"), "Invalid regex pattern: error: unclosed character class");
        assert_eq!(error("", json!({"type": "text-pattern"})), "pattern is required for text-pattern format");
        assert_eq!(error("", json!({"type": "yaml"})), "Unknown format type: yaml");
    }

    #[test]
    fn a_schema_that_cannot_be_used_is_met_by_nothing() {
        let told = error("```json\n{}\n```", json!({"type": "json", "schema": {"type": "thing"}}));
        assert!(told.starts_with("Schema cannot be used: /type: "), "{told}");
    }
}

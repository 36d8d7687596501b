//! The head of a template: between two lines `---` a list `params:` of what the template takes from a check.
//! Other keys are there for people and other programs, and mean nothing here.

use serde::Deserialize;

/// What a template declares.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Head {
    #[serde(default)]
    pub(super) params: Vec<String>,
}

/// Splits a template into its head and its text. A head that is never closed is text.
pub(super) fn split(template: &str) -> Result<(Head, &str), String> {
    let Some((head, text)) = parts(template) else { return Ok((Head::default(), template)) };
    if head.trim().is_empty() {
        return Ok((Head::default(), text));
    }
    let head: Head = serde_norway::from_str(head).map_err(|error| format!("its head: {error}"))?;
    match head.params.iter().find(|name| !is_name(name)) {
        Some(name) => Err(format!("its head: `{name}` is no name of a parameter")),
        None => Ok((head, text)),
    }
}

/// Returns the head and the text, line ends of Windows included.
fn parts(template: &str) -> Option<(&str, &str)> {
    let rest = template.strip_prefix("---\n").or_else(|| template.strip_prefix("---\r\n"))?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((&rest[..at], rest[at + line.len()..].trim_start_matches(['\r', '\n'])));
        }
        at += line.len();
    }
    None
}

fn is_name(name: &str) -> bool {
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(template: &str) -> (Vec<String>, &str) {
        let (head, text) = split(template).expect("a good head");
        (head.params, text)
    }

    #[test]
    fn c_13_a_head_lists_the_params_and_is_no_part_of_the_text() {
        let template = "---\ntitle: x\nparams:\n  - failedTests\n  - errorOutput\n---\n\n## Tests\n";
        assert_eq!(params(template), (vec!["failedTests".into(), "errorOutput".into()], "## Tests\n"));
        assert_eq!(params("---\r\nparams: [a]\r\n---\r\ntext"), (vec!["a".into()], "text"));
        assert_eq!(params("---\n---\ntext"), (vec![], "text"));
    }

    #[test]
    fn what_is_no_head_is_text() {
        for text in ["text", "---\nparams: [a]\nnever closed", "", "----\na\n----\n"] {
            assert_eq!(params(text), (vec![], text));
        }
    }

    #[test]
    fn a_head_that_says_something_else_is_an_error() {
        assert!(split("---\nparams: {a: 1}\n---\n").is_err());
        assert_eq!(
            split("---\nparams: ['a}}{{b']\n---\n"),
            Err("its head: `a}}{{b` is no name of a parameter".into())
        );
    }
}

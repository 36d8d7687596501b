//! Reads findings the way agents write them: other names, texts instead of objects, numbers as text. Errs on the strict
//! side: an unknown severity is major. A path that leaves the repository is dropped, its finding is kept.

use serde_json::{Map, Value};

use super::clipped;
use model::finding::{Disposition, Finding, Severity};

/// More findings than this are cut, the mildest first.
const MOST: usize = 500;

/// Lists beside the findings that hold findings too, and whether all in them are critical.
const OTHER_LISTS: [(&str, bool); 4] =
    [("issues", false), ("blockers", true), ("blocking_issues", true), ("critical_issues", true)];

/// Reads the findings of a review, and what it lists beside them under other names.
pub(super) fn read_all(fields: &Map<String, Value>) -> Vec<Finding> {
    let mut findings = list(fields.get("findings"));
    for (name, critical) in OTHER_LISTS {
        let lists_some = |value: &&Value| value.as_f64() != Some(0.0);
        let mut others = list(fields.get(name).filter(lists_some));
        if critical {
            for finding in &mut others {
                finding.severity = Severity::Critical;
            }
        }
        findings.extend(others);
    }
    worst(findings)
}

fn list(value: Option<&Value>) -> Vec<Finding> {
    match value {
        Some(Value::Array(items)) => items.iter().filter_map(finding).collect(),
        Some(single) => finding(single).into_iter().collect(),
        None => Vec::new(),
    }
}

fn worst(mut findings: Vec<Finding>) -> Vec<Finding> {
    if findings.len() > MOST {
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        findings.truncate(MOST);
    }
    findings
}

fn finding(value: &Value) -> Option<Finding> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::Object(fields) if fields.is_empty() => None,
        Value::Object(fields) => Some(from_object(fields)),
        Value::String(text) if says_none(text) => None,
        other => Some(major(line(other))),
    }
}

fn says_none(text: &str) -> bool {
    let text = text.trim().trim_end_matches(['.', '。']).to_lowercase();
    ["", "-", "none", "n/a", "no findings", "no issues", "なし", "特になし"].contains(&text.as_str())
}

fn major(issue: String) -> Finding {
    Finding::new(Severity::Major, "", issue)
}

fn from_object(fields: &Map<String, Value>) -> Finding {
    let text = |names: &[&str]| first(fields, names).map(line).filter(|text| !text.is_empty());
    let (file, line_of_file) = place(text(&["file", "path", "location"]));
    let whole = || clipped(&Value::Object(fields.clone()).to_string(), 4_000).to_owned();
    Finding {
        severity: fields.get("severity").and_then(Value::as_str).map_or(Severity::Major, Severity::read),
        category: text(&["category", "type"]).unwrap_or_default(),
        file,
        line: first(fields, &["line", "line_number", "lines"]).and_then(number).or(line_of_file),
        issue: text(&["issue", "message", "description", "title", "text", "problem"]).unwrap_or_else(whole),
        suggestion: text(&["suggestion", "fix", "recommendation"]),
        auto_fixable: fields
            .get("auto_fixable")
            .is_some_and(|value| line(value).eq_ignore_ascii_case("true")),
        disposition: Disposition::Open,
        in_scope: true,
    }
}

fn first<'v>(fields: &'v Map<String, Value>, names: &[&str]) -> Option<&'v Value> {
    names.iter().find_map(|name| fields.get(*name)).filter(|value| !value.is_null())
}

/// Returns a value as a person would write it.
pub(super) fn line(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    clipped(&text, 4_000).to_owned()
}

fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => leading_number(text.trim().trim_start_matches(['L', 'l'])),
        Value::Array(items) => number(items.first()?),
        _ => None,
    }
}

fn leading_number(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// Splits `src/a.rs:12` and drops a path that leaves the repository.
fn place(file: Option<String>) -> (Option<String>, Option<u64>) {
    let Some(file) = file else { return (None, None) };
    let (path, line) = match file.split_once(':') {
        Some((path, rest)) if leading_number(rest).is_some() => (path, leading_number(rest)),
        _ => (file.as_str(), None),
    };
    let path = path.trim().trim_matches('`');
    let path = path.strip_prefix("./").unwrap_or(path);
    if stays_inside(path) { (Some(path.to_owned()), line) } else { (None, None) }
}

fn stays_inside(path: &str) -> bool {
    let absolute = path.starts_with(['/', '\\', '~']) || path.contains(':');
    let climbs = path.split(['/', '\\']).any(|part| part == "..");
    !path.is_empty() && path.len() <= 500 && !absolute && !climbs && !path.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Option<&Value>) -> Vec<Finding> {
        worst(list(value))
    }

    fn one(value: &Value) -> Finding {
        read(Some(&json!([value]))).pop().expect("one finding")
    }

    #[test]
    fn a_finding_is_read_whole() {
        let value = json!({"severity": "minor", "category": "style", "file": "./src/a.rs", "line": 3, "issue": " long ",
            "suggestion": "split", "auto_fixable": true});
        let expected = Finding {
            severity: Severity::Minor,
            category: "style".into(),
            file: Some("src/a.rs".into()),
            line: Some(3),
            issue: "long".into(),
            suggestion: Some("split".into()),
            auto_fixable: true,
            disposition: Disposition::Open,
            in_scope: true,
        };
        assert_eq!(one(&value), expected);
    }

    #[test]
    fn nobody_tells_us_that_a_finding_is_out_of_scope() {
        assert!(one(&json!({"issue": "x", "in_scope": false})).in_scope);
    }

    #[test]
    fn other_shapes_are_understood_and_unknown_ones_are_major() {
        assert_eq!(one(&json!("no tests")), major("no tests".into()));
        assert_eq!(one(&json!(7)), major("7".into()));
        assert_eq!(one(&json!({"message": "x"})), major("x".into()));
        assert_eq!(one(&json!({"severity": 3, "issue": "x"})), major("x".into()));
        assert_eq!(one(&json!({"severity": "odd"})).issue, r#"{"severity":"odd"}"#);
        assert_eq!(read(Some(&json!("alone"))), [major("alone".into())]);
        assert_eq!(read(Some(&json!([null, {}, "", "なし", "None.", false]))), []);
        assert_eq!(read(None), []);
    }

    #[test]
    fn lines_are_numbers_or_texts() {
        for (value, line) in [
            (json!("12"), Some(12)),
            (json!("L12-20"), Some(12)),
            (json!([4, 5]), Some(4)),
            (json!(-1), None),
            (json!("x"), None),
            (json!({}), None),
        ] {
            assert_eq!(one(&json!({"issue": "x", "line": value})).line, line);
        }
        let found = one(&json!({"issue": "x", "file": "src/a.rs:7:1"}));
        assert_eq!((found.file.as_deref(), found.line), (Some("src/a.rs"), Some(7)));
    }

    #[test]
    fn a_path_that_leaves_the_repository_is_dropped_and_its_finding_kept() {
        for path in [
            "../../etc/x",
            "/etc/passwd",
            "C:\\x",
            "a/../../b",
            "~/x",
            "\\\\host\\x",
            "a\nb",
            "https://x",
            "",
        ] {
            let found = one(&json!({"issue": "x", "file": path}));
            assert_eq!((found.issue.as_str(), found.file), ("x", None), "{path}");
        }
    }

    #[test]
    fn of_too_many_findings_the_worst_are_kept() {
        let mut many = vec![json!({"severity": "minor", "issue": "m"}); 600];
        many.push(json!({"severity": "critical", "issue": "c"}));
        let found = read(Some(&json!(many)));
        assert_eq!((found.len(), found[0].severity), (500, Severity::Critical));
    }
}

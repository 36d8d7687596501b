//! One problem that a reviewer or a check names, with an identity that survives rewording of numbers and paths.
//! Does not decide what a finding means for a phase: the policy does.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

/// How bad a finding is, mildest first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Info,
    Minor,
    Major,
    Critical,
}

impl Severity {
    /// Reads a severity with the aliases of other systems (MODEL §9, K19). An unknown word is `Major`: the closed side.
    pub fn read(word: &str) -> Self {
        match word.trim().to_lowercase().as_str() {
            "critical" | "blocker" | "fatal" => Self::Critical,
            "minor" | "warning" | "low" | "medium" => Self::Minor,
            "info" | "information" | "note" | "nit" | "recommendation" | "suggestion" => Self::Info,
            _ => Self::Major,
        }
    }

    /// Returns the word used in records and prompts.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Minor => "minor",
            Self::Major => "major",
            Self::Critical => "critical",
        }
    }
}

/// What is to be done about a finding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    #[default]
    Open,
    FixRequired,
    NoFix,
    NeedsDiscussion,
}

/// One problem: what, where, how bad, and what the finder suggests.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Finding {
    pub severity: Severity,
    #[serde(default)]
    pub category: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    pub issue: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    #[serde(default)]
    pub auto_fixable: bool,
    #[serde(default)]
    pub disposition: Disposition,
}

impl Finding {
    /// Returns the identity of the finding: category, path and the issue text without numbers, hashes, paths, case and spaces.
    pub fn fingerprint(&self) -> String {
        let file = self.file.as_deref().unwrap_or("");
        format!("{}|{}|{}", self.category.to_lowercase(), file, normalised(&self.issue))
    }
}

/// Returns a text without what changes between two tellings of the same problem.
pub fn normalised(text: &str) -> String {
    static NOISE: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"0x[0-9a-f]+|[0-9a-f]{8}-[0-9a-f-]{27}|/(?:tmp|var/folders)/\S*|\b[0-9a-f]*[0-9][0-9a-f]*\b|\d+|\s+";
        Regex::new(pattern).expect("the pattern is a constant")
    });
    let lower = text.to_lowercase();
    NOISE.replace_all(&lower, "").chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(issue: &str) -> Finding {
        Finding {
            severity: Severity::Major,
            category: "quality".into(),
            file: Some("src/lib.rs".into()),
            line: Some(3),
            issue: issue.into(),
            suggestion: None,
            auto_fixable: false,
            disposition: Disposition::Open,
        }
    }

    #[test]
    fn the_same_problem_on_another_line_is_the_same_finding() {
        let first = finding("Line 12: unwrap at 0xdeadbeef in /tmp/x1/a.rs");
        let second = finding("line 240:  unwrap at 0xfeed in /tmp/zz/a.rs");
        assert_eq!(first.fingerprint(), second.fingerprint());
    }

    #[test]
    fn words_made_of_hex_letters_stay() {
        assert_ne!(finding("the page is defaced").fingerprint(), finding("the page is").fingerprint());
    }

    #[test]
    fn an_unknown_severity_blocks() {
        assert_eq!(Severity::read("Blocker"), Severity::Critical);
        assert_eq!(Severity::read("warning"), Severity::Minor);
        assert_eq!(Severity::read("weird"), Severity::Major);
        assert_eq!(Severity::read("HIGH"), Severity::Major);
    }
}

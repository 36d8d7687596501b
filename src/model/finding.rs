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
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
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
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum Disposition {
    #[default]
    Open,
    FixRequired,
    NoFix,
    NeedsDiscussion,
}

impl Disposition {
    /// Returns the words in which people are told.
    pub fn words(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::FixRequired => "fix required",
            Self::NoFix => "no fix needed",
            Self::NeedsDiscussion => "needs discussion",
        }
    }
}

/// One problem: what, where, how bad, and what the finder suggests.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
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
    /// Not, when it is new and about lines that have not changed since the review before. We see that; nobody tells us.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub in_scope: bool,
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_yes(flag: &bool) -> bool {
    *flag
}

impl Finding {
    /// Returns the severity with which the finding counts in a judgment: one that is out of scope is a remark, unless it is
    /// critical.
    pub fn weight(&self) -> Severity {
        if self.in_scope || self.severity == Severity::Critical { self.severity } else { Severity::Info }
    }

    /// Says where this finding stands, and in which words, as something that was told beside another one.
    pub fn also(&self) -> String {
        let place = match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{file}:{line}: "),
            _ => String::new(),
        };
        format!("{place}{}", self.issue)
    }

    /// Returns the finding with the words of others that are counted as the same.
    #[must_use]
    pub fn with_also(&self, others: &[String]) -> Self {
        let also: String = others.iter().map(|other| format!("; also: {other}")).collect();
        Self { issue: format!("{}{also}", self.issue), ..self.clone() }
    }

    /// Returns the identity of the finding: category, path and the issue text without numbers, hashes, paths, case and spaces.
    pub fn fingerprint(&self) -> String {
        let file = self.file.as_deref().unwrap_or("");
        format!("{}|{}|{}", self.category.to_lowercase(), file, normalised(&self.issue))
    }
}

/// Returns findings in the order in which they are told and numbered: the worst first.
pub fn worst_first(findings: &[Finding]) -> Vec<&Finding> {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    sorted
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
            in_scope: true,
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
    fn a_finding_out_of_scope_counts_as_a_remark_unless_it_is_critical() {
        let beyond = |severity| Finding { severity, in_scope: false, ..finding("a problem") }.weight();
        assert_eq!(finding("a problem").weight(), Severity::Major);
        assert_eq!([beyond(Severity::Major), beyond(Severity::Minor)], [Severity::Info; 2]);
        assert_eq!(beyond(Severity::Critical), Severity::Critical);
    }

    #[test]
    fn in_a_log_a_finding_is_in_scope_unless_it_says_otherwise() {
        let told = |finding: &Finding| serde_json::to_string(finding).expect("JSON");
        assert!(!told(&finding("a problem")).contains("in_scope"));
        let beyond = Finding { in_scope: false, ..finding("a problem") };
        for finding in [finding("a problem"), beyond] {
            assert_eq!(serde_json::from_str::<Finding>(&told(&finding)).expect("a finding"), finding);
        }
    }

    #[test]
    fn an_unknown_severity_blocks() {
        assert_eq!(Severity::read("Blocker"), Severity::Critical);
        assert_eq!(Severity::read("warning"), Severity::Minor);
        assert_eq!(Severity::read("weird"), Severity::Major);
        assert_eq!(Severity::read("HIGH"), Severity::Major);
    }
}

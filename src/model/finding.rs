//! One problem that a reviewer or a check names, with an identity that survives rewording of numbers and paths.
//! Does not decide what a finding means for a phase: the policy does.

use std::sync::LazyLock;

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How bad a finding is, mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum Severity {
    Info,
    Minor,
    Major,
    Critical,
}

impl Severity {
    /// Reads a severity with the words of other systems. An unknown word is `Major`: the closed side.
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
        self.into()
    }
}

/// What is to be done about a finding. As text it is told to people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum Disposition {
    #[default]
    #[strum(serialize = "open")]
    Open,
    #[strum(serialize = "fix required")]
    FixRequired,
    #[strum(serialize = "no fix needed")]
    NoFix,
    #[strum(serialize = "needs discussion")]
    NeedsDiscussion,
}

/// One problem: what, where, how bad, and what the finder suggests.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct Finding {
    pub severity: Severity,
    #[serde(default)]
    pub category: String,
    pub file: Option<String>,
    pub line: Option<u64>,
    pub issue: String,
    pub suggestion: Option<String>,
    #[serde(default)]
    pub auto_fixable: bool,
    #[serde(default)]
    pub disposition: Disposition,
    /// Not, when it is new and about lines that have not changed since the review before. We see that; nobody tells us.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub in_scope: bool,
}

impl Finding {
    /// Makes a finding that is open, in scope and about no place.
    pub fn new(severity: Severity, category: impl Into<String>, issue: String) -> Self {
        Self {
            severity,
            category: category.into(),
            file: None,
            line: None,
            issue,
            suggestion: None,
            auto_fixable: false,
            disposition: Disposition::Open,
            in_scope: true,
        }
    }

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

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_yes(flag: &bool) -> bool {
    *flag
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
mod tests;

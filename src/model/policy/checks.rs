//! What the checks of a run are told: lists, limits and switches, as agreed before it began.
//! And the criteria of the quality gate (Q1 …) and of the goal drift guard (GD1 …), each with the check that it is here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{OwnCheck, is_false};

/// The settings of the checks, the same for all phases: the table `[checks]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CheckSettings {
    /// Checks that every phase runs.
    pub every_phase: Vec<String>,
    /// Checks that every phase that changes code runs as well.
    pub code_phases: Vec<String>,
    /// Checks that every other phase runs as well.
    pub document_phases: Vec<String>,
    /// Further checks of every phase that changes code, by name or criterion (`Q10`).
    pub enabled: Vec<String>,
    /// Checks that are left out wherever they stand.
    pub disabled: Vec<String>,
    /// Paths and folders that no agent may change, beside those of `protected_by_default`. `*` stands for any characters
    /// and `**/` for any number of folders, so `**/NAME` is at any depth. Small and capital letters are the same here.
    pub protected: Vec<String>,
    /// Paths that nobody changes by accident: CI, code owners, instructions and settings of agents, our own.
    pub protected_by_default: Vec<String>,
    /// Exceptions from both, from `tampering`, from `snapshots` and from `secrets` by shape; letters count as written.
    pub allowed: Vec<String>,
    /// Paths whose change is told to people and reviewers and nothing else: manifests and lock files.
    pub noted: Vec<String>,
    /// The template whose evaluators run, such as `goal_drift_guard`; none when empty.
    pub template: String,
    /// Counts phrases to the letter: in quotations, inside words, and declarations of completion even when they are true.
    /// Both of the following at once.
    pub strict: bool,
    /// Early termination (Q6) counts declarations of completion even when they are true.
    #[serde(skip_serializing_if = "is_false")]
    pub early_termination_strict: bool,
    /// The template's evaluators count phrases to the letter: in quotations and inside words, too.
    #[serde(skip_serializing_if = "is_false")]
    pub template_strict: bool,
    /// Further texts that stand for something left out, as written.
    pub omission_patterns: Vec<String>,
    /// Further texts that end the work early, as written.
    pub early_termination_patterns: Vec<String>,
    /// The most files that one phase may change.
    pub max_files: u64,
    /// The most that one phase may add, in kilobytes of 1024 bytes.
    pub max_kilobytes: u64,
    /// The plan has to say which paths may change; without this a plan that says nothing allows all.
    pub scope_required: bool,
    /// Files whose tasks (`- [ ]`) the check `task_list` wants to see ticked; the plans of the run when empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub task_lists: Vec<String>,
    /// Checks of the project's own, by name; a phase runs one when a list of checks names it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub define: BTreeMap<String, OwnCheck>,
}

impl CheckSettings {
    /// Tells whether a declaration of completion counts although it is true.
    pub fn counts_every_declaration(&self) -> bool {
        self.strict || self.early_termination_strict
    }

    /// Tells whether the template counts its phrases to the letter.
    pub fn counts_every_phrase(&self) -> bool {
        self.strict || self.template_strict
    }
}

/// The criteria and their checks.
pub const CRITERIA: [(&str, &str); 17] = [
    ("Q1", "files"),
    ("Q2", "todo"),
    ("Q3", "omission"),
    ("Q4", "syntax"),
    ("Q5", "evidence"),
    ("Q6", "early_termination"),
    ("Q7", "tests"),
    ("Q8", "lint"),
    ("Q9", "typecheck"),
    ("Q10", "tautology"),
    ("Q11", "traceability"),
    ("Q12", "isolation"),
    ("GD1", "escape_phrases"),
    ("GD2", "premature_completion"),
    ("GD3", "requirement_checklist"),
    ("GD4", "completion_statement"),
    ("GD5", "scope_reduction"),
];

/// Returns the id of the check that a name or a criterion stands for; what is no criterion is a name.
pub fn check_id(name: &str) -> &str {
    CRITERIA.iter().find(|(criterion, _)| criterion.eq_ignore_ascii_case(name)).map_or(name, |(_, id)| id)
}

/// Returns the criterion that a check is.
pub fn criterion(id: &str) -> Option<&'static str> {
    CRITERIA.iter().find(|(_, check)| *check == id).map(|(criterion, _)| *criterion)
}

/// Returns the type of issue that a failure of a check is in the older review loop. The criteria of the goal drift guard count as
/// their nearest criterion of the quality gate.
pub fn issue_type(id: &str) -> &'static str {
    match criterion(id) {
        Some("Q1") => "missing_file",
        Some("Q2" | "GD1") => "todo_left",
        Some("Q3" | "GD5") => "omission",
        Some("Q4") => "syntax_error",
        Some("Q6") => "early_termination",
        _ => "incomplete",
    }
}

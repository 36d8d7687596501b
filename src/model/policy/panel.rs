//! Second opinions: who else judges a phase's work besides its first reviewer, from which viewpoints, and what grades
//! mean. Merges nothing: that is the engine's.

use serde::{Deserialize, Serialize};

use super::is_false;
use crate::verdict::{Grade, Judgment};

/// A reviewer besides the first one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    /// What it is called in records: letters, digits, `-` and `_`.
    pub name: String,
    /// Its agents, a fallback chain; the reviewer's when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// What it looks at and grades; everything when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub viewpoints: Vec<String>,
    /// Nothing is approved without its answer; else it is left out when it gives none.
    #[serde(default, skip_serializing_if = "is_false")]
    pub required: bool,
}

impl Seat {
    /// Returns the seat that a viewpoint becomes when viewpoints are split: the reviewer's own program, always heard.
    pub fn of_viewpoint(viewpoint: &str) -> Self {
        let name = viewpoint.to_owned();
        Self { viewpoints: vec![name.clone()], name, required: true, ..Self::default() }
    }
}

/// What the worst grade means at least. What is missing means nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct GradeMap {
    #[serde(default, rename = "A", skip_serializing_if = "Option::is_none")]
    pub a: Option<Judgment>,
    #[serde(default, rename = "B", skip_serializing_if = "Option::is_none")]
    pub b: Option<Judgment>,
    #[serde(default, rename = "C", skip_serializing_if = "Option::is_none")]
    pub c: Option<Judgment>,
    #[serde(default, rename = "D", skip_serializing_if = "Option::is_none")]
    pub d: Option<Judgment>,
}

impl GradeMap {
    /// Returns what a grade means.
    pub fn of(self, grade: Grade) -> Option<Judgment> {
        match grade {
            Grade::A => self.a,
            Grade::B => self.b,
            Grade::C => self.c,
            Grade::D => self.d,
        }
    }

    /// Tells whether no grade means anything. Serde hands over a reference.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

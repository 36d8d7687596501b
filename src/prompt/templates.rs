//! Which template a step is made of: the repository's own, the built-in one of the phase, or the shared one.

use std::collections::{BTreeMap, BTreeSet};

use super::embedded::EMBEDDED;
use super::error::PromptError;
use crate::phase::{PhaseName, Step};

/// The longest template, in bytes.
pub const LONGEST_TEMPLATE: usize = 3072;

/// Templates by path: the built-in ones, and those of the repository in their place.
pub(super) struct Templates<'a> {
    by_path: BTreeMap<&'a str, &'a str>,
}

impl<'a> Templates<'a> {
    /// Puts a repository's own templates before the built-in ones.
    pub(super) fn new(overrides: &'a BTreeMap<String, String>) -> Result<Self, PromptError> {
        let own = overrides.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        let by_path: BTreeMap<_, _> = EMBEDDED.iter().copied().chain(own).collect();
        match by_path.iter().find(|(_, text)| text.len() > LONGEST_TEMPLATE) {
            Some((path, text)) => {
                let (path, size) = ((*path).to_owned(), text.len());
                Err(PromptError::TooLong { path, size, most: LONGEST_TEMPLATE })
            }
            None => Ok(Self { by_path }),
        }
    }

    /// Returns the path of the template for a step: that of the phase, or else the shared one.
    pub(super) fn of_step(&self, phase: &PhaseName, step: Step) -> Option<String> {
        [format!("{phase}/{step}.md"), format!("shared/{step}.md")]
            .into_iter()
            .find(|path| self.by_path.contains_key(path.as_str()))
    }

    /// Returns the path of the template for a failed check: that of its pattern, or else the generic one.
    pub(super) fn of_pattern(&self, pattern: &str) -> String {
        let path = format!("retry/{pattern}.md");
        if self.by_path.contains_key(path.as_str()) { path } else { "retry/generic.md".to_owned() }
    }

    /// Returns the templates that a prompt is made of: those named, and all that they include.
    pub(super) fn with_included(&self, paths: Vec<String>) -> BTreeMap<&'a str, &'a str> {
        let mut chosen = BTreeMap::new();
        let mut open = paths;
        while let Some(path) = open.pop() {
            let Some((path, text)) = self.by_path.get_key_value(path.as_str()) else { continue };
            if chosen.insert(*path, *text).is_none() {
                open.extend(included(text));
            }
        }
        chosen
    }
}

/// Returns the paths that a template includes; a path that does not exist is found when the prompt is rendered.
fn included(text: &str) -> impl Iterator<Item = String> {
    let names =
        text.split("{{>").skip(1).map(|rest| rest.trim_start().split(['}', ' ']).next().unwrap_or_default());
    names.map(|name| format!("{name}.md"))
}

/// Returns the paths of a repository's own templates that no step of these phases would ever use: a slip of the pen.
/// Anything under `retry/` and `shared/` counts as used, since checks and templates name what they like there.
pub fn unknown_overrides<'a>(overrides: &'a BTreeMap<String, String>, phases: &[PhaseName]) -> Vec<&'a str> {
    let steps = [Step::Execute, Step::Review, Step::Triage, Step::Revise, Step::Answer];
    let used: BTreeSet<String> =
        phases.iter().flat_map(|phase| steps.map(|step| format!("{phase}/{step}.md"))).collect();
    let known = |path: &str| path.starts_with("retry/") || path.starts_with("shared/") || used.contains(path);
    overrides.keys().map(String::as_str).filter(|path| !known(path)).collect()
}

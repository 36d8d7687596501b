//! Which template a step is made of: the repository's own, the built-in one of the phase, or the shared one.

use std::collections::{BTreeMap, BTreeSet};

use super::embedded::EMBEDDED;
use super::error::PromptError;
use super::placeholders::Names;
use super::{c3l, front_matter};
use model::phase::{PhaseName, Step};
use model::policy::PhaseDef;

/// The longest template, in bytes.
pub const LONGEST_TEMPLATE: usize = 3072;
/// The template of a judge of the quality criteria.
const JUDGE: &str = "judge";

/// Templates by path: the built-in ones, and those of the repository in their place.
pub(super) struct Templates<'a> {
    by_path: BTreeMap<&'a str, Template<'a>>,
    own: &'a BTreeMap<String, String>,
}

/// A template without its head.
struct Template<'a> {
    text: &'a str,
    params: Vec<String>,
    /// How many lines of the file stand above the text.
    above: usize,
}

impl<'a> Templates<'a> {
    /// Puts a repository's own templates before the built-in ones.
    pub(super) fn new(overrides: &'a BTreeMap<String, String>) -> Result<Self, PromptError> {
        let own = overrides.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        let files: BTreeMap<_, _> = EMBEDDED.iter().copied().chain(own).collect();
        let read = files.into_iter().map(|(path, file)| Ok((path, Template::read(path, file)?)));
        Ok(Self { by_path: read.collect::<Result<_, PromptError>>()?, own: overrides })
    }

    /// Returns the path of the template for a step: that of the phase, or else the shared one.
    pub(super) fn of_step(&self, phase: &PhaseDef, step: Step) -> Option<String> {
        let (name, file) = (&phase.name, file_of(phase, step));
        [format!("{name}/{file}.md"), format!("shared/{file}.md")].into_iter().find(|path| self.has(path))
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.by_path.contains_key(path)
    }

    /// Tells whether the repository, or a registry of it, brings the template.
    pub(super) fn is_own(&self, path: &str) -> bool {
        self.own.contains_key(path)
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &'a str> {
        self.by_path.keys().copied()
    }

    /// Returns what a template declares that it takes from a check.
    pub(super) fn params(&self, path: &str) -> &[String] {
        self.by_path.get(path).map_or(&[], |template| &template.params)
    }

    /// Returns the names that a template uses.
    pub(super) fn names(&self, path: &str) -> Names {
        self.by_path.get(path).map(|template| Names::of(template.text)).unwrap_or_default()
    }

    /// Returns the line of the file that is a line of the text.
    pub(super) fn line(&self, path: &str, line: usize) -> usize {
        line + self.by_path.get(path).map_or(0, |template| template.above)
    }

    /// Returns the templates that a prompt is made of: those named, and all that they include.
    pub(super) fn with_included(&self, paths: Vec<String>) -> BTreeMap<&'a str, &'a str> {
        let mut chosen = BTreeMap::new();
        let mut open = paths;
        while let Some(path) = open.pop() {
            let Some((path, template)) = self.by_path.get_key_value(path.as_str()) else { continue };
            if chosen.insert(*path, template.text).is_none() {
                open.extend(included(template.text));
            }
        }
        chosen
    }
}

impl<'a> Template<'a> {
    fn read(path: &str, file: &'a str) -> Result<Self, PromptError> {
        if file.len() > LONGEST_TEMPLATE {
            let (path, size) = (path.to_owned(), file.len());
            return Err(PromptError::TooLong { path, size, most: LONGEST_TEMPLATE });
        }
        let (head, text) = front_matter::split(file).map_err(|message| PromptError::Template {
            path: path.to_owned(),
            line: 1,
            message,
        })?;
        let above = file[..file.len() - text.len()].matches('\n').count();
        Ok(Self { text, params: head.params, above })
    }
}

/// Returns the paths that a template includes; a path that does not exist is found when the prompt is rendered.
fn included(text: &str) -> impl Iterator<Item = String> {
    let names =
        text.split("{{>").skip(1).map(|rest| rest.trim_start().split(['}', ' ']).next().unwrap_or_default());
    names.map(|name| format!("{name}.md"))
}

/// Returns the name of the template for a step: that of the step, but a judge of the quality criteria has its own.
fn file_of(phase: &PhaseDef, step: Step) -> &'static str {
    if step == Step::Review && phase.policy.llm_judge { JUDGE } else { step.as_str() }
}

/// Returns the paths of a repository's own templates that no step of these phases would ever use: a slip of the pen.
/// Retry texts and anything under `shared/` count as used, since checks and templates name what they like there.
pub fn unknown_overrides<'a>(overrides: &'a BTreeMap<String, String>, phases: &[PhaseName]) -> Vec<&'a str> {
    let steps = [Step::Execute, Step::Review, Step::Triage, Step::Revise, Step::Answer];
    let names = || steps.map(Step::as_str).into_iter().chain([JUDGE]);
    let used: BTreeSet<String> =
        phases.iter().flat_map(|phase| names().map(move |name| format!("{phase}/{name}.md"))).collect();
    let known = |path: &str| c3l::is_retry(path) || path.starts_with("shared/") || used.contains(path);
    overrides.keys().map(String::as_str).filter(|path| !known(path)).collect()
}

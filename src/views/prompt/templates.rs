//! The templates of prompts: the repository's own, the built-in ones of a phase, or the shared ones; which of them a step is made
//! of, what their heads declare, which names they use, and the engine that fills them. Fills nothing itself. Knows of blocks only
//! that `each` and `with` bring names of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use handlebars::{Handlebars, RenderError, RenderErrorReason, TemplateError};
use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::PromptError;
use model::phase::Step;
use model::policy::{PhaseDef, RevisePrompt};
use model::text::sha256_hex;

/// The longest template, in bytes.
pub const LONGEST_TEMPLATE: usize = 3072;
/// The values of placeholders by their names.
pub(super) type Values = Map<String, Value>;

/// The template of a judge of the quality criteria.
const JUDGE: &str = "judge";
/// The shared template of a review of documents.
const DOCUMENT_REVIEW: &str = "document_review";

/// Reads the templates of folders under `prompts/` into pairs of path and text.
macro_rules! templates {
    ($($folder:literal: $($name:literal)+;)+) => {
        &[$($((
            concat!($folder, "/", $name, ".md"),
            include_str!(concat!("../prompts/", $folder, "/", $name, ".md")),
        ),)+)+]
    };
}

/// Every built-in template: its path under `prompts/`, and its text.
pub const EMBEDDED: &[(&str, &str)] = templates! {
    "planning": "execute" "review" "revise";
    "requirements": "execute" "review" "revise";
    "design": "execute" "review" "revise";
    "test_scenario": "execute" "review" "revise";
    "implementation": "execute" "review" "revise";
    "test_implementation": "execute" "review" "revise";
    "testing": "execute" "review" "revise";
    "documentation": "execute" "review" "revise";
    "report": "execute" "review" "revise";
    "evaluation": "execute" "review" "revise";
    "shared": "answer" "answer_form" "author" "author_contract" "data" "deliverable" "demands" "difficulty"
        "document_review" "execute" "head" "judge" "mandatory_rules" "material" "modification"
        "modification_details" "modification_ja" "notices" "opening" "output_schema" "own_words" "repair" "retry"
        "review" "review_questions" "reviewer" "reviewer_contract" "revise" "sources" "triage" "verdict_form" "viewpoints";
    "retry": "answer-form" "answer-format" "commit-message-vague" "command-unavailable" "issue-open"
        "remote-checks-failed" "command-failed" "fewer-tests" "lost-tests" "no-code-change" "no-decision" "no-deliverable"
        "no-tests-written" "no-tests-run" "binaries-added" "conflict-markers" "links-astray" "modes-changed"
        "no-scope" "noted-changed" "out-of-scope" "patch-too-large" "protected-changed" "scratch-files"
        "secret-in-diff" "snapshots-changed" "staged" "suspect" "submodules-changed" "tests-failed"
        "tests-prove-nothing" "tests-weakened" "trivial-diff"
        "document-changed" "early-termination" "escape-phrase" "file-missing" "goal-drift"
        "invalid-completion-statement" "missing-checklist" "no-evidence" "omission" "premature-completion"
        "scope-reduction" "syntax-error" "tasks-open" "tautological-test" "template-error" "test-isolation"
        "todo-left" "untraceable-test";
    "steps/retry/issue": "f_failed" "f_failed_file-not-exists" "f_failed_format-error" "f_failed_git-dirty"
        "f_failed_lint-error" "f_failed_test-failed" "f_failed_type-error";
};

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

    /// Returns the path of the template for a step: that of the phase, or else the shared one. Where documents are reviewed no
    /// author works, so a built-in text about the deliverable of a phase does not fit.
    fn of_step(&self, phase: &PhaseDef, step: Step) -> Option<String> {
        let (folder, file) = (&phase.properties.prompts, file_of(phase, step));
        let reviews_documents = step == Step::Review && phase.stores_review_documents();
        let of_phase = format!("{folder}/{file}.md");
        let shared = format!("shared/{}.md", if reviews_documents { DOCUMENT_REVIEW } else { file });
        let fits = if reviews_documents { self.is_own(&of_phase) } else { self.has(&of_phase) };
        [fits.then_some(of_phase), Some(shared)].into_iter().flatten().find(|path| self.has(path))
    }

    /// Tells whether there is a template.
    pub(super) fn has(&self, path: &str) -> bool {
        self.by_path.contains_key(path)
    }

    /// Tells whether the repository, or a registry of it, brings the template.
    pub(super) fn is_own(&self, path: &str) -> bool {
        self.own.contains_key(path)
    }

    /// Returns the paths of all templates.
    pub(super) fn paths(&self) -> impl Iterator<Item = &'a str> {
        self.by_path.keys().copied()
    }

    /// Returns what a template declares that it takes from a check.
    pub(super) fn params(&self, path: &str) -> &[String] {
        self.by_path.get(path).map_or(&[], |template| &template.params)
    }

    /// Returns the names that a template uses.
    pub(super) fn names(&self, path: &str) -> TemplatePlaceholders {
        self.by_path.get(path).map(|template| TemplatePlaceholders::of(template.text)).unwrap_or_default()
    }

    /// Returns the templates that a prompt is made of: those named, and all that they include.
    pub(super) fn collect_included(&self, paths: Vec<String>) -> BTreeMap<&'a str, &'a str> {
        let mut used = BTreeMap::new();
        let mut open = paths;
        while let Some(path) = open.pop() {
            let Some((path, template)) = self.by_path.get_key_value(path.as_str()) else { continue };
            if used.insert(*path, template.text).is_none() {
                open.extend(included_paths(template.text));
            }
        }
        used
    }

    /// Returns the template of a step. Where the policy says so a revision is the original task again, unless the repository
    /// has a text of its own for revisions or one for the task that has no place for the problems.
    pub(super) fn for_step(&self, phase: &PhaseDef, step: Step) -> Option<StepTemplate> {
        let path = self.of_step(phase, step)?;
        if step == Step::Revise && repeats_task(phase) && !self.is_own(&path) {
            let task = self.of_step(phase, Step::Execute);
            let has_place = |task: &String| {
                self.collect_included(vec![task.clone()]).contains_key("shared/modification.md")
            };
            if let Some(path) = task.filter(has_place) {
                return Some(StepTemplate { path, modifies: true });
            }
        }
        Some(StepTemplate { path, modifies: false })
    }

    /// Returns what fills these templates and all that they include. A name that has no value is empty: this is for retry texts,
    /// whose names are known before, while a tool may leave a part of a value out.
    pub(super) fn engine(&self, paths: Vec<String>) -> Result<Handlebars<'a>, PromptError> {
        let mut engine = Handlebars::new();
        engine.register_escape_fn(handlebars::no_escape);
        for (path, text) in self.collect_included(paths) {
            let registered = engine.register_template_string(&name_of(path), text);
            registered.map_err(|error| self.parse_error(path, &error))?;
        }
        Ok(engine)
    }

    /// Fills a template that an engine knows.
    pub(super) fn render(
        &self,
        engine: &Handlebars<'_>,
        path: &str,
        values: &impl Serialize,
    ) -> Result<String, PromptError> {
        engine.render(&name_of(path), values).map_err(|error| self.render_error(path, &error))
    }

    /// Fills one template and refuses every name that has no value.
    pub(super) fn fill(&self, path: &str, values: &impl Serialize) -> Result<String, PromptError> {
        let mut engine = self.engine(vec![path.to_owned()])?;
        engine.set_strict_mode(true);
        self.render(&engine, path, values)
    }

    /// Refuses a placeholder that is not known, wherever it stands in the text or in what it includes.
    pub(super) fn refuse_unknown(&self, path: &str, known: &Values) -> Result<(), PromptError> {
        for (path, text) in self.collect_included(vec![path.to_owned()]) {
            let asked = TemplatePlaceholders::of(text).asked;
            if let Some((name, line)) = asked.iter().find(|(name, _)| !known.contains_key(name)) {
                return Err(self.error_in_line(path, *line, &no_placeholder(name)));
            }
        }
        Ok(())
    }

    /// Says what is wrong in a line of the text of a template.
    fn error_in_line(&self, path: &str, line: usize, what: &str) -> PromptError {
        let line = line + self.by_path.get(path).map_or(0, |template| template.above);
        PromptError::Template(format!("{path}, line {line}: {what}"))
    }

    fn parse_error(&self, path: &str, error: &TemplateError) -> PromptError {
        self.error_in_line(path, error.pos().map_or(1, |(line, _)| line), &error.reason().to_string())
    }

    fn render_error(&self, path: &str, error: &RenderError) -> PromptError {
        let path = error.template_name.as_ref().map_or_else(|| path.to_owned(), |name| format!("{name}.md"));
        let what = match error.reason() {
            RenderErrorReason::MissingVariable(Some(name)) => no_placeholder(name),
            reason => reason.to_string(),
        };
        self.error_in_line(&path, error.line_no.unwrap_or(1), &what)
    }
}

fn no_placeholder(name: &str) -> String {
    format!("`{name}` is no placeholder of a prompt")
}

impl<'a> Template<'a> {
    fn read(path: &str, file: &'a str) -> Result<Self, PromptError> {
        if file.len() > LONGEST_TEMPLATE {
            let size = file.len();
            return Err(PromptError::Template(format!(
                "{path} has {size} bytes; {LONGEST_TEMPLATE} is the most"
            )));
        }
        let (head, text) =
            split_head(file).map_err(|what| PromptError::Template(format!("{path}, line 1: {what}")))?;
        let above = file[..file.len() - text.len()].matches('\n').count();
        Ok(Self { text, params: head.params, above })
    }
}

/// Returns the paths that a template includes; a path that does not exist is found when the prompt is rendered.
fn included_paths(text: &str) -> impl Iterator<Item = String> {
    let names =
        text.split("{{>").skip(1).map(|rest| rest.trim_start().split(['}', ' ']).next().unwrap_or_default());
    names.map(|name| format!("{name}.md"))
}

/// Returns the name of the template for a step: that of the step, but a judge of the quality criteria has its own.
fn file_of(phase: &PhaseDef, step: Step) -> &'static str {
    if step == Step::Review && phase.policy.llm_judge { JUDGE } else { step.as_str() }
}

/// Returns the paths of a repository's own templates that no step of phases with these folders would ever use: a misspelt name.
/// Retry texts and anything under `shared/` count as used, since checks and templates name what they like there.
pub fn unknown_overrides<'a>(overrides: &'a BTreeMap<String, String>, folders: &[&str]) -> Vec<&'a str> {
    let steps = [Step::Execute, Step::Review, Step::Triage, Step::Revise, Step::Answer];
    let names = || steps.map(Step::as_str).into_iter().chain([JUDGE]);
    let used: BTreeSet<String> =
        folders.iter().flat_map(|folder| names().map(move |name| format!("{folder}/{name}.md"))).collect();
    let known = |path: &str| is_retry(path) || path.starts_with("shared/") || used.contains(path);
    overrides.keys().map(String::as_str).filter(|path| !known(path)).collect()
}

/// Tells whether a path is that of a retry text.
pub fn is_retry(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    path.starts_with("retry/") || file.strip_prefix("f_").and_then(|name| name.strip_suffix(".md")).is_some()
}

/// What the head of a template declares: between two lines `---` a list `params:` of what it takes from a check. Other keys are
/// there for people and other programs, and mean nothing here.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
struct FrontMatter {
    #[serde(default)]
    params: Vec<String>,
}

/// Splits a template into its head and its text. A head that is never closed is text.
fn split_head(template: &str) -> Result<(FrontMatter, &str), String> {
    let (head, text) = parts(template).unwrap_or(("", template));
    if head.trim().is_empty() {
        return Ok((FrontMatter::default(), text));
    }
    let head: FrontMatter = serde_norway::from_str(head).map_err(|error| format!("its head: {error}"))?;
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

/// The template of a step.
pub(super) struct StepTemplate {
    pub(super) path: String,
    /// The original task comes again, with the problems before it.
    pub(super) modifies: bool,
}

/// Tells whether a revision of a phase is its task again, under the mandatory rules.
pub(super) fn repeats_task(phase: &PhaseDef) -> bool {
    phase.policy.revise_prompt == RevisePrompt::OriginalTask
}

/// Returns the SHA-256 of the templates that a step is made of, with all that they include, before anything is filled in: what
/// prompts of different runs have in common. Advice on failed checks does not count. Nothing when there is no such template.
pub fn template_digest(phase: &PhaseDef, step: Step, overrides: &BTreeMap<String, String>) -> Option<String> {
    let templates = Templates::new(overrides).ok()?;
    let used = templates.collect_included(vec![templates.for_step(phase, step)?.path]);
    let mut bytes = Vec::new();
    for text in used.into_iter().flat_map(|(path, text)| [path, text]) {
        bytes.extend((text.len() as u64).to_be_bytes());
        bytes.extend(text.as_bytes());
    }
    Some(sha256_hex(&[&bytes]))
}

/// Returns the name by which templates include each other.
fn name_of(path: &str) -> String {
    path.strip_suffix(".md").unwrap_or(path).to_owned()
}

/// One tag: a comment, or what stands between two or three braces.
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?s)\{\{!--.*?--~?\}\}|\{\{!.*?\}\}|\{\{\{?~?\s*(?P<inside>[^{}]*?)\s*~?\}\}\}?")
        .expect("a good expression")
});

/// Names that are no placeholders.
const KEYWORDS: [&str; 8] = ["this", "else", "if", "true", "false", "null", "undefined", "as"];

/// The names of a template.
#[derive(Debug, Default)]
pub(super) struct TemplatePlaceholders {
    /// Names that the prompt has to give, with their lines from 1.
    pub(super) asked: Vec<(String, usize)>,
    lists: BTreeSet<String>,
    objects: BTreeSet<String>,
    fenced: BTreeSet<String>,
    open: BTreeSet<String>,
}

impl TemplatePlaceholders {
    /// Finds the names of a template.
    pub(super) fn of(template: &str) -> Self {
        let mut names = Self::default();
        let mut blocks: Vec<&str> = Vec::new();
        let (mut line, mut from, mut fence) = (1, 0, CodeFenceState::default());
        for tag in TAG.captures_iter(template) {
            let whole = tag.get(0).expect("a match has itself");
            let between = &template[from..whole.start()];
            line += between.matches('\n').count();
            fence.read_text(between);
            if let Some(inside) = tag.name("inside") {
                names.take(inside.as_str(), line, &mut blocks, fence.is_open());
            }
            line += whole.as_str().matches('\n').count();
            from = whole.end();
        }
        names
    }

    /// Tells whether a name is gone through one by one.
    pub(super) fn is_list(&self, name: &str) -> bool {
        self.lists.contains(name)
    }

    /// Tells whether fields of a name are asked for.
    pub(super) fn is_object(&self, name: &str) -> bool {
        self.objects.contains(name)
    }

    /// Tells whether a name, or a field of one, stands inside fences of the template and nowhere else.
    pub(super) fn is_fenced(&self, name: &str) -> bool {
        self.fenced.contains(name) && !self.open.contains(name)
    }

    fn take<'t>(&mut self, inside: &'t str, line: usize, blocks: &mut Vec<&'t str>, fenced: bool) {
        if inside.starts_with('/') {
            blocks.pop();
            return;
        }
        if inside.starts_with('>') {
            return;
        }
        let mut words = inside.trim_start_matches(['#', '^', '&']).split_whitespace();
        let block = inside.starts_with('#').then(|| words.next().unwrap_or_default());
        let scopes = blocks.iter().filter(|block| matches!(**block, "each" | "with")).count();
        let words: Vec<&str> = words.take_while(|word| *word != "as").collect();
        // The first of several words is a helper.
        let helper = usize::from(block.is_none() && words.len() > 1);
        for word in &words[helper..] {
            let value = word.rsplit('=').next().unwrap_or(word).trim_end_matches(')');
            self.name(value, line, scopes, block, fenced);
        }
        blocks.extend(block);
    }

    fn name(&mut self, word: &str, line: usize, scopes: usize, block: Option<&str>, fenced: bool) {
        let climbs = word.matches("../").count();
        let path = word.trim_start_matches("../").trim_start_matches("this.");
        let is_other = path.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '@' | '('));
        let is_quoted = path.contains(['"', '\'']);
        let mut parts = path.split('.');
        let first = parts.next().unwrap_or_default();
        if path.is_empty() || is_other || is_quoted || KEYWORDS.contains(&first) {
            return;
        }
        let leaf = parts.next_back().unwrap_or(first).to_owned();
        if block == Some("each") {
            self.lists.insert(first.to_owned());
        } else if block.is_none() {
            let places = if fenced { &mut self.fenced } else { &mut self.open };
            places.insert(leaf.clone());
        }
        if leaf != first || block == Some("with") {
            self.objects.insert(first.to_owned());
        }
        if climbs >= scopes {
            self.asked.push((first.to_owned(), line));
        }
    }
}

/// A fence of the template itself, as far as it was read.
#[derive(Default)]
struct CodeFenceState {
    open: Option<char>,
    /// The line under way began in text that was read before.
    within_line: bool,
}

impl CodeFenceState {
    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn read_text(&mut self, text: &str) {
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 || !self.within_line {
                self.line(line.trim_start());
            }
        }
        self.within_line = !text.ends_with('\n');
    }

    fn line(&mut self, line: &str) {
        let kind = ["```", "~~~"].iter().find(|kind| line.starts_with(**kind)).and_then(|k| k.chars().next());
        match (self.open, kind) {
            (None, Some(kind)) => self.open = Some(kind),
            (Some(open), Some(kind)) if open == kind => self.open = None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;

//! Reads a registry of steps: patterns of failure, validators, and steps with the conditions of their completion.
//! Every name that it mentions has something behind it.

use std::collections::BTreeMap;

use super::json::{Document, Node};
use super::validator::{Validator, condition, inside_the_worktree, validator};
use crate::error::{ConfigError, Origin};
use model::policy::{C3l, DefinedCheck, Pattern};

/// The edition of a prompt when neither pattern nor step name one.
const EDITION: &str = "failed";

/// The steps of a registry, with everything that they name put in place.
#[derive(Debug, Clone, PartialEq)]
pub struct StepsRegistry {
    /// The steps by their ids.
    pub steps: BTreeMap<String, RegistryStep>,
    /// The folder of the agent's own prompts, relative to the top of the repository.
    pub base: String,
}

/// One step: what has to hold before it counts as completed, and what happens when it does not.
#[derive(Debug, Clone, PartialEq)]
pub struct RegistryStep {
    /// What people call it.
    pub name: String,
    /// The conditions in their order, each with the id of its check.
    pub checks: Vec<(String, DefinedCheck)>,
    /// What a failed condition leads to.
    pub on_failure: FailureAction,
    /// How often the author may try; without it as often as the policy says.
    pub max_attempts: Option<u32>,
    /// The patterns of its failures.
    pub patterns: BTreeMap<String, Pattern>,
    /// Where the prompts of these patterns stand.
    pub c3l: C3l,
    /// The schema of the author's answer, `FILE#NAME`: a file relative to the folder of schemas, and a name or pointer in it.
    pub output_schema: Option<String>,
    /// Where it is written.
    pub place: Origin,
}

/// What a failed condition leads to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FailureAction {
    /// The author tries again.
    #[default]
    Retry,
    /// The phase fails.
    Abort,
    /// It is noted, and the phase goes on.
    Skip,
}

/// What keys of later versions of this form are called here.
const LATER_KEYS: [(&str, &str); 3] = [
    ("validationSteps", "is a key of later versions; here steps stand under `steps`"),
    ("completionSteps", "is not known here; steps stand under `steps`"),
    (
        "entryStep entryStepMapping pathTemplate pathTemplateNoAdaptation schemasBase",
        "is a key of later versions and means nothing here: phases and their order stand in `config.toml`",
    ),
];
const LATER_KEYS_OF_STEPS: [(&str, &str); 2] = [
    ("validationConditions", "is a key of later versions; here it is `completionConditions`"),
    (
        "uvVariables usesStdin stepKind kind permissionMode structuredGate transitions fallbackKey model",
        "is a key of later versions and means nothing here: phases, their prompts and their order stand in `config.toml`",
    ),
];

impl StepsRegistry {
    /// Reads a registry; `file` is its name for messages.
    pub fn read(file: &str, text: &str) -> Result<Self, ConfigError> {
        let document = Document::read(file, text)?;
        let keys =
            "$schema agentId version c1 userPromptsBase completionPatterns failurePatterns validators steps";
        let root = document.root().only(keys, &LATER_KEYS)?;
        root.optional_text("$schema")?;
        root.optional_text("version")?;
        let agent = root.need("agentId")?;
        let agent = plain_name(&agent)?;
        let base = match root.get("userPromptsBase") {
            Some(node) => inside_the_worktree(&node)?.trim_end_matches('/').to_owned(),
            None => format!(".agent/{agent}/prompts"),
        };
        let patterns = patterns(&root)?;
        let read = |_: &str, node: &Node<'_>| validator(node);
        let validators = root.optional("validators", |node| node.map_of(read))?.unwrap_or_default();
        let c1 = root.optional("c1", plain_name)?.unwrap_or("steps").to_owned();
        let c3l = C3l { base: base.clone(), c1, ..C3l::default() };
        let reader = Reader { patterns, validators, c3l };
        let node = root.need("steps")?;
        let steps = node.map_of(|id, step| reader.step(id, step))?;
        if steps.is_empty() { Err(node.wrong("names no step")) } else { Ok(Self { steps, base }) }
    }
}

/// Names of agents and parts of paths: one folder, nothing hidden.
fn plain_name<'a>(node: &Node<'a>) -> Result<&'a str, ConfigError> {
    let name = node.text()?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let good = name.chars().all(plain) && !name.starts_with('.');
    if good { Ok(name) } else { Err(node.wrong("has to be a plain name: letters, digits, `.`, `-` and `_`")) }
}

/// Returns a part of a path that may be missing.
fn plain_part(fields: &Node<'_>, key: &str) -> Result<Option<String>, ConfigError> {
    Ok(fields.optional(key, plain_name)?.map(str::to_owned))
}

/// Reads the patterns; the edition of one is empty where it is left to the step.
fn patterns(root: &Node<'_>) -> Result<BTreeMap<String, Pattern>, ConfigError> {
    let written = match (root.get("completionPatterns"), root.get("failurePatterns")) {
        (Some(_), Some(later)) => {
            return Err(later.wrong("says the same as `completionPatterns`; only one of them can stand here"));
        }
        (one, other) => one.or(other),
    };
    written.map_or(Ok(BTreeMap::new()), |written| written.map_of(|_, node| pattern(node)))
}

fn pattern(node: &Node<'_>) -> Result<Pattern, ConfigError> {
    let fields = node.only("description edition adaptation params keywords", &[])?;
    let texts = |key| Ok(fields.optional(key, Node::texts)?.unwrap_or_default());
    Ok(Pattern {
        description: fields.optional_text("description")?.unwrap_or_default(),
        adaptation: plain_part(&fields, "adaptation")?,
        params: texts("params")?,
        keywords: texts("keywords")?,
        edition: plain_part(&fields, "edition")?.unwrap_or_default(),
    })
}

/// What the steps of a registry are read with.
struct Reader {
    patterns: BTreeMap<String, Pattern>,
    validators: BTreeMap<String, Validator>,
    /// Where the prompts of all steps stand, without what each step adds.
    c3l: C3l,
}

impl Reader {
    fn step(&self, id: &str, node: &Node<'_>) -> Result<RegistryStep, ConfigError> {
        let keys = "stepId name c2 c3 edition adaptation completionConditions onFailure outputSchemaRef";
        let fields = node.only(keys, &LATER_KEYS_OF_STEPS)?;
        match fields.get("stepId") {
            Some(own) if own.value() != id => {
                return Err(own.wrong(format!("has to be `{id}`, as the step is called")));
            }
            _ => {}
        }
        let checks = self.checks(id, &fields)?;
        let output_schema = fields.optional("outputSchemaRef", schema_ref)?;
        if checks.is_empty() && output_schema.is_none() {
            return Err(node.wrong(
                "has neither `completionConditions` nor `outputSchemaRef`: it would let everything pass",
            ));
        }
        let part = |key: &str, without: &str| {
            let node = fields.need_if(!checks.is_empty(), key)?;
            node.map_or(Ok(without.to_owned()), |node| plain_name(&node).map(str::to_owned))
        };
        let (on_failure, max_attempts) = on_failure(&fields, !checks.is_empty())?;
        Ok(RegistryStep {
            name: fields.optional_text("name")?.unwrap_or_else(|| id.to_owned()),
            c3l: C3l { c2: part("c2", "retry")?, c3: part("c3", "issue")?, ..self.c3l.clone() },
            patterns: self.patterns_of(&fields, &checks)?,
            checks,
            on_failure,
            max_attempts,
            output_schema,
            place: node.place(),
        })
    }

    fn checks(&self, id: &str, fields: &Node<'_>) -> Result<Vec<(String, DefinedCheck)>, ConfigError> {
        let Some(node) = fields.get("completionConditions") else { return Ok(Vec::new()) };
        let items = node.items()?;
        if items.is_empty() {
            return Err(node.wrong("names no condition: the step would let everything pass"));
        }
        let mut checks: Vec<(String, DefinedCheck)> = Vec::new();
        for item in items {
            let (name, check) = condition(&item, &self.validators, &self.patterns)?;
            let first = format!("{id}/{name}");
            let is_same = |known: &str| known.split('#').next() == Some(&first);
            let before = checks.iter().filter(|(known, _)| is_same(known)).count();
            let nth = if before == 0 { String::new() } else { format!("#{}", before + 1) };
            checks.push((format!("{first}{nth}"), check));
        }
        Ok(checks)
    }

    /// The patterns that its checks name; the step's own edition and adaptation stand in where a pattern has none.
    fn patterns_of(
        &self,
        fields: &Node<'_>,
        checks: &[(String, DefinedCheck)],
    ) -> Result<BTreeMap<String, Pattern>, ConfigError> {
        let own_edition = plain_part(fields, "edition")?.unwrap_or_else(|| EDITION.to_owned());
        let own_adaptation = plain_part(fields, "adaptation")?;
        let mut patterns = BTreeMap::new();
        for (_, check) in checks {
            let Some(mut pattern) = self.patterns.get(&check.pattern).cloned() else { continue };
            if pattern.edition.is_empty() {
                pattern.edition.clone_from(&own_edition);
            }
            pattern.adaptation = pattern.adaptation.or_else(|| own_adaptation.clone());
            patterns.insert(check.pattern.clone(), pattern);
        }
        Ok(patterns)
    }
}

fn on_failure(fields: &Node<'_>, needed: bool) -> Result<(FailureAction, Option<u32>), ConfigError> {
    let Some(node) = fields.need_if(needed, "onFailure")? else { return Ok((FailureAction::Retry, None)) };
    let fields = node.only("action maxAttempts", &[])?;
    let action = match fields.need("action")?.word(&["retry", "abort", "skip"])? {
        "abort" => FailureAction::Abort,
        "skip" => FailureAction::Skip,
        _ => FailureAction::Retry,
    };
    let attempts = fields.optional("maxAttempts", Node::count)?;
    if action != FailureAction::Retry {
        fields.refuse("maxAttempts", "means nothing here: only the action `retry` tries again")?;
    }
    Ok((action, attempts))
}

/// Returns the name of a schema in a file; of the whole file without one.
fn schema_ref(node: &Node<'_>) -> Result<String, ConfigError> {
    let fields = node.only("file schema", &[])?;
    let file = inside_the_worktree(&fields.need("file")?)?;
    let name = fields.optional_text("schema")?.unwrap_or_default();
    Ok(format!("{file}#{}", name.strip_prefix('#').unwrap_or(&name)))
}

//! Reads a registry of steps: patterns of failure, validators, and steps with the conditions of their completion.
//! Every name that it mentions has something behind it.

use std::collections::BTreeMap;
use std::fmt;

use super::json::{Document, Fields, Node};
use super::validator::{Validator, condition, inside_the_worktree, validator};
use crate::error::{ConfigError, Place};
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
    /// The schema of the author's answer.
    pub output_schema: Option<SchemaRef>,
    /// Where it is written.
    pub place: Place,
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

/// A schema in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaRef {
    /// The file, relative to the folder of schemas.
    pub file: String,
    /// Its name or pointer inside; the whole file without it.
    pub schema: Option<String>,
}

impl fmt::Display for SchemaRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, schema } = self;
        let name = schema.as_deref().unwrap_or_default();
        write!(f, "{file}#{}", name.strip_prefix('#').unwrap_or(name))
    }
}

impl StepsRegistry {
    /// Reads a registry; `file` is its name for messages.
    pub fn read(file: &str, text: &str) -> Result<Self, ConfigError> {
        let document = Document::read(file, text)?;
        let keys =
            "$schema agentId version c1 userPromptsBase completionPatterns failurePatterns validators steps";
        let root = document.root().fields(keys, later_key)?;
        root.text("$schema")?;
        root.text("version")?;
        let agent = root.need("agentId")?;
        let agent = plain_name(&agent)?;
        let base = base(&root, agent)?;
        let reader = Reader {
            patterns: patterns(&root)?,
            validators: validators(&root)?,
            base: base.clone(),
            c1: root.optional("c1", plain_name)?.unwrap_or("steps").to_owned(),
        };
        let steps = root.need("steps")?;
        let read =
            steps.entries()?.into_iter().map(|(id, node)| Ok((id.to_owned(), reader.step(id, &node)?)));
        let read = read.collect::<Result<BTreeMap<_, _>, ConfigError>>()?;
        if read.is_empty() { Err(steps.wrong("names no step")) } else { Ok(Self { steps: read, base }) }
    }
}

/// Says what a key of later versions of this form is called here.
fn later_key(key: &str) -> Option<&'static str> {
    match key {
        "validationSteps" => Some("is a key of later versions; here steps stand under `steps`"),
        "completionSteps" => Some("is not known here; steps stand under `steps`"),
        "entryStep" | "entryStepMapping" | "pathTemplate" | "pathTemplateNoAdaptation" | "schemasBase" => {
            Some(
                "is a key of later versions and means nothing here: phases and their order stand in `config.toml`",
            )
        }
        _ => None,
    }
}

fn later_key_of_step(key: &str) -> Option<&'static str> {
    match key {
        "validationConditions" => Some("is a key of later versions; here it is `completionConditions`"),
        "uvVariables" | "usesStdin" | "stepKind" | "kind" | "permissionMode" | "structuredGate"
        | "transitions" | "fallbackKey" | "model" => Some(
            "is a key of later versions and means nothing here: phases, their prompts and their order stand in `config.toml`",
        ),
        _ => None,
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
fn plain_part(fields: &Fields<'_>, key: &str) -> Result<Option<String>, ConfigError> {
    Ok(fields.optional(key, plain_name)?.map(str::to_owned))
}

fn base(root: &Fields<'_>, agent: &str) -> Result<String, ConfigError> {
    let Some(node) = root.get("userPromptsBase") else { return Ok(format!(".agent/{agent}/prompts")) };
    Ok(inside_the_worktree(&node)?.trim_end_matches('/').to_owned())
}

/// A pattern as written: its edition may be left to the step.
struct WrittenPattern {
    edition: Option<String>,
    pattern: Pattern,
}

fn patterns(root: &Fields<'_>) -> Result<BTreeMap<String, WrittenPattern>, ConfigError> {
    let written = match (root.get("completionPatterns"), root.get("failurePatterns")) {
        (Some(_), Some(later)) => {
            return Err(later.wrong("says the same as `completionPatterns`; only one of them can stand here"));
        }
        (one, other) => one.or(other),
    };
    let Some(written) = written else { return Ok(BTreeMap::new()) };
    written.entries()?.into_iter().map(|(name, node)| Ok((name.to_owned(), pattern(&node)?))).collect()
}

fn pattern(node: &Node<'_>) -> Result<WrittenPattern, ConfigError> {
    let fields = node.fields("description edition adaptation params keywords", |_| None)?;
    let texts = |key| Ok(fields.optional(key, Node::texts)?.unwrap_or_default());
    let pattern = Pattern {
        description: fields.text("description")?.unwrap_or_default(),
        edition: String::new(),
        adaptation: plain_part(&fields, "adaptation")?,
        params: texts("params")?,
        keywords: texts("keywords")?,
    };
    Ok(WrittenPattern { edition: plain_part(&fields, "edition")?, pattern })
}

fn validators<'a>(root: &Fields<'a>) -> Result<BTreeMap<&'a str, Validator>, ConfigError> {
    let entries = root.optional("validators", Node::entries)?.unwrap_or_default();
    entries.into_iter().map(|(name, node)| Ok((name, validator(&node)?))).collect()
}

/// What the steps of a registry are read with.
struct Reader<'a> {
    patterns: BTreeMap<String, WrittenPattern>,
    validators: BTreeMap<&'a str, Validator>,
    base: String,
    c1: String,
}

impl Reader<'_> {
    fn step(&self, id: &str, node: &Node<'_>) -> Result<RegistryStep, ConfigError> {
        let keys = "stepId name c2 c3 edition adaptation completionConditions onFailure outputSchemaRef";
        let fields = node.fields(keys, later_key_of_step)?;
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
            let node = if checks.is_empty() { fields.get(key) } else { Some(fields.need(key)?) };
            node.map_or(Ok(without.to_owned()), |node| plain_name(&node).map(str::to_owned))
        };
        let (on_failure, max_attempts) = on_failure(&fields, !checks.is_empty())?;
        Ok(RegistryStep {
            name: fields.text("name")?.unwrap_or_else(|| id.to_owned()),
            c3l: C3l {
                base: self.base.clone(),
                c1: self.c1.clone(),
                c2: part("c2", "retry")?,
                c3: part("c3", "issue")?,
            },
            patterns: self.patterns_of(&fields, &checks)?,
            checks,
            on_failure,
            max_attempts,
            output_schema,
            place: node.place(),
        })
    }

    fn checks(&self, id: &str, fields: &Fields<'_>) -> Result<Vec<(String, DefinedCheck)>, ConfigError> {
        let Some(node) = fields.get("completionConditions") else { return Ok(Vec::new()) };
        let items = node.items()?;
        if items.is_empty() {
            return Err(node.wrong("names no condition: the step would let everything pass"));
        }
        let mut checks: Vec<(String, DefinedCheck)> = Vec::new();
        for item in items {
            let (name, check) = condition(&item, &self.validators, |name| {
                self.patterns.get(name).map(|written| &written.pattern)
            })?;
            let before = checks
                .iter()
                .filter(|(known, _)| known.split('#').next() == Some(&format!("{id}/{name}")))
                .count();
            let nth = if before == 0 { String::new() } else { format!("#{}", before + 1) };
            checks.push((format!("{id}/{name}{nth}"), check));
        }
        Ok(checks)
    }

    /// The patterns that its checks name; the step's own edition and adaptation stand in where a pattern has none.
    fn patterns_of(
        &self,
        fields: &Fields<'_>,
        checks: &[(String, DefinedCheck)],
    ) -> Result<BTreeMap<String, Pattern>, ConfigError> {
        let edition = plain_part(fields, "edition")?;
        let adaptation = plain_part(fields, "adaptation")?;
        let named =
            checks.iter().filter_map(|(_, check)| Some((&check.pattern, self.patterns.get(&check.pattern)?)));
        let whole = |written: &WrittenPattern| Pattern {
            edition: written.edition.clone().or(edition.clone()).unwrap_or_else(|| EDITION.to_owned()),
            adaptation: written.pattern.adaptation.clone().or(adaptation.clone()),
            ..written.pattern.clone()
        };
        Ok(named.map(|(name, written)| (name.clone(), whole(written))).collect())
    }
}

fn on_failure(fields: &Fields<'_>, needed: bool) -> Result<(FailureAction, Option<u32>), ConfigError> {
    let node = if needed { Some(fields.need("onFailure")?) } else { fields.get("onFailure") };
    let Some(node) = node else { return Ok((FailureAction::Retry, None)) };
    let fields = node.fields("action maxAttempts", |_| None)?;
    let action = match fields.need("action")?.word(&["retry", "abort", "skip"])? {
        "abort" => FailureAction::Abort,
        "skip" => FailureAction::Skip,
        _ => FailureAction::Retry,
    };
    let Some(node) = fields.get("maxAttempts") else { return Ok((action, None)) };
    let attempts = node.count()?;
    match action {
        FailureAction::Retry => Ok((action, Some(attempts))),
        FailureAction::Abort | FailureAction::Skip => {
            Err(node.wrong("means nothing here: only the action `retry` tries again"))
        }
    }
}

fn schema_ref(node: &Node<'_>) -> Result<SchemaRef, ConfigError> {
    let fields = node.fields("file schema", |_| None)?;
    let file = inside_the_worktree(&fields.need("file")?)?;
    Ok(SchemaRef { file, schema: fields.text("schema")? })
}

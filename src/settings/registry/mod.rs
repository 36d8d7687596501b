//! Registry files of older systems, which are mapped to our settings. Reads a registry of steps: patterns of failure,
//! validators, and steps with the conditions of their completion; what a review loop says is read in `review_loop`.
//! Text in, typed out; reads no file. Every name that is mentioned has something behind it, and nothing configured is never
//! valid: what would check nothing is an error, and a condition without what it needs is none that passes.

mod json;
mod review_loop;

use std::collections::BTreeMap;

use super::command_line::find_objection;
use super::defined_check::{SuccessWhen, refuse_leading_out, refuse_unknown_extractor, require_params};
use super::error::{ConfigError, Origin, names_no};
use json::{JsonDocument, JsonNode};
use model::policy::{CheckKind, DefinedCheck, FailurePattern, RetryPromptPath};

pub(super) use review_loop::ReviewLoop;

/// The edition of a prompt when neither pattern nor step name one.
const EDITION: &str = "failed";

/// The steps of a registry, with everything that they name put in place.
#[derive(Debug, Clone, PartialEq)]
pub struct StepsRegistry {
    /// The steps by their ids.
    pub steps: BTreeMap<String, RegistryStep>,
    /// The folder of the agent's own prompts, relative to the top of the repository.
    pub base: String,
    /// The folder of the agent's own schemas, relative to the top of the repository.
    pub schemas: String,
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
    pub patterns: BTreeMap<String, FailurePattern>,
    /// Where the prompts of these patterns stand.
    pub c3l: RetryPromptPath,
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
const UNSUPPORTED_KEYS: [(&str, &str); 3] = [
    ("validationSteps", "is a key of later versions; here steps stand under `steps`"),
    ("completionSteps", "is not known here; steps stand under `steps`"),
    (
        "entryStep entryStepMapping pathTemplate pathTemplateNoAdaptation schemasBase",
        "is a key of later versions and means nothing here: phases and their order stand in `config.toml`",
    ),
];
const UNSUPPORTED_KEYS_OF_STEPS: [(&str, &str); 2] = [
    ("validationConditions", "is a key of later versions; here it is `completionConditions`"),
    (
        "uvVariables usesStdin stepKind kind permissionMode structuredGate transitions fallbackKey model",
        "is a key of later versions and means nothing here: phases, their prompts and their order stand in `config.toml`",
    ),
];

impl StepsRegistry {
    /// Reads a registry; `file` is its name for messages.
    pub fn read(file: &str, text: &str) -> Result<Self, ConfigError> {
        let document = JsonDocument::read(file, text)?;
        let keys =
            "$schema agentId version c1 userPromptsBase completionPatterns failurePatterns validators steps";
        let root = document.root().only(keys, &UNSUPPORTED_KEYS)?;
        root.optional_text("$schema")?;
        root.optional_text("version")?;
        let agent = root.need("agentId")?;
        let agent = read_plain_name(&agent)?;
        let base = match root.get("userPromptsBase") {
            Some(node) => read_path_in_worktree(&node)?.trim_end_matches('/').to_owned(),
            None => format!(".agent/{agent}/prompts"),
        };
        let patterns = read_patterns(&root)?;
        let read = |_: &str, node: &JsonNode<'_>| read_validator(node);
        let validators = root.optional("validators", |node| node.map_of(read))?.unwrap_or_default();
        let c1 = root.optional("c1", read_plain_name)?.unwrap_or_else(|| "steps".to_owned());
        let c3l = RetryPromptPath { base: base.clone(), c1, ..RetryPromptPath::default() };
        let reader = StepsReader { patterns, validators, c3l };
        let node = root.need("steps")?;
        let steps = node.map_of(|id, step| reader.step(id, step))?;
        let schemas = format!(".agent/{agent}/schemas");
        if steps.is_empty() { Err(node.error_at("names no step")) } else { Ok(Self { steps, base, schemas }) }
    }
}

/// Names of agents and parts of paths: one folder, nothing hidden.
fn read_plain_name(node: &JsonNode<'_>) -> Result<String, ConfigError> {
    let name = node.text()?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let good = name.chars().all(plain) && !name.starts_with('.');
    if good {
        Ok(name.to_owned())
    } else {
        Err(node.error_at("has to be a plain name: letters, digits, `.`, `-` and `_`"))
    }
}

/// Reads the patterns; the edition of one is empty where it is left to the step.
fn read_patterns(root: &JsonNode<'_>) -> Result<BTreeMap<String, FailurePattern>, ConfigError> {
    let written = match (root.get("completionPatterns"), root.get("failurePatterns")) {
        (Some(_), Some(later)) => {
            return Err(
                later.error_at("says the same as `completionPatterns`; only one of them can stand here")
            );
        }
        (one, other) => one.or(other),
    };
    written.map_or(Ok(BTreeMap::new()), |written| written.map_of(|_, node| read_pattern(node)))
}

fn read_pattern(node: &JsonNode<'_>) -> Result<FailurePattern, ConfigError> {
    let fields = node.only("description edition adaptation params keywords", &[])?;
    let texts = |key| Ok(fields.optional(key, JsonNode::texts)?.unwrap_or_default());
    Ok(FailurePattern {
        description: fields.optional_text("description")?.unwrap_or_default(),
        adaptation: fields.optional("adaptation", read_plain_name)?,
        params: texts("params")?,
        keywords: texts("keywords")?,
        edition: fields.optional("edition", read_plain_name)?.unwrap_or_default(),
    })
}

/// What the steps of a registry are read with.
struct StepsReader {
    patterns: BTreeMap<String, FailurePattern>,
    validators: BTreeMap<String, Validator>,
    /// Where the prompts of all steps stand, without what each step adds.
    c3l: RetryPromptPath,
}

impl StepsReader {
    fn step(&self, id: &str, node: &JsonNode<'_>) -> Result<RegistryStep, ConfigError> {
        let keys = "stepId name c2 c3 edition adaptation completionConditions onFailure outputSchemaRef";
        let fields = node.only(keys, &UNSUPPORTED_KEYS_OF_STEPS)?;
        if let Some(own) = fields.get("stepId")
            && own.value != id
        {
            return Err(own.error_at(format!("has to be `{id}`, as the step is called")));
        }
        let checks = self.checks(id, &fields)?;
        let output_schema = fields.optional("outputSchemaRef", read_schema_ref)?;
        if checks.is_empty() && output_schema.is_none() {
            return Err(node.error_at(
                "has neither `completionConditions` nor `outputSchemaRef`: it would let everything pass",
            ));
        }
        let part = |key: &str, without: &str| {
            let node = fields.need_if(!checks.is_empty(), key)?;
            node.map_or(Ok(without.to_owned()), |node| read_plain_name(&node))
        };
        let (on_failure, max_attempts) = read_on_failure(&fields, !checks.is_empty())?;
        Ok(RegistryStep {
            name: fields.optional_text("name")?.unwrap_or_else(|| id.to_owned()),
            c3l: RetryPromptPath { c2: part("c2", "retry")?, c3: part("c3", "issue")?, ..self.c3l.clone() },
            patterns: self.patterns_of(&fields, &checks)?,
            checks,
            on_failure,
            max_attempts,
            output_schema,
            place: node.place(),
        })
    }

    fn checks(&self, id: &str, fields: &JsonNode<'_>) -> Result<Vec<(String, DefinedCheck)>, ConfigError> {
        let Some(node) = fields.get("completionConditions") else { return Ok(Vec::new()) };
        let items = node.items()?;
        if items.is_empty() {
            return Err(node.error_at("names no condition: the step would let everything pass"));
        }
        let mut checks: Vec<(String, DefinedCheck)> = Vec::new();
        for item in items {
            let (name, check) = read_condition(&item, &self.validators, &self.patterns)?;
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
        fields: &JsonNode<'_>,
        checks: &[(String, DefinedCheck)],
    ) -> Result<BTreeMap<String, FailurePattern>, ConfigError> {
        let own_edition = fields.optional("edition", read_plain_name)?.unwrap_or_else(|| EDITION.to_owned());
        let own_adaptation = fields.optional("adaptation", read_plain_name)?;
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

fn read_on_failure(fields: &JsonNode<'_>, needed: bool) -> Result<(FailureAction, Option<u32>), ConfigError> {
    let Some(node) = fields.need_if(needed, "onFailure")? else { return Ok((FailureAction::Retry, None)) };
    let fields = node.only("action maxAttempts", &[])?;
    let action = match fields.need("action")?.word(&["retry", "abort", "skip"])? {
        "abort" => FailureAction::Abort,
        "skip" => FailureAction::Skip,
        _ => FailureAction::Retry,
    };
    let attempts = fields.optional("maxAttempts", JsonNode::count)?;
    if action != FailureAction::Retry {
        fields.refuse("maxAttempts", "means nothing here: only the action `retry` tries again")?;
    }
    Ok((action, attempts))
}

/// Returns the name of a schema in a file; of the whole file without one.
fn read_schema_ref(node: &JsonNode<'_>) -> Result<String, ConfigError> {
    let fields = node.only("file schema", &[])?;
    let file = read_path_in_worktree(&fields.need("file")?)?;
    let name = fields.optional_text("schema")?.unwrap_or_default();
    Ok(format!("{file}#{}", name.strip_prefix('#').unwrap_or(&name)))
}

const KEYS_OF_VALIDATORS: &str = "type command path check semanticConfig shell successWhen failurePattern extractParams timeoutSeconds \
                    recoverableByDefault description";

const COMMANDS_ONLY: &str = "means something with a command only";

const UNSUPPORTED_KEYS_OF_VALIDATORS: [(&str, &str); 1] = [(
    "phase",
    "is a key of later versions and means nothing here: all conditions are looked at after the work",
)];

/// A validator as its conditions use it.
struct Validator {
    check: DefinedCheck,
    /// Conditions may name the files.
    takes_paths: bool,
}

/// Reads a validator.
fn read_validator(node: &JsonNode<'_>) -> Result<Validator, ConfigError> {
    let fields = node.only(KEYS_OF_VALIDATORS, &UNSUPPORTED_KEYS_OF_VALIDATORS)?;
    let kind = fields.need("type")?;
    let kind = kind.word(&["command", "file", "custom", "semantic"])?;
    fields.optional_text("description")?;
    let look = read_kind(kind, &fields)?;
    let is_command = matches!(look, CheckKind::Command { .. });
    let success_when = read_success_when(&fields, &look)?;
    let pattern = fields.need("failurePattern")?.text()?.to_owned();
    let extract = read_extract(&fields, is_command || look == CheckKind::GitClean)?;
    if !is_command {
        fields.refuse("timeoutSeconds", COMMANDS_ONLY)?;
    }
    let check = DefinedCheck {
        success_when,
        pattern,
        extract,
        params: BTreeMap::new(),
        timeout_seconds: fields.optional("timeoutSeconds", JsonNode::count)?.map(u64::from),
        recoverable: fields.optional("recoverableByDefault", JsonNode::truth)?,
        look,
    };
    Ok(Validator { check, takes_paths: kind == "file" })
}

fn read_kind(kind: &str, fields: &JsonNode<'_>) -> Result<CheckKind, ConfigError> {
    if kind != "semantic" {
        fields.refuse("semanticConfig", "means something with the type `semantic` only")?;
    }
    let look = match (kind, fields.get("check")) {
        ("semantic", None) => read_semantic(&fields.need("semanticConfig")?)?,
        ("custom", Some(own)) => read_own_check(&own)?,
        (_, Some(own)) => return Err(own.error_at("means something with the type `custom` only")),
        ("file", None) => {
            let path = fields.optional("path", read_path_in_worktree)?;
            CheckKind::Files { paths: path.into_iter().collect() }
        }
        ("custom", None) if fields.get("command").is_none() => {
            return Err(fields.error_at("has neither `command` nor `check`: it would let everything pass"));
        }
        _ => read_command(fields)?,
    };
    let foreign = "means nothing with this type";
    if !matches!(look, CheckKind::Command { .. }) {
        fields.refuse("shell", COMMANDS_ONLY)?;
        fields.refuse("command", foreign)?;
    }
    if !matches!(look, CheckKind::Files { .. }) {
        fields.refuse("path", foreign)?;
    }
    Ok(look)
}

fn read_own_check(node: &JsonNode<'_>) -> Result<CheckKind, ConfigError> {
    Ok(match node.word(&["git_clean", "issue_closed", "remote_checks"])? {
        "git_clean" => CheckKind::GitClean,
        "remote_checks" => CheckKind::RemoteChecks,
        _ => CheckKind::IssueClosed,
    })
}

/// Reads what a semantic validator judges. One that is not known here is an error: it would let everything pass.
fn read_semantic(node: &JsonNode<'_>) -> Result<CheckKind, ConfigError> {
    let kind = node.only("checkType", &[])?.need("checkType")?;
    Ok(match kind.word(&["commit-message", "git-clean"])? {
        "git-clean" => CheckKind::GitClean,
        _ => CheckKind::CommitMessages,
    })
}

fn read_command(fields: &JsonNode<'_>) -> Result<CheckKind, ConfigError> {
    let node = fields.need("command")?;
    let run = node.text()?.to_owned();
    let shell = fields.optional("shell", JsonNode::truth)?.unwrap_or(false);
    find_objection(&run, shell).map_or(Ok(CheckKind::Command { run, shell }), |what| Err(node.error_at(what)))
}

fn read_success_when(fields: &JsonNode<'_>, look: &CheckKind) -> Result<String, ConfigError> {
    if matches!(look, CheckKind::Command { .. }) {
        let node = fields.need("successWhen")?;
        let text = node.text()?;
        return SuccessWhen::parse(text).map(|_| text.to_owned()).map_err(|why| node.error_at(why));
    }
    let Some(node) = fields.get("successWhen") else { return Ok(String::new()) };
    // The format demands the key; for a condition on files it can have one value only.
    let word = if matches!(look, CheckKind::Files { .. }) { "exists" } else { "empty" };
    node.word(&[word]).map(|_| String::new())
}

fn read_extract(fields: &JsonNode<'_>, prints: bool) -> Result<BTreeMap<String, String>, ConfigError> {
    let Some(node) = fields.get("extractParams") else { return Ok(BTreeMap::new()) };
    if !prints && !node.map()?.is_empty() {
        return Err(node.error_at(COMMANDS_ONLY));
    }
    node.map_of(|_, node| {
        let name = node.text()?;
        refuse_unknown_extractor(name).map_err(|what| node.error_at(format!("names `{name}`, {what}")))?;
        Ok(name.to_owned())
    })
}

/// Returns a path that cannot lead out of the worktree by its words.
fn read_path_in_worktree(node: &JsonNode<'_>) -> Result<String, ConfigError> {
    let path = node.text()?;
    refuse_leading_out(path).map(|()| path.to_owned()).map_err(|what| node.error_at(what))
}

/// Reads a condition; returns the validator's name and the check that it makes.
fn read_condition(
    node: &JsonNode<'_>,
    validators: &BTreeMap<String, Validator>,
    patterns: &BTreeMap<String, FailurePattern>,
) -> Result<(String, DefinedCheck), ConfigError> {
    let fields = node.only("validator params", &[])?;
    let named = fields.need("validator")?;
    let name = named.text()?;
    let Some(validator) = validators.get(name) else {
        return Err(named.error_at(names_no("validator", name, validators.keys().map(String::as_str))));
    };
    let mut check = validator.check.clone();
    if let Some(params) = fields.get("params") {
        check.params = params.map_of(|_, node| Ok(node.value.clone()))?;
        if validator.takes_paths {
            take_paths(&mut check, &params)?;
        }
    }
    require_params(&check).map_err(|what| named.error_at(what))?;
    let Some(pattern) = patterns.get(&check.pattern) else {
        return Err(
            named.error_at(format!("fails with the pattern `{}`, which is not described", check.pattern))
        );
    };
    require_pattern_params(&check, pattern).map_err(|what| named.error_at(what))?;
    Ok((name.to_owned(), check))
}

/// A condition may name the files itself.
fn take_paths(check: &mut DefinedCheck, params: &JsonNode<'_>) -> Result<(), ConfigError> {
    let CheckKind::Files { paths } = &mut check.look else { return Ok(()) };
    let Some(node) = params.get("paths") else { return Ok(()) };
    let named = node.texts()?;
    named.iter().try_for_each(|path| refuse_leading_out(path)).map_err(|what| node.error_at(what))?;
    paths.splice(0..0, named);
    check.params.remove("paths");
    Ok(())
}

/// Refuses a pattern whose prompt needs a parameter that the check does not give.
fn require_pattern_params(check: &DefinedCheck, pattern: &FailurePattern) -> Result<(), String> {
    let always: &[&str] = match check.look {
        CheckKind::Command { .. } => &["command", "exitCode", "error"],
        CheckKind::Files { .. } => &["missingFiles", "expectedPath", "error"],
        CheckKind::GitClean => &["changedFiles", "untrackedFiles", "error"],
        CheckKind::IssueClosed | CheckKind::RemoteChecks => &["error"],
        CheckKind::CommitMessages => &["commitMessages", "taskDescription", "error"],
    };
    let is_given = |name: &String| {
        always.contains(&name.as_str()) || check.extract.contains_key(name) || check.params.contains_key(name)
    };
    let Some(name) = pattern.params.iter().find(|name| !is_given(name)) else { return Ok(()) };
    let pattern = &check.pattern;
    Err(format!(
        "fails with the pattern `{pattern}`, whose prompt inserts `{name}`, and `extractParams` does not give it"
    ))
}

//! Reads the settings of a review loop and says the same in our own keys, for each policy that takes them: a layer of
//! configuration, and the lists of criteria. What the file leaves out is as in the layers below it.

use toml::Value;

use super::json::{JsonDocument, JsonNode};
use crate::error::{ConfigError, names_no};
use crate::layer::ConfigLayer;
use model::policy::{self, check_id, criterion};

/// What a review loop says beyond keys of ours.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ReviewLoop {
    /// The checks that have to pass; without them as configured.
    pub(crate) mandatory: Option<Vec<String>>,
    /// The checks that have to pass besides: the criteria that are off until they are listed.
    pub(crate) optional: Vec<String>,
    /// What a person should know about the file.
    pub(crate) notice: Option<String>,
}

impl ReviewLoop {
    /// Reads the file for these policies; one that is switched off says nothing.
    pub(crate) fn read(
        file: &str,
        text: &str,
        policies: &[String],
    ) -> Result<(ConfigLayer, Self), ConfigError> {
        let document = JsonDocument::read(file, text)?;
        let keys = "$schema enabled max_iterations retry_delay_ms escalate_on_max criteria omission_patterns \
                    early_termination_patterns";
        let root = document.root().only(keys, &[])?;
        root.optional_text("$schema")?;
        let mut layer = ConfigLayer::default();
        for policy in policies {
            limits(&root, policy, &mut layer)?;
        }
        patterns(&root, &mut layer)?;
        let read = criteria(&root)?;
        if root.optional("enabled", JsonNode::truth)?.unwrap_or(true) {
            return Ok((layer.check()?, read));
        }
        let notice = Some(format!("{file} is switched off (`enabled` is false) and does not count"));
        Ok((ConfigLayer::default(), Self { notice, ..Self::default() }))
    }
}

fn limits(root: &JsonNode<'_>, policy: &str, layer: &mut ConfigLayer) -> Result<(), ConfigError> {
    let mut put = |[table, key]: [&str; 2], value: Value, node: &JsonNode<'_>| {
        layer.insert(&["policies", policy, table, key], value, &node.place());
    };
    if let Some(node) = root.get("max_iterations") {
        let passes = node.count()?;
        put(["limits", "max_passes"], i64::from(passes).into(), &node);
        put(["limits", "max_revisions"], i64::from(passes - 1).into(), &node);
    }
    if let Some(node) = root.get("retry_delay_ms") {
        let delay = i64::try_from(node.whole()?).map_err(|_| node.error_at("is too much"))?;
        put(["limits", "backoff_ms"], delay.into(), &node);
    }
    if let Some(node) = root.get("escalate_on_max") {
        // A redo is an iteration, too: its limit ends the phase in the same way.
        let ending = if node.truth()? { "pause" } else { "incomplete" };
        put(["outcomes", "exhausted"], ending.into(), &node);
        put(["outcomes", "agent_failed"], ending.into(), &node);
    }
    Ok(())
}

fn patterns(root: &JsonNode<'_>, layer: &mut ConfigLayer) -> Result<(), ConfigError> {
    for key in ["omission_patterns", "early_termination_patterns"] {
        if let Some(node) = root.get(key) {
            layer.insert(&["checks", key], node.texts()?.into(), &node.place());
        }
    }
    Ok(())
}

fn criteria(root: &JsonNode<'_>) -> Result<ReviewLoop, ConfigError> {
    let Some(node) = root.get("criteria") else { return Ok(ReviewLoop::default()) };
    let fields = node.only("mandatory optional", &[])?;
    let mandatory = fields.optional("mandatory", checks)?;
    if let (Some([]), Some(node)) = (mandatory.as_deref(), fields.get("mandatory")) {
        return Err(node.error_at("names no criterion: the gate would let everything pass"));
    }
    let optional = fields.optional("optional", checks)?.unwrap_or_default();
    let both = optional.iter().find(|id| mandatory.iter().flatten().any(|other| other == *id));
    match (both, fields.get("optional")) {
        (Some(id), Some(node)) => {
            Err(node.error_at(format!("names `{}`, which is mandatory already", criterion(id).unwrap_or(id))))
        }
        _ => Ok(ReviewLoop { mandatory, optional, notice: None }),
    }
}

/// Returns the checks of a list of criteria.
fn checks(node: &JsonNode<'_>) -> Result<Vec<String>, ConfigError> {
    let mut ids = Vec::new();
    for item in node.items()? {
        let name = item.text()?;
        let id = check_id(name);
        if criterion(id).is_none() {
            let known = policy::criteria().flat_map(|(criterion, id)| [criterion, id]);
            return Err(item.error_at(names_no("criterion", name, known)));
        }
        if ids.iter().any(|known| known == id) {
            return Err(item.error_at(format!("names `{name}` a second time")));
        }
        ids.push(id.to_owned());
    }
    Ok(ids)
}

//! Steps of a registry that phases name and that cannot be attached.

use std::collections::BTreeMap;

use super::{Wrong, answers, wrong};
use crate::error::did_you_mean;
use crate::keys::Keys;
use crate::registry::StepsRegistry;
use crate::suggestion::suggestion;
use model::policy::Pattern;

/// Returns the first phase whose step cannot be attached.
pub(super) fn find(keys: &Keys, registry: Option<&StepsRegistry>) -> Option<Wrong> {
    let mut patterns: BTreeMap<&String, &Pattern> = BTreeMap::new();
    for (name, phase) in &keys.phases {
        let Some(id) = &phase.step else { continue };
        let key = format!("phases.{name}.step");
        let Some(registry) = registry else {
            return wrong(key, format!("names `{id}`, and there is no `.ai-workflow/steps_registry.json`"));
        };
        let Some(step) = registry.steps.get(id) else {
            let hint = did_you_mean(suggestion(id, registry.steps.keys().map(String::as_str)));
            return wrong(key, format!("names `{id}`, which is no step of the registry{hint}"));
        };
        let has_author = keys.policies.get(&phase.policy).is_none_or(|policy| !policy.triage);
        match &step.output_schema {
            Some(_) if answers::asked(phase).next().is_some() => {
                let what =
                    format!("names `{id}`, which has a schema for the answer; the phase names another form");
                return wrong(key, what);
            }
            Some(_) if !has_author => {
                let what = format!(
                    "names `{id}`, whose schema is for the answer of an author; the policy `{}` has none",
                    phase.policy
                );
                return wrong(key, what);
            }
            _ => {}
        }
        for (pattern, as_here) in &step.patterns {
            if patterns.insert(pattern, as_here).is_some_and(|other| other != as_here) {
                let what = format!(
                    "and another step give the pattern `{pattern}` two editions; name one in the pattern"
                );
                return wrong(key, what);
            }
        }
    }
    None
}

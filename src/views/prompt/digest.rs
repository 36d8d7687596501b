//! What two prompts of different runs have in common: the templates they are made of, before anything is filled in.
//! Says nothing of what a run puts into them, such as the issue or the nonces.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::modification;
use super::templates::Templates;
use model::phase::Step;
use model::policy::PhaseDef;

/// Returns the SHA-256 of the templates that a step is made of, with all that they include. Advice on failed checks
/// does not count. Nothing when there is no such template.
pub fn template_digest(phase: &PhaseDef, step: Step, overrides: &BTreeMap<String, String>) -> Option<String> {
    let templates = Templates::new(overrides).ok()?;
    let used = templates.with_included(vec![modification::template(&templates, phase, step)?.path]);
    let mut hasher = Sha256::new();
    for text in used.into_iter().flat_map(|(path, text)| [path, text]) {
        hasher.update((text.len() as u64).to_be_bytes());
        hasher.update(text);
    }
    Some(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use settings::{Layers, load};

    fn digest(phase: &str, step: Step, overrides: &[(&str, &str)]) -> String {
        digest_of(phase, "", step, overrides)
    }

    fn digest_of(phase: &str, settings: &str, step: Step, overrides: &[(&str, &str)]) -> String {
        let file = Some(("config.toml".into(), settings.to_owned()));
        let settings = load(&Layers { repository: file, ..Layers::default() }).expect("a good file");
        let phases = settings.agreement(None).expect("good").phases;
        let phase = phases.into_iter().find(|known| known.name.as_str() == phase).expect("a phase");
        let own = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        template_digest(&phase, step, &overrides.iter().map(own).collect()).expect("a template")
    }

    #[test]
    fn it_is_that_of_the_templates_in_use_and_of_no_others() {
        let plain = digest("planning", Step::Execute, &[]);
        assert_eq!((plain.len(), plain.clone()), (64, digest("planning", Step::Execute, &[])));
        assert_ne!(plain, digest("planning", Step::Review, &[]));
        assert_ne!(plain, digest("planning", Step::Execute, &[("planning/execute.md", "mine")]));
        assert_eq!(plain, digest("planning", Step::Execute, &[("design/execute.md", "mine")]));
    }

    #[test]
    fn what_a_template_includes_counts_too() {
        let own = ("planning/execute.md", "{{> shared/mine}}");
        let with = |text| digest("planning", Step::Execute, &[own, ("shared/mine.md", text)]);
        assert_ne!(with("one"), with("two"));
    }

    #[test]
    fn a_revision_behind_a_quality_gate_is_made_of_the_task_again() {
        let gate = "[phases.planning]\npolicy = 'quality-gate'";
        let of = |step| digest_of("planning", gate, step, &[]);
        assert_eq!(of(Step::Revise), of(Step::Execute));
        assert_ne!(digest("planning", Step::Revise, &[]), digest("planning", Step::Execute, &[]));
    }
}

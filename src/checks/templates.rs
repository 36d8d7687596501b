//! Templates: evaluators of an author's answer that run only when a configuration names them. An evaluator that errs or panics is a
//! failure, never a pass.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{CheckResult, Site, failure};

/// A template.
pub(super) struct Template {
    /// The name of its check.
    pub id: &'static str,
    /// As people read it.
    pub name: &'static str,
    /// Judges, or says why it cannot.
    pub evaluate: fn(&Site<'_>) -> Result<CheckResult, String>,
}

pub(super) fn evaluate(template: &Template, site: &Site<'_>) -> CheckResult {
    let judged = catch_unwind(AssertUnwindSafe(|| (template.evaluate)(site)));
    let why = match judged {
        Ok(Ok(result)) => return result,
        Ok(Err(why)) => why,
        Err(_) => "its evaluator broke off".to_owned(),
    };
    let summary = format!("{} could not judge: {why}", template.name);
    failure(template.id, "template-error", &summary, &[("error", &why)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register::template;
    use crate::scene::Scene;
    use crate::{examine, passed};
    use model::event::CheckStatus;
    use process::Stop;

    fn judged_by(evaluate: fn(&Site<'_>) -> Result<CheckResult, String>) -> CheckResult {
        let template = Template { id: "t", name: "T", evaluate };
        Scene::new().shown_to(|site| super::evaluate(&template, site))
    }

    #[test]
    fn an_evaluator_that_errs_or_panics_is_a_failure() {
        assert_eq!(judged_by(|_| Ok(passed("t", ""))).status, CheckStatus::Pass);
        let erred = judged_by(|_| Err("no model".into()));
        assert_eq!(
            (erred.status, erred.summary.as_str()),
            (CheckStatus::Fail, "T could not judge: no model")
        );
        let broken = judged_by(|site| Ok(passed("t", &site.answer.expect("an answer")[99..])));
        assert_eq!(
            (broken.status, broken.param("error")),
            (CheckStatus::Fail, Some("its evaluator broke off"))
        );
    }

    #[test]
    fn a_template_is_found_by_its_id_and_listed_among_the_checks() {
        assert!(crate::ids().any(|id| id == "goal_drift_guard"));
        let scene = Scene::answering("Nothing said.");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let result =
            scene.shown_to(|site| runtime.block_on(examine("goal_drift_guard", site, &mut Stop::new().1)));
        assert_eq!((result.check.as_str(), result.status), ("goal_drift_guard", CheckStatus::Fail));
    }

    #[test]
    fn goal_drift_template_is_found_by_its_exact_id_only() {
        for other in [
            "builtin-standard",
            "builtin-minimal",
            "builtin-strict",
            "custom-template",
            "",
            "GOAL_DRIFT_GUARD",
        ] {
            assert!(template(other).is_none(), "{other}");
        }
        assert!(template("goal_drift_guard").is_some());
    }
}

//! An evaluator of answers that is no check of its own: a configuration has to name it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{CheckResult, Site, failure};

/// An evaluator of an author's answer that runs only when a configuration names it.
pub(super) struct Template {
    /// The name of its check.
    pub id: &'static str,
    /// As people read it.
    pub name: &'static str,
    /// Judges, or says why it cannot.
    pub evaluate: fn(&Site<'_>) -> Result<CheckResult, String>,
}

impl Template {
    /// Asks it. One that errs or panics is a failure, never a pass.
    pub(super) fn examine(&self, site: &Site<'_>) -> CheckResult {
        let why = match catch_unwind(AssertUnwindSafe(|| (self.evaluate)(site))) {
            Ok(Ok(result)) => return result,
            Ok(Err(why)) => why,
            Err(_) => "its evaluator broke off".to_owned(),
        };
        let summary = format!("{} could not judge: {why}", self.name);
        failure(self.id, "template-error", &summary, &[("error", &why)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passed;
    use crate::scene::Scene;
    use model::event::CheckStatus;

    fn judged_by(evaluate: fn(&Site<'_>) -> Result<CheckResult, String>) -> CheckResult {
        let template = Template { id: "t", name: "T", evaluate };
        Scene::new().shown_to(|site| template.examine(site))
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
}

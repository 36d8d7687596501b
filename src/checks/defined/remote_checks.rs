//! The checks of the server passed on the commit that is on it: what an earlier phase left there. Nobody's word but the
//! server's counts; none at all, and one that still runs, are no pass.

use serde_json::json;

use super::{explained, failed, unavailable};
use crate::{Site, passed, skipped};
use model::event::CheckResult;
use model::policy::DefinedCheck;
use model::remote_check::{RemoteCheck, RemoteCheckState};
use tool_output::Semantic;

pub(crate) fn examine(id: &str, check: &DefinedCheck, site: &Site<'_>) -> CheckResult {
    let all = match &site.world.remote_checks {
        Ok(Some(all)) => all,
        Ok(None) => return skipped(id, "the run is on no server that checks"),
        Err(why) => return unavailable(id, check, &format!("the server could not be asked: {why}")),
    };
    let told = |state: RemoteCheckState| -> Vec<String> {
        all.iter().filter(|one| one.state == state).map(RemoteCheck::label).collect()
    };
    let (red, running) = (told(RemoteCheckState::Failed), told(RemoteCheckState::Running));
    if !red.is_empty() {
        return failure(id, check, site, &red);
    }
    match all.len() {
        0 => unavailable(id, check, "no check of the server has looked at the commit"),
        _ if !running.is_empty() => {
            unavailable(id, check, &format!("still under way on the server: {}", running.join(", ")))
        }
        many => passed(id, &format!("{many} of {many} checks of the server passed")),
    }
}

fn failure(id: &str, check: &DefinedCheck, site: &Site<'_>, red: &[String]) -> CheckResult {
    let summary = format!("failed on the server: {}", red.join(", "));
    let mut result = failed(id, check, &summary);
    let all = site.world.remote_checks.iter().flatten().flatten();
    let said = all.filter(|one| one.state == RemoteCheckState::Failed && !one.output.is_empty());
    let said: Vec<String> = said.map(|one| format!("{}:\n{}", one.name, one.output)).collect();
    site.masker.mask(&said.join("\n\n")).as_str().clone_into(&mut result.evidence);
    result.params.insert("error".to_owned(), json!(red.join(", ")));
    explained(result, &Semantic::of_failure(&summary, Vec::new(), ACTION))
}

const ACTION: &str = "Run here what the server runs, and repair what it complains about";

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{World, scene::Scene, scene::gist};
    use model::policy::CheckKind;

    fn judged(remote_checks: Result<Option<Vec<RemoteCheck>>, String>) -> String {
        let check = DefinedCheck {
            look: CheckKind::RemoteChecks,
            success_when: String::new(),
            pattern: "remote-checks-failed".into(),
            extract: BTreeMap::default(),
            params: BTreeMap::default(),
            timeout_seconds: None,
            recoverable: None,
        };
        let world = World { remote_checks, ..World::default() };
        let scene = Scene::new();
        let site = Site { world: &world, ..scene.site() };
        let result = examine("ci", &check, &site);
        format!("{} {}", gist(&result), result.summary)
    }

    #[test]
    fn only_checks_that_all_passed_pass() {
        let of = |state: &str| RemoteCheck::of_status(state, state, None);
        assert_eq!(judged(Ok(Some(vec![of("success")]))), "pass 1 of 1 checks of the server passed");
        assert!(judged(Ok(None)).starts_with("skipped"));
        for unknown in [Err("no".to_owned()), Ok(Some(vec![])), Ok(Some(vec![of("success"), of("pending")]))]
        {
            assert!(judged(unknown).starts_with("unavailable"));
        }
        let red = judged(Ok(Some(vec![of("pending"), of("failure"), of("success")])));
        assert_eq!(red, " failed on the server: failure (failure)");
    }
}

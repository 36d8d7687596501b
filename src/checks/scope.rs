//! The plan's boundary is a contract: later phases that change code stay inside it, and none of them rewrites the plan.
//! A phase that plans is held to a boundary that can be read, as long as its author can still repair it.

mod boundary;

use self::boundary::{Scope, read_scope};
use super::outcome::{failure, file, judged};
use super::paths::Patterns;
use super::{Site, passed, task_list};
use model::event::{CheckResult, Place};

pub(super) const ID: &str = "scope";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let is_allowed = |plan: &String| site.phase.policy.triage || site.by_hand.contains(plan);
    let rewritten = site.plans.iter().filter(|plan| site.changed.contains(*plan) && !is_allowed(plan));
    let rewritten = rewritten.filter(|plan| !task_list::ticked(site, plan));
    let rewritten: Vec<Place> = rewritten.map(|plan| file(plan, "was changed by a later phase")).collect();
    if !rewritten.is_empty() {
        return judged(ID, "plan-changed", rewritten, "the plan may not be rewritten", "");
    }
    let plans = site.phase.properties.plans;
    let no_scope = |plan: &str, why: &str| {
        failure(ID, "no-scope", &format!("{plan}: {why}"), &[("plan", plan), ("why", why)])
    };
    match stated(site) {
        Err((plan, why)) => no_scope(plan, &why),
        Ok(None) if site.settings.scope_required && (plans || site.phase.changes_code) => {
            let own = if plans { Some(site.output) } else { site.plans.last().map(String::as_str) };
            no_scope(own.unwrap_or("the plan"), "no scope is stated")
        }
        Ok(None) => passed(ID, "the plan sets no scope"),
        Ok(Some(_)) if plans => passed(ID, "the plan sets a scope"),
        Ok(Some(_)) if !site.phase.changes_code => passed(ID, "the plan was not changed"),
        Ok(Some(scope)) => inside(site, &scope),
    }
}

/// Returns the boundary in force: that of the later plan, where it states one; the error names the plan.
fn stated<'s>(site: &Site<'s>) -> Result<Option<Scope>, (&'s str, String)> {
    let read = |plan: &str| git::regular_file::read_text(&site.worktree.join(plan));
    let mut scope = None;
    for plan in site.plans {
        let text = read(plan).map_err(|_| (plan.as_str(), "the plan cannot be read".to_owned()))?;
        scope = read_scope(&text).map_err(|why| (plan.as_str(), why))?.or(scope);
    }
    // That the deliverable is there is another check's matter.
    let own = if site.phase.properties.plans { read(site.output).unwrap_or_default() } else { String::new() };
    Ok(read_scope(&own).map_err(|why| (site.output, why))?.or(scope))
}

fn inside(site: &Site<'_>, scope: &Scope) -> CheckResult {
    let changed = || site.changed.iter().filter(|path| !path.starts_with(".ai-workflow/"));
    let mut places: Vec<Place> = Vec::new();
    if let Some(paths) = &scope.paths {
        let allowed = Patterns::exact(paths);
        let outside = changed().filter(|path| !allowed.hold(path));
        places.extend(outside.map(|path| file(path, "is outside of the plan's scope")));
    }
    let files = changed().count() as u64;
    let lines = site.project_changes().map(|change| change.added_lines().count() as u64).sum::<u64>();
    places.extend(above(site, "files changed", files, scope.max_files));
    places.extend(above(site, "lines added", lines, scope.max_lines));
    let clean = format!("inside the plan's scope: {files} files changed, {lines} lines added");
    let paths = scope.paths.as_ref().map(|paths| paths.join(", ")).unwrap_or_default();
    let problem = format!("the plan's scope ({paths}) was left");
    let mut result = judged(ID, "out-of-scope", places, &problem, &clean);
    if result.pattern.is_some() {
        result.params.insert("paths".to_owned(), paths.into());
    }
    result
}

fn above(site: &Site<'_>, what: &str, seen: u64, most: Option<u64>) -> Option<Place> {
    let most = most.filter(|most| seen > *most)?;
    let plan = site.plans.last()?;
    Some(file(plan, format!("allows {most} {what}, and there are {seen}")))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::scene::{Scene, phase};
    use model::change::Change;
    use model::event::CheckStatus;

    const PLAN: &str = "planning.md";
    const SCOPE: &str =
        "# Plan\n{\"scope\": {\"paths\": [\"src/**\", \"tests/\"], \"max_files\": 2, \"max_lines\": 5}}\n";

    fn made(folder: &Path, plan: &str, changed: &[&str]) -> Scene {
        std::fs::write(folder.join(PLAN), plan).expect("a file");
        let mut made = Scene::of(changed.iter().map(|path| Change::of_texts(path, None, Some("1\n2\n"))));
        made.worktree = folder.to_owned();
        made.plans = vec![PLAN.to_owned()];
        made
    }

    fn judge(plan: &str, changed: &[&str]) -> CheckResult {
        let folder = tempfile::tempdir().expect("a folder");
        examine(&made(folder.path(), plan, changed).site())
    }

    #[test]
    fn a_file_outside_of_the_plans_scope_is_refused_with_the_list() {
        let result = judge(SCOPE, &["src/a/b.rs", "docs/x.md", "srcs/c.rs"]);
        assert_eq!((result.status, result.pattern.as_deref()), (CheckStatus::Fail, Some("out-of-scope")));
        let files: Vec<_> = result.places.iter().filter_map(|place| place.file.as_deref()).collect();
        assert_eq!(files, ["docs/x.md", "srcs/c.rs", PLAN, PLAN]);
        assert_eq!(result.param("paths"), Some("src/**, tests/"));
        assert_eq!(judge(SCOPE, &["src/a.rs", "tests/a.rs", "src/b.rs"]).status, CheckStatus::Fail);
    }

    #[test]
    fn what_stays_inside_and_our_own_documents_are_fine() {
        let result = judge(SCOPE, &["src/a.rs", "tests/b.rs"]);
        assert_eq!(result.summary, "inside the plan's scope: 2 files changed, 4 lines added");
        assert_eq!(
            judge(SCOPE, &["src/a.rs", ".ai-workflow/issue-7/x/output/x.md"]).status,
            CheckStatus::Pass
        );
        assert_eq!(judge("# Plan\n", &["anything"]).summary, "the plan sets no scope");
    }

    #[test]
    fn a_plan_that_a_person_changed_is_held_against_no_author() {
        let folder = tempfile::tempdir().expect("a folder");
        let by_hand = [PLAN.to_owned()].into();
        let made = made(folder.path(), "# Plan\n", &["src/a.rs", PLAN]);
        let result = examine(&Site { by_hand: &by_hand, ..made.site() });
        assert_eq!(result.summary, "the plan sets no scope");
    }

    #[test]
    fn a_later_phase_may_not_rewrite_the_contract() {
        let result = judge(SCOPE, &["src/a.rs", PLAN]);
        assert_eq!(result.pattern.as_deref(), Some("plan-changed"));
        let folder = tempfile::tempdir().expect("a folder");
        let mut documents = made(folder.path(), SCOPE, &[PLAN]);
        documents.phase = phase("requirements");
        assert_eq!(examine(&documents.site()).status, CheckStatus::Fail);
        documents.phase.policy.triage = true;
        assert_eq!(examine(&documents.site()).status, CheckStatus::Pass);
    }

    #[test]
    fn a_scope_that_is_missing_or_cannot_be_read_never_counts_as_kept() {
        assert_eq!(judge("{\"scope\": {\"paths\": []}}", &["src/a.rs"]).pattern.as_deref(), Some("no-scope"));
        let folder = tempfile::tempdir().expect("a folder");
        let mut gone = made(folder.path(), SCOPE, &["src/a.rs"]);
        gone.plans.push("design.md".to_owned());
        assert_eq!(examine(&gone.site()).summary, "design.md: the plan cannot be read");
        let mut required = made(folder.path(), "# Plan", &["src/a.rs"]);
        required.settings.scope_required = true;
        assert_eq!(examine(&required.site()).pattern.as_deref(), Some("no-scope"));
    }

    #[test]
    fn the_later_plan_wins_and_a_planner_is_told_while_it_can_repair() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("design.md"), "{\"scope\": {\"paths\": [\"docs/\"]}}")
            .expect("a file");
        let mut later = made(folder.path(), SCOPE, &["docs/a.md"]);
        later.plans.push("design.md".to_owned());
        assert_eq!(examine(&later.site()).status, CheckStatus::Pass);
        let mut planner = made(folder.path(), SCOPE, &[]);
        planner.phase = phase("planning");
        planner.plans = vec![];
        let broken = Site { output: "broken.md", ..planner.site() };
        std::fs::write(folder.path().join("broken.md"), "{\"scope\": {\"paths\": [").expect("a file");
        assert_eq!(examine(&broken).pattern.as_deref(), Some("no-scope"));
        let sound = Site { output: PLAN, ..planner.site() };
        assert_eq!(examine(&sound).summary, "the plan sets a scope");
    }
}

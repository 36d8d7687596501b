//! The plan's boundary is a contract: later phases that change code stay inside it; that none of them rewrites the plan is a matter
//! of `documents`. A phase that plans is held to a boundary that can be read, as long as its author can still repair it.

use std::num::NonZeroU64;

use content_parser::split_objects;
use serde::Deserialize;
use serde_json::Value;

use super::{
    CheckResult, MOST_TOLD, Patterns, Place, Site, any_of, failure, file, if_failed, judged, one_line, passed,
};

pub(super) const ID: &str = "scope";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
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
    let own = if site.phase.properties.plans { Some(site.output) } else { None };
    let mut scope = None;
    for plan in site.plans.iter().map(String::as_str).chain(own) {
        let text = match git::regular_file::read_text(&site.worktree.join(plan)) {
            Ok(text) => text,
            // That the deliverable is there is another check's matter.
            Err(_) if own == Some(plan) => String::new(),
            Err(_) => return Err((plan, "the plan cannot be read".to_owned())),
        };
        scope = read_scope(&text).map_err(|why| (plan, why))?.or(scope);
    }
    Ok(scope)
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
    if_failed(judged(ID, "out-of-scope", places, &problem, &clean), [("paths", paths.into())])
}

fn above(site: &Site<'_>, what: &str, seen: u64, most: Option<NonZeroU64>) -> Option<Place> {
    let most = most.filter(|most| seen > most.get())?;
    let plan = site.plans.last()?;
    Some(file(plan, format!("allows {most} {what}, and there are {seen}")))
}

const KEYS: [&str; 3] = ["paths", "max_files", "max_lines"];

/// What later phases may change. Where nothing is said, there is no limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Scope {
    /// Paths, folders and patterns.
    paths: Option<Vec<String>>,
    /// The most files that may change.
    max_files: Option<NonZeroU64>,
    /// Lines added.
    max_lines: Option<NonZeroU64>,
}

pattern!(BEGINNING, &any_of("scope", "beginning"));

/// Reads the last boundary of a plan; the error says why it cannot be read.
fn read_scope(text: &str) -> Result<Option<Scope>, String> {
    let (objects, rest) = split_objects(text).ok_or("the plan holds too many objects to read")?;
    let mut scope = None;
    for (object, fields) in &objects {
        if fields.is_none() && BEGINNING.is_match(object) {
            return Err("the scope is no JSON object that can be read, or has a key twice".to_owned());
        }
        let stated = fields.as_ref().and_then(|fields| fields.get("scope"));
        let is_boundary = |stated: &&Value| KEYS.iter().any(|key| stated.get(key).is_some());
        if let Some(stated) = stated.filter(is_boundary) {
            scope = Some(boundary(stated)?);
        }
    }
    if BEGINNING.is_match(&rest) {
        return Err("the scope is no JSON: it breaks off or is written wrongly".to_owned());
    }
    Ok(scope)
}

fn boundary(stated: &Value) -> Result<Scope, String> {
    let unread =
        |why| format!("the scope {} cannot be read: {why}", one_line(&stated.to_string(), MOST_TOLD));
    let mut scope = Scope::deserialize(stated).map_err(unread)?;
    let Some(paths) = &mut scope.paths else { return Ok(scope) };
    if paths.is_empty() {
        return Err("`paths` is empty, so nothing could be changed".to_owned());
    }
    for path in paths {
        *path = path.trim().to_owned();
        if path.is_empty() || path.starts_with(['/', '~', '\\']) || path.split('/').any(|part| part == "..") {
            return Err(format!("`paths` has `{path}`, which is no path inside the repository"));
        }
        if matches!(path.as_str(), "." | "./") {
            "**".clone_into(path);
        }
    }
    Ok(scope)
}

#[cfg(test)]
mod tests;

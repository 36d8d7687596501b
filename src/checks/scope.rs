//! The plan's boundary is a contract: later phases that change code stay inside it, and none of them rewrites the plan.
//! A phase that plans is held to a boundary that can be read, as long as its author can still repair it.

use std::sync::LazyLock;

use content_parser::split_objects;
use regex::Regex;
use serde_json::{Map, Value};

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

/// What later phases may change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Scope {
    /// Paths, folders and patterns; all, when nothing is said.
    paths: Option<Vec<String>>,
    /// The most files that may change.
    max_files: Option<u64>,
    /// Lines added.
    max_lines: Option<u64>,
}

const KEYS: [&str; 3] = ["paths", "max_files", "max_lines"];

pattern!(
    /// Where a boundary begins, readable or not.
    BEGINNING,
    r#"\{\s*"scope"\s*:\s*\{\s*"(?:paths|max_files|max_lines)""#
);

/// Reads the last boundary of a plan; the error says why it cannot be read.
fn read_scope(text: &str) -> Result<Option<Scope>, String> {
    let (objects, rest) = split_objects(text).ok_or("the plan holds too many objects to read")?;
    let mut scope = None;
    for (object, fields) in &objects {
        if fields.is_none() && BEGINNING.is_match(object) {
            return Err("the scope is no JSON object that can be read, or has a key twice".to_owned());
        }
        let stated = fields.as_ref().and_then(|fields| fields.get("scope")?.as_object());
        if let Some(stated) = stated
            && KEYS.iter().any(|key| stated.contains_key(*key))
        {
            scope = Some(boundary(stated)?);
        }
    }
    if BEGINNING.is_match(&rest) {
        return Err("the scope is no JSON: it breaks off or is written wrongly".to_owned());
    }
    Ok(scope)
}

fn boundary(stated: &Map<String, Value>) -> Result<Scope, String> {
    if let Some(unknown) = stated.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!(
            "the scope has an unknown key `{unknown}`; there are paths, max_files and max_lines"
        ));
    }
    let paths = stated.get("paths").map(paths).transpose()?;
    Ok(Scope { paths, max_files: number(stated, "max_files")?, max_lines: number(stated, "max_lines")? })
}

fn paths(value: &Value) -> Result<Vec<String>, String> {
    let listed = value.as_array().ok_or("`paths` is no list")?;
    let paths: Option<Vec<String>> = listed.iter().map(|path| path.as_str().map(cleaned)).collect();
    let paths = paths.ok_or("`paths` holds something that is no text")?;
    if paths.is_empty() {
        return Err("`paths` is empty, so nothing could be changed".to_owned());
    }
    let is_outside = |path: &&String| {
        path.is_empty() || path.starts_with(['/', '~', '\\']) || path.split('/').any(|part| part == "..")
    };
    match paths.iter().find(is_outside) {
        Some(path) => Err(format!("`paths` has `{path}`, which is no path inside the repository")),
        None => Ok(paths),
    }
}

fn cleaned(path: &str) -> String {
    let path = path.trim();
    if matches!(path, "." | "./") { "**".to_owned() } else { path.to_owned() }
}

fn number(stated: &Map<String, Value>, key: &str) -> Result<Option<u64>, String> {
    let Some(value) = stated.get(key) else { return Ok(None) };
    let number = value.as_u64().filter(|number| *number > 0);
    number.map(Some).ok_or_else(|| format!("`{key}` is no whole number above 0"))
}

#[cfg(test)]
mod tests;

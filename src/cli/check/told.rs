//! How the results of `check` are told: one line each with what is behind it, or JSON. Judges only whether all is well.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use checks::shown;
use git::DiffBase;
use model::event::{CheckResult, CheckStatus};
use model::policy::criterion;
use model::redact::Masker;
use views::summary::{counted, padded, plain};

/// The last lines of a command's output that are shown.
const LAST_LINES: usize = 12;

/// What came of all checks.
pub(super) struct Told<'a> {
    pub(super) since: &'a DiffBase,
    pub(super) changed: usize,
    pub(super) results: &'a [CheckResult],
    pub(super) noted: &'a BTreeSet<String>,
}

impl Told<'_> {
    /// Tells whether something was judged and nothing speaks against it: what could not run is no pass.
    pub(super) fn ok(&self) -> bool {
        let passed = self.results.iter().any(|result| result.status == CheckStatus::Pass);
        let fine = |result: &CheckResult| {
            matches!(result.status, CheckStatus::Pass | CheckStatus::Skipped) || self.is_noted(result)
        };
        passed && self.results.iter().all(fine)
    }

    fn is_noted(&self, result: &CheckResult) -> bool {
        self.noted.contains(&result.check)
    }

    /// Returns the results as JSON, without secrets.
    pub(super) fn value(&self, masker: &Masker) -> Value {
        let results = self.results.iter().map(|result| {
            json!({
                "check": result.check, "criterion": criterion(&result.check), "status": result.status,
                "required": !self.is_noted(result), "pattern": result.pattern, "summary": result.summary,
                "places": result.places, "evidence": result.evidence,
            })
        });
        let value = json!({
            "ok": self.ok(), "base": self.since.commit.to_string(), "base_name": self.since.name,
            "changed_files": self.changed, "results": results.collect::<Vec<_>>(),
        });
        masked(value, masker)
    }

    /// Returns the results as lines, without secrets and control characters.
    pub(super) fn lines(&self, masker: &Masker) -> String {
        let calm = |text: &str| plain(masker.mask(text).as_str());
        let width = self.results.iter().map(|result| name(result).len()).max().unwrap_or(0);
        let mut text = format!("{}\n", calm(&self.head()));
        for result in self.results {
            let (mark, prefix) = self.mark(result);
            let summary = calm(&result.summary);
            let _ = writeln!(text, "{mark} {}  {prefix}{summary}", padded(&name(result), width));
            for line in behind(result) {
                let _ = writeln!(text, "  {:width$}  {}", "", calm(&line));
            }
        }
        let _ = writeln!(text, "{}", self.counts());
        text
    }

    fn head(&self) -> String {
        let base = format!("{} ({})", &self.since.commit.as_str()[..9], self.since.name);
        match self.changed {
            0 => format!("nothing changed since {base}"),
            files => format!("{} changed since {base}", counted(files as u64, "file")),
        }
    }

    fn mark(&self, result: &CheckResult) -> (char, &'static str) {
        match result.status {
            CheckStatus::Pass => ('✓', ""),
            CheckStatus::Skipped => ('-', "skipped: "),
            CheckStatus::Fail if self.is_noted(result) => ('!', "noted: "),
            CheckStatus::Fail => ('✗', ""),
            CheckStatus::Unavailable => ('?', "unavailable: "),
        }
    }

    fn counts(&self) -> String {
        let count = |wanted: char| self.results.iter().filter(|result| self.mark(result).0 == wanted).count();
        let all = [('✓', "passed"), ('✗', "failed"), ('?', "unavailable"), ('!', "noted"), ('-', "skipped")];
        let told = all.map(|(mark, word)| (count(mark), word)).into_iter().filter(|(count, _)| *count > 0);
        let told = told.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ");
        let judged = self.results.iter().any(|result| result.status != CheckStatus::Skipped);
        match (judged, told.is_empty()) {
            (true, _) => told,
            (false, true) => "nothing was judged".to_owned(),
            (false, false) => format!("{told}: nothing was judged"),
        }
    }
}

fn masked(value: Value, masker: &Masker) -> Value {
    match value {
        Value::String(text) => Value::String(masker.mask(&text).to_string()),
        Value::Array(all) => all.into_iter().map(|inner| masked(inner, masker)).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(key, inner)| (key, masked(inner, masker))).collect()
        }
        plain => plain,
    }
}

fn name(result: &CheckResult) -> String {
    match criterion(&result.check) {
        Some(criterion) => format!("{} ({criterion})", result.check),
        None => result.check.clone(),
    }
}

/// Returns what stands behind a result that is no pass: the places its summary does not show, or the last of its evidence.
fn behind(result: &CheckResult) -> Vec<String> {
    if matches!(result.status, CheckStatus::Pass | CheckStatus::Skipped) {
        return Vec::new();
    }
    let places = result.places.iter().map(shown).filter(|place| !result.summary.contains(place));
    let mut lines: Vec<String> = places.collect();
    let known = result.params.get("count").and_then(Value::as_u64).unwrap_or(0);
    let untold = known.saturating_sub(result.places.len() as u64);
    if untold > 0 {
        lines.push(format!("and {untold} more"));
    }
    if result.places.is_empty() {
        let all: Vec<&str> = result.evidence.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = &all[all.len().saturating_sub(LAST_LINES)..];
        lines.extend(last.iter().map(|line| format!("| {line}")));
    }
    lines
}

//! A phase that writes code changed something outside `.ai-workflow/`.

use super::{Site, deliverable, failure, passed};
use crate::event::CheckResult;

pub(super) const ID: &str = "code_changed";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let changed = site.changed.iter().filter(|path| !path.starts_with(".ai-workflow/")).count();
    if changed > 0 {
        let files = if changed == 1 { "file" } else { "files" };
        return passed(ID, &format!("{changed} {files} changed outside .ai-workflow/"));
    }
    let summary = "nothing changed outside .ai-workflow/";
    failure(ID, "no-code-change", summary, &[("code", deliverable::CODE)])
}

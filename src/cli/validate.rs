//! `validate`: the results of a step's conditions, one line each, and the prompt that an author would get.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::CommandResult;
use super::arguments::{SettingFlags, ValidateArgs};
use super::output::print;
use app::validate::{ValidateRequest, Validation, validate};
use model::event::CheckStatus;

/// Runs `validate`.
pub(super) fn run(arguments: &ValidateArgs) -> CommandResult {
    let project = crate::project::open(&SettingFlags::default())?;
    let ValidateArgs { step, registry, issue, .. } = arguments;
    let request = ValidateRequest { step: step.clone(), registry: registry.clone(), issue: *issue };
    let validation = validate(&project, &request)?;
    print(arguments.json, &value(&arguments.step, &validation), &lines(&validation));
    Ok(u8::from(validation.failed().is_some()))
}

/// Returns the name of a condition without its step.
fn short_name(id: &str) -> &str {
    id.rsplit_once('/').map_or(id, |(_, name)| name)
}

fn mark(status: CheckStatus) -> &'static str {
    match status {
        CheckStatus::Pass => "✓",
        CheckStatus::Fail => "✗",
        CheckStatus::Unavailable => "?",
        CheckStatus::Skipped => "-",
        CheckStatus::FailedBefore => "=",
    }
}

fn lines(validation: &Validation) -> String {
    let Validation { step, results, retry_prompt } = validation;
    let mut text = format!("{}\n", step.name);
    for result in results {
        let _ = writeln!(text, "{} {}: {}", mark(result.status), short_name(&result.check), result.summary);
    }
    for (id, _) in step.checks.iter().skip(results.len()) {
        let _ = writeln!(text, "- {}: not looked at, because of the failure before it", short_name(id));
    }
    match retry_prompt {
        Some(prompt) => text + "\nThe author would be told:\n\n" + prompt,
        None => text,
    }
}

fn value(step: &str, validation: &Validation) -> Value {
    let failed = validation.failed();
    let each = validation.results.iter().map(|result| {
        let of = |name: &str| result.params.get(name);
        json!({
            "check": short_name(&result.check), "status": result.status, "pattern": result.pattern,
            "summary": result.summary, "severity": of("severity"), "relatedFiles": of("relatedFiles").unwrap_or(&json!([])),
            "rootCause": of("rootCause"), "suggestedAction": of("suggestedAction"),
            "params": result.params, "evidence": result.evidence,
        })
    });
    json!({
        "step": step, "valid": failed.is_none(),
        "pattern": failed.and_then(|result| result.pattern.clone()), "params": failed.map(|result| &result.params),
        "recoverable": failed.map(|result| result.status == CheckStatus::Fail),
        "results": each.collect::<Vec<_>>(), "retry_prompt": validation.retry_prompt,
    })
}

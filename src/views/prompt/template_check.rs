//! Renders every prompt of a run once with sample data, and fills every retry text, so that a broken template is found before an
//! agent is paid. Looks at all retry texts, whether or not a run will need them.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::PromptError;
use super::fence::FenceMarks;
use super::input::{
    InlinedFile, NamedFinding, PromptDocument, PromptInput, PromptTask, RepairInput, ReviewInput, WorkInput,
};
use super::render::{context, render};
use super::retry_texts::{COMMON, RetryTexts, patterns_of};
use super::templates::{EMBEDDED, Templates, Values, is_retry};
use model::event::{CheckResult, Claim, Place, ReviewQuestion};
use model::finding::Finding;
use model::issue::Issue;
use model::phase::Step;
use model::policy::{FailurePattern, PhaseDef};

/// Renders every prompt of these phases, with everything filled in and with nothing, and looks at every retry text. Fails with
/// the first template that is wrong.
pub fn check_templates(
    phases: &[PhaseDef],
    patterns: &BTreeMap<String, FailurePattern>,
    overrides: &BTreeMap<String, String>,
) -> Result<(), PromptError> {
    let issue: Issue = read_sample(json!({"number": 1, "title": "Sample", "body": "Sample"}));
    let Some(first) = phases.first() else { return Ok(()) };
    let templates = Templates::new(overrides)?;
    let any = PromptInput::new(&issue, first, Step::Revise, "sample.md", "samplesample");
    let marks = FenceMarks { call: any.fence, run: any.run_fence };
    let library = RetryTexts { templates: &templates, patterns, c3l: None, marks };
    examine_retry_texts(&library, &context(&any, &[], &library))?;
    for phase in phases {
        for step in steps(phase) {
            let bare = PromptInput {
                review: ReviewInput { review_id: Some("sample"), ..ReviewInput::default() },
                patterns,
                c3l: phase.c3l.as_ref(),
                ..PromptInput::new(&issue, phase, *step, "sample.md", "samplesample")
            };
            render(&bare, overrides)?;
            render_full(&bare, overrides)?;
        }
    }
    Ok(())
}

/// Reads sample data; what it does not name is empty.
fn read_sample<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("sample data names all that has to be there")
}

/// Returns the steps of a phase that have a prompt.
fn steps(phase: &PhaseDef) -> &'static [Step] {
    match (phase.policy.triage, phase.policy.review.is_some()) {
        (true, _) => &[Step::Review, Step::Triage],
        (false, true) => &[Step::Execute, Step::Review, Step::Revise, Step::Answer],
        (false, false) => &[Step::Execute, Step::Revise],
    }
}

/// Renders a prompt with sample data for everything that it may hold, and a failed check for every piece of advice that is there.
fn render_full(bare: &PromptInput<'_>, overrides: &BTreeMap<String, String>) -> Result<String, PromptError> {
    let text = || "Sample".to_owned();
    let ours = EMBEDDED.iter().map(|(path, _)| *path);
    let paths = ours.chain(overrides.keys().map(String::as_str));
    let patterns = paths.filter_map(|path| path.strip_prefix("retry/")?.strip_suffix(".md"));
    let checks: Vec<CheckResult> = patterns.map(failed_check).collect();
    let claim: Claim = read_sample(json!({"status": "completed", "summary": "Sample"}));
    let finding: Finding = read_sample(json!({"severity": "major", "issue": "Sample"}));
    let findings = [finding.clone()];
    let named = [NamedFinding { id: text(), finding }];
    let tasks = [PromptTask { id: text(), file: Some(text()), tried: 1, items: named.to_vec() }];
    let texts = [text()];
    let place = Place { what: text(), ..Place::default() };
    let question = ReviewQuestion { id: text(), check: text(), place };
    let material = WorkInput {
        documents: &[PromptDocument { phase: text(), path: text() }],
        inlined: &[InlinedFile { path: text(), text: text() }],
        output_text: "Sample",
        task_lists: &texts,
        commands: &[(text(), text())],
        suggestions: &texts,
        notices: &texts,
        history: &texts,
        changed: &texts,
        diff: "Sample",
    };
    let review = ReviewInput {
        review_id: bare.review.review_id,
        viewpoints: &texts,
        seat: Some("sample"),
        open: &named,
        since_review: "Sample",
        doubt: "Sample",
        review_questions: &[question],
        more_review_questions: 1,
        unanswered: &texts,
        previous_review: "Sample",
        questions: &texts,
        replied: "Sample",
        may_ask: true,
    };
    let repair = RepairInput {
        findings: &findings,
        tasks: &tasks,
        later: &tasks,
        remarks: &named,
        declared: Some((1, &claim)),
        hint: "Sample",
        feedback: "Sample",
        answer: "Sample",
        rollback: "Sample",
    };
    render(&PromptInput { checks: &checks, material, review, repair, ..*bare }, overrides)
}

fn failed_check(pattern: &str) -> CheckResult {
    read_sample(json!({
        "check": "sample", "status": "fail", "pattern": pattern, "summary": "Sample",
        "places": [{"file": "sample", "what": ""}],
    }))
}

/// Refuses retry texts that could not be filled: one that declares what its failure does not give, or that names what nobody
/// gives. `values` are those that every prompt has.
fn examine_retry_texts(library: &RetryTexts<'_>, values: &Values) -> Result<(), PromptError> {
    let built_in = built_in_params()?;
    for path in library.templates.paths().filter(|path| is_retry(path)) {
        refuse_not_given(path, library, &built_in)?;
        fill_once(path, library, values)?;
    }
    Ok(())
}

/// Parameters by the pattern of the failure that gives them.
type Params = BTreeMap<String, Vec<String>>;

/// What the failures with a text of ours give: the parameters that ours declares.
fn built_in_params() -> Result<Params, PromptError> {
    let (no_own, none) = (BTreeMap::new(), BTreeMap::<String, FailurePattern>::new());
    let ours = Templates::new(&no_own)?;
    let mut params = BTreeMap::new();
    for (path, _) in EMBEDDED.iter().filter(|(path, _)| is_retry(path)) {
        for pattern in patterns_of(path, &none) {
            params.insert(pattern.to_owned(), ours.params(path).to_vec());
        }
    }
    Ok(params)
}

/// Refuses a text of a repository that wants more than each of its failures gives. The text for all others may want
/// anything: what is not given stays empty.
fn refuse_not_given(path: &str, library: &RetryTexts<'_>, built_in: &Params) -> Result<(), PromptError> {
    if !library.templates.is_own(path) {
        return Ok(());
    }
    for pattern in patterns_of(path, library.patterns) {
        let defined = library.patterns.get(pattern).map(|defined| &defined.params);
        let given: &[String] = defined.or_else(|| built_in.get(pattern)).map_or(&[], |params| params);
        let is_common = |name: &str| COMMON.split_whitespace().any(|common| common == name);
        let mut wanted = library.templates.params(path).iter();
        if let Some(name) = wanted.find(|name| !given.contains(name) && !is_common(name)) {
            return Err(PromptError::Template(format!(
                "{path}: it declares `{name}`, which the failure `{pattern}` does not give"
            )));
        }
    }
    Ok(())
}

/// Fills a text once, with a sample in place of everything it declares.
fn fill_once(path: &str, library: &RetryTexts<'_>, values: &Values) -> Result<(), PromptError> {
    let mut values = values.clone();
    let names = library.templates.names(path);
    let declared = library.templates.params(path).iter().map(String::as_str);
    for name in declared.chain(COMMON.split_whitespace()) {
        let sample = if names.is_list(name) { json!(["Sample"]) } else { json!("Sample") };
        values.insert(name.to_owned(), sample);
    }
    let engine = library.templates.engine(vec![path.to_owned()])?;
    library.templates.refuse_unknown(path, &values)?;
    library.templates.render(&engine, path, &values).map(drop)
}

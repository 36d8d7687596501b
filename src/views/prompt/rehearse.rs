//! Renders every prompt of a run once with sample data, and fills every retry text, so that a broken template is found before an
//! agent is paid. Looks at all retry texts, whether or not a run will need them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::PromptError;
use super::advice::{COMMON, refuse_unknown};
use super::context::context;
use super::embedded::EMBEDDED;
use super::input::{Document, Inlined, Material, NamedFinding, PromptInput, RepairInput, ReviewInput, Task};
use super::render::render;
use super::retry_texts::{Library, patterns_of};
use super::templates::{Templates, is_retry};
use model::event::{CheckResult, CheckStatus, Claim, ClaimStatus, Place};
use model::finding::{Finding, Severity};
use model::issue::{Discussion, Issue};
use model::phase::Step;
use model::policy::{Pattern, PhaseDef};

/// Renders every prompt of these phases, with everything filled in and with nothing, and looks at every retry text. Fails with
/// the first template that is wrong.
pub fn rehearse(
    phases: &[PhaseDef],
    patterns: &BTreeMap<String, Pattern>,
    overrides: &BTreeMap<String, String>,
) -> Result<(), PromptError> {
    let issue = issue();
    let Some(first) = phases.first() else { return Ok(()) };
    let templates = Templates::new(overrides)?;
    let library = Library { templates: &templates, patterns, c3l: None };
    let any = PromptInput::new(&issue, first, Step::Revise, "sample.md", "samplesample");
    examine_retry_texts(&library, &context(&any, &[], &templates))?;
    let sample = Sample::new(overrides);
    for phase in phases {
        for step in steps(phase) {
            let bare = PromptInput {
                review: ReviewInput { review_id: Some("sample"), ..ReviewInput::default() },
                patterns,
                c3l: phase.c3l.as_ref(),
                ..PromptInput::new(&issue, phase, *step, "sample.md", "samplesample")
            };
            render(&bare, overrides)?;
            render(&sample.fill(&bare), overrides)?;
        }
    }
    Ok(())
}

fn issue() -> Issue {
    let number = 1u64.try_into().expect("1 is the number of an issue");
    Issue {
        number,
        title: "Sample".to_owned(),
        body: "Sample".to_owned(),
        labels: Vec::new(),
        author: String::new(),
        open: true,
        url: String::new(),
        discussion: Discussion::default(),
    }
}

/// Returns the steps of a phase that have a prompt.
fn steps(phase: &PhaseDef) -> &'static [Step] {
    match (phase.policy.triage, phase.policy.review.is_some()) {
        (true, _) => &[Step::Review, Step::Triage],
        (false, true) => &[Step::Execute, Step::Review, Step::Revise, Step::Answer],
        (false, false) => &[Step::Execute, Step::Revise],
    }
}

/// Sample data for everything that a prompt may hold.
struct Sample {
    documents: Vec<Document>,
    inlined: Vec<Inlined>,
    commands: Vec<(String, String)>,
    findings: Vec<Finding>,
    named: Vec<NamedFinding>,
    tasks: Vec<Task>,
    checks: Vec<CheckResult>,
    texts: Vec<String>,
    claim: Claim,
}

impl Sample {
    /// Makes sample data with a failed check for every piece of advice that is there.
    fn new(overrides: &BTreeMap<String, String>) -> Self {
        let text = || "Sample".to_owned();
        let ours = EMBEDDED.iter().map(|(path, _)| *path);
        let paths = ours.chain(overrides.keys().map(String::as_str));
        let patterns = paths.filter_map(|path| path.strip_prefix("retry/")?.strip_suffix(".md"));
        let named = vec![NamedFinding { id: text(), finding: finding(text()) }];
        Self {
            documents: vec![Document { phase: text(), path: text() }],
            inlined: vec![Inlined { path: text(), text: text() }],
            commands: vec![(text(), text())],
            findings: vec![finding(text())],
            tasks: vec![Task { id: text(), file: Some(text()), tried: 1, items: named.clone() }],
            named,
            checks: patterns.map(failed).collect(),
            texts: vec![text()],
            claim: Claim {
                status: ClaimStatus::Completed,
                next_action: None,
                summary: text(),
                notices: Vec::new(),
                files: Vec::new(),
            },
        }
    }

    fn fill<'a>(&'a self, bare: &PromptInput<'a>) -> PromptInput<'a> {
        PromptInput {
            checks: &self.checks,
            material: Material {
                documents: &self.documents,
                inlined: &self.inlined,
                output_text: "Sample",
                task_lists: &self.texts,
                commands: &self.commands,
                suggestions: &self.texts,
                notices: &self.texts,
                history: &self.texts,
                changed: &self.texts,
                diff: "Sample",
            },
            review: ReviewInput {
                review_id: bare.review.review_id,
                viewpoints: &self.texts,
                seat: Some("sample"),
                open: &self.named,
                since_review: "Sample",
                doubt: "Sample",
                previous_review: "Sample",
                questions: &self.texts,
                replied: "Sample",
                may_ask: true,
            },
            repair: RepairInput {
                findings: &self.findings,
                tasks: &self.tasks,
                later: &self.tasks,
                remarks: &self.named,
                declared: Some((1, &self.claim)),
                hint: "Sample",
                feedback: "Sample",
                answer: "Sample",
                rollback: "Sample",
            },
            ..*bare
        }
    }
}

fn finding(issue: String) -> Finding {
    Finding::new(Severity::Major, "", issue)
}

fn failed(pattern: &str) -> CheckResult {
    CheckResult {
        check: "sample".to_owned(),
        status: CheckStatus::Fail,
        pattern: Some(pattern.to_owned()),
        summary: "Sample".to_owned(),
        evidence: String::new(),
        params: BTreeMap::new(),
        places: vec![Place { file: Some("sample".to_owned()), ..Place::default() }],
    }
}

/// Refuses retry texts that could not be filled: one that declares what its failure does not give, or that names what nobody
/// gives. `values` are those that every prompt has.
fn examine_retry_texts(library: &Library<'_>, values: &Map<String, Value>) -> Result<(), PromptError> {
    let built_in = built_in_params()?;
    for path in library.templates.paths().filter(|path| is_retry(path)) {
        refuse_not_given(path, library, &built_in)?;
        fill_once(path, library, values)?;
    }
    Ok(())
}

/// What the failures with a text of ours give: the parameters that ours declares.
fn built_in_params() -> Result<BTreeMap<String, Vec<String>>, PromptError> {
    let (no_own, none) = (BTreeMap::new(), BTreeMap::<String, Pattern>::new());
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
fn refuse_not_given(
    path: &str,
    library: &Library<'_>,
    built_in: &BTreeMap<String, Vec<String>>,
) -> Result<(), PromptError> {
    if !library.templates.is_own(path) {
        return Ok(());
    }
    for pattern in patterns_of(path, library.patterns) {
        let defined = library.patterns.get(pattern).map(|defined| &defined.params);
        let given: &[String] = defined.or_else(|| built_in.get(pattern)).map_or(&[], |params| params);
        let mut wanted = library.templates.params(path).iter();
        if let Some(name) = wanted.find(|name| !given.contains(name) && !COMMON.contains(&name.as_str())) {
            let (path, name, pattern) = (path.to_owned(), name.clone(), pattern.to_owned());
            return Err(PromptError::NotGiven { path, name, pattern });
        }
    }
    Ok(())
}

/// Fills a text once, with a sample in place of everything it declares.
fn fill_once(path: &str, library: &Library<'_>, values: &Map<String, Value>) -> Result<(), PromptError> {
    let mut values = values.clone();
    let names = library.templates.names(path);
    let declared = library.templates.params(path).iter().map(String::as_str);
    for name in declared.chain(COMMON) {
        let sample = if names.is_list(name) { json!(["Sample"]) } else { json!("Sample") };
        values.insert(name.to_owned(), sample);
    }
    let known: BTreeSet<&str> = values.keys().map(String::as_str).collect();
    let engine = library.templates.engine(vec![path.to_owned()])?;
    refuse_unknown(path, library, &known)?;
    library.templates.render(&engine, path, &values).map(drop)
}

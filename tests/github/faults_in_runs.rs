//! A label becomes a draft, and each call of that is broken in every way that GitHub breaks: people see in the end what they
//! see without it, and nothing twice.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

use super::run::Scene;
use super::{Hit, Kind, Lost};
use crate::support::filtered;

/// How a call breaks, and what costs no time.
const KINDS: [Kind; 8] = [
    Kind::AppliedButLost(Lost::Reset),
    Kind::AppliedButLost(Lost::Status(502)),
    Kind::Reset,
    Kind::Before(502),
    Kind::RateLimited { status: 403, retry_after: 1 },
    Kind::RateLimited { status: 429, retry_after: 1 },
    Kind::Html,
    Kind::HalfJson,
];
/// Longer than we wait for an answer.
const TOO_LATE: Kind = Kind::Slow(31_000);
/// On how many runs the calls are spread: what is broken in one run lies apart.
const RUNS: usize = 12;
/// The comment is written as often as there is time for: at the beginning and at the end for sure.
const EDITS: usize = 2;

/// A call by its method, its address without the query, and its number among its like.
type Step = (String, String, usize);

/// What a run came to, line by line, without what differs from run to run.
#[derive(Debug, PartialEq)]
struct End(Vec<String>);

impl End {
    /// Asserts that it is the same end, and shows the lines that differ.
    #[track_caller]
    fn is_the_same_as(&self, wanted: &Self, hits: &[Hit]) {
        let only_in = |one: &Self, other: &Self| {
            one.0.iter().filter(|line| !other.0.contains(line)).cloned().collect::<Vec<_>>()
        };
        let (gone, new) = (only_in(wanted, self), only_in(self, wanted));
        assert!(self == wanted, "{hits:#?}\nmissing: {gone:#?}\nbeside: {new:#?}");
    }
}

/// Has a label become a draft while these calls break.
fn run(hits: &[Hit], more: &[&str]) -> (Scene, End) {
    let scene = Scene::of_event();
    let event = scene.labeled();
    scene.github.aim(hits.iter().cloned());
    let more = [&["--forge", "github"], more].concat();
    let ran = scene.event_with("", "issues", &event, &more);
    let calls: Vec<_> = scene.github.calls().iter().map(ToString::to_string).collect();
    assert_eq!(ran.code, 0, "{hits:#?}\n{}\n{calls:#?}", ran.stderr);
    assert_eq!(scene.github.missed(), [], "{calls:#?}");
    scene.everything_is_pushed();
    let end = end_of(&scene);
    (scene, end)
}

fn end_of(scene: &Scene) -> End {
    let bare = scene.origin.path().display().to_string();
    let git = |words: &[&str]| scene.sandbox.git(&[&["-C", &bare], words].concat());
    let (branch, range) = ("ai-workflow/issue-243", "main..ai-workflow/issue-243");
    let mut seen = scene.github.state().without_edits();
    seen.comments.iter_mut().for_each(|comment| comment.id = 0);
    let time = regex::Regex::new(r"\b(\d+m)?\d+s\b").expect("a pattern");
    let seen = time.replace_all(&filtered(&seen.to_string()), "[TIME]").replace("\\n", "\n");
    let subjects = git(&["log", "--format=%s", range]);
    let files = git(&["ls-tree", "-r", "--name-only", branch]);
    let code = git(&["diff", "main", branch, "--", ".", ":!.ai-workflow"]);
    End([seen, subjects, files, code].iter().flat_map(|text| text.lines()).map(str::to_owned).collect())
}

/// Returns the calls of a run in their order, so that those that lie apart here lie apart in time.
fn steps(scene: &Scene) -> Vec<Step> {
    let mut numbers: BTreeMap<(String, String), usize> = BTreeMap::new();
    let steps = scene.github.calls().into_iter().map(|call| {
        let path = call.path.split('?').next().unwrap_or_default().to_owned();
        let number = numbers.entry((call.method.clone(), path.clone())).or_default();
        *number += 1;
        (call.method, path, *number)
    });
    let is_edit = |step: &Step| step.0 == "PATCH" && step.1.contains("/issues/comments/");
    steps.filter(|step| !is_edit(step) || step.2 <= EDITS).collect()
}

/// Breaks calls in one run. A call that is tried again counts twice among its like.
fn hits<'a>(steps: impl Iterator<Item = (&'a Step, Kind)>) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    for ((method, path, number), kind) in steps {
        let before = hits.iter().filter(|hit| (&hit.method, &hit.path) == (method, path)).count();
        let (method, path, nth) = (method.clone(), path.clone(), number + before);
        hits.push(Hit { method, path, nth, kind });
    }
    hits
}

/// Runs what is to be done, so many at a time.
fn each<T: Send>(all: Vec<T>, at_a_time: usize, work: impl Fn(T) + Sync) {
    let left = Mutex::new(all.into_iter());
    let next = || left.lock().expect("nobody panics with it").next();
    thread::scope(|scope| {
        for _ in 0..at_a_time {
            scope.spawn(|| {
                while let Some(one) = next() {
                    work(one);
                }
            });
        }
    });
}

#[test]
fn one_fault_per_github_address_changes_no_result_of_a_run() {
    let two = ["--preset", "review-requirements"];
    let (clean, wanted) = run(&[], &two);
    let first: Vec<_> =
        steps(&clean).into_iter().filter(|step| step.2 == 1).zip(KINDS.iter().cycle()).collect();
    assert!(first.len() >= 15, "{first:#?}");
    let runs = (0..5).map(|nth| hits(first.iter().skip(nth).step_by(5).map(|(step, kind)| (step, **kind))));
    each(runs.collect(), 5, |hits: Vec<Hit>| {
        run(&hits, &two).1.is_the_same_as(&wanted, &hits);
    });
}

#[test]
#[ignore = "full suite: a hundred whole runs"]
fn any_fault_at_any_github_call_changes_no_result_of_a_run() {
    let (clean, wanted) = run(&[], &[]);
    clean.became_a_draft();
    let steps = steps(&clean);
    assert!(steps.len() >= 45, "{steps:#?}");
    let runs = |kind| {
        let part = |nth| steps.iter().skip(nth).step_by(RUNS).map(move |step| (step, kind));
        (0..RUNS).map(|nth| hits(part(nth))).collect::<Vec<_>>()
    };
    let same = |hits: Vec<Hit>| {
        run(&hits, &[]).1.is_the_same_as(&wanted, &hits);
    };
    thread::scope(|scope| {
        // Who waits for an answer needs no processor.
        scope.spawn(|| each(runs(TOO_LATE), RUNS, same));
        scope.spawn(|| each(KINDS.into_iter().flat_map(runs).collect(), 4, same));
    });
}

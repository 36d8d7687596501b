//! Says where an approval covers what was not reviewed: a commit that differs from the files every opinion was about, or
//! that holds a line of code which stood in no prompt of somebody who approved it.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::Sandbox;

/// What a prompt says where it does not show everything.
const MORE: &str = "[there is more; see the files]";

/// The name of a reviewer that cannot open files.
pub(super) const BLIND: &str = "blind";

/// Looks at the latest commit of a phase.
pub(super) fn unreviewed(sandbox: &Sandbox, facts: &[Value]) -> Option<String> {
    let advances = super::rulings(facts).contains(&"advance".to_owned());
    let Some(committed) = facts.iter().rfind(|fact| fact["type"] == "committed") else {
        return advances.then(|| "nothing was committed".to_owned());
    };
    let commit = committed["commit"].as_str().expect("a commit");
    let opinions = opinions(facts, &committed["phase"]);
    let by_tree = opinions.iter().find_map(|opinion| other_files(sandbox, &facts[0], opinion, commit));
    let lines = lines_of_code(sandbox, commit);
    by_tree.or_else(|| opinions.iter().find_map(|opinion| unseen(sandbox, facts, opinion, &lines)))
}

/// The reviews of the last round of a phase that came to an end.
fn opinions<'a>(facts: &'a [Value], phase: &Value) -> Vec<&'a Value> {
    let of_phase = |fact: &&Value| fact["type"] == "reviewed" && fact["phase"] == *phase;
    let Some(last) = facts.iter().rfind(of_phase) else { return Vec::new() };
    let of_round = |fact: &&Value| fact["round"] == last["round"] && !fact["reading"].is_null();
    facts.iter().filter(of_phase).filter(of_round).collect()
}

/// What lay around before the run is in no commit.
fn other_files(sandbox: &Sandbox, started: &Value, opinion: &Value, commit: &str) -> Option<String> {
    let paths = sandbox.git(&["diff", "--name-only", opinion["tree"].as_str().expect("a tree"), commit]);
    let own = [
        "events.jsonl",
        "metadata.json",
        "review-result.json",
        "issue-243/.gitattributes",
        ".ai-workflow/config.toml",
    ];
    let strays: Vec<&str> =
        started["strays"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let ours = |path: &&str| own.iter().any(|name| path.ends_with(name)) || strays.contains(path);
    let others: Vec<&str> = paths.lines().filter(|path| !ours(path)).collect();
    (!others.is_empty()).then(|| format!("committed and not reviewed: {others:?}"))
}

/// The lines that a commit would bring to `main`, whoever wrote them.
fn lines_of_code(sandbox: &Sandbox, commit: &str) -> BTreeSet<String> {
    let range = format!("main..{commit}");
    let names = sandbox.git(&["diff", "--name-only", &range, "--", ".", ":!.ai-workflow"]);
    let is_text = |path: &&str| !sandbox.read_bytes(path).contains(&0);
    let mut lines = BTreeSet::new();
    for path in names.lines().filter(|path| sandbox.has(path)).filter(is_text) {
        let shown = sandbox.git(&["diff", "--text", "--unified=0", &range, "--", path]);
        let added = shown.lines().skip_while(|line| !line.starts_with("@@"));
        lines.extend(added.filter(|line| line.starts_with('+')).map(str::to_owned));
    }
    lines
}

/// Says which line stood in no prompt of who gave an opinion; a cut is fine for somebody who can open files.
fn unseen(sandbox: &Sandbox, facts: &[Value], opinion: &Value, lines: &BTreeSet<String>) -> Option<String> {
    let prompts = prompts(sandbox, facts, opinion);
    if prompts.contains(MORE) && opinion["reviewer"] != BLIND {
        return None;
    }
    let shown: BTreeSet<&str> = prompts.lines().collect();
    let unseen = lines.iter().find(|line| !shown.contains(line.as_str()));
    let seat = opinion["seat"].as_str().unwrap_or("the first reviewer");
    unseen.map(|line| format!("{seat} was never shown `{line}`"))
}

/// Everything that the seat of an opinion was asked with in that phase.
fn prompts(sandbox: &Sandbox, facts: &[Value], opinion: &Value) -> String {
    let same = |fact: &&Value| {
        let keys = ["phase", "seat"];
        fact["type"] == "step_started"
            && fact["step"] == "review"
            && keys.iter().all(|key| fact[*key] == opinion[*key])
    };
    let of_issue = sandbox.root().join(".ai-workflow/issue-243");
    let phase = opinion["phase"].as_str().expect("a name");
    let folders = std::fs::read_dir(of_issue).expect("the folder of the run").flatten();
    let names = folders.map(|folder| folder.file_name().to_string_lossy().into_owned());
    let folder = names.into_iter().find(|name| name.ends_with(&format!("_{phase}"))).expect("its folder");
    let prompt = |fact: &Value| {
        let (round, attempt) = (&fact["round"], &fact["attempt"]);
        let place = format!("{folder}/review/round-{round}/attempt-{attempt}/prompt.md");
        sandbox.read(&format!(".ai-workflow/issue-243/{place}"))
    };
    facts.iter().filter(same).map(prompt).collect()
}

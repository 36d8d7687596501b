//! What the views tell of agents: programs, models, prompts, figures, who took over, and who reviewed its own work.

use engine::{State, fold};
use model::event::{
    CallEnd, CheckStatus, CostBasis, Entry, ExecOutcome, Fact, ReportedProgram, RunOutcome, Usage,
};
use model::policy::{CheckRule, OnFail, OnUnavailable, PhaseDef};
use views::metadata::{AgentProgram, StepUsage, metadata};
use views::summary::{Documents, UnreviewedFiles, agent_lines, cost_line, progress_comment, pull_request};

use super::policies::{phase, phase_review, quality_gate};
use super::world::{Script, World, done, ends};

fn program(name: &str, model: &str) -> Option<ReportedProgram> {
    Some(ReportedProgram { name: name.into(), version: Some("2.1".into()), model: Some(model.into()) })
}

/// A run of one phase whose calls end as these say.
fn told(def: PhaseDef, script: Script, work: &dyn Fn(&mut CallEnd), review: &dyn Fn(&mut CallEnd)) -> State {
    let mut world = World::play(def, script);
    for entry in &mut world.entries {
        match &mut entry.fact {
            Fact::Worked(worked) => work(&mut worked.ended),
            Fact::Reviewed(reviewed) => review(&mut reviewed.ended),
            Fact::StepStarted(started) => started.prompt_bytes = 700,
            _ => {}
        }
    }
    fold(&world.entries).expect("the same run")
}

fn reviewed_by(reviewer: &str, model: &str) -> State {
    let def = PhaseDef {
        agents: vec!["claude".into()],
        reviewers: vec![reviewer.into()],
        ..phase("planning", phase_review())
    };
    let real = |program: Option<ReportedProgram>| {
        move |ended: &mut CallEnd| {
            ended.simulated = false;
            ended.program.clone_from(&program);
        }
    };
    let name = reviewer.split(':').next().expect("a name");
    let (work, review) = (real(program("claude", "opus")), real(program(name, model)));
    told(def, Script::default(), &work, &review)
}

fn lines(state: &State) -> Vec<String> {
    agent_lines(state.run.as_ref().expect("a run"))
}

#[test]
fn provenance_names_programs_models_and_the_latest_prompts() {
    let state = reviewed_by("codex", "gpt-5.5");
    let lock = metadata(&state, "").expect("a view").provenance;
    let locked = |agent: &str, model: &str| AgentProgram {
        agent: agent.into(),
        name: Some(agent.into()),
        version: Some("2.1".into()),
        model: Some(model.into()),
    };
    assert_eq!(lock.agents, [locked("claude", "opus"), locked("codex", "gpt-5.5")]);
    let prompts: Vec<_> = lock.prompts.iter().map(|(place, digest)| (place.as_str(), digest.len())).collect();
    assert_eq!(prompts, [("planning/execute", 64), ("planning/review", 64)]);
}

#[test]
fn provenance_uses_known_template_digests_for_prompts() {
    let mut world = World::play(phase("planning", phase_review()), Script::default());
    for entry in &mut world.entries {
        if let Fact::StepStarted(started) = &mut entry.fact
            && started.step == model::phase::Step::Execute
        {
            started.template = "a".repeat(64);
        }
    }
    let state = fold(&world.entries).expect("the same run");
    let prompts: Vec<_> = metadata(&state, "").expect("a view").provenance.prompts.into_iter().collect();
    let of = |place: &str, digest: &str| (place.to_owned(), digest.repeat(64));
    assert_eq!(prompts, [of("planning/execute", "a"), of("planning/review", "0")]);
}

#[test]
fn view_shows_usage_per_step_and_the_sum_of_the_run() {
    let figures = |ended: &mut CallEnd| {
        ended.usage = Usage {
            input_tokens: Some(1_000),
            cached_tokens: Some(600),
            output_tokens: Some(50),
            turns: Some(3),
            cost_usd: None,
            cost_basis: Some(CostBasis::Unknown),
        };
    };
    let script = Script { work: vec![ends(ExecOutcome::Crashed), done()], ..Script::default() };
    let state = told(phase("planning", phase_review()), script, &figures, &|_| ());
    let view = metadata(&state, "").expect("a view");
    let planning: views::metadata::PhaseView =
        serde_json::from_value(view.phases["planning"].clone()).expect("a phase");
    let execute = StepUsage {
        calls: 2,
        input_tokens: 2_000,
        cached_tokens: 1_200,
        output_tokens: 100,
        cost_usd: 0.0,
        unpriced_calls: 2,
        prompt_bytes: 1_400,
    };
    assert_eq!(planning.usage["execute"], execute);
    assert_eq!((planning.usage["review"].calls, planning.usage["review"].cost_usd), (1, 0.25));
    let cost = &view.cost_tracking;
    assert_eq!((cost.total_cached_tokens, cost.total_turns, cost.unpriced_calls), (1_200, 6, 2));
    let run = state.run.as_ref().expect("a run");
    assert_eq!(
        cost_line(run),
        "3 agent calls, 3000 tokens in, 300 tokens out, 0.25 USD and 2 calls of unknown price, 1m30s of agents at work"
    );
}

/// The line of a phase in the progress comment.
fn line_of_planning(state: &State) -> String {
    let comment = progress_comment(state.run.as_ref().expect("a run"));
    let line = comment.lines().find(|line| line.contains("**planning**"));
    line.unwrap_or_else(|| panic!("{comment}")).to_owned()
}

#[test]
fn progress_comment_shows_checks_cost_and_time_of_a_phase() {
    let odd = [("q2_todo", CheckStatus::Fail), ("q3_omission", CheckStatus::Skipped)];
    let odd = odd.map(|(check, status)| (check.to_owned(), status)).to_vec();
    let script = Script { checks: vec![odd, vec![]], ..Script::default() };
    let world = World::play(phase("planning", quality_gate()), script);
    let told = [
        (
            1,
            "- [ ] **planning** ▶ in_progress · round 1 · 1 check passed, 1 failed, 1 without a result · 0.25 USD, 30s",
        ),
        (2, "- [ ] **planning** ▶ in_progress · failed check · round 2 · 3 checks passed · 0.50 USD, 1m00s"),
    ];
    let checked = |entry: &&Entry| matches!(entry.fact, Fact::Checked(_));
    let checks: Vec<_> = world.entries.iter().filter(checked).map(|entry| entry.seq).collect();
    for (round, line) in told {
        let until = usize::try_from(checks[round - 1]).expect("a short log");
        assert_eq!(line_of_planning(&world.cut(until).state), line);
    }
    assert_eq!(
        line_of_planning(&world.state),
        "- [x] **planning** ✓ completed · checks passed · round 2 · 3 checks passed · 0.50 USD, 1m00s"
    );
    let comment = progress_comment(world.run());
    assert!(comment.contains(&format!("\n{}\n", cost_line(world.run()))), "{comment}");
}

#[test]
fn pull_request_and_progress_comment_report_agent_fallbacks() {
    let def = PhaseDef { agents: vec!["claude".into(), "codex".into()], ..phase("planning", phase_review()) };
    let script = Script { work: vec![ends(ExecOutcome::SignedOut), done()], ..Script::default() };
    let state = told(def, script, &|_| (), &|_| ());
    let run = state.run.as_ref().expect("a run");
    assert_eq!(lines(&state), ["planning execute: claude is signed out; codex takes over"]);
    let line = "- planning execute: claude is signed out; codex takes over\n";
    let (_, body) = pull_request(run, RunOutcome::Completed, &UnreviewedFiles::default(), Documents::Kept);
    assert!(body.contains(&format!("## Agents\n\n{line}")), "{body}");
    assert!(progress_comment(run).contains(line), "{}", progress_comment(run));
}

#[test]
fn review_by_the_authors_own_model_is_reported() {
    let own = "planning: the reviewer is the author's own model";
    assert_eq!(lines(&reviewed_by("claude", "opus")), [own]);
    assert_eq!(lines(&reviewed_by("claude:opus", "opus")), [own], "however it was named");
    assert!(lines(&reviewed_by("claude:sonnet", "sonnet")).is_empty());
    assert!(lines(&reviewed_by("codex", "gpt-5.5")).is_empty());
    let def = PhaseDef { reviewers: vec!["author".into()], ..phase("planning", phase_review()) };
    let scripted = told(def, Script::default(), &|_| (), &|_| ());
    assert!(lines(&scripted).is_empty(), "a script thinks nothing");
}

#[test]
fn pull_request_offers_the_run_again_command_only_when_it_works() {
    let state = told(phase("planning", phase_review()), Script::default(), &|_| (), &|_| ());
    let run = state.run.as_ref().expect("a run");
    let offers = |outcome, documents| {
        let (_, body) = pull_request(run, outcome, &UnreviewedFiles::default(), documents);
        body.lines().find(|line| line.contains("Run again")).map(str::to_owned)
    };
    insta::assert_snapshot!(offers(RunOutcome::Running, Documents::Kept).unwrap_or_default(), @"**Run again:** `ai-workflow execute --phase all --issue 243`");
    insta::assert_snapshot!(offers(RunOutcome::Completed, Documents::Kept).unwrap_or_default(), @r#"**Run again:** `ai-workflow rollback --issue 243 --to-phase planning --reason "why" && ai-workflow execute --phase all --issue 243`"#);
    assert_eq!(offers(RunOutcome::Completed, Documents::Gone), None);
    assert_eq!(offers(RunOutcome::Cancelled, Documents::Kept), None);
}

/// The first lines of the progress comment and of the request that are about tests.
fn told_of_tests(def: PhaseDef, checks: &[(&str, CheckStatus)]) -> [Option<String>; 2] {
    let checks = checks.iter().map(|(check, status)| ((*check).to_owned(), *status)).collect();
    let script = Script { checks: vec![checks], ..Script::default() };
    let world = World::play(def, script);
    let run = world.run();
    assert_eq!(run.outcome, RunOutcome::Completed, "{:?}", world.told());
    let request = pull_request(run, RunOutcome::Completed, &UnreviewedFiles::default(), Documents::Kept).1;
    [progress_comment(run), request].map(|text| {
        let line = text.lines().take(6).find(|line| line.to_lowercase().contains("no test was run"));
        line.map(str::to_owned)
    })
}

#[test]
fn code_changes_without_a_test_run_are_reported() {
    let tested = || {
        let mut policy = phase_review();
        policy.checks.push(CheckRule {
            id: "tests".into(),
            on_fail: OnFail::Note,
            on_unavailable: OnUnavailable::Note,
        });
        PhaseDef { changes_code: true, ..phase("implementation", policy) }
    };
    let code = || PhaseDef { changes_code: true, ..phase("implementation", phase_review()) };
    let line = |why: &str| [(); 2].map(|()| Some(format!("> **No test was run**: {why}.")));
    assert_eq!(told_of_tests(code(), &[]), line("no phase of the run has the check tests"));
    assert_eq!(told_of_tests(tested(), &[("tests", CheckStatus::Skipped)]), line("tests was looked at"));
    assert_eq!(told_of_tests(tested(), &[("tests", CheckStatus::Unavailable)]), line("tests was looked at"));
    assert_eq!(told_of_tests(tested(), &[]), [None, None], "they passed");
    assert_eq!(told_of_tests(tested(), &[("tests", CheckStatus::Fail)]), [None, None], "they ran");
    assert_eq!(
        told_of_tests(phase("planning", phase_review()), &[]),
        [None, None],
        "documents have no tests"
    );
}

#[test]
fn unfinished_run_does_not_report_missing_tests() {
    let def = PhaseDef { changes_code: true, ..phase("implementation", phase_review()) };
    let world = World::play(def, Script::default());
    let begun = world.cut(4);
    let run = begun.run();
    let request = pull_request(run, RunOutcome::Running, &UnreviewedFiles::default(), Documents::Kept).1;
    assert!(!progress_comment(run).contains("No test") && !request.contains("No test"));
}

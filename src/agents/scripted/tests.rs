//! Tests of `scripted`.

use super::*;

#[test]
fn only_paths_inside_the_worktree_are_accepted() {
    let folder = tempfile::tempdir().expect("a folder");
    let worktree = folder.path().join("worktree");
    fs::create_dir_all(worktree.join("src")).expect("a worktree");
    std::os::unix::fs::symlink(folder.path(), worktree.join("out")).expect("a link out");
    std::os::unix::fs::symlink("/no/such", worktree.join("nowhere")).expect("a link to nowhere");
    std::os::unix::fs::symlink("src", worktree.join("in")).expect("a link inside");
    for bad in ["/etc/x", "../x", "src/../../x", "out/x", "nowhere/x", "", "."] {
        assert!(resolve_inside(&worktree, bad).is_err(), "{bad}");
    }
    for good in ["x", "./src/new/x", "in/x"] {
        assert!(resolve_inside(&worktree, good).is_ok(), "{good}");
    }
}

#[test]
fn files_are_never_written_through_symlinks() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("target");
    let worktree = folder.path().join("worktree");
    fs::create_dir(&worktree).expect("a worktree");
    std::os::unix::fs::symlink(&target, worktree.join("link")).expect("a link out");
    let error = write_file(&worktree, "link", "x").expect_err("refused");
    assert_eq!((error.as_str(), target.exists()), ("`link` is outside the worktree", false));
    delete_file(&worktree, "link").expect("the link itself may go");
    delete_file(&worktree, "link").expect("it has gone already");
}

#[test]
fn folders_are_not_deleted() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("src")).expect("a folder in it");
    let refused = delete_file(folder.path(), "src");
    assert!(refused.is_err_and(|error| error.starts_with("`src` cannot be deleted: ")));
}

#[test]
fn unreadable_command_line_ends_as_broken() {
    for bad in [&["x"][..], &["x", "--try", "1"], &["x", "--attempt", "y"]] {
        assert!(read_arguments(bad.iter().map(OsString::from).collect()).is_none(), "{bad:?}");
    }
    assert_eq!(main(vec![]), BROKEN);
}

#[test]
fn truncated_json_answer_is_an_error() {
    assert!(serde_json::from_slice::<ScriptedAnswer>(b"{\"text\"").is_err());
}

// The script.

#[test]
fn turn_with_a_seat_plays_for_that_seat_and_others_for_all() {
    let text =
        "[[turn]]\nstep = 'review'\nsay = 'all'\n\n[[turn]]\nseat = 'security'\nstep = 'review'\nsay = 'one'";
    let script = parse(text, Path::new("x.toml")).expect("a good script");
    let said = |seat: &str| {
        let position = CallPosition { step: "review".into(), seat: seat.into(), ..CallPosition::default() };
        script.find_turn(&position).map(|turn| turn.say.clone())
    };
    assert_eq!(said(""), Some("all".into()));
    assert_eq!(said("security"), Some("one".into()));
    assert_eq!(said("quality"), Some("all".into()));
}

fn said(script: &str, place: (&str, &str, u32, u32)) -> Option<String> {
    let (phase, step, round, attempt) = place;
    let position =
        CallPosition { phase: phase.into(), step: step.into(), round, attempt, ..CallPosition::default() };
    let script = parse(script, Path::new("s.toml")).expect("a good script");
    script.find_turn(&position).map(|turn| turn.say.clone())
}

fn wrong(script: &str) -> String {
    parse(script, Path::new("s.toml")).expect_err(script).to_string()
}

#[test]
fn most_specific_turn_is_played_and_the_later_of_equals() {
    let script = r#"
        turn = [
            { step = "execute", round = 1, attempt = 1, say = "step round attempt" },
            { phase = "planning", say = "phase" },
            { phase = "planning", round = 2, say = "phase round" },
            { phase = "planning", step = "review", say = "phase step" },
            { phase = "planning", step = "review", round = 2, attempt = 2, say = "all" },
            { round = 3, say = "round" },
            { attempt = 3, say = "attempt, first" },
            { attempt = 3, phase = "*", step = "*", say = "attempt, later" },
        ]"#;
    for (place, expected) in [
        (("planning", "execute", 1, 1), Some("phase")),
        (("planning", "execute", 2, 1), Some("phase round")),
        (("planning", "review", 2, 1), Some("phase step")),
        (("planning", "review", 2, 2), Some("all")),
        (("design", "execute", 1, 1), Some("step round attempt")),
        (("design", "execute", 3, 3), Some("round")),
        (("design", "execute", 2, 3), Some("attempt, later")),
        (("design", "execute", 2, 2), None),
    ] {
        assert_eq!(said(script, place).as_deref(), expected, "{place:?}");
    }
}

#[test]
fn unknown_script_keys_are_errors_with_line_numbers() {
    let keys = "phase, step, seat, round, attempt, sleep_ms, write, delete, run, say, exit, usage";
    assert_eq!(list_turn_keys(), keys);
    let keys = format!("`{}`", keys.replace(", ", "`, `"));
    assert_eq!(
        wrong("[[turn]]\nsay = 'x'\nsya = 'y'\n"),
        format!("the script `s.toml`, line 3: unknown field `sya`, expected one of {keys}")
    );
    assert!(wrong("[[turns]]\n").contains("line 1: unknown field `turns`"));
    assert!(wrong("[[turn]]\nusage = { cost = 1 }").contains("unknown field `cost`"));
    assert!(wrong("[[turn]]\nwrite = [{ path = 'a', txt = '' }]").contains("unknown field `txt`"));
    assert!(wrong("[[turn]]\nround = 'one'").contains("line 2: "));
}

#[test]
fn turns_that_can_never_be_played_are_errors() {
    assert_eq!(
        wrong("[[turn]]\n[[turn]]\nstep = 'check'"),
        "the script `s.toml`, turn 2: `check` is no step of an agent: execute, review, triage, revise, answer"
    );
    assert!(wrong("[[turn]]\nrun = 'a \"b'").ends_with("run = `a \"b` has a quote that is not closed"));
    assert!(wrong("[[turn]]\nrun = ''").ends_with("names no program"));
}

#[test]
fn missing_script_error_names_the_file() {
    let error = read(Path::new("/no/such/script.toml")).expect_err("not there").to_string();
    assert!(error.starts_with("the script `/no/such/script.toml` cannot be read: "), "{error}");
}

#[test]
fn placeholder_values_are_not_expanded_again() {
    let position = CallPosition {
        phase: "planning".into(),
        output: "{{round}}.md".into(),
        review_id: "r1".into(),
        round: 2,
        ..CallPosition::default()
    };
    assert_eq!(
        position.fill_in("{{phase}} {{round}} {{output}} {{review_id}} {{{round}}} {{step}} {{ open"),
        "planning 2 {{round}}.md r1 {2} {{step}} {{ open"
    );
}

#[test]
fn each_question_of_a_prompt_is_answered() {
    let prompt = "## Questions\n```\nS1: a.py:3: weaker (suspect)\nS12: gone\nS2:x\n S3: y\nSee: z\n```\n";
    let position = CallPosition { answers: answer_all(prompt), ..CallPosition::default() };
    let said = position.fill_in(r#"{"answers": {{answers}}}"#);
    let answer = r#"{"judgment":"fine","reason":"the script says so"}"#;
    assert_eq!(said, format!(r#"{{"answers": {{"S1":{answer},"S12":{answer}}}}}"#));
    assert_eq!(answer_all("nothing is asked"), "{}");
}

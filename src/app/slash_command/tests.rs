//! Commands in comments, and what only looks like one.

use super::*;
use model::event::{Escalation, PauseChoice, PauseReason};
use views::summary::answer_comments;

fn answer(text: &str) -> Option<Result<SlashCommand, Unclear>> {
    Some(Ok(SlashCommand::Answer { text: text.to_owned() }))
}

#[test]
fn each_command_is_read_at_the_start_of_a_line() {
    let phase = || "planning".to_owned();
    let table = [
        ("/ai-workflow run", SlashCommand::Run),
        ("Please.\r\n\r\n/ai-workflow resume\r\nThank you.", SlashCommand::Resume),
        ("  /ai-workflow\tpause", SlashCommand::Pause),
        ("/Ai-Workflow Cancel  ", SlashCommand::Cancel),
        ("/ai-workflow retry planning", SlashCommand::Retry { phase: phase() }),
        ("/ai-workflow skip   planning\n", SlashCommand::Skip { phase: phase() }),
        ("/ai-workflow accept it is known", SlashCommand::Accept { reason: "it is known".into() }),
        ("> /ai-workflow cancel\n\n/ai-workflow status", SlashCommand::Status),
        ("`<!--`\n/ai-workflow explain", SlashCommand::Explain),
    ];
    for (comment, command) in table {
        assert_eq!(slash_command(comment), Some(Ok(command)), "{comment:?}");
    }
}

#[test]
fn an_answer_reaches_to_the_end_with_everything_in_it() {
    assert_eq!(slash_command("/ai-workflow answer the old name"), answer("the old name"));
    assert_eq!(slash_command("a\n/ai-workflow answer\r\nuse\r\n\r\n> that\r\n"), answer("use\n\n> that"));
    let fenced = "/ai-workflow answer so:\n```sh\n/ai-workflow cancel\n```";
    assert_eq!(slash_command(fenced), answer("so:\n```sh\n/ai-workflow cancel\n```"));
}

#[test]
fn what_is_quoted_hidden_or_inside_a_line_is_no_command() {
    let silent = [
        "",
        "run",
        "Type /ai-workflow run to begin",
        "- /ai-workflow run",
        "> /ai-workflow run",
        "> he said\n/ai-workflow run",
        "    /ai-workflow run",
        "\t/ai-workflow run",
        "```\n/ai-workflow run\n```",
        "~~~text\n/ai-workflow run",
        "a\n```\n/ai-workflow run\n```\nb",
        "<!--\n/ai-workflow run\n-->",
        "<!-- never closed\n/ai-workflow run",
        "see <!--\n/ai-workflow run\n--> this",
        "`/ai-workflow run`",
        "/ai-workflow-bot run",
        "/ai-workflowrun",
    ];
    for comment in silent {
        assert_eq!(slash_command(comment), None, "{comment:?}");
    }
}

#[test]
fn only_plain_characters_make_a_command() {
    for comment in
        ["／ai-workflow run", "/ａi-workflow run", "\u{200b}/ai-workflow run", "/ai-workflow\u{a0}run"]
    {
        assert_eq!(slash_command(comment), None, "{comment:?}");
    }
    assert_eq!(slash_command("/ai-workflow r\u{200b}un"), Some(Err(Unclear::Unknown)));
}

#[test]
fn what_is_unclear_is_not_obeyed() {
    let lacking = |command, what| Unclear::Lacking { command, what };
    let table = [
        ("/ai-workflow", Unclear::Bare),
        ("/ai-workflow help", Unclear::Bare),
        ("/ai-workflow begin", Unclear::Unknown),
        ("/ai-workflow run\n/ai-workflow cancel", Unclear::Several),
        ("/ai-workflow answer a\n/ai-workflow answer b", Unclear::Several),
        ("/ai-workflow retry", lacking("retry", "the name of a phase")),
        ("/ai-workflow answer \n ", lacking("answer", "its text")),
        ("/ai-workflow accept", lacking("accept", "a reason")),
        ("/ai-workflow cancel planning", Unclear::TooMuch { command: "cancel" }),
    ];
    for (comment, unclear) in table {
        assert_eq!(slash_command(comment), Some(Err(unclear)), "{comment:?}");
    }
}

#[test]
fn a_flood_of_lines_is_read_in_one_pass() {
    let flood = format!("{}/ai-workflow run", "x <!-- a -->\n> b\n\n".repeat(20_000));
    assert_eq!(slash_command(&flood), Some(Ok(SlashCommand::Run)));
}

#[test]
fn offered_answer_comments_are_valid_slash_commands() {
    for reason in [
        PauseReason::Budget,
        PauseReason::Quota,
        PauseReason::Outage,
        PauseReason::JobLimit,
        PauseReason::RateLimit,
        PauseReason::OnRequest,
        PauseReason::Exhausted,
    ] {
        let options =
            vec![PauseChoice::Continue, PauseChoice::Accept, PauseChoice::Edited, PauseChoice::GiveUp];
        let until = Some(jiff::Timestamp::UNIX_EPOCH);
        let (question, report) = (String::new(), Vec::new());
        let asked = Escalation { reason, phase: None, question, options, report, until };
        let offered = answer_comments(&asked);
        assert!(!offered.is_empty(), "{reason:?}");
        for line in offered {
            assert!(matches!(slash_command(&line), Some(Ok(_))), "{line}");
        }
    }
}

#[test]
fn a_command_above_a_signature_is_read() {
    for signature in
        ["--\nSent from my phone", "---\nSent from my phone", "\n> On Monday somebody wrote:\n> text"]
    {
        assert_eq!(slash_command(&format!("/ai-workflow run\n{signature}")), Some(Ok(SlashCommand::Run)));
    }
}

//! `resume`: answers the question of a paused run and goes on.

use super::CommandResult;
use super::arguments::ResumeArgs;
use super::observer::TerminalObserver;
use app::failure::exit_code;
use app::resume::{AnswerRequest, resume};
use model::event::PauseChoice;

pub(super) fn run(arguments: &ResumeArgs) -> CommandResult {
    let observer = TerminalObserver::new(arguments.common.json);
    let project = crate::project::open(&arguments.common.settings)?;
    project.warn_of_short_secrets();
    let ResumeArgs { issue, answer, reason, text, rounds, .. } = arguments.clone();
    let request = AnswerRequest { issue, choice: choice(arguments), answer, reason, text, rounds };
    Ok(exit_code(resume(&project, &observer, &request)?))
}

fn choice(arguments: &ResumeArgs) -> Option<PauseChoice> {
    let given = [
        (arguments.go_on || arguments.answer.is_some(), PauseChoice::Continue),
        (arguments.edited, PauseChoice::Edited),
        (arguments.accept, PauseChoice::Accept),
        (arguments.give_up, PauseChoice::GiveUp),
    ];
    given.iter().find(|(given, _)| *given).map(|(_, choice)| *choice)
}

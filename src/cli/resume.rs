//! `resume`: answers the question of a paused run and goes on.

use super::Answer;
use super::arguments::Resume;
use super::door::{Door, log_to, person};
use super::drive::drive;
use super::failure::Failure;
use super::hold::{Hold, take_existing};
use super::{agreed, announce, ask, noticed, vouched};
use crate::event::{Answered, Choice, Fact, Outcome};
use crate::metadata::choice_word;
use crate::report::{LogLines, Terminal};
use crate::summary::next_command;

pub(super) fn run(arguments: &Resume) -> Answer {
    let terminal = Terminal::new();
    log_to(&terminal);
    let door = Door::open(&arguments.settings)?;
    door.warn_of_short_secrets();
    let mut hold = take_existing(&door, arguments.issue)?;
    if hold.run()?.outcome != Outcome::Paused {
        let run = hold.run()?;
        let told =
            format!("the run of issue {} is {}; nothing was asked", arguments.issue, run.outcome.as_str());
        return Err(Failure::usage(told).hint(format!("next: `{}`", next_command(run))));
    }
    agreed::refuse_another(hold.run()?, &arguments.settings)?;
    vouched::refuse_changed(&door, hold.run()?, &arguments.settings)?;
    let Some(choice) = choice(arguments) else {
        announce::question(hold.run()?);
        return Err(
            Failure::usage("an answer is needed").hint("give `--continue`, `--accept` or `--give-up`")
        );
    };
    allowed(&hold, choice)?;
    ask::check_agents(&door, hold.run()?, &arguments.settings)?;
    hold.journal.tell(Box::new(LogLines::default()));
    let text = arguments.text.clone().unwrap_or_default();
    let by = person();
    hold.journal.record(Fact::Answered(Answered { choice, text, by }))?;
    ask::ask_again(&door, &mut hold, &arguments.settings)?;
    noticed::look(&door, &mut hold)?;
    drive(&door, hold, &terminal, arguments.json)
}

fn choice(arguments: &Resume) -> Option<Choice> {
    let given = [
        (arguments.go_on, Choice::Continue),
        (arguments.accept, Choice::Accept),
        (arguments.give_up, Choice::GiveUp),
    ];
    given.iter().find(|(given, _)| *given).map(|(_, choice)| *choice)
}

/// Only what the question offers can be answered, and nobody can accept what does not exist.
fn allowed(hold: &Hold, choice: Choice) -> Result<(), Failure> {
    let run = hold.run()?;
    let Some(escalation) = &run.paused else { return Ok(()) };
    if !escalation.options.contains(&choice) {
        let options: Vec<&str> = escalation.options.iter().map(|choice| choice_word(*choice)).collect();
        return Err(Failure::usage(format!("this pause cannot be answered with {}", choice_word(choice)))
            .hint(format!("it can be answered with: {}", options.join(", "))));
    }
    let phase = escalation.phase.as_ref().and_then(|name| run.phase(name));
    let Some(phase) = phase.filter(|phase| choice == Choice::Accept && !phase.def.policy.triage) else {
        return Ok(());
    };
    let deliverable = hold.folder.deliverable(&phase.def);
    if hold.folder.at(&deliverable).is_file() {
        Ok(())
    } else {
        Err(Failure::usage(format!("there is nothing to accept: {deliverable} does not exist"))
            .hint("write it yourself, or answer with `--continue`"))
    }
}

//! The live line at the bottom of a terminal: phase, step, round, time, and what the agent said last.
//! Without a terminal nothing is drawn; the log lines say it all.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use engine::{Run, State};
use journal::Reporter;
use model::event::{Entry, Fact};
use model::redact::{Masked, Masker};
use views::summary::{neutralize, plain};

/// How often the clock in the line moves.
const TICK: Duration = Duration::from_millis(200);

/// Draws the live line. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct LiveLine {
    line: ProgressBar,
}

impl LiveLine {
    /// Makes the live line; hidden when stderr is no terminal.
    pub(crate) fn on_stderr() -> Self {
        let line =
            if io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{spinner} {prefix} {elapsed:>4}  {wide_msg}");
        line.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        Self { line }
    }

    /// Takes the line away.
    pub(crate) fn finish(&self) {
        self.line.finish_and_clear();
    }
}

impl Reporter for LiveLine {
    fn report(&mut self, entry: &Entry, state: &State) {
        let Some(run) = &state.run else { return };
        if let Some(prefix) = doing(run, &entry.fact) {
            self.line.reset_elapsed();
            self.line.enable_steady_tick(TICK);
            self.line.set_prefix(prefix);
            self.line.set_message("");
        }
        if matches!(entry.fact, Fact::Finished { .. } | Fact::Interrupted { .. } | Fact::Paused { .. }) {
            self.line.finish_and_clear();
        }
    }

    fn progress(&mut self, line: &Masked) {
        self.line.set_message(plain(line.as_str()));
    }
}

fn doing(run: &Run, fact: &Fact) -> Option<String> {
    let Fact::StepStarted(started) = fact else { return None };
    let ours: Vec<_> = run.phases.iter().filter(|phase| !phase.is_left_out_by_choice()).collect();
    let place = ours.iter().position(|phase| *phase.name() == started.phase)? + 1;
    let (phases, phase, step, round) = (ours.len(), &started.phase, started.step, started.round);
    Some(format!("[{place}/{phases}] {phase} · {step} · round {round} · {}", started.agent))
}

/// Writes log lines to stderr beside the live line, which is taken away meanwhile. Each event becomes one line
/// without secrets and without anything that could move the cursor or that a runner of jobs would obey.
#[derive(Debug, Clone)]
pub(crate) struct LogWriter {
    /// The live line.
    pub(crate) terminal: LiveLine,
    /// What hides secrets in the log lines.
    pub(crate) masker: Masker,
}

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let line = plain(self.masker.mask(&String::from_utf8_lossy(bytes)).as_str());
        self.terminal.line.suspend(|| writeln!(io::stderr(), "{}", neutralize(&line)))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

//! Shows a run on the terminal while it is worked on, and how it ended there or as JSON.

use tracing_subscriber::EnvFilter;

use super::{exit_code, output, run_summary};
use app::environment::masker;
use app::locked_run::LockedRun;
use app::project::Project;
use app::run_to_halt::{Halt, RunObserver};
use engine::Run;
use journal::Reporter;
use journal::store::common_dir::FinalizedRun;
use runner::report::{StderrBeside, Terminal};

/// Shows a run on the terminal.
pub(super) struct TerminalObserver {
    terminal: Terminal,
    json: bool,
}

impl TerminalObserver {
    /// Sends log lines, masked, to stderr, beside the live line. `AI_WORKFLOW_LOG` filters them; `info` is the default.
    pub(super) fn new(json: bool) -> Self {
        let terminal = Terminal::on_stderr();
        let filter = EnvFilter::try_from_env("AI_WORKFLOW_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
        let lines = tracing_subscriber::fmt().with_env_filter(filter).without_time().with_target(false);
        let beside = terminal.clone();
        // A second call in one process keeps the first subscriber.
        let _ = lines
            .with_ansi(false)
            .with_writer(move || StderrBeside::new(beside.clone(), masker()))
            .try_init();
        Self { terminal, json }
    }
}

impl RunObserver for TerminalObserver {
    fn reporter(&self) -> Box<dyn Reporter> {
        Box::new(self.terminal.clone())
    }

    fn begins(&self, project: &Project, locked: &LockedRun) {
        run_summary::show_beginning(project, locked);
    }

    fn ends(&self) {
        self.terminal.finish();
    }

    fn halted(&self, locked: &LockedRun, halt: Halt) {
        run_summary::show_ending(locked);
        if self.json {
            output::document(&format!("{:#}\n", locked.report(exit_code::of_halt(halt))));
        }
    }

    fn asks(&self, run: &Run) {
        run_summary::show_question(run);
    }

    fn finalized(&self, record: &FinalizedRun) {
        run_summary::show_finalized(record, self.json);
    }

    fn job_commands(&self, lines: &[String]) {
        output::commands(lines);
    }

    fn exit_code(&self, halt: Halt) -> u8 {
        exit_code::of_halt(halt)
    }
}

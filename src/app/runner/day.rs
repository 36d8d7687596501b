//! What all runs of the repository spend on a day: noted after each call, and looked up before each one that a limit
//! of the day concerns. A run itself knows only its own calls.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::{PhaseRunner, RunError};
use journal::store::common_dir::DaySpending;
use model::event::{Ended, Fact, Spent, SpentElsewhere};
use model::policy::Budget;

impl PhaseRunner {
    /// Adds an ended call to the day's list.
    pub(super) fn note_spending(&self, ended: &Ended) -> Result<(), RunError> {
        let spent = Spent { calls: 1, ..Spent::of(ended) };
        let run = self.run_state()?.started.run_id.clone();
        Ok(DaySpending { run, spent }.append(self.space.workspace().common(), self.today())?)
    }

    /// Records what other runs have spent today when it is more than is known; tells whether it did.
    pub(super) fn saw_spending_elsewhere(&mut self) -> Result<bool, RunError> {
        let run = self.run_state()?;
        if run.spending.scopes.day == Budget::default() {
            return Ok(false);
        }
        let day = self.today();
        let spent = DaySpending::of_other_runs(self.space.workspace().common(), day, &run.started.run_id)?;
        let found = SpentElsewhere { day, spent };
        let known = run.spending.elsewhere.filter(|known| known.day == day).map(|known| known.spent);
        if known.unwrap_or_default() == spent {
            return Ok(false);
        }
        self.journal.record(Fact::SpentElsewhere(found))?;
        Ok(true)
    }

    fn today(&self) -> Date {
        self.journal.now().to_zoned(TimeZone::UTC).date()
    }
}

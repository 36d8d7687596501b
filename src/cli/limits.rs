//! Which spending limits are in force now. Those the run was begun with stay; one that is given now takes their place.
//! No limit is lifted by not naming it again.

use super::arguments::SettingFlags;
use super::door::Door;
use engine::Run;
use model::policy::{Budget, BudgetScopes};
use settings::Place;

/// Returns the limits of the run and those of its parts; nothing where nothing changes.
pub(super) fn given_now(
    door: &Door,
    run: &Run,
    flags: &SettingFlags,
) -> (Option<Budget>, Option<BudgetScopes>) {
    let given = |scope: &str| Given { door, all: flags.config.is_some(), scope: scope.to_owned() };
    let (wanted, pinned) = (door.settings.budget(true), &run.spending.scopes);
    let budget = given("budget").over(&wanted, &run.spending.budget);
    let narrow = door.settings.budget_scopes();
    let scopes = BudgetScopes {
        step: given("budget.step").over(&narrow.step, &pinned.step),
        phase: given("budget.phase").over(&narrow.phase, &pinned.phase),
        day: given("budget.day").over(&narrow.day, &pinned.day),
    };
    ((budget != run.spending.budget).then_some(budget), (scopes != *pinned).then_some(scopes))
}

/// What is said now about the limits of one scope.
struct Given<'a> {
    door: &'a Door,
    /// A file that is named on the command line is all meant.
    all: bool,
    scope: String,
}

impl Given<'_> {
    /// Puts the limits that are given now over the pinned ones.
    fn over(&self, wanted: &Budget, pinned: &Budget) -> Budget {
        Budget {
            usd: self.one("usd", wanted.usd, pinned.usd),
            tokens: self.one("tokens", wanted.tokens, pinned.tokens),
            calls: self.one("calls", wanted.calls, pinned.calls),
            minutes: self.one("minutes", wanted.minutes, pinned.minutes),
            turns: self.one("turns", wanted.turns, pinned.turns),
        }
    }

    fn one<T>(&self, key: &str, wanted: Option<T>, pinned: Option<T>) -> Option<T> {
        let place = self.door.settings.origin(&format!("{}.{key}", self.scope));
        let given = match place {
            Place::Flag(_) | Place::Variable(_) => true,
            Place::File { .. } => self.all,
            Place::Default => false,
        };
        if given { wanted.or(pinned) } else { pinned }
    }
}

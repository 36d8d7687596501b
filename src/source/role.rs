//! What part a file plays in a repository, by its path alone: what a file says about itself was written by those who are
//! judged. The patterns stand in `roles.toml`.

use crate::pattern::fits;

/// What a file is, where it has to be one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// It was taken over from others or made by a program.
    Foreign,
    /// It is what tests work on; recorded snapshots, too.
    Fixture,
    /// It says which tests run and how: `conftest.py`, `package.json`, a CI file.
    RunnerSetting,
    /// It holds tests, or helps them.
    Test,
    /// It is text for people.
    Documentation,
    /// Everything else.
    Product,
}

impl Role {
    /// Returns the role of a path. A file that has several has the first of them.
    pub fn of(path: &str) -> Self {
        match path {
            _ if is_foreign(path) => Self::Foreign,
            _ if is_fixture(path) => Self::Fixture,
            _ if is_runner_setting(path) => Self::RunnerSetting,
            _ if is_test(path) => Self::Test,
            _ if fits("documentation", path) => Self::Documentation,
            _ => Self::Product,
        }
    }
}

/// Tells whether a file holds tests, or helps them.
pub fn is_test(path: &str) -> bool {
    fits("test", path)
}

/// Tells whether a file is material of tests, which may be unfinished or broken on purpose.
pub fn is_fixture(path: &str) -> bool {
    fits("fixture", path) || fits("test_fixture", path) && is_test(path)
}

/// Tells whether a file was taken over from others or made by a program.
pub fn is_foreign(path: &str) -> bool {
    fits("foreign", path)
}

/// Tells whether a file says which tests run, or how.
pub fn is_runner_setting(path: &str) -> bool {
    fits("runner_setting", path)
}

/// Tells whether the usual runners find a file by its name; nothing where they find tests another way.
pub fn is_found_by_name(path: &str) -> Option<bool> {
    let is_found = || fits("always_found", path) || fits("found", path) && !fits("left_out", path);
    fits("named", path).then(is_found)
}

#[cfg(test)]
mod tests;

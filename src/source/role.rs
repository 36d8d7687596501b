//! What part a file plays in a repository, by its path alone: what a file says about itself was written by those who are
//! judged. The names stand in `roles.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

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
        if is_foreign(path) {
            Self::Foreign
        } else if is_fixture(path) {
            Self::Fixture
        } else if is_runner_setting(path) {
            Self::RunnerSetting
        } else if is_test(path) {
            Self::Test
        } else if TABLE.documentation.contain(path) {
            Self::Documentation
        } else {
            Self::Product
        }
    }
}

/// Tells whether a file holds tests, or helps them.
pub fn is_test(path: &str) -> bool {
    TABLE.test.contain(path) || TABLE.test_class.contains(path)
}

/// Tells whether a file is material of tests, which may be unfinished or broken on purpose.
pub fn is_fixture(path: &str) -> bool {
    TABLE.fixture.contain(path) || TABLE.test_fixture.contain(path) && is_test(path)
}

/// Tells whether a file was taken over from others or made by a program.
pub fn is_foreign(path: &str) -> bool {
    TABLE.foreign.contain(path)
}

/// Tells whether a file says which tests run, or how.
pub fn is_runner_setting(path: &str) -> bool {
    TABLE.runner_setting.contain(path)
}

static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("roles.toml")).expect("the table of roles is sound"));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    test: NameList,
    test_class: ClassList,
    fixture: NameList,
    test_fixture: NameList,
    foreign: NameList,
    runner_setting: NameList,
    documentation: NameList,
}

/// Ways to name a file.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct NameList {
    folders: Vec<String>,
    /// The path from the top contains one of these.
    paths: Vec<String>,
    names: Vec<String>,
    starts: Vec<String>,
    ends: Vec<String>,
    contains: Vec<String>,
    stems: Vec<String>,
    stem_starts: Vec<String>,
    stem_ends: Vec<String>,
}

impl NameList {
    fn contain(&self, path: &str) -> bool {
        let path = path.to_lowercase();
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let any = |list: &[String], is_so: &dyn Fn(&str) -> bool| list.iter().any(|one| is_so(one));
        folders.split('/').any(|folder| any(&self.folders, &|one| one == folder))
            || any(&self.paths, &|one| path.starts_with(one) || path.contains(&format!("/{one}")))
            || any(&self.names, &|one| one == name)
            || any(&self.starts, &|one| name.starts_with(one))
            || any(&self.ends, &|one| name.ends_with(one))
            || any(&self.contains, &|one| name.contains(one))
            || any(&self.stems, &|one| one == stem)
            || any(&self.stem_starts, &|one| stem.starts_with(one))
            || any(&self.stem_ends, &|one| stem.ends_with(one))
    }
}

/// Names of classes, as they are written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClassList {
    endings: Vec<String>,
    stem_ends: Vec<String>,
}

impl ClassList {
    fn contains(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let Some((stem, ending)) = name.rsplit_once('.') else { return false };
        let ending = ending.to_lowercase();
        self.endings.contains(&ending) && self.stem_ends.iter().any(|end| stem.ends_with(end.as_str()))
    }
}

#[cfg(test)]
mod tests;

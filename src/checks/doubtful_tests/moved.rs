//! Tests that moved to a file that the usual runners do not find by its name. Whether the runner of the project finds it shows
//! in the results of the suite.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::changed_tests::ChangedTest;

/// By which names runners find the files of a language.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct FoundBy {
    endings: Vec<String>,
    stems: Vec<String>,
    stem_starts: Vec<String>,
    stem_ends: Vec<String>,
    not_stem_starts: Vec<String>,
    not_stem_ends: Vec<String>,
    folders: Vec<String>,
    targets_in: String,
}

static LANGUAGES: LazyLock<BTreeMap<String, FoundBy>> =
    LazyLock::new(|| toml::from_str(include_str!("../data/found_tests.toml")).expect("the table is sound"));

pub(super) fn doubt(old: &ChangedTest, new: &[&ChangedTest]) -> Option<String> {
    let now = new.first()?;
    let (from, to) = (&old.test.path, &now.test.path);
    let is_left_out = from != to && is_found(from) == Some(true) && is_found(to) == Some(false);
    is_left_out.then(|| {
        format!("moved from {from} to a file whose name test runners do not look for. Does it run there?")
    })
}

impl FoundBy {
    /// Tells whether a file lies below the folder of targets, and is none.
    fn is_no_target(&self, folders: &str, stem: &str) -> bool {
        let below = folders.split('/').skip_while(|part| *part != self.targets_in).skip(1).count();
        !self.targets_in.is_empty() && below > 0 && stem != "main"
    }
}

/// Tells whether runners find a file by its name; nothing where they find tests another way.
fn is_found(path: &str) -> Option<bool> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let by = LANGUAGES.values().find(|by| by.endings.iter().any(|known| known == ending))?;
    let any = |all: &[String], is: &dyn Fn(&str) -> bool| all.iter().any(|one| is(one));
    let found = any(&by.stems, &|known| stem == known)
        || any(&by.stem_starts, &|start| stem.starts_with(start))
        || any(&by.stem_ends, &|end| stem.ends_with(end))
        || any(&by.folders, &|folder| folders.split('/').any(|part| part == folder));
    let is_left_out = any(&by.not_stem_starts, &|start| stem.starts_with(start))
        || any(&by.not_stem_ends, &|end| stem.ends_with(end));
    Some(found && !is_left_out && !by.is_no_target(folders, stem))
}

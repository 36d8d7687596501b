//! Refuses retry texts that could not be filled: one that declares what its failure does not give, or that names what
//! nobody gives. Looks at all of them, whether or not a run will need them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::advice::{COMMON, refuse_unknown};
use super::c3l::{self, Library};
use super::embedded::EMBEDDED;
use super::error::PromptError;
use super::params;
use super::render::{name_of, plain_engine, unfilled};
use super::templates::Templates;
use model::policy::Pattern;

/// Looks at every retry text; `values` are those that every prompt has.
pub(super) fn examine(library: &Library<'_>, values: &Map<String, Value>) -> Result<(), PromptError> {
    let built_in = contracts()?;
    for path in library.templates.paths().filter(|path| c3l::is_retry(path)) {
        declared(path, library, &built_in)?;
        filled(path, library, values)?;
    }
    Ok(())
}

/// What the failures with a text of ours give: the parameters that ours declares.
fn contracts() -> Result<BTreeMap<String, Vec<String>>, PromptError> {
    let (no_own, none) = (BTreeMap::new(), BTreeMap::<String, Pattern>::new());
    let ours = Templates::new(&no_own)?;
    let texts = EMBEDDED.iter().map(|(path, _)| *path).filter(|path| c3l::is_retry(path));
    let pairs = texts.flat_map(|path| {
        let params = ours.params(path).to_vec();
        c3l::patterns_of(path, &none)
            .into_iter()
            .map(move |pattern| (pattern.to_owned(), params.clone()))
            .collect::<Vec<_>>()
    });
    Ok(pairs.collect())
}

/// Refuses a text of a repository that wants more than each of its failures gives. The text for all others may want
/// anything: what is not given stays empty.
fn declared(
    path: &str,
    library: &Library<'_>,
    built_in: &BTreeMap<String, Vec<String>>,
) -> Result<(), PromptError> {
    if !library.templates.is_own(path) {
        return Ok(());
    }
    for pattern in c3l::patterns_of(path, library.patterns) {
        let defined = library.patterns.get(pattern).map(|defined| &defined.params);
        let given: &[String] = defined.or_else(|| built_in.get(pattern)).map_or(&[], |params| params);
        let wanted = library.templates.params(path);
        if let Some(name) =
            wanted.iter().find(|name| !given.contains(name) && !COMMON.contains(&name.as_str()))
        {
            let (path, name, pattern) = (path.to_owned(), name.clone(), pattern.to_owned());
            return Err(PromptError::NotGiven { path, name, pattern });
        }
    }
    Ok(())
}

/// Fills a text once, with a sample in place of everything it declares.
fn filled(path: &str, library: &Library<'_>, values: &Map<String, Value>) -> Result<(), PromptError> {
    let mut values = values.clone();
    let used = library.templates.with_included(vec![path.to_owned()]);
    let names = library.templates.names(path);
    let declared = library.templates.params(path).iter().map(String::as_str);
    for name in declared.chain(COMMON) {
        values.insert(name.to_owned(), params::sample(name, &names));
    }
    let known: BTreeSet<&str> = values.keys().map(String::as_str).collect();
    let engine = plain_engine(library.templates, &used)?;
    refuse_unknown(path, library, &known)?;
    let text = engine.render(&name_of(path), &values);
    text.map(drop).map_err(|error| unfilled(library.templates, path, &error))
}

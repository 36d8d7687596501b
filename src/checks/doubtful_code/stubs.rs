//! New functions that do nothing. Those that others have to write, and those that were there, are honest.

use crate::changed_file::ChangedFile;
use crate::outcome::at;
use crate::side_by_side;
use model::event::Place;
use source::{Function, SourceFile, Stub};

pub(super) fn places(product: &[ChangedFile<'_>]) -> Vec<Place> {
    side_by_side::each(product, of_file).into_iter().flatten().collect()
}

fn of_file(file: &ChangedFile<'_>) -> Vec<Place> {
    let functions = |file: Option<&SourceFile>| file.map_or_else(Vec::new, SourceFile::functions);
    let mut new = functions(file.now());
    new.retain(|function| function.stub.is_some() && !function.is_abstract);
    let old = if new.is_empty() { Vec::new() } else { functions(file.before()) };
    let was_stub = |name: &str| old.iter().any(|function| function.name == name && function.stub.is_some());
    let new = new.iter().filter(|function| !was_stub(&function.name));
    new.filter_map(|function| Some(at(file.path(), function.line, doubt(function)?))).collect()
}

fn doubt(function: &Function) -> Option<String> {
    let does = match function.stub? {
        Stub::Empty => "does nothing",
        Stub::Nothing => "returns nothing whatever it is given",
        Stub::NotImplemented => "only says that it is not implemented",
    };
    Some(format!("`{}` {does}. Is that what the issue asks for?", function.name))
}

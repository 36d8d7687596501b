//! New functions that do nothing. Those that others have to write, and those that were there, are honest.

use super::ProductChange;
use crate::outcome::at;
use model::event::Place;
use source::{Function, Stub};

pub(super) fn places(product: &[ProductChange<'_>]) -> Vec<Place> {
    product.iter().flat_map(of_file).collect()
}

fn of_file(file: &ProductChange<'_>) -> Vec<Place> {
    let old = file.old.as_ref().map_or_else(Vec::new, source::SourceFile::functions);
    let was_stub = |name: &str| old.iter().any(|function| function.name == name && function.stub.is_some());
    let functions = file.new.functions();
    let new = functions.iter().filter(|function| !function.is_abstract && !was_stub(&function.name));
    new.filter_map(|function| Some(at(file.new.path(), function.line, doubt(function)?))).collect()
}

fn doubt(function: &Function) -> Option<String> {
    let does = match function.stub? {
        Stub::Empty => "does nothing",
        Stub::Nothing => "returns nothing whatever it is given",
        Stub::NotImplemented => "only says that it is not implemented",
    };
    Some(format!("`{}` {does}. Is that what the issue asks for?", function.name))
}

//! New functions of the product that do nothing. What others have to write is no stub.

use std::path::Path;

use crate::added::added_functions;
use crate::{ChangedFile, Place, at, side_by_side};
use source::{Function, Language, SourceFile, Stub};

/// Returns them as questions. Those of Go for the platforms on which another file does it are honest.
pub(super) fn places(product: &[ChangedFile<'_>]) -> Vec<Place> {
    side_by_side::places(product, |file| {
        let stubs = added_functions(file, SourceFile::stubs).into_iter();
        let stubs = stubs.filter(|stub| !is_written_beside(&stub.name, file, product));
        stubs.map(|stub| at(file.path(), stub.line, question(&stub))).collect::<Vec<Place>>()
    })
}

fn is_written_beside(name: &str, file: &ChangedFile<'_>, product: &[ChangedFile<'_>]) -> bool {
    if Language::of(file.path()) != Some(Language::Go) {
        return false;
    }
    let folder = |file: &ChangedFile<'_>| Path::new(file.path()).parent().map(Path::to_owned);
    let is_beside = |other: &ChangedFile<'_>| other.path() != file.path() && folder(other) == folder(file);
    let beside = product.iter().filter(|other| is_beside(other)).filter_map(ChangedFile::now);
    beside.flat_map(SourceFile::functions).any(|other| other.name == name && other.stub.is_none())
}

fn question(stub: &Function) -> String {
    let does = match stub.stub {
        Some(Stub::Nothing) => "returns nothing whatever it is given",
        Some(Stub::NotImplemented) => "only says that it is not implemented",
        Some(Stub::Empty) | None => "does nothing",
    };
    format!("`{}` {does}. Is that what the issue asks for?", stub.name)
}

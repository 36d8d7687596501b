//! The commands of a Go module.

use super::{Detected, Project, detected};

pub(super) fn commands(project: &Project<'_>) -> Vec<Detected> {
    if !project.has("go.mod") {
        return Vec::new();
    }
    [("test", "go test ./..."), ("lint", "go vet ./...")]
        .map(|(key, line)| detected(key, line, "go.mod is there"))
        .into()
}

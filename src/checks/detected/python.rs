//! The commands of a Python project. Pytest where it is set up or where its tests are; mypy and ruff where they are set up.

use std::fs;

use super::{Detected, Project, detected};

pub(super) fn commands(project: &Project<'_>) -> Vec<Detected> {
    let python = project.first_of(&[".venv/bin/python", "venv/bin/python"]).unwrap_or("python3");
    let test = pytest(project).map(|because| detected("test", format!("{python} -m pytest"), because));
    let lint =
        ruff(project).map(|because| detected("lint", format!("{}ruff check", beside(python)), because));
    let format = set_up(project, "ruff.format", &[])
        .map(|because| detected("format", format!("{}ruff format --check", beside(python)), because));
    let typecheck = set_up(project, "mypy", &["mypy.ini", ".mypy.ini"]).map(|because| {
        detected("typecheck", format!("{python} -m mypy{}", what_mypy_checks(project)), because)
    });
    [test, lint, typecheck, format].into_iter().flatten().collect()
}

/// Returns the folder of the programs of a virtual environment.
fn beside(python: &str) -> &str {
    python.strip_suffix("python").unwrap_or_default()
}

fn pytest(project: &Project<'_>) -> Option<String> {
    let sections =
        [("pyproject.toml", "[tool.pytest"), ("tox.ini", "[pytest]"), ("setup.cfg", "[tool:pytest]")];
    let section = sections.iter().find(|(file, section)| project.read(file).contains(section));
    let set_up = section.map(|(file, _)| format!("{file} sets up pytest"));
    let own = || project.first_of(&["pytest.ini", "conftest.py"]).map(|file| format!("{file} is there"));
    let tests = || ["tests", "test", "."].into_iter().find_map(|folder| test_file(project, folder));
    set_up.or_else(own).or_else(tests)
}

fn test_file(project: &Project<'_>, folder: &str) -> Option<String> {
    let entries = fs::read_dir(project.root.join(folder)).ok()?.flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    let is_test = |name: &&String| {
        let stem = name.strip_suffix(".py").unwrap_or_default();
        stem.starts_with("test_") || stem.ends_with("_test")
    };
    let name = names.iter().find(is_test)?;
    Some(format!("{folder}/{name} is there").replace("./", ""))
}

fn ruff(project: &Project<'_>) -> Option<String> {
    set_up(project, "ruff", &["ruff.toml", ".ruff.toml"])
}

/// Tells by what a tool is set up: a file of its own or a table in `pyproject.toml`.
fn set_up(project: &Project<'_>, tool: &str, files: &[&str]) -> Option<String> {
    let table = |line: &str| {
        let name = line.trim().strip_prefix("[tool.").unwrap_or_default();
        name.strip_prefix(tool).is_some_and(|rest| rest.starts_with([']', '.']))
    };
    let file = || project.first_of(files).map(|file| format!("{file} is there"));
    let in_table = project.read("pyproject.toml").lines().any(table);
    in_table.then(|| format!("pyproject.toml has [tool.{tool}]")).or_else(file)
}

/// Mypy needs to be told what to check, unless its settings do.
fn what_mypy_checks(project: &Project<'_>) -> &'static str {
    let settings = ["mypy.ini", ".mypy.ini", "pyproject.toml"].map(|file| project.read(file)).concat();
    let is_told = |line: &str| {
        let key = line.split('=').next().unwrap_or_default().trim();
        line.contains('=') && ["files", "packages", "modules"].contains(&key)
    };
    if settings.lines().any(is_told) { "" } else { " ." }
}

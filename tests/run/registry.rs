//! Whole runs that are held to registries of steps and to checks of a project's own. What may stand in them is tested in
//! `settings`.

mod runs;
mod validate;

/// A registry of steps with commands that every machine has.
pub const REGISTRY: &str = include_str!("../../src/settings/tests/config/steps_registry.json");

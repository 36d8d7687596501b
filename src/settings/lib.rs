//! What a run is to be like: built-in defaults, the user's file, the repository's file, variables, flags — merged, and
//! refused with place and key when something in them is wrong.
//! Reads no file and no environment: the texts are handed in. Starts nothing and knows no command-line parser.

mod agreement;
mod attached;
mod command_words;
mod contradictions;
mod defined;
mod error;
mod file;
mod keys;
mod layer;
mod load;
mod needs;
mod output_schema;
pub mod registry;
mod schema;
mod schema_resolver;
mod settings;
mod shape;
mod suggestion;
mod variables;
mod written;

pub use command_words::split_words;
pub use error::{ConfigError, Place};
pub use keys::{
    AgentKeys, AgentKind, BudgetKeys, CommandKeys, ForgeKind, GithubKeys, Keys, LimitKeys, Names, PhaseKeys,
    PresetKeys, PushWhen, Speakers, VerdictKeys,
};
pub use load::{Layers, load};
pub use output_schema::{LONGEST_SCHEMA, for_answers, output_schema, validator};
pub use schema::schema;
pub use schema_resolver::{SchemaError, SchemaResolver};
pub use settings::Settings;
pub use suggestion::suggestion;

/// The built-in defaults, in the syntax of a user's file.
pub const DEFAULTS: &str = include_str!("defaults.toml");
/// Those that differ in a job of a server for builds.
const DEFAULTS_IN_JOBS: &str = include_str!("defaults_in_jobs.toml");

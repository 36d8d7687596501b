//! What a run is to be like: built-in defaults, the user's file, the repository's file, variables, flags — merged, and
//! refused with place and key when something in them is wrong.
//! Reads no file and no environment: the texts are handed in. Starts nothing and knows no command-line parser.
#![warn(missing_docs)]

mod keys;
mod settings;

mod agreement;
mod defined_check;
mod schema_resolver;

mod layer;
mod schema;
mod variables;

pub mod command_line;
mod error;
pub mod registry;
mod validation;

pub use command_line::split_words;
pub use defined_check::SuccessWhen;
pub use error::{ConfigError, Origin, suggestion};
pub use keys::{
    AgentKeys, AgentKind, AnswerFormat, BudgetKeys, CommandKeys, CommentAuthors, ForgeKind, GithubKeys, Keys,
    LimitKeys, PhaseKeys, PresetKeys, PushWhen, VerdictKeys,
};
pub use schema::schema;
pub use schema_resolver::{LONGEST_SCHEMA, SchemaError, SchemaResolver, output_schema, validator};
pub use settings::{ConfigTexts, DEFAULTS, Settings, load};

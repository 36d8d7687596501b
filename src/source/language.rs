//! The languages whose grammar we have, how a path names them, and the queries of each.

use std::sync::LazyLock;

use crate::query::Query;

/// A language that is read by its grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// Rust.
    Rust,
    /// Python.
    Python,
    /// JavaScript, with or without JSX.
    JavaScript,
    /// TypeScript without JSX.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// Go.
    Go,
}

/// A grammar and what is asked of its trees.
pub(crate) struct Grammar {
    pub(crate) language: tree_sitter::Language,
    pub(crate) parts: Query,
}

static RUST: LazyLock<Grammar> =
    LazyLock::new(|| grammar(tree_sitter_rust::LANGUAGE.into(), include_str!("queries/rust/parts.scm")));
static PYTHON: LazyLock<Grammar> =
    LazyLock::new(|| grammar(tree_sitter_python::LANGUAGE.into(), include_str!("queries/python/parts.scm")));
static JAVASCRIPT: LazyLock<Grammar> = LazyLock::new(|| script(tree_sitter_javascript::LANGUAGE.into()));
static TYPESCRIPT: LazyLock<Grammar> =
    LazyLock::new(|| script(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()));
static TSX: LazyLock<Grammar> = LazyLock::new(|| script(tree_sitter_typescript::LANGUAGE_TSX.into()));
static GO: LazyLock<Grammar> =
    LazyLock::new(|| grammar(tree_sitter_go::LANGUAGE.into(), include_str!("queries/go/parts.scm")));

/// JavaScript and TypeScript share their queries.
fn script(language: tree_sitter::Language) -> Grammar {
    grammar(language, include_str!("queries/script/parts.scm"))
}

fn grammar(language: tree_sitter::Language, parts: &str) -> Grammar {
    Grammar { parts: Query::new(&language, parts), language }
}

impl Language {
    /// Returns the language of a path, by its ending.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, ending) = name.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "rs" => Some(Self::Rust),
            "py" | "pyi" | "pyw" => Some(Self::Python),
            "js" | "jsx" | "mjs" | "cjs" => Some(Self::JavaScript),
            "ts" | "mts" | "cts" => Some(Self::TypeScript),
            "tsx" => Some(Self::Tsx),
            "go" => Some(Self::Go),
            _ => None,
        }
    }

    pub(crate) fn grammar(self) -> &'static Grammar {
        match self {
            Self::Rust => &RUST,
            Self::Python => &PYTHON,
            Self::JavaScript => &JAVASCRIPT,
            Self::TypeScript => &TYPESCRIPT,
            Self::Tsx => &TSX,
            Self::Go => &GO,
        }
    }
}

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
    pub(crate) outline: Query,
    pub(crate) parts: Query,
}

static RUST: LazyLock<Grammar> = LazyLock::new(|| {
    let outline = include_str!("queries/rust/outline.scm");
    grammar(tree_sitter_rust::LANGUAGE.into(), outline, include_str!("queries/rust/parts.scm"))
});
static PYTHON: LazyLock<Grammar> = LazyLock::new(|| {
    let outline = include_str!("queries/python/outline.scm");
    grammar(tree_sitter_python::LANGUAGE.into(), outline, include_str!("queries/python/parts.scm"))
});
static JAVASCRIPT: LazyLock<Grammar> =
    LazyLock::new(|| script(tree_sitter_javascript::LANGUAGE.into(), JAVASCRIPT_ALONE));
static TYPESCRIPT: LazyLock<Grammar> =
    LazyLock::new(|| script(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), TYPESCRIPT_ALONE));
static TSX: LazyLock<Grammar> =
    LazyLock::new(|| script(tree_sitter_typescript::LANGUAGE_TSX.into(), TYPESCRIPT_ALONE));
static GO: LazyLock<Grammar> = LazyLock::new(|| {
    let outline = include_str!("queries/go/outline.scm");
    grammar(tree_sitter_go::LANGUAGE.into(), outline, include_str!("queries/go/parts.scm"))
});

const JAVASCRIPT_ALONE: &str = include_str!("queries/javascript/outline.scm");
const TYPESCRIPT_ALONE: &str = include_str!("queries/typescript/outline.scm");

/// JavaScript and TypeScript share most of their queries.
fn script(language: tree_sitter::Language, alone: &str) -> Grammar {
    let outline = format!("{}\n{alone}", include_str!("queries/script/outline.scm"));
    grammar(language, &outline, include_str!("queries/script/parts.scm"))
}

fn grammar(language: tree_sitter::Language, outline: &str, parts: &str) -> Grammar {
    Grammar { outline: Query::new(&language, outline), parts: Query::new(&language, parts), language }
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

    /// Returns words of which each test has one, in its name, its attribute or the call that it is made by.
    pub(crate) fn words_of_tests(self) -> &'static [&'static str] {
        match self {
            Self::Rust => &["test", "quickcheck"],
            Self::Python => &["test"],
            Self::JavaScript | Self::TypeScript | Self::Tsx => &["test", "it", "specify"],
            Self::Go => &["Test", "Example", "Fuzz", "Run(", "It(", "Specify("],
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

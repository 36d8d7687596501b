//! The languages whose grammar we have, how a path names them, and the queries of each.

use std::sync::OnceLock;

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

static QUERIES: [OnceLock<Query>; 6] = [const { OnceLock::new() }; 6];

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

    /// Returns the name of a language; that of all forms of JavaScript is the same.
    pub(crate) fn family(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::JavaScript | Self::TypeScript | Self::Tsx => "script",
            Self::Go => "go",
        }
    }

    /// Compiles what is asked of the trees of a language, unless that was done before. Whoever asks many files of several
    /// languages at once saves the time in which one thread compiles and the others wait for it.
    pub fn prepare(self) {
        self.query().prepare();
    }

    /// Returns what is asked of the trees of a language, with its grammar.
    pub(crate) fn query(self) -> &'static Query {
        QUERIES[self as usize].get_or_init(|| self.read_query())
    }

    /// JavaScript and TypeScript share most of their queries.
    fn read_query(self) -> Query {
        let script = include_str!("queries/script.scm");
        let typescript = include_str!("queries/typescript.scm");
        let (language, query, own) = match self {
            Self::Rust => (tree_sitter_rust::LANGUAGE, include_str!("queries/rust.scm"), ""),
            Self::Python => (tree_sitter_python::LANGUAGE, include_str!("queries/python.scm"), ""),
            Self::JavaScript => {
                (tree_sitter_javascript::LANGUAGE, script, include_str!("queries/javascript.scm"))
            }
            Self::TypeScript => (tree_sitter_typescript::LANGUAGE_TYPESCRIPT, script, typescript),
            Self::Tsx => (tree_sitter_typescript::LANGUAGE_TSX, script, typescript),
            Self::Go => (tree_sitter_go::LANGUAGE, include_str!("queries/go.scm"), ""),
        };
        Query::new(language.into(), format!("{query}\n{own}"))
    }
}

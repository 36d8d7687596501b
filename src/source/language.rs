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

/// A grammar and what is asked of its trees.
pub(crate) struct Grammar {
    pub(crate) language: tree_sitter::Language,
    pub(crate) query: Query,
}

static GRAMMARS: [OnceLock<Grammar>; 6] = [const { OnceLock::new() }; 6];

impl Grammar {
    /// JavaScript and TypeScript share most of their queries.
    fn of(language: Language) -> Self {
        let script = include_str!("queries/script.scm");
        let typescript = include_str!("queries/typescript.scm");
        let (language, query, own) = match language {
            Language::Rust => (tree_sitter_rust::LANGUAGE, include_str!("queries/rust.scm"), ""),
            Language::Python => (tree_sitter_python::LANGUAGE, include_str!("queries/python.scm"), ""),
            Language::JavaScript => {
                (tree_sitter_javascript::LANGUAGE, script, include_str!("queries/javascript.scm"))
            }
            Language::TypeScript => (tree_sitter_typescript::LANGUAGE_TYPESCRIPT, script, typescript),
            Language::Tsx => (tree_sitter_typescript::LANGUAGE_TSX, script, typescript),
            Language::Go => (tree_sitter_go::LANGUAGE, include_str!("queries/go.scm"), ""),
        };
        let language = tree_sitter::Language::from(language);
        Self { query: Query::new(&language, format!("{query}\n{own}")), language }
    }
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

    /// Returns the name of a language; that of all forms of JavaScript is the same.
    pub(crate) fn family(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::JavaScript | Self::TypeScript | Self::Tsx => "script",
            Self::Go => "go",
        }
    }

    pub(crate) fn grammar(self) -> &'static Grammar {
        GRAMMARS[self as usize].get_or_init(|| Grammar::of(self))
    }
}

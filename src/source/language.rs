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
    pub(crate) outline: Query,
    pub(crate) bindings: Query,
    /// Its captures are the answer.
    pub(crate) parts: Query,
}

/// Returns the queries that stand in the folder of a name.
macro_rules! queries {
    ($folder:literal) => {
        [
            include_str!(concat!("queries/", $folder, "/outline.scm")),
            include_str!(concat!("queries/", $folder, "/bindings.scm")),
            include_str!(concat!("queries/", $folder, "/parts.scm")),
        ]
    };
}

static GRAMMARS: [OnceLock<Grammar>; 6] = [const { OnceLock::new() }; 6];

impl Grammar {
    /// JavaScript and TypeScript share most of their queries.
    fn of(language: Language) -> Self {
        let typescript = include_str!("queries/typescript/outline.scm");
        let javascript = include_str!("queries/javascript/outline.scm");
        let (language, [outline, bindings, parts], own) = match language {
            Language::Rust => (tree_sitter_rust::LANGUAGE, queries!("rust"), ""),
            Language::Python => (tree_sitter_python::LANGUAGE, queries!("python"), ""),
            Language::JavaScript => (tree_sitter_javascript::LANGUAGE, queries!("script"), javascript),
            Language::TypeScript => {
                (tree_sitter_typescript::LANGUAGE_TYPESCRIPT, queries!("script"), typescript)
            }
            Language::Tsx => (tree_sitter_typescript::LANGUAGE_TSX, queries!("script"), typescript),
            Language::Go => (tree_sitter_go::LANGUAGE, queries!("go"), ""),
        };
        let language = tree_sitter::Language::from(language);
        Self {
            outline: Query::new(&language, format!("{outline}\n{own}")),
            bindings: Query::new(&language, bindings),
            parts: Query::new(&language, parts),
            language,
        }
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

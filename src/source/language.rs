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
    pub(crate) runner: Query,
    pub(crate) values: Query,
    pub(crate) swallowed: Query,
    pub(crate) bindings: Query,
}

/// Returns the grammar of a language with the queries that stand in the folder of a name.
macro_rules! grammar {
    ($language:expr, $folder:literal, $outline:expr) => {
        Grammar::new(
            $language.into(),
            [
                $outline,
                include_str!(concat!("queries/", $folder, "/parts.scm")),
                include_str!(concat!("queries/", $folder, "/runner.scm")),
                include_str!(concat!("queries/", $folder, "/values.scm")),
                include_str!(concat!("queries/", $folder, "/swallowed.scm")),
                include_str!(concat!("queries/", $folder, "/bindings.scm")),
            ],
        )
    };
}

/// JavaScript and TypeScript share most of their queries.
const SCRIPT: &str = include_str!("queries/script/outline.scm");
const JAVASCRIPT_ALONE: &str = include_str!("queries/javascript/outline.scm");
const TYPESCRIPT_ALONE: &str = include_str!("queries/typescript/outline.scm");

static RUST: LazyLock<Grammar> =
    LazyLock::new(|| grammar!(tree_sitter_rust::LANGUAGE, "rust", include_str!("queries/rust/outline.scm")));
static PYTHON: LazyLock<Grammar> = LazyLock::new(|| {
    grammar!(tree_sitter_python::LANGUAGE, "python", include_str!("queries/python/outline.scm"))
});
static JAVASCRIPT: LazyLock<Grammar> = LazyLock::new(|| {
    grammar!(tree_sitter_javascript::LANGUAGE, "script", &format!("{SCRIPT}\n{JAVASCRIPT_ALONE}"))
});
static TYPESCRIPT: LazyLock<Grammar> = LazyLock::new(|| {
    grammar!(tree_sitter_typescript::LANGUAGE_TYPESCRIPT, "script", &format!("{SCRIPT}\n{TYPESCRIPT_ALONE}"))
});
static TSX: LazyLock<Grammar> = LazyLock::new(|| {
    grammar!(tree_sitter_typescript::LANGUAGE_TSX, "script", &format!("{SCRIPT}\n{TYPESCRIPT_ALONE}"))
});
static GO: LazyLock<Grammar> =
    LazyLock::new(|| grammar!(tree_sitter_go::LANGUAGE, "go", include_str!("queries/go/outline.scm")));

impl Grammar {
    fn new(language: tree_sitter::Language, queries: [&str; 6]) -> Self {
        let [outline, parts, runner, values, swallowed, bindings] =
            queries.map(|text| Query::new(&language, text));
        Self { language, outline, parts, runner, values, swallowed, bindings }
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

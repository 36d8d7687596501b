//! Which language a path or a code block is in, and how that language writes comments and texts. By names alone.
//! Knows no grammar: what a file means is the matter of the checks.

/// A language, or a family that writes comments and texts alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Rust,
    Python,
    JavaScript,
    TypeScript,
    Tsx,
    Go,
    /// C and all that took its comments.
    Braces,
    Php,
    Shell,
    Sql,
    Lua,
    Haskell,
    Lisp,
    Percent,
    Markup,
    Css,
    Ini,
    Json,
    Yaml,
    Toml,
    /// Text for people.
    Document,
    /// Everything else: any usual comment counts.
    Unknown,
}

use Language::{
    Braces, Css, Document, Go, Haskell, Ini, JavaScript, Json, Lisp, Lua, Markup, Percent, Php, Python, Rust,
    Shell, Sql, Toml, Tsx, TypeScript, Unknown, Yaml,
};

/// Languages by the endings of their files and the names of their code blocks.
const NAMES: [(Language, &[&str]); 21] = [
    (Rust, &["rs", "rust"]),
    (Python, &["py", "pyi", "pyw", "python", "python3"]),
    (JavaScript, &["js", "jsx", "mjs", "cjs", "javascript"]),
    (TypeScript, &["ts", "mts", "cts", "typescript"]),
    (Tsx, &["tsx"]),
    (Go, &["go", "golang"]),
    (
        Braces,
        &[
            "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "m", "mm", "java", "kt", "kts", "kotlin", "swift",
            "cs", "csharp", "scala", "dart", "groovy", "gradle", "zig", "proto", "sol", "v", "cu", "glsl",
        ],
    ),
    (Php, &["php"]),
    (
        Shell,
        &[
            "sh", "bash", "zsh", "fish", "rb", "ruby", "pl", "pm", "perl", "r", "ex", "exs", "elixir", "nix",
            "cmake", "mk", "tf", "hcl", "ps1", "jl", "julia", "cr", "tcl", "graphql",
        ],
    ),
    (Sql, &["sql"]),
    (Lua, &["lua"]),
    (Haskell, &["hs", "elm", "haskell"]),
    (Lisp, &["el", "lisp", "clj", "cljs", "cljc", "scm", "rkt", "asm", "clojure"]),
    (Percent, &["tex", "erl", "hrl"]),
    (Markup, &["html", "htm", "xml", "svg", "vue", "svelte", "xhtml", "astro"]),
    (Css, &["css", "scss", "sass", "less"]),
    (Ini, &["ini", "cfg", "conf", "env", "properties", "editorconfig", "gitignore", "dockerignore"]),
    (Json, &["json", "jsonc", "json5", "ipynb", "code-workspace"]),
    (Yaml, &["yaml", "yml"]),
    (Toml, &["toml"]),
    (Document, &["md", "markdown", "mdx", "txt", "rst", "adoc", "org", "text"]),
];

/// Files whose whole name says what they are.
const WHOLE_NAMES: [(&str, Language); 8] = [
    ("makefile", Shell),
    ("dockerfile", Shell),
    ("gemfile", Shell),
    ("rakefile", Shell),
    ("justfile", Shell),
    ("jenkinsfile", Braces),
    ("cargo.lock", Toml),
    ("readme", Document),
];

impl Language {
    pub(crate) fn of_path(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let whole = WHOLE_NAMES.iter().find(|(known, _)| *known == name).map(|(_, language)| *language);
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        whole.or_else(|| named(ending?)).unwrap_or(Unknown)
    }

    /// Tells whether it is program code, so that work can be missing in it.
    pub(crate) fn is_code(self) -> bool {
        !matches!(self, Document | Json | Yaml | Toml | Ini)
    }

    pub(crate) fn syntax(self) -> &'static Syntax {
        match self {
            Rust => &RUST,
            Python => &PYTHON,
            JavaScript | TypeScript | Tsx => &SCRIPT,
            Go => &GO,
            Braces => &BRACES,
            Php => &PHP,
            Shell => &HASH,
            Ini => &INI,
            Yaml | Toml => &DATA,
            Sql => &SQL,
            Lua => &LUA,
            Haskell => &HASKELL,
            Lisp => &LISP,
            Percent => &PERCENT,
            Markup => &MARKUP,
            Css => &CSS,
            Json => &JSON,
            Document => &DOCUMENT,
            Unknown => &UNKNOWN,
        }
    }
}

fn named(name: &str) -> Option<Language> {
    NAMES.iter().find(|(_, names)| names.contains(&name)).map(|(language, _)| *language)
}

/// How a language writes comments and texts.
#[derive(Debug)]
pub(crate) struct Syntax {
    /// What begins a comment that ends with its line.
    pub line: &'static [&'static str],
    /// Such a comment needs space before it.
    pub spaced: bool,
    pub block: &'static [(&'static str, &'static str)],
    pub nested: bool,
    /// Longest first.
    pub quotes: &'static [Quote],
    /// A single quotation mark holds one character.
    pub characters: bool,
    /// A slash may begin a pattern.
    pub patterns: bool,
}

/// One kind of text literal.
#[derive(Debug)]
pub(crate) struct Quote {
    pub open: &'static str,
    pub close: &'static str,
    /// A backslash takes the next character along.
    pub escapes: bool,
    /// It may go on in the next line.
    pub lines: bool,
}

const fn quote(mark: &'static str, escapes: bool, lines: bool) -> Quote {
    Quote { open: mark, close: mark, escapes, lines }
}

const DOUBLE: Quote = quote("\"", true, false);
const SINGLE: Quote = quote("'", true, false);
const PLAIN: Syntax = Syntax {
    line: &[],
    spaced: false,
    block: &[],
    nested: false,
    quotes: &[],
    characters: false,
    patterns: false,
};
const C_BLOCK: &[(&str, &str)] = &[("/*", "*/")];
const XML_BLOCK: &[(&str, &str)] = &[("<!--", "-->")];

static BRACES: Syntax = Syntax {
    line: &["//"],
    block: C_BLOCK,
    quotes: &[quote("\"\"\"", true, true), DOUBLE],
    characters: true,
    ..PLAIN
};
static RUST: Syntax = Syntax {
    line: &["//"],
    block: C_BLOCK,
    nested: true,
    quotes: &[
        Quote { open: "r###\"", close: "\"###", escapes: false, lines: true },
        Quote { open: "r##\"", close: "\"##", escapes: false, lines: true },
        Quote { open: "r#\"", close: "\"#", escapes: false, lines: true },
        Quote { open: "r\"", close: "\"", escapes: false, lines: true },
        quote("\"", true, true),
    ],
    characters: true,
    ..PLAIN
};
static GO: Syntax = Syntax {
    line: &["//"],
    block: C_BLOCK,
    quotes: &[quote("`", false, true), DOUBLE],
    characters: true,
    ..PLAIN
};
static SCRIPT: Syntax = Syntax {
    line: &["//"],
    block: C_BLOCK,
    quotes: &[quote("`", true, true), DOUBLE, SINGLE],
    patterns: true,
    ..PLAIN
};
static PHP: Syntax = Syntax { line: &["//", "#"], block: C_BLOCK, quotes: &[DOUBLE, SINGLE], ..PLAIN };
static PYTHON: Syntax = Syntax {
    line: &["#"],
    quotes: &[quote("\"\"\"", true, true), quote("'''", true, true), DOUBLE, SINGLE],
    ..PLAIN
};
static HASH: Syntax = Syntax { line: &["#"], spaced: true, quotes: &[DOUBLE, SINGLE], ..PLAIN };
static INI: Syntax = Syntax { line: &["#", ";"], spaced: true, ..PLAIN };
static DATA: Syntax = Syntax {
    line: &["#"],
    spaced: true,
    quotes: &[quote("\"\"\"", true, true), quote("'''", false, true), DOUBLE, SINGLE],
    ..PLAIN
};
static SQL: Syntax = Syntax { line: &["--"], block: C_BLOCK, quotes: &[DOUBLE, SINGLE], ..PLAIN };
static LUA: Syntax = Syntax { line: &["--"], block: &[("--[[", "]]")], quotes: &[DOUBLE, SINGLE], ..PLAIN };
static HASKELL: Syntax = Syntax {
    line: &["--"],
    block: &[("{-", "-}")],
    nested: true,
    quotes: &[DOUBLE],
    characters: true,
    ..PLAIN
};
static LISP: Syntax = Syntax { line: &[";"], quotes: &[quote("\"", true, true)], ..PLAIN };
static PERCENT: Syntax = Syntax { line: &["%"], ..PLAIN };
static MARKUP: Syntax =
    Syntax { line: &["//"], spaced: true, block: &[("<!--", "-->"), ("/*", "*/")], ..PLAIN };
static CSS: Syntax =
    Syntax { line: &["//"], spaced: true, block: C_BLOCK, quotes: &[DOUBLE, SINGLE], ..PLAIN };
static JSON: Syntax = Syntax { line: &["//"], spaced: true, block: C_BLOCK, quotes: &[DOUBLE], ..PLAIN };
static DOCUMENT: Syntax = Syntax { block: XML_BLOCK, ..PLAIN };
static UNKNOWN: Syntax =
    Syntax { line: &["#", "//", "--", ";"], spaced: true, block: &[("<!--", "-->"), ("/*", "*/")], ..PLAIN };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_its_language() {
        for (path, language) in [
            ("src/a.rs", Rust),
            ("a/b.test.tsx", Tsx),
            ("Makefile", Shell),
            ("docs/guide.MD", Document),
            ("tool", Unknown),
            (".gitignore", Ini),
            ("x.proto", Braces),
        ] {
            assert_eq!(Language::of_path(path), language, "{path}");
        }
    }
}

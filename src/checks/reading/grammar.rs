//! Where a text does not follow the grammar of its language, for the languages whose grammar we have.
//! A grammar that is older than the language must not refuse what is new: what only a newer form explains is no error.

use std::ops::ControlFlow;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use regex::Regex;

use crate::constant::pattern;
use tree_sitter::{Node, ParseOptions, Parser, Tree};

use super::language::Language;
use super::spelled::Spelled;

/// A text that takes longer is judged by its brackets alone.
const PATIENCE: Duration = Duration::from_secs(1);

/// Where a text is broken, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Broken {
    pub line: usize,
    pub what: String,
}

/// Returns where a text is broken first; nothing where it is sound, or its language has no grammar here.
pub(crate) fn broken(language: Language, text: &str) -> Option<Broken> {
    let grammars = grammars(language);
    let mut first = None;
    for grammar in &grammars {
        let Some(tree) = parse(grammar, text) else { return unbalanced(language, text) };
        let node = first_error(&tree)?;
        first = first.or_else(|| Some(told(node, text)));
    }
    let first = first?;
    match unbalanced(language, text) {
        None if is_newer_than_the_grammar(language, text, first.line) => None,
        None => Some(first),
        Some(open) => {
            let what = format!("{}; {} (line {})", first.what, open.what, open.line);
            Some(Broken { line: first.line.max(open.line), what })
        }
    }
}

/// Scripts with type annotations of another checker are read as what is nearest to them.
fn grammars(language: Language) -> Vec<tree_sitter::Language> {
    match language {
        Language::Rust => vec![tree_sitter_rust::LANGUAGE.into()],
        Language::Python => vec![tree_sitter_python::LANGUAGE.into()],
        Language::Go => vec![tree_sitter_go::LANGUAGE.into()],
        Language::JavaScript => {
            vec![tree_sitter_javascript::LANGUAGE.into(), tree_sitter_typescript::LANGUAGE_TSX.into()]
        }
        Language::TypeScript => vec![tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()],
        Language::Tsx => vec![tree_sitter_typescript::LANGUAGE_TSX.into()],
        _ => Vec::new(),
    }
}

fn parse(grammar: &tree_sitter::Language, text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(grammar).expect("the grammars fit the library");
    let until = Instant::now() + PATIENCE;
    let mut patience = |_: &tree_sitter::ParseState| {
        if Instant::now() < until { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut patience);
    let bytes = text.as_bytes();
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// Returns the innermost first node that is an error or is missing.
fn first_error(tree: &Tree) -> Option<Node<'_>> {
    let mut node = tree.root_node();
    if !node.has_error() {
        return None;
    }
    loop {
        let mut cursor = node.walk();
        let next = node
            .children(&mut cursor)
            .find(|child| child.is_missing() || child.is_error() || child.has_error());
        match next {
            Some(child) => node = child,
            None => return Some(node),
        }
    }
}

fn told(node: Node<'_>, text: &str) -> Broken {
    let line = node.start_position().row + 1;
    if node.is_missing() {
        return Broken { line, what: format!("`{}` is missing", node.kind()) };
    }
    let shown: String =
        text[node.byte_range()].lines().next().unwrap_or_default().trim().chars().take(60).collect();
    Broken { line, what: format!("`{shown}` is not understood here") }
}

/// Returns the first bracket outside texts and comments that has no partner.
pub(crate) fn unbalanced(language: Language, text: &str) -> Option<Broken> {
    let spelled = Spelled::new(text, language);
    let mut open: Vec<(u8, usize)> = Vec::new();
    for range in spelled.bare() {
        for at in range {
            let byte = text.as_bytes()[at];
            match byte {
                b'{' | b'[' | b'(' => open.push((byte, at)),
                b'}' | b']' | b')' => match open.pop() {
                    Some((opener, _)) if opener == opener_of(byte) => {}
                    Some((opener, from)) => return Some(alone(&spelled, opener, from)),
                    None => return Some(alone(&spelled, byte, at)),
                },
                _ => {}
            }
        }
    }
    let (byte, at) = *open.last()?;
    Some(alone(&spelled, byte, at))
}

fn alone(spelled: &Spelled<'_>, bracket: u8, at: usize) -> Broken {
    Broken { line: spelled.number_of(at), what: format!("{} do not match", names(bracket)) }
}

fn opener_of(closer: u8) -> u8 {
    match closer {
        b'}' => b'{',
        b']' => b'[',
        _ => b'(',
    }
}

fn names(bracket: u8) -> &'static str {
    match bracket {
        b'{' | b'}' => "braces",
        b'[' | b']' => "brackets",
        _ => "parentheses",
    }
}

/// Forms that came after the grammars.
fn is_newer_than_the_grammar(language: Language, text: &str, line: usize) -> bool {
    static RUST: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"\bgen\s+fn\b|\b(?:un)?safe\s+(?:fn|static)\b|\bimpl\s+const\b|\bpub\s+macro\b")
    });
    static PYTHON: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"^\s*(?:type|def|class|async\s+def)\s+\w+\s*\[|^\s*lazy\s+(?:import|from)\b")
    });
    static SCRIPT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"\bimport\s+(?:defer|source)\b|\babstract\s+accessor\b|\bout\s+\w+\s*[,>]|<in\s")
    });
    let newer = match language {
        Language::Rust => &RUST,
        Language::Python => &PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx => &SCRIPT,
        _ => return false,
    };
    text.lines().nth(line.saturating_sub(1)).is_some_and(|line| newer.is_match(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(language: Language, text: &str) -> Option<usize> {
        broken(language, text).map(|broken| broken.line)
    }

    #[test]
    fn modern_code_is_sound() {
        for (language, text) in [
            (Language::Rust, "fn f() { if let Some(x) = a && x > 1 { let Some(y) = b else { return }; } }"),
            (Language::Rust, "fn f<'a>(x: &'a str) -> impl Fn() + use<'a> { async || {} }"),
            (
                Language::Rust,
                "unsafe extern \"C\" { safe fn g(); }\nfn f() { let p = &raw const x; c\"x\"; }",
            ),
            (
                Language::Rust,
                "#[tokio::test]\nasync fn f() -> Result<(), Box<dyn Error>> { m!{ a => %b % }; Ok(()) }",
            ),
            (Language::Rust, "trait T { type A<'a> where Self: 'a; const N: usize = { 1 }; }"),
            (
                Language::Python,
                "type A[T] = list[T]\ndef f[T](x: T, /, *, y=1) -> T:\n    match x:\n        case {'a': 1}:\n            return x\n",
            ),
            (
                Language::Python,
                "async def f():\n    async with a as b, c as d:\n        print(f\"{x!r:>{w}} {d['a']}\")\n",
            ),
            (
                Language::Python,
                "try:\n    pass\nexcept* E as e:\n    raise\nwith (open(a) as x, open(b) as y):\n    z = (n := 1)\n",
            ),
            (
                Language::JavaScript,
                "class A { #x = 1; static { this.y ??= 2; } get z() { return this?.#x } }\nexport * as n from './a';",
            ),
            (
                Language::JavaScript,
                "const a = <div {...p}>it's {x ? <b/> : null}</div>; for await (const y of z) {}",
            ),
            (Language::JavaScript, "// @flow\nfunction f(x: number): string { return String(x); }"),
            (Language::JavaScript, "import a from './a.json' with { type: 'json' };\nawait using d = f();"),
            (
                Language::TypeScript,
                "const a = x satisfies T; function f<const T extends readonly string[]>(x: T): asserts x is T {}",
            ),
            (
                Language::TypeScript,
                "@dec() class A<in out T> { accessor x = 1; constructor(private readonly y?: string) {} }",
            ),
            (
                Language::TypeScript,
                "import type { A } from 'a'; import { type B } from 'b'; export type C = `${A}-${B}`; enum E { X }",
            ),
            (
                Language::TypeScript,
                "declare module 'x' { export function f(this: Window, ...a: any[]): void; } abstract class Q { abstract g(): void }",
            ),
            (Language::Tsx, "const A = <T,>(p: P<T>) => <><B<T> {...p} /></>;"),
            (
                Language::Go,
                "package a\nfunc F[T ~int | string](x ...T) (y []T, err error) { for i := range 10 { _ = i }; return }",
            ),
        ] {
            assert_eq!(broken(language, text), None, "{text}");
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn what_languages_have_learned_is_sound() {
        for (language, text) in [
            (Language::Rust, "fn f() { let g = gen { yield 1; }; }"),
            (Language::Rust, "gen fn f() { yield 1; }"),
            (Language::Rust, "fn f<'a>() -> impl X + use<'a, T> {}"),
            (Language::Rust, "fn f() { let p = &raw const x; let q = &raw mut y; }"),
            (Language::Rust, "unsafe extern \"C\" { safe fn g(); unsafe static mut X: u8; }"),
            (Language::Rust, "fn f() { let a = async || {}; let b = async move |x| { x }; }"),
            (Language::Rust, "#[unsafe(no_mangle)] pub extern \"C\" fn f() {}"),
            (Language::Rust, "fn f() where for<'a> T: AsyncFn(&'a u8) -> u8 {} impl const T for U {}"),
            (Language::Rust, "const { assert!(true) }; fn f() { const { 1 } }"),
            (
                Language::Rust,
                "fn f() { let x: [u8; const { 3 }]; if let A | B = c && d {} while let Some(x) = y && z {} }",
            ),
            (Language::Rust, "trait T { fn f() -> impl Trait; async fn g(); }"),
            (
                Language::Rust,
                "fn f(..: u8) {} extern \"C\" { fn p(a: *const u8, ...); } fn g() -> ! { loop {} }",
            ),
            (
                Language::Rust,
                "fn f() { match x { 1.. => {}, ..=5 => {}, &(a, ref b) if let Some(y) = z => {} _ => {} } 'a: { break 'a 1 } }",
            ),
            (Language::Rust, "macro_rules! m { ($($x:expr),* $(,)?) => { $( $x; )* }; }"),
            (
                Language::Rust,
                "fn f() { let x = b'\\''; let y = br#\"x\"#; let z = 1_000u64.pow(2); x.await?; r#type }",
            ),
            (Language::Python, "try:\n    pass\nexcept A, B:\n    pass\n"),
            (Language::Python, "x = t\"a {b}\"\n"),
            (Language::Python, "x = f\"{', '.join(f'{a}' for a in b)}\"\n"),
            (Language::Python, "x = f\"{d[\"a\"]}\" + f'{x=}' + f\"{a:{b}.{c}}\" + rf\"\\d{a}\"\n"),
            (Language::Python, "x = f\"{\n  a\n}\"\n"),
            (Language::Python, "x = f\"{x!r:^{width}} {{}} {lambda_ and (lambda: 1)()}\"\n"),
            (Language::Python, "type A = int\ntype B[T: int, *Ts, **P = [int]] = C\n"),
            (Language::Python, "class A[T]:\n    pass\ndef f[T = int](x): ...\n"),
            (Language::Python, "print >>sys.stderr, 'x'\nexec 'x'\nprint 'x'\n"),
            (
                Language::Python,
                "match x:\n    case A(b=1) | [1, *_] if y:\n        pass\n    case {**r}: pass\nmatch = 1\nprint(match)\ntype = 3\n",
            ),
            (Language::Python, "lazy import x\nx = *a, b\nreturn *a, b\nfor x in *a, b: pass\n"),
            (
                Language::Python,
                "@a.b[c](d)\ndef f(*, a): yield from b\nasync def g(): return [x async for x in y if await z]\n",
            ),
            (
                Language::Python,
                "x = 1 if a else 2; assert a, b; del x[1:2, ...]; global q; raise A from None\n",
            ),
            (Language::JavaScript, "using a = b();"),
            (Language::JavaScript, "import defer * as a from 'b';"),
            (
                Language::JavaScript,
                "import source a from 'b'; import.meta.url; await import('x', {with: {a: 1}});",
            ),
            (
                Language::JavaScript,
                "const r = /[\\p{L}--[a-z]]/v; const t = a`x${b}`; a?.[0]?.(1); x ||= y; 1_000n;",
            ),
            (
                Language::JavaScript,
                "class A { accessor x = 1; static async *g() {} get [a]() {} static #p() {} }",
            ),
            (Language::JavaScript, "#!/usr/bin/env node\nlabel: for (;;) { break label } if (#x in y) {}"),
            (
                Language::JavaScript,
                "export default async () => {}; export { a as default, b as 'c d' }; export * from 'x';",
            ),
            (Language::JavaScript, "@dec class A { @f m() {} @g x = 1 }"),
            (Language::JavaScript, "const e = <A.B x:y='1' {...z} data-a={`q`}>&nbsp;{/* c */}{...k}</A.B>;"),
            (Language::TypeScript, "using a = b(); await using c = d();"),
            (
                Language::TypeScript,
                "import type A, { type B } from 'x'; import a = require('b'); export = a; export as namespace Q;",
            ),
            (
                Language::TypeScript,
                "type A<T> = T extends infer U extends string ? `${U}` : never; type G = { -readonly [K in keyof T as `x${K}`]?: T[K] };",
            ),
            (
                Language::TypeScript,
                "abstract class A { abstract accessor x: number; declare y: string; override f(): this is B {} static { } constructor(public override readonly z = 1) {super()} }",
            ),
            (
                Language::TypeScript,
                "function f(a: string): asserts a; function f(a?: any, ...b: [x: number, y?: string]): void {} let x = <any>y; let z = y!; let q = y as const;",
            ),
            (
                Language::TypeScript,
                "declare global { interface Window { a: unique symbol } } declare const enum E { A = 1 << 2 } namespace A.B { }",
            ),
            (
                Language::TypeScript,
                "let f: new (...a: any) => object; let g: typeof import('x'); let h: abstract new () => void; enum X { 'a-b' = 1 }",
            ),
            (
                Language::TypeScript,
                "let x: A.B<C>[] | readonly string[]; for (const [a, b] of Object.entries<string>(c)) {} const d = e<string>; f<g>()?.h!.i",
            ),
            (
                Language::TypeScript,
                "import json from './a.json' with { type: 'json' }; import defer * as z from 'q'; class C<const T, in out U> {}",
            ),
            (
                Language::TypeScript,
                "type Getters = { get x(): number; set x(v: number); new (a: string): T; <U>(u: U): U; readonly [k: string]: any; m?(): void };",
            ),
            (
                Language::Tsx,
                "const A = <T extends object>(p: P<T>) => <B<T> key='a' render={() => <></>}>{p.x!}</B>; const f = async <T,>(x: T) => x;",
            ),
            (Language::Tsx, "<p>It's {a && <b>x</b>} — “q” &amp; 1 {'}'}</p>"),
            (
                Language::Go,
                "package a\ntype L[T any] struct { n *L[T] }\ntype A[P any] = B[P]\nfunc (l *L[T]) f() { for range 3 {}; for x := range seq {}; min(1,2); x := []struct{a int}{{1}}; _ = x }",
            ),
            (
                Language::Go,
                "package a\nimport (\n. \"x\"\n_ \"y\"\n)\nvar x = 0b1_0i\nfunc f() { select { case a := <-b: goto L; default: }; L: switch y := z.(type) { case int, *T: fallthrough } }",
            ),
        ] {
            assert_eq!(broken(language, text), None, "{text}");
        }
    }

    #[test]
    fn broken_code_is_found_with_its_line() {
        for (language, text, expected) in [
            (Language::Rust, "fn f() {\n    g(\n}\n", true),
            (Language::Rust, "fn f() {}\nfn g() {\n    let x = 1;\n", true),
            (Language::Python, "def f(:\n    pass\n", true),
            (Language::Python, "x = [1, 2\ny = 3\n", true),
            (Language::JavaScript, "function f() {\n  return 42;\n", true),
            (Language::TypeScript, "const a = { b: 1, c: ;\n", true),
            (Language::Tsx, "const a = <div>;\n", true),
            (Language::Go, "package a\nfunc F() {\n", true),
            (Language::Braces, "void f() {\n", false),
        ] {
            assert_eq!(broken(language, text).is_some(), expected, "{text}");
        }
        assert_eq!(line(Language::Rust, "fn a() {}\n\nfn b() {\n    let x = ;\n}\n"), Some(4));
        assert!(
            broken(Language::Go, "package a\nfunc F() {\n")
                .is_some_and(|broken| broken.what.contains("braces"))
        );
    }

    #[test]
    fn brackets_in_texts_and_comments_do_not_count() {
        let sound = "f(\"(\"); // {\n/* [ */ let a = '(';";
        assert_eq!(unbalanced(Language::Rust, sound), None);
        let what = |text| unbalanced(Language::JavaScript, text).map(|broken| broken.what);
        assert_eq!(what("const a = [1").as_deref(), Some("brackets do not match"));
        assert_eq!(what("f(x}").as_deref(), Some("parentheses do not match"));
    }
}

//! What languages have learned is sound, and what is broken is found with its line.

use super::*;

fn broken(path: &str, text: &str) -> Option<Broken> {
    SourceFile::parse(path, text).expect("the language has a grammar").broken()
}

#[test]
fn modern_code_is_sound() {
    for (path, text) in [
        ("a.rs", "fn f() { if let Some(x) = a && x > 1 { let Some(y) = b else { return }; } }"),
        ("a.rs", "fn f<'a>(x: &'a str) -> impl Fn() + use<'a> { async || {} }"),
        ("a.rs", "unsafe extern \"C\" { safe fn g(); }\nfn f() { let p = &raw const x; c\"x\"; }"),
        ("a.rs", "#[tokio::test]\nasync fn f() -> Result<(), Box<dyn Error>> { m!{ a => %b % }; Ok(()) }"),
        ("a.rs", "trait T { type A<'a> where Self: 'a; const N: usize = { 1 }; }"),
        (
            "a.py",
            "type A[T] = list[T]\ndef f[T](x: T, /, *, y=1) -> T:\n    match x:\n        case {'a': 1}:\n            return x\n",
        ),
        ("a.py", "async def f():\n    async with a as b, c as d:\n        print(f\"{x!r:>{w}} {d['a']}\")\n"),
        (
            "a.py",
            "try:\n    pass\nexcept* E as e:\n    raise\nwith (open(a) as x, open(b) as y):\n    z = (n := 1)\n",
        ),
        (
            "a.js",
            "class A { #x = 1; static { this.y ??= 2; } get z() { return this?.#x } }\nexport * as n from './a';",
        ),
        ("a.js", "const a = <div {...p}>it's {x ? <b/> : null}</div>; for await (const y of z) {}"),
        ("a.js", "// @flow\nfunction f(x: number): string { return String(x); }"),
        ("a.js", "import a from './a.json' with { type: 'json' };\nawait using d = f();"),
        (
            "a.ts",
            "const a = x satisfies T; function f<const T extends readonly string[]>(x: T): asserts x is T {}",
        ),
        ("a.ts", "@dec() class A<in out T> { accessor x = 1; constructor(private readonly y?: string) {} }"),
        (
            "a.ts",
            "import type { A } from 'a'; import { type B } from 'b'; export type C = `${A}-${B}`; enum E { X }",
        ),
        (
            "a.ts",
            "declare module 'x' { export function f(this: Window, ...a: any[]): void; } abstract class Q { abstract g(): void }",
        ),
        ("a.tsx", "const A = <T,>(p: P<T>) => <><B<T> {...p} /></>;"),
        (
            "a.go",
            "package a\nfunc F[T ~int | string](x ...T) (y []T, err error) { for i := range 10 { _ = i }; return }",
        ),
    ] {
        assert_eq!(broken(path, text), None, "{text}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn what_languages_have_learned_is_sound() {
    for (path, text) in [
        ("a.rs", "fn f() { let g = gen { yield 1; }; }"),
        ("a.rs", "gen fn f() { yield 1; }"),
        ("a.rs", "fn f<'a>() -> impl X + use<'a, T> {}"),
        ("a.rs", "fn f() { let p = &raw const x; let q = &raw mut y; }"),
        ("a.rs", "unsafe extern \"C\" { safe fn g(); unsafe static mut X: u8; }"),
        ("a.rs", "fn f() { let a = async || {}; let b = async move |x| { x }; }"),
        ("a.rs", "#[unsafe(no_mangle)] pub extern \"C\" fn f() {}"),
        ("a.rs", "fn f() where for<'a> T: AsyncFn(&'a u8) -> u8 {} impl const T for U {}"),
        ("a.rs", "const { assert!(true) }; fn f() { const { 1 } }"),
        (
            "a.rs",
            "fn f() { let x: [u8; const { 3 }]; if let A | B = c && d {} while let Some(x) = y && z {} }",
        ),
        ("a.rs", "trait T { fn f() -> impl Trait; async fn g(); }"),
        ("a.rs", "fn f(..: u8) {} extern \"C\" { fn p(a: *const u8, ...); } fn g() -> ! { loop {} }"),
        (
            "a.rs",
            "fn f() { match x { 1.. => {}, ..=5 => {}, &(a, ref b) if let Some(y) = z => {} _ => {} } 'a: { break 'a 1 } }",
        ),
        ("a.rs", "macro_rules! m { ($($x:expr),* $(,)?) => { $( $x; )* }; }"),
        ("a.rs", "fn f() { let x = b'\\''; let y = br#\"x\"#; let z = 1_000u64.pow(2); x.await?; r#type }"),
        ("a.py", "try:\n    pass\nexcept A, B:\n    pass\n"),
        ("a.py", "x = t\"a {b}\"\n"),
        ("a.py", "x = f\"{', '.join(f'{a}' for a in b)}\"\n"),
        ("a.py", "x = f\"{d[\"a\"]}\" + f'{x=}' + f\"{a:{b}.{c}}\" + rf\"\\d{a}\"\n"),
        ("a.py", "x = f\"{\n  a\n}\"\n"),
        ("a.py", "x = f\"{x!r:^{width}} {{}} {lambda_ and (lambda: 1)()}\"\n"),
        ("a.py", "type A = int\ntype B[T: int, *Ts, **P = [int]] = C\n"),
        ("a.py", "class A[T]:\n    pass\ndef f[T = int](x): ...\n"),
        ("a.py", "print >>sys.stderr, 'x'\nexec 'x'\nprint 'x'\n"),
        (
            "a.py",
            "match x:\n    case A(b=1) | [1, *_] if y:\n        pass\n    case {**r}: pass\nmatch = 1\nprint(match)\ntype = 3\n",
        ),
        ("a.py", "lazy import x\nx = *a, b\nreturn *a, b\nfor x in *a, b: pass\n"),
        (
            "a.py",
            "@a.b[c](d)\ndef f(*, a): yield from b\nasync def g(): return [x async for x in y if await z]\n",
        ),
        ("a.py", "x = 1 if a else 2; assert a, b; del x[1:2, ...]; global q; raise A from None\n"),
        ("a.js", "using a = b();"),
        ("a.js", "import defer * as a from 'b';"),
        ("a.js", "import source a from 'b'; import.meta.url; await import('x', {with: {a: 1}});"),
        ("a.js", "const r = /[\\p{L}--[a-z]]/v; const t = a`x${b}`; a?.[0]?.(1); x ||= y; 1_000n;"),
        ("a.js", "class A { accessor x = 1; static async *g() {} get [a]() {} static #p() {} }"),
        ("a.js", "#!/usr/bin/env node\nlabel: for (;;) { break label } if (#x in y) {}"),
        ("a.js", "export default async () => {}; export { a as default, b as 'c d' }; export * from 'x';"),
        ("a.js", "@dec class A { @f m() {} @g x = 1 }"),
        ("a.js", "const e = <A.B x:y='1' {...z} data-a={`q`}>&nbsp;{/* c */}{...k}</A.B>;"),
        ("a.ts", "using a = b(); await using c = d();"),
        (
            "a.ts",
            "import type A, { type B } from 'x'; import a = require('b'); export = a; export as namespace Q;",
        ),
        (
            "a.ts",
            "type A<T> = T extends infer U extends string ? `${U}` : never; type G = { -readonly [K in keyof T as `x${K}`]?: T[K] };",
        ),
        (
            "a.ts",
            "abstract class A { abstract accessor x: number; declare y: string; override f(): this is B {} static { } constructor(public override readonly z = 1) {super()} }",
        ),
        (
            "a.ts",
            "function f(a: string): asserts a; function f(a?: any, ...b: [x: number, y?: string]): void {} let x = <any>y; let z = y!; let q = y as const;",
        ),
        (
            "a.ts",
            "declare global { interface Window { a: unique symbol } } declare const enum E { A = 1 << 2 } namespace A.B { }",
        ),
        (
            "a.ts",
            "let f: new (...a: any) => object; let g: typeof import('x'); let h: abstract new () => void; enum X { 'a-b' = 1 }",
        ),
        (
            "a.ts",
            "let x: A.B<C>[] | readonly string[]; for (const [a, b] of Object.entries<string>(c)) {} const d = e<string>; f<g>()?.h!.i",
        ),
        (
            "a.ts",
            "import json from './a.json' with { type: 'json' }; import defer * as z from 'q'; class C<const T, in out U> {}",
        ),
        (
            "a.ts",
            "type Getters = { get x(): number; set x(v: number); new (a: string): T; <U>(u: U): U; readonly [k: string]: any; m?(): void };",
        ),
        (
            "a.tsx",
            "const A = <T extends object>(p: P<T>) => <B<T> key='a' render={() => <></>}>{p.x!}</B>; const f = async <T,>(x: T) => x;",
        ),
        ("a.tsx", "<p>It's {a && <b>x</b>} — “q” &amp; 1 {'}'}</p>"),
        (
            "a.go",
            "package a\ntype L[T any] struct { n *L[T] }\ntype A[P any] = B[P]\nfunc (l *L[T]) f() { for range 3 {}; for x := range seq {}; min(1,2); x := []struct{a int}{{1}}; _ = x }",
        ),
        (
            "a.go",
            "package a\nimport (\n. \"x\"\n_ \"y\"\n)\nvar x = 0b1_0i\nfunc f() { select { case a := <-b: goto L; default: }; L: switch y := z.(type) { case int, *T: fallthrough } }",
        ),
    ] {
        assert_eq!(broken(path, text), None, "{text}");
    }
}

#[test]
fn broken_code_is_found_with_its_line() {
    for (path, text, expected) in [
        ("a.rs", "fn f() {\n    g(\n}\n", 2),
        ("a.rs", "fn a() {}\n\nfn b() {\n    let x = ;\n}\n", 4),
        ("a.rs", "fn f() {}\nfn g() {\n    let x = 1;\n", 2),
        ("a.py", "def f(:\n    pass\n", 1),
        ("a.py", "x = [1, 2\ny = 3\n", 1),
        ("a.js", "function f() {\n  return 42;\n", 2),
        ("a.ts", "const a = { b: 1, c: ;\n", 1),
        ("a.tsx", "const a = <div>;\n", 1),
        ("a.go", "package a\nfunc F() {\n", 2),
    ] {
        let found = broken(path, text).map(|broken| broken.line);
        assert!(found.is_some_and(|found| found.abs_diff(expected) <= 1), "{text}: {found:?}");
    }
}

#[test]
fn brackets_in_texts_and_comments_do_not_count() {
    assert_eq!(broken("a.js", "f(\"(\"); // {\n/* [ */ let a = '(';"), None);
}

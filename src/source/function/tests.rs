//! Functions of five languages, stubs among them, and how functions are made stubs.

use std::sync::Arc;

use super::*;

fn file(path: &str, text: &str) -> Arc<SourceFile> {
    SourceFile::parse(path, text).expect("the language has a grammar")
}

fn names(path: &str, text: &str) -> Vec<String> {
    file(path, text).functions().into_iter().map(|function| function.name).collect()
}

#[test]
fn functions_have_the_names_of_their_types_and_modules() {
    let rust = "fn a() {}\nmod m {\n    impl<T> X<T> { pub(crate) async fn b() {} }\n    impl A for a::Y { fn c() {} }\n    trait Z { fn d(); fn e() {} }\n}\n// fn not() {}\nconst S: &str = \"fn not() {}\";\nmacro_rules! n { () => { fn $x() {} } }";
    assert_eq!(names("a.rs", rust), ["a", "m::X::b", "m::a::Y::c", "m::Z::d", "m::Z::e"]);
    let python = "class A:\n    class B:\n        @property\n        async def c(self): pass\n    def d(self):\n        def e(): return 1\ndef f(): pass\n";
    assert_eq!(names("a.py", python), ["A.B.c", "A.d", "A.e", "f"]);
    let script = "export default class A { #b() {} static async *c() {} d = () => 1; get e() { return 1 } }\nconst f = async x => x;\nexport function* g() {}\nexports.h = function () {};\nconst o = { i() {}, j: () => 1 };\n/* function not() {} */";
    assert_eq!(
        names("a.js", script),
        ["A.b", "A.c", "A.d", "A.e", "f", "g", "h", "i", "j"].map(|name| if name == "A.b" {
            "A.#b".to_owned()
        } else {
            name.to_owned()
        })
    );
    let typed = "namespace N { abstract class A<T> { abstract b(): void; c = (x: T): T => x; private d?(): void {} } }\nfunction e(a: string): void;\nfunction e(a: any) {}\nconst F = class { g() {} };\ninterface I { h(): void }";
    assert_eq!(names("a.ts", typed), ["N.A.b", "N.A.c", "N.A.d", "e", "e", "F.g"]);
    let go = "package a\nfunc A[T any]() {}\nfunc (s *S[T]) B() {}\nfunc (s S) C() { d := func() {}; d() }\ntype I interface { E() }\n";
    assert_eq!(names("a.go", go), ["A", "S.B", "S.C", "d"]);
}

fn stub_of(path: &str, text: &str) -> (Option<Stub>, bool) {
    let file = file(path, text);
    let functions = file.functions();
    let found = functions.iter().find(|function| function.name.ends_with('f')).expect("a function");
    let is_told = file.stubs().contains(found);
    assert_eq!(is_told, found.stub.is_some() && !found.is_abstract, "{text}");
    (found.stub, found.is_abstract)
}

#[test]
fn a_body_without_work_is_a_stub() {
    use Stub::{Empty, Fails, NotImplemented, Nothing};
    for (path, text, stub) in [
        ("a.rs", "fn f() -> u8 { todo!() }", NotImplemented),
        ("a.rs", "fn f() -> u8 { unimplemented!(\"later\"); }", NotImplemented),
        ("a.rs", "fn f() -> u8 {\n    // Later.\n    panic!(\"not yet implemented\")\n}", NotImplemented),
        ("a.rs", "fn f() -> Option<u8> { None }", Nothing),
        ("a.rs", "fn f() { /* nothing */ }", Empty),
        ("a.py", "def f():\n    pass\n", Empty),
        ("a.py", "def f(): ...\n", Empty),
        (
            "a.py",
            "async def f(a: int) -> int:\n    \"\"\"Does.\"\"\"\n    # Later.\n    return None\n",
            Nothing,
        ),
        ("a.py", "def f():\n    \"\"\"Does.\"\"\"\n", Empty),
        (
            "a.py",
            "class A:\n    def f(self):\n        \"\"\"Does.\"\"\"\n        pass\n\n\ndef g(a):\n    a.b = 1\n",
            Empty,
        ),
        ("a.py", "def f():\n    raise NotImplementedError\n", NotImplemented),
        ("a.py", "def f():\n    'Does.'\n    raise NotImplementedError('f')\n", NotImplemented),
        ("a.rs", "fn f(x: u8) -> u8 { unreachable!() }", Fails),
        ("a.rs", "fn f(x: u8) -> u8 { unreachable!(\"never\"); }", Fails),
        ("a.py", "def f():\n    raise ValueError('not a number')\n", Fails),
        ("a.py", "def f(x):\n    \"\"\"Does.\"\"\"\n    raise errors.Page(\"none\")\n", Fails),
        ("a.js", "function f() { throw new RangeError(`none`) }", Fails),
        ("a.ts", "function f(): never { throw new Error('not found'); }", Fails),
        ("a.js", "function f() { throw new Error('Not implemented'); }", NotImplemented),
        ("a.js", "const f = () => null;", Nothing),
        ("a.js", "function f() { return undefined }", Nothing),
        ("a.ts", "class A { f(): void {} }", Empty),
        ("a.ts", "const f = (): string => { throw new Error(`not yet implemented: f`) };", NotImplemented),
        ("a.go", "package a\nfunc f() { panic(\"not implemented\") }\n", NotImplemented),
        ("a.go", "package a\nfunc f() (*A, error) { return nil, nil }\n", Nothing),
        ("a.go", "package a\nfunc f() error { return errors.New(\"f: not implemented\") }\n", NotImplemented),
        ("a.go", "package a\nfunc f() {\n\t// Later.\n}\n", Empty),
    ] {
        assert_eq!(stub_of(path, text).0, Some(stub), "{text}");
    }
}

#[test]
fn a_body_that_works_is_no_stub() {
    for (path, text) in [
        ("a.rs", "fn f() -> u8 { if x { todo!() } 1 }"),
        ("a.rs", "fn f(x: &mut u8) { *x = 1; }"),
        ("a.rs", "fn f() -> &'static str { \"todo!()\" }"),
        ("a.rs", "fn f() { let g = || todo!(); g() }"),
        ("a.py", "def f(x):\n    x.a = None\n    return None\n"),
        ("a.py", "def f(x):\n    if x:\n        raise NotImplementedError\n    return x\n"),
        ("a.py", "def f():\n    return {}\n"),
        ("a.rs", "fn f(x: u8) -> u8 { unreachable!(\"{x}\") }"),
        ("a.py", "def f(x):\n    raise ValueError(f'{x}')\n"),
        ("a.py", "def f(x):\n    raise ValueError('not a number', x)\n"),
        ("a.js", "function f(x) { throw new Error(`${x}`); }"),
        ("a.js", "function f() { g(); return null; }"),
        ("a.js", "const f = (x) => x ? null : 1;"),
        ("a.go", "package a\nfunc f() error { g(); return nil }\n"),
        ("a.go", "package a\nfunc f() error { return g() }\n"),
    ] {
        assert_eq!(stub_of(path, text).0, None, "{text}");
    }
}

#[test]
fn what_others_have_to_write_is_abstract() {
    for (path, text, is_abstract) in [
        ("a.rs", "trait T { fn f(&self) -> u8; }", true),
        ("a.rs", "impl T for A { fn f(&self) -> u8 { todo!() } }", false),
        ("a.py", "class A:\n    @abc.abstractmethod\n    def f(self): ...\n", true),
        ("a.py", "class A(Protocol):\n    def f(self) -> int: ...\n", true),
        (
            "a.py",
            "class A:\n    def f(self):\n        raise NotImplementedError\nclass B(A):\n    pass\n",
            true,
        ),
        ("a.py", "class A:\n    def f(self):\n        raise NotImplementedError\n", false),
        ("a.js", "class A { f() { throw new Error('not implemented') } }\nclass B extends A {}", true),
        ("a.js", "class A { f() { throw new Error('not implemented') } }", false),
        ("a.ts", "abstract class A { abstract f(): void }", true),
        ("a.ts", "class A { f() {} }\nclass B extends A<C> {}", true),
        ("a.ts", "export class A { f() {} }", false),
    ] {
        assert_eq!(stub_of(path, text).1, is_abstract, "{text}");
    }
}

fn stubbed_text(path: &str, text: &str, names: &[&str]) -> String {
    let is_named = |function: &Function| names.contains(&function.name.as_str());
    with_bodies(&file(path, text), |function| is_named(function).then_some(NewBody::Stub))
}

#[test]
fn a_stub_that_has_to_fail_fails_in_every_language() {
    for (path, text, expected) in [
        ("a.py", "def f():\n    return 1\n", "def f():\n    raise NotImplementedError\n    return 1\n"),
        ("a.js", "const f = () => 1;", "const f = () => { if (true) throw new Error(\"stub\"); return 1; };"),
    ] {
        assert_eq!(with_bodies(&file(path, text), |_| Some(NewBody::Failure)), expected);
        assert_ne!(stubbed_text(path, text, &["f"]), expected);
    }
}

#[test]
fn a_stub_fails_and_keeps_what_the_types_need() {
    for (path, text, name, expected) in [
        (
            "a.rs",
            "impl P { pub const fn f<T: A>(x: T) -> impl B where T: C { x.b() } }\nfn f() { 1 }",
            "P::f",
            "impl P { pub const fn f<T: A>(x: T) -> impl B where T: C { if true { unimplemented!() } x.b() } }\nfn f() { 1 }",
        ),
        (
            "a.py",
            "class A:\n    def f(self):\n        \"\"\"Does.\"\"\"\n        return 1\n    def g(self): return 2\n",
            "A.f",
            "class A:\n    def f(self):\n        return None\n        \"\"\"Does.\"\"\"\n        return 1\n    def g(self): return 2\n",
        ),
        ("a.py", "def f(): return 1\n", "f", "def f(): return None; return 1\n"),
        ("a.js", "const f = (x) => ({ x });", "f", "const f = (x) => { if (true) return; return ({ x }); };"),
        (
            "a.ts",
            "class A { async f<T>(x: T): Promise<T> { return x; } }",
            "A.f",
            "class A { async f<T>(x: T): Promise<T> { if (true) throw new Error(\"stub\"); return x; } }",
        ),
        (
            "a.go",
            "package a\nfunc (p *P) F() error {\n\treturn g()\n}\n",
            "P.F",
            "package a\nfunc (p *P) F() error { if true { panic(\"stub\") };\n\treturn g()\n}\n",
        ),
    ] {
        assert_eq!(stubbed_text(path, text, &[name]), expected);
    }
}

#[test]
fn what_runs_on_its_own_is_not_made_a_stub() {
    for (path, text, name) in [
        ("a.rs", "impl Drop for A { fn drop(&mut self) { close() } }", "A::drop"),
        ("a.py", "class A:\n    def __init__(self):\n        self.a = 1\n", "A.__init__"),
        ("a.js", "class A { constructor() { this.a = 1 } }", "A.constructor"),
        ("a.go", "package a\nfunc init() { setup() }\n", "init"),
        ("a.ts", "abstract class A { abstract f(): void }", "A.f"),
        ("a.rs", "trait T { fn f(); }", "T::f"),
    ] {
        assert_eq!(stubbed_text(path, text, &[name]), text);
    }
}

#[test]
fn a_function_inside_another_one_is_made_a_stub_with_it() {
    let text = "def f():\n    def g():\n        return 1\n    return g()\n";
    let expected =
        "def f():\n    return None\n    def g():\n        return None\n        return 1\n    return g()\n";
    assert_eq!(stubbed_text("a.py", text, &["f", "g"]), expected);
}

#[test]
fn a_function_with_another_body_keeps_its_head() {
    for (path, text, body, expected) in [
        ("a.rs", "fn f(a: u8, _b: bool) -> u8 { a + 1 }", "{ a }", "fn f(a: u8, _b: bool) -> u8 { a }"),
        (
            "a.py",
            "class A:\n    def f(self, a=1):\n        def g():\n            return a\n        return g()\n",
            "b = 2\n        return b",
            "class A:\n    def f(self, a=1):\n        b = 2\n        return b\n",
        ),
        (
            "a.py",
            "class A:\n    def __init__(self, a):\n        self.a = a\n",
            "pass",
            "class A:\n    def __init__(self, a):\n        pass\n",
        ),
        ("a.ts", "const f = (a: A) => a.b;", "{ return 1; }", "const f = (a: A) => { return 1; };"),
        (
            "a.go",
            "package a\nfunc F(n int) int { return n }\n",
            "{ return 0 }",
            "package a\nfunc F(n int) int { return 0 }\n",
        ),
    ] {
        assert_eq!(with_bodies(&file(path, text), |_| Some(NewBody::Text(body))), expected);
    }
}

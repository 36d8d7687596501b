//! Files that hold product code and tests, put together of two versions.

use super::*;

fn spliced(path: &str, now: &str, base: &str) -> String {
    let file = |text: &str| SourceFile::parse(path, text).expect("the language has a grammar");
    splice_tests(&file(now), &file(base))
}

#[test]
fn tests_of_the_base_stand_in_the_code_of_now() {
    let now = "fn a() -> u8 { 2 }\n\n/// Tests.\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n    #[test]\n    fn weak() {}\n}\n\nfn b() {}\n";
    let base = "fn a() -> u8 { 1 }\n\n#[cfg(test)]\nuse x;\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn strong() { assert_eq!(a(), 2); }\n}\n";
    let old_tests = "fn a() -> u8 { 2 }\n\n#[cfg(test)]\nuse x;\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn strong() { assert_eq!(a(), 2); }\n}\n\nfn b() {}\n";
    assert_eq!(spliced("src/a.rs", now, base), old_tests);
    let new_tests = "fn a() -> u8 { 1 }\n\n/// Tests.\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n    #[test]\n    fn weak() {}\n}\n\n\n";
    assert_eq!(spliced("src/a.rs", base, now), new_tests);
    assert_eq!(spliced("src/a.rs", now, now), now);
}

#[test]
fn each_test_takes_the_place_of_one() {
    let now = "#[test]\nfn a() {}\nfn b() {}\n#[test]\nfn c() {}\n";
    let base = "#[test]\nfn d() {}\n\n#[test]\nfn e() {}\n\n#[test]\nfn f() {}\n";
    let expected = "#[test]\nfn d() {}\nfn b() {}\n#[test]\nfn e() {}\n\n#[test]\nfn f() {}\n";
    assert_eq!(spliced("a.rs", now, base), expected);
    assert_eq!(spliced("a.rs", base, now), "#[test]\nfn a() {}\n\n#[test]\nfn c() {}\n\n\n");
    assert_eq!(spliced("a.rs", base, base), base);
}

#[test]
fn tests_come_and_go_with_their_modules() {
    let now = "mod m {\n    pub fn a() {}\n}\nimpl A {\n    fn b() {}\n}\n";
    let base = "mod m {\n    #[test]\n    fn c() {}\n}\nimpl A {\n    #[cfg(test)]\n    fn d() {}\n}\nmod gone {\n    #[test]\n    fn e() {}\n}\n#[test]\nfn f() {}\n";
    let expected = "mod m {\n    pub fn a() {}\n\n#[test]\n    fn c() {}\n}\nimpl A {\n    fn b() {}\n\n#[cfg(test)]\n    fn d() {}\n}\n\n#[test]\nfn f() {}\n";
    assert_eq!(spliced("a.rs", now, base), expected);
    assert_eq!(spliced("a.rs", base, now).matches("#[").count(), 0);
}

#[test]
fn code_that_tests_share_with_the_product_stays() {
    let now = "#[cfg(not(test))]\nfn a() {}\n#[cfg(any(test, feature = \"x\"))]\npub fn b() {}\nstruct S {\n    #[cfg(test)]\n    c: u8,\n}\nfn d() {\n    #[cfg(test)]\n    e();\n}\n";
    assert_eq!(spliced("a.rs", now, "fn a() {}\n"), now);
}

#[test]
fn a_macro_of_tests_goes_as_a_whole() {
    let base = "fn a() {}\nproptest! {\n    #[test]\n    fn b(x in 0..9) { assert!(x < 9); }\n    #[test]\n    fn c(x in 0..9) {}\n}\n";
    assert_eq!(spliced("a.rs", base, "fn a() {}\n"), "fn a() {}\n\n");
    assert_eq!(spliced("a.rs", "fn z() {}\n", base), format!("fn z() {{}}\n\n{}", &base[10..]));
}

#[test]
fn other_languages_have_tests_in_product_files_too() {
    let now = "def f(): return 2\n\nclass Client:\n    def test(self): pass\n\n@mark\nclass FTest(unittest.TestCase):\n    def test_f(self): pass\n";
    let base = "def f(): return 1\n\nclass Client:\n    def test(self): old()\n\nclass FTest(unittest.TestCase):\n    def test_f(self): self.assertEqual(f(), 2)\n";
    let expected = "def f(): return 2\n\nclass Client:\n    def test(self): pass\n\nclass FTest(unittest.TestCase):\n    def test_f(self): self.assertEqual(f(), 2)";
    assert_eq!(spliced("a.py", now, base).trim_end(), expected);
    let now =
        "export const f = () => 2;\nif (import.meta.vitest) {\n  const { it } = import.meta.vitest;\n}\n";
    let base = "export const f = () => 1;\nif (import.meta.vitest) {\n  it('a', () => {});\n}\n";
    assert_eq!(
        spliced("a.ts", now, base),
        "export const f = () => 2;\nif (import.meta.vitest) {\n  it('a', () => {});\n}\n"
    );
    let go = "package a\nfunc F() {}\nfunc TestF(t *testing.T) {}\n";
    assert_eq!(spliced("a.go", go, "package a\n"), go);
}

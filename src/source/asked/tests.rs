//! What tests ask, in several forms.

use crate::SourceFile;
use crate::test::Test;

fn asks(path: &str, text: &str) -> Vec<String> {
    let tests = SourceFile::parse(path, text).expect("a grammar").tests();
    tests.iter().flat_map(Test::asks).map(|ask| ask.text.clone()).collect()
}

fn cases(path: &str, text: &str) -> Vec<Option<usize>> {
    let tests = SourceFile::parse(path, text).expect("a grammar").tests();
    tests.iter().map(Test::cases).collect()
}

#[test]
fn local_names_are_what_they_stand_for() {
    for (path, text) in [
        ("test_a.py", "def test_a():\n    assert pages(10, 3) == 4\n"),
        ("test_a.py", "def test_a():\n    found = pages(10, 3)\n    assert found == 4, 'no'\n"),
        (
            "test_a.py",
            "class T(unittest.TestCase):\n    def test_a(self):\n        n, s = 10, 3\n        self.assertEqual(pages(n, s), 4)\n",
        ),
        ("a.test.js", "it('a', () => { const found = pages(10, 3); expect(found).toBe(4); });"),
        ("a.test.js", "it('a', () => { assert.strictEqual(pages(10, 3), 4); });"),
        ("a.rs", "#[test]\nfn a() { let found = pages(10, 3); assert_eq!(found, 4, \"no\"); }"),
    ] {
        assert_eq!(asks(path, text), ["pages ( 10 , 3 ) == 4"], "{text}");
    }
    let fixture = "@pytest.fixture\ndef counts():\n    return [10, 3]\n\ndef test_a(counts):\n    assert pages(counts[0], counts[1]) == 4\n";
    let own = "def test_a():\n    counts = [10, 3]\n    assert pages(counts[0], counts[1]) == 4\n";
    let other = "def counts():\n    return [10, 3]\n\ndef test_a(counts):\n    assert pages(counts[0], counts[1]) == 4\n";
    assert_eq!(asks("test_a.py", fixture), ["pages ( 10 , 3 ) == 4"]);
    assert_eq!(asks("test_a.py", own), ["pages ( 10 , 3 ) == 4"]);
    assert_eq!(asks("test_a.py", other), ["pages ( counts [ 0 ] , counts [ 1 ] ) == 4"]);
    let unpacked = "def test_a():\n    amount, _ = price('1 EUR')\n    assert amount == 1\n";
    let indexed = "def test_a():\n    assert price('1 EUR')[0] == 1\n";
    assert_eq!(asks("test_a.py", unpacked), asks("test_a.py", indexed));
}

#[test]
fn a_name_that_changes_stands_for_nothing() {
    let text = "def test_a():\n    x = f(1)\n    x = f(2)\n    assert x == 2\n";
    assert_eq!(asks("test_a.py", text), ["x == 2"]);
}

#[test]
fn each_case_is_asked_by_its_values() {
    let expected = ["pages ( 9 , 3 ) == 3", "pages ( 10 , 3 ) == 4"];
    for (path, text, count) in [
        (
            "test_a.py",
            "CASES = [(9, 3, 3), (10, 3, 4)]\n@pytest.mark.parametrize('total,size,n', CASES)\ndef test_a(total, size, n):\n    assert pages(total, size) == n\n",
            2,
        ),
        (
            "test_a.py",
            "@pytest.mark.parametrize(('t', 'n'), [(9, 3), pytest.param(10, 4, id='up')])\ndef test_a(t, n):\n    assert pages(t, 3) == n\n",
            2,
        ),
        (
            "test_a.py",
            "def test_a(self):\n    for t, n in [(9, 3), (10, 4)]:\n        with self.subTest(t=t):\n            self.assertEqual(pages(t, 3), n)\n",
            1,
        ),
        (
            "a.test.js",
            "test.each([[9, 3, 3], [10, 3, 4]])('%i by %i', (total, size, n) => { expect(pages(total, size)).toBe(n); });",
            2,
        ),
        (
            "a.test.js",
            "for (const [t, n] of [[9, 3], [10, 4]]) {\n  it(`counts ${t}`, () => { assert.strictEqual(pages(t, 3), n); });\n}",
            2,
        ),
        ("a.rs", "#[test]\nfn a() { for (t, n) in [(9, 3), (10, 4)] { assert_eq!(pages(t, 3), n); } }", 1),
    ] {
        assert_eq!(asks(path, text), expected, "{text}");
        assert_eq!(cases(path, text), [Some(count)], "{text}");
    }
}

#[test]
fn a_table_that_is_computed_is_itself_asked() {
    let table =
        |rows: &str| format!("@pytest.mark.parametrize('t', {rows})\ndef test_a(t):\n    assert pages(t)\n");
    let (some, others) = (table("read('a')"), table("read('b')"));
    assert_eq!(cases("test_a.py", &some), [None]);
    assert_ne!(asks("test_a.py", &some), asks("test_a.py", &others));
    assert_eq!(cases("test_a.py", &table("[*CASES, 2]")), [None]);
}

#[test]
fn what_a_test_does_besides_is_asked_too() {
    let text = "def test_a(db):\n    user = add_user(db)\n    db.commit()\n    with pytest.raises(ValueError):\n        parse('')\n";
    let expected = ["db . commit ( )", "pytest . raises ( ValueError )", "parse ( \" \" )"];
    assert_eq!(asks("test_a.py", text), expected);
}

#[test]
fn names_that_double_each_other_end() {
    let doubled = |index: usize| format!("    a{index} = a{0} + a{0} + a{0}\n", index - 1);
    let doubled: String = (1..40).map(doubled).collect();
    let text = format!("def test_a():\n    a0 = f()\n{doubled}    assert a39 == 1\n");
    assert!(asks("test_a.py", &text)[0].len() < 40_000);
}

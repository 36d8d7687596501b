//! Old and new tests: what is the same, what is lost.

use super::*;
use crate::SourceFile;

fn tests(files: &[(&str, &str)]) -> Vec<Test> {
    let files = files.iter().map(|(path, text)| SourceFile::parse(path, *text).expect("a grammar"));
    files.flat_map(|file| file.tests()).collect()
}

/// What became of each test: `old -> new`, `- lost`, `+ added`.
fn became(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<String> {
    let (old, new) = (tests(old), tests(new));
    let matching = same_tests(&old.iter().collect::<Vec<_>>(), &new.iter().collect::<Vec<_>>());
    let mut lines: Vec<String> = Vec::new();
    for kept in &matching.kept {
        let to: Vec<String> = kept.new.iter().map(|index| new[*index].id()).collect();
        lines.push(format!("{} -> {}", old[kept.old].id(), to.join(", ")));
    }
    lines.extend(matching.lost.iter().map(|index| format!("- {}", old[*index].id())));
    lines.extend(matching.added.iter().map(|index| format!("+ {}", new[*index].id())));
    lines
}

const SUM: &str = "def test_sum():\n    x = total(1, 2)\n    assert x == 3\n    assert total() == 0\n";

#[test]
fn a_test_with_its_name_is_the_same_whatever_it_says() {
    let weaker = "def test_sum():\n    assert total() is not None\n";
    assert_eq!(became(&[("test_a.py", SUM)], &[("test_a.py", weaker)]), ["test_sum -> test_sum"]);
    assert_eq!(became(&[("test_a.py", SUM)], &[("test_b.py", weaker)]), ["- test_sum", "+ test_sum"]);
}

#[test]
fn a_test_may_move_to_another_file_or_group() {
    let in_class = "class TestSum:\n    def test_sum(self):\n        x = total(1, 2)\n        assert x == 3\n        assert total() == 0\n";
    assert_eq!(became(&[("test_a.py", SUM)], &[("b/test_c.py", SUM)]), ["test_sum -> test_sum"]);
    assert_eq!(became(&[("test_a.py", SUM)], &[("test_a.py", in_class)]), ["test_sum -> TestSum::test_sum"]);
    let flat = "it('adds', () => { expect(sum(1)).toBe(1); });";
    let grouped = "describe('sum', () => {\n  it('adds', () => {\n    expect(sum(1)).toBe(1)\n  })\n})";
    assert_eq!(became(&[("a.test.js", flat)], &[("a.test.js", grouped)]), ["adds -> sum > adds"]);
}

#[test]
fn a_test_may_get_another_name_and_more_asserts() {
    let renamed = SUM.replace("test_sum", "test_total");
    let stronger = format!("{renamed}    assert total(5) == 5\n");
    let reordered = "def test_total():\n    assert total() == 0\n    x = total(1, 2)\n    assert x == 3\n";
    for new in [renamed.as_str(), stronger.as_str(), reordered] {
        assert_eq!(became(&[("test_a.py", SUM)], &[("test_a.py", new)]), ["test_sum -> test_total"]);
    }
}

#[test]
fn a_similar_test_is_not_the_same() {
    for new in [
        "def test_total():\n    x = total(1, 2)\n    assert x == 3\n",
        "def test_total():\n    x = total(1, 2)\n    assert x is not None\n    assert total() == 0\n",
        "def test_total():\n    x = 3\n    assert x == 3\n    assert total() == 0\n",
    ] {
        assert_eq!(
            became(&[("test_a.py", SUM)], &[("test_a.py", new)]),
            ["- test_sum", "+ test_total"],
            "{new}"
        );
    }
    // The assert of a table of cases is the same for every table.
    let table = |name: &str, rows: &str| {
        format!(
            "package a\nfunc {name}(t *testing.T) {{\n\tfor _, c := range []int{{{rows}}} {{\n\t\tif got := f(c); got != c {{\n\t\t\tt.Fatal(got)\n\t\t}}\n\t}}\n}}\n"
        )
    };
    let (old, fewer, more) =
        (table("TestA", "1, 2, 3"), table("TestB", "1, 2"), table("TestB", "1, 2, 3, 4"));
    assert_eq!(became(&[("a_test.go", &old)], &[("a_test.go", &fewer)]), ["- TestA", "+ TestB"]);
    assert_eq!(became(&[("a_test.go", &old)], &[("a_test.go", &more)]), ["TestA -> TestB"]);
}

#[test]
fn a_case_of_a_helper_is_not_another_case() {
    let old = "#[test]\nfn a() { check(\"a\"); }\n#[test]\nfn b() { check(\"b\"); }\nfn check(x: &str) { assert!(f(x)); }\n";
    let new = "#[test]\nfn a() { check(\"a\"); }\n#[test]\nfn c() { check(\"c\"); }\nfn check(x: &str) { assert!(f(x)); }\n";
    assert_eq!(became(&[("a.rs", old)], &[("a.rs", new)]), ["a -> a", "- b", "+ c"]);
}

#[test]
fn a_test_may_be_split() {
    let two = "def test_two():\n    x = total(1, 2)\n    assert x == 3\ndef test_none():\n    assert total() == 0\n";
    assert_eq!(became(&[("test_a.py", SUM)], &[("test_a.py", two)]), ["test_sum -> test_two, test_none"]);
    let kept_name = two.replace("test_two", "test_sum");
    assert_eq!(
        became(&[("test_a.py", SUM)], &[("test_a.py", &kept_name)]),
        ["test_sum -> test_sum, test_none"]
    );
    let one_is_missing = "def test_two():\n    x = total(1, 2)\n    assert x == 3\n";
    assert_eq!(became(&[("test_a.py", SUM)], &[("test_a.py", one_is_missing)]), ["- test_sum", "+ test_two"]);
}

#[test]
fn two_tests_may_become_one() {
    let two = "it('a', () => { expect(f(1)).toBe(1); });\nit('b', () => { expect(f(2)).toBe(2); });";
    let one = "it('both', () => { expect(f(1)).toBe(1); expect(f(2)).toBe(2); });";
    assert_eq!(became(&[("a.test.ts", two)], &[("a.test.ts", one)]), ["a -> both", "b -> both"]);
}

#[test]
fn tests_of_one_name_are_paired_in_their_order() {
    let text = "it('a', () => { expect(f(1)).toBe(1); });\nit('a', () => { expect(f(2)).toBe(2); });";
    let first = "it('a', () => { expect(f(1)).toBe(1); });";
    assert_eq!(became(&[("a.test.ts", text)], &[("a.test.ts", text)]), ["a -> a", "a -> a"]);
    assert_eq!(became(&[("a.test.ts", text)], &[("a.test.ts", first)]), ["a -> a", "- a"]);
}

#[test]
fn what_asserts_nothing_is_known_by_its_name_or_its_whole_text() {
    let old = "#[test]\nfn runs() { main(); }\n";
    assert_eq!(
        became(&[("a.rs", old)], &[("a.rs", "#[test]\nfn goes() {\n    main();\n}\n")]),
        ["runs -> goes"]
    );
    assert_eq!(
        became(&[("a.rs", old)], &[("a.rs", "#[test]\nfn goes() { main(); x(); }\n")]),
        ["- runs", "+ goes"]
    );
}

const PRICE: &str = "def test_price():\n    amount, currency = price('1 EUR')\n    assert amount == 1\n    assert currency == 'EUR'\n";

#[test]
fn a_test_may_be_rewritten_with_other_local_names() {
    let moved = "class PriceTest(unittest.TestCase):\n    def test_both(self):\n        cents, unit = price(\"1 EUR\")\n        self.assertEqual(cents, 1)\n        self.assertEqual(unit, \"EUR\")\n";
    assert_eq!(
        became(&[("test_a.py", PRICE)], &[("b/test_price.py", moved)]),
        ["test_price -> PriceTest::test_both"]
    );
    let split = "def test_amount():\n    cents, _ = price('1 EUR')\n    assert cents == 1\ndef test_currency():\n    assert price('1 EUR')[1] == 'EUR'\n";
    assert_eq!(
        became(&[("test_a.py", PRICE)], &[("test_a.py", split)]),
        ["test_price -> test_amount, test_currency"]
    );
    let other = split.replace("[1]", "[0]");
    assert_eq!(
        became(&[("test_a.py", PRICE)], &[("test_a.py", &other)]),
        ["- test_price", "+ test_amount", "+ test_currency"]
    );
}

#[test]
fn tests_may_become_cases_and_cases_tests() {
    let functions =
        "def test_exact():\n    assert pages(9, 3) == 3\ndef test_up():\n    assert pages(10, 3) == 4\n";
    let table = |rows: &str| {
        format!(
            "@pytest.mark.parametrize('total,n', [{rows}])\ndef test_pages(total, n):\n    assert pages(total, 3) == n\n"
        )
    };
    let cases = table("(9, 3), (10, 4), (0, 0)");
    assert_eq!(
        became(&[("test_a.py", functions)], &[("test_a.py", &cases)]),
        ["test_exact -> test_pages", "test_up -> test_pages"]
    );
    assert_eq!(
        became(&[("test_a.py", &table("(9, 3), (10, 4)"))], &[("test_a.py", functions)]),
        ["test_pages -> test_exact, test_up"]
    );
    assert_eq!(
        became(&[("test_a.py", functions)], &[("test_a.py", &table("(9, 3), (11, 4)"))]),
        ["test_exact -> test_pages", "- test_up"]
    );
}

#[test]
fn similar_tests_ask_about_the_same() {
    let one = |text: &str| tests(&[("test_a.py", text)]).remove(0);
    let is_similar = |old: &Test, new: &Test| !old.subjects().is_disjoint(&new.subjects());
    let price = one(PRICE);
    assert!(is_similar(&price, &one("def test_b():\n    assert price('2 EUR')\n")));
    let helped = "def check(text):\n    assert price(text) == 1\ndef test_b():\n    check('1 EUR')\n";
    assert!(is_similar(&price, &one(helped)));
    assert!(!is_similar(&price, &one("def test_b():\n    assert pages(9) == pytest.approx(3)\n")));
}

#[test]
fn a_call_may_become_part_of_an_assert() {
    let old = "@pytest.mark.parametrize('name', ['A', 'B'])\ndef test_old(name):\n    with pytest.warns(DeprecationWarning, match=name):\n        getattr(click.utils, name)\n";
    let new = "@pytest.mark.parametrize(('module', 'name', 'target'), [(click.utils, 'A', click.utils._A), (click.utils, 'B', click.utils._B)])\ndef test_new(module, name, target):\n    with pytest.warns(DeprecationWarning, match=name):\n        value = getattr(module, name)\n\n    assert value == target\n";
    assert_eq!(became(&[("test_a.py", old)], &[("test_a.py", new)]), ["test_old -> test_new"]);
    let not_called = new.replace("getattr(module, name)", "module");
    assert_eq!(became(&[("test_a.py", old)], &[("test_a.py", &not_called)]), ["- test_old", "+ test_new"]);
}

/// A test of Go with these lines.
fn go(name: &str, body: &str) -> String {
    format!("func {name}(t *testing.T) {{\n{body}\n}}\n")
}

fn became_in_go(old: &str, new: &str) -> Vec<String> {
    became(&[("a_test.go", &format!("package a\n{old}"))], &[("a_test.go", &format!("package a\n{new}"))])
}

#[test]
fn what_a_test_of_go_prints_is_not_asked() {
    let old = "if got := Say(3); got != \"Fizz\" {\nt.Errorf(\"got %q\", got)\n}";
    let kept = ["TestA -> TestB"];
    for honest in [
        old.replace("got %q", "Say(3) = %q"),
        old.replace("t.Errorf(\"got %q\", got)", "t.Fatal(\"no Fizz\")"),
        old.replace("t.Errorf", "t.Log(Say(3))\nt.Errorf"),
        old.replace("if got := Say(3); got", "got := Say(3)\nif got"),
        old.replace("got", "said"),
    ] {
        assert_eq!(became_in_go(&go("TestA", old), &go("TestB", &honest)), kept, "{honest}");
    }
    for cheat in [
        old.replace("!= \"Fizz\"", "== \"\""),
        old.replace("Say(3)", "Say(6)"),
        old.replace("\"Fizz\"", "Say(3)"),
        "t.Errorf(\"got %q\", Say(3))".to_owned(),
        "t.Log(Say(3) != \"Fizz\")".to_owned(),
    ] {
        assert_eq!(became_in_go(&go("TestA", old), &go("TestB", &cheat)), ["- TestA", "+ TestB"], "{cheat}");
    }
}

#[test]
fn a_name_in_the_head_of_an_if_is_one_name_there_alone() {
    let head = |key: &str| format!("if _, ok := c.Get(\"{key}\"); !ok {{\nt.Error(\"gone\")\n}}\n");
    let line = |key: &str| format!("_, ok := c.Get(\"{key}\")\nif !ok {{\nt.Error(\"gone\")\n}}\n");
    let (one, two) = (go("TestA", &head("a")), go("TestA", &(head("a") + &head("b"))));
    assert_eq!(became_in_go(&one, &go("TestB", &line("a"))), ["TestA -> TestB"]);
    assert_eq!(became_in_go(&one, &go("TestB", &line("b"))), ["- TestA", "+ TestB"]);
    let apart = go("TestB", &line("a")) + &go("TestC", &line("b"));
    assert_eq!(became_in_go(&two, &apart), ["TestA -> TestB, TestC"]);
    assert_eq!(became_in_go(&two, &go("TestB", &head("a"))), ["- TestA", "+ TestB"]);
    // What a function does that stands in a head is asked, too, and what changes a name that was there.
    for (head, other) in [
        (
            "err := try(func() error { return f(1) }); err != nil",
            "err := try(func() error { return f(2) }); err != nil",
        ),
        ("err = f(1); err != nil", "err = f(2); err != nil"),
    ] {
        let test = |name: &str, head: &str| go(name, &format!("if {head} {{\nt.Fatal(err)\n}}"));
        assert_eq!(
            became_in_go(&test("TestA", head), &test("TestB", other)),
            ["- TestA", "+ TestB"],
            "{head}"
        );
    }
    // Each branch asks.
    let both = "if a := f(); a != 1 {\nt.Error(1)\n} else if b := g(); b != 2 {\nt.Error(2)\n}";
    let nested = "if a := f(); a != 1 {\nif b := g(); b != 2 {\nt.Error(2)\n}\nt.Error(1)\n}";
    let other = "if a := f(); a != 1 {\nt.Error(1)\n} else {\nt.Error(3)\n}";
    let first = "if a := f(); a != 1 {\nt.Error(1)\n}";
    for both in [both, nested, other] {
        assert_eq!(became_in_go(&go("TestA", both), &go("TestB", first)), ["- TestA", "+ TestB"], "{both}");
        assert_eq!(became_in_go(&go("TestA", first), &go("TestB", other)), ["TestA -> TestB"]);
    }
}

#[test]
fn tests_become_tests_inside_of_one_and_back() {
    let ask = |n: u8, said: &str| {
        format!("if got := Say({n}); got != \"{said}\" {{\nt.Errorf(\"got %q\", got)\n}}")
    };
    let inner = |name: &str, ask: &str| format!("t.Run(\"{name}\", func(t *testing.T) {{\n{ask}\n}})\n");
    let (fizz, buzz) = (ask(3, "Fizz"), ask(5, "Buzz"));
    let apart = go("TestFizz", &fizz) + &go("TestBuzz", &buzz);
    let one = |buzz: &str| go("TestSay", &(inner("fizz", &fizz) + &inner("buzz", buzz)));
    assert_eq!(
        became_in_go(&apart, &one(&buzz)),
        ["TestFizz -> TestSay/fizz", "TestBuzz -> TestSay/buzz", "+ TestSay"]
    );
    assert_eq!(
        became_in_go(&one(&buzz), &apart),
        ["TestSay -> TestFizz, TestBuzz", "TestSay/fizz -> TestFizz", "TestSay/buzz -> TestBuzz"]
    );
    let weaker = one(&buzz.replace("!= \"Buzz\"", "== \"\""));
    assert_eq!(
        became_in_go(&apart, &weaker),
        ["TestFizz -> TestSay/fizz", "- TestBuzz", "+ TestSay", "+ TestSay/buzz"]
    );
    assert_eq!(
        became_in_go(&one(&buzz), &go("TestFizz", &fizz)),
        ["TestSay/fizz -> TestFizz", "- TestSay", "- TestSay/buzz"]
    );
}

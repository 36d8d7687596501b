//! How much an assert demands: an exact value, some property, or nothing at all. Looks at one assert as text.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::reading::source::ending;

pattern!(
    ASSERT,
    r"(?x) \b\w*assert\w*!?\s*[\(\[\{] | ^\s*assert\s | \bassert\.\w+\( | (?:^|[^.\w])expect\w*\s*\( | \bt\.(?:Error|Fatal|Fail)\w*\(
      | \brequire\.\w+\( | \braises\w*\( | (?:^|[^.\w])expect\s*(?:\{|do\b) | \bassertThat\( | \bAssert\.\w+\( | \bXCTAssert\w*\( | \.should\b | \bverify\( | \bpanic!\( | \b(?:wait_until|wait_for|waitUntil|eventually)\w*\("
);

/// Tells whether a line holds an assert, or the beginning of one.
pub(super) fn is_assert(line: &str) -> bool {
    MAY_ASSERT.is_match(line) && ASSERT.is_match(line)
}

// One of these stands in every assert.
pattern!(
    MAY_ASSERT,
    r"ssert|xpect|t\.Error|t\.F|require\.|raises|XCT|\.should|verify\(|panic!\(|wait_|waitU|ventually"
);

/// Returns an assert without what only formats it and without its message.
pub(super) fn normal(path: &str, statement: &str) -> String {
    let bare: String = statement.chars().filter(|c| !c.is_whitespace()).collect();
    let bare = bare.replace(",)", ")").trim_end_matches(';').to_owned();
    // In Python a space tells words apart.
    if ending(path) == "py" { statement.split_whitespace().collect::<Vec<_>>().join(" ") } else { bare }
}

/// How much is demanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// It holds whatever the code does.
    Nothing,
    /// There is something, it is true, it is not that.
    Property,
    /// It is within bounds, or contains something.
    Part,
    Exact,
}

pattern!(
    TRIVIAL,
    r"(?x) assert\w*!?\s*\(?\s*(?:true|True|1|!false|not\s+False)\s*(?:,[^,]*)?\)?$ | assertTrue\(\s*(?:true|True)\b
      | expect\(\s*(?:true|1|!0|null|undefined)\s*\)\s*\.to(?:Be|Equal|StrictEqual|BeTruthy|BeNull|BeUndefined|BeDefined)\b
      | \|\|\s*true\b | \bor\s+True\b | assertFalse\(\s*(?:false|False)\b | assert\(\s*true\s*\) | expect\(\s*true\s*\)\.to\.be
      | ==\s*(?:unittest\.)?(?:mock\.)?ANY\b | ^assert\s*\((?:[^()]|\([^()]*\))*,\s*f?['\x22][^'\x22]*['\x22]\s*\)$
      | ^assert\x20\(?lambda\b | \bassert(?:True|\.ok|\.isTrue)?\(\s*(?:async\s*)?(?:lambda\b|\(\w*\)\s*=>|\w+\s*=>) | expect\((?:async)?(?:\(\)|\w+)=>.*\)\.toBe(?:Truthy|Defined)\(\) | matches!\(.*,_\)+$
      | ^debug_assert | ^expect\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)$ | ^(?:void)?expect\(.*\)\.(?:resolves|rejects)\..*\)$"
);
pattern!(
    PROPERTY,
    r"(?x) \.is_(?:ok|err|some|none|empty)\(\) | \.toBe(?:Truthy|Falsy|Defined|Undefined|InstanceOf)\b | \.toBeGreaterThan(?:OrEqual)?\(\s*-?[01]\s*\)
      | \.not\.to\w+ | \.(?:not_to|to_not) | \bis\s+not\s+None | assert_ne! | assertNot\w+\( | assert(?:True|False|IsNotNone|NotNull|NotNil|IsInstance)\( | isinstance\(
      | \bNot(?:Nil|Null|Empty|Equal)\b | !=[^=] | \.(?:ok|exist|exists|truthy)\b\(?\)? | assert_that.*is_not | toHaveBeenCalled\(\) | len\(\w+\)\s*>\s*0
      | \.length\)?\s*>\s*0 | \.len\(\)\s*>=?\s*[01]\b | expect\.anything\(\) | expect\.any\("
);
pattern!(
    EXACT,
    r"(?x) assert_eq! | assert_matches! | ===? | \.to(?:Be|Equal|StrictEqual|MatchObject|HaveLength|HaveBeenCalledWith|HaveBeenCalledTimes|ThrowError|MatchInlineSnapshot|MatchSnapshot)\(
      | assert(?:Equals?|StrictEquals|DeepEqual|Is|DictEqual|ListEqual|CountEqual|RaisesRegex)\( | \b(?:Equal|Exactly|EqualValues|deepEqual|strictEqual|deepStrictEqual|equal|eql|AreEqual)\(
      | \b(?:assertThrows\w*|assertRaises\w*|assertFails\w*|isEqualTo|isSameAs|isZero|isOne|isNull|isEmpty|isTrue|isFalse|hasSize|containsExactly\w*|raise_error)\b
      | snapshot!? | matches!\( | \braises\w*\( | \bshould_eq | \.to\.(?:eq|equal|deep) | \bis\s+None\b"
);
pattern!(
    PART,
    r"(?x) contains | \.toContain | \.toMatch\b | assertIn\( | \bin\b | starts_with | ends_with | (?:^|[^=\-])[<>]=?\s*-?[\d.\w] | toBe(?:Less|Greater)Than"
);

/// Returns how much a normal assert demands.
pub(super) fn strength(assert: &str) -> Strength {
    if is_trivial(assert) {
        Strength::Nothing
    } else if PROPERTY.is_match(assert) {
        Strength::Property
    } else if super::tolerance::is_loose(assert) || has_a_way_out(assert) {
        Strength::Part
    } else if EXACT.is_match(assert) || super::tolerance::is_tight(assert) {
        Strength::Exact
    } else if PART.is_match(assert) {
        Strength::Part
    } else if assert.starts_with("assert") && !assert.contains("assert_") {
        // A bare value that has to be true.
        Strength::Property
    } else {
        Strength::Exact
    }
}

pattern!(
    ABSENT,
    r"(?x) ^assert!\([^!].*\.is_(?:none|empty|err)\(\)(?:,.*)?\)$ | ^assert\x20.*\bis\x20None\b | \bassert(?:IsNone|Null|Nil)\( | ==\s*(?:None|nil|null)\b | ,None(?:,.*)?\)$
      | \.toBe(?:Null|Undefined|NaN)\( | \b(?:Nil|Null|Empty|isNull|isEmpty)\( | \braises\w*\( | [tT]hrows?(?:Error|Exactly)?\( | assertRaises | raise_error | \bError\("
);

/// Tells an assert that there is no value: nothing, or an error. What is there instead is no less.
pub(super) fn is_of_absence(assert: &str) -> bool {
    ABSENT.is_match(assert) && !PRESENT.is_match(assert)
}

pattern!(PRESENT, r"\.not\.|not_to|to_not|\bNot(?:Nil|Null|Empty)|assert(?:False|Not\w+|DoesNotThrow)\(");

/// Tells an assert that holds whatever the code does.
pub(super) fn is_trivial(assert: &str) -> bool {
    TRIVIAL.is_match(assert) || has_equal_sides(assert)
}

pattern!(
    OF_A_CONDITION,
    r"^(?:assert\x20|assert!?\(|(?:self\.|Assert\.|Assertions\.)?assert(?:True|\.ok|That)?\(|expect\()"
);

/// Tells an assert that holds when one of several things does.
fn has_a_way_out(assert: &str) -> bool {
    let Some(head) = OF_A_CONDITION.find(assert) else { return false };
    if head.as_str() == "expect(" && !assert.ends_with("(true)") {
        return false;
    }
    let condition = outermost(unwrapped(&assert[head.end()..]));
    [" or ", "||", " else "].iter().any(|word| condition.contains(word))
}

/// Returns a condition without the brackets around all of it.
fn unwrapped(text: &str) -> &str {
    let mut depth = 0_i32;
    let mut closes = text.char_indices().filter(|(_, c)| {
        depth += i32::from(*c == '(') - i32::from(*c == ')');
        depth == 0
    });
    let whole = text.starts_with('(') && closes.next().is_some_and(|(at, _)| at + 1 == text.len());
    if whole { &text[1..] } else { text }
}

/// Returns what of a text stands in no quotes and no brackets, up to the one that closes it. A closure's empty head is left out.
fn outermost(text: &str) -> String {
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    let mut outer = String::new();
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote.is_some() => escaped = true,
            '"' | '\'' | '`' if quote == Some(c) => quote = None,
            _ if quote.is_some() => {}
            '"' | '\'' | '`' => quote = Some(c),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' | ',' if depth == 0 => break,
            ')' | ']' | '}' => depth -= 1,
            _ if depth == 0 => outer.push(c),
            _ => {}
        }
    }
    if outer.starts_with("||") || outer.starts_with("move||") { String::new() } else { outer }
}

/// Tells `assert_eq!(1, 1)`, `assert x == x`, `expect(a).toBe(a)`.
fn has_equal_sides(assert: &str) -> bool {
    let same = |pattern: &Regex| {
        pattern.captures(assert).is_some_and(|sides| sides["left"].trim() == sides["right"].trim())
    };
    [&*PAIR, &*EQUATION, &*EXPECTED].into_iter().any(same)
}

pattern!(
    PAIR,
    r"assert(?:_eq!|_matches!|Equals?|StrictEquals|\.\w*[eE]qual|Equal)\((?:self,|t,)?(?P<left>[^,()]+),(?P<right>[^,()]+)(?:,[^)]*)?\)$"
);
pattern!(EQUATION, r"^assert[!\s(]+(?P<left>[^=()!<>]+)===?(?P<right>[^=(),]+?)\)?$");
pattern!(EXPECTED, r"expect\((?P<left>[^()]+)\)\.to(?:Be|Equal|StrictEqual)\((?P<right>[^()]+)\)$");

/// Returns the words of a text that say what it is about.
pub(crate) fn words(text: &str) -> BTreeSet<&str> {
    const COMMON: [&str; 58] = [
        "assert",
        "assert_eq",
        "assert_ne",
        "assertEqual",
        "assertEquals",
        "assertTrue",
        "assertFalse",
        "assertIn",
        "expect",
        "toBe",
        "toEqual",
        "toStrictEqual",
        "toBeTruthy",
        "toBeDefined",
        "not",
        "None",
        "Some",
        "true",
        "false",
        "True",
        "False",
        "null",
        "undefined",
        "is_ok",
        "is_some",
        "is_err",
        "unwrap",
        "let",
        "const",
        "var",
        "self",
        "fn",
        "def",
        "function",
        "async",
        "await",
        "return",
        "test",
        "mut",
        "use",
        "new",
        "import",
        "from",
        "class",
        "pub",
        "for",
        "while",
        "match",
        "func",
        "testing",
        "void",
        "public",
        "Test",
        "is_none",
        "expect_err",
        "clone",
        "into",
        "the",
    ];
    let split = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    split.filter(|word| word.len() > 2 && !COMMON.contains(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asserts_are_known_by_how_much_they_demand() {
        for (assert, expected) in [
            ("assert!(true)", Strength::Nothing),
            ("assertTrue(true)", Strength::Nothing),
            ("assert True", Strength::Nothing),
            ("assert_eq!(1,1)", Strength::Nothing),
            ("assert x == x", Strength::Nothing),
            ("expect(true).toBe(true)", Strength::Nothing),
            ("expect(a).toEqual(a)", Strength::Nothing),
            ("assert!(f()||true)", Strength::Nothing),
            ("assert!(f().is_ok())", Strength::Property),
            ("expect(f()).toBeTruthy()", Strength::Property),
            ("assert f() is not None", Strength::Property),
            ("assert f() != 2", Strength::Property),
            ("assert_ne!(f(),2)", Strength::Property),
            ("assert f()", Strength::Property),
            ("assert!(f().contains(\"a\"))", Strength::Part),
            ("assert f() > 2", Strength::Part),
            ("assert_eq!(f(),2)", Strength::Exact),
            ("assert f() == 2", Strength::Exact),
            ("self.assertEqual(f(), 2)", Strength::Exact),
            ("expect(f()).toEqual({a:1})", Strength::Exact),
            ("assert_greets(name)", Strength::Exact),
            ("expect(()=>f([])).toThrow(\"empty\")", Strength::Exact),
            ("assert f() is None", Strength::Exact),
            ("assert!(f()>2)", Strength::Part),
        ] {
            assert_eq!(strength(assert), expected, "{assert}");
        }
    }
}

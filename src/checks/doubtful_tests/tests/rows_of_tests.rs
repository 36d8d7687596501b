//! Tests that became one line or a row of a table that has a name.

use super::*;

const GO_TWO: &str = "package a\n\nfunc TestNone(t *testing.T) {\n\tif got := pages(0); got != 0 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n\nfunc TestTwo(t *testing.T) {\n\tif got := pages(80); got != 2 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n";
const SCRIPT_TWO: &str = "describe('pages', () => {\n  it('has none when empty', () => {\n    expect(pages('empty')).toBe(0);\n  });\n\n  it('has two when full', () => {\n    expect(pages('full')).toBe(2);\n  });\n});\n";
const JAVA_TWO: &str = "class PagesTest {\n  @Test\n  void none() {\n    assertEquals(0, pages(\"empty\"));\n  }\n\n  @Test\n  void two() {\n    assertEquals(2, pages(\"full\"));\n  }\n}\n";

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn tests_may_become_one_line_or_a_table_with_a_name() {
    let go = "package a\n\nfunc run(t *testing.T, lines, want int) {\n\tt.Helper()\n\tif got := pages(lines); got != want {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n\nfunc TestNone(t *testing.T) { run(t, 0, 0) }\nfunc TestTwo(t *testing.T)  { run(t, 80, 2) }\n";
    let cases = "const cases = [\n  { lines: 'empty', count: 0 },\n  { lines: 'full', count: 2 },\n];\n\ndescribe('pages', () => {\n";
    let script = |rest: &str| format!("{cases}{rest}}});\n");
    let java = |marks: &str, more: &str| {
        format!(
            "class PagesTest {{\n  @ParameterizedTest\n  {marks}\n  void counts(String lines, int count) {{\n    assertEquals(count, pages(lines));\n  }}\n{more}}}\n"
        )
    };
    each_passes(&[
        ("go", &[("a_test.go", GO_TWO, go)]),
        (
            "rust",
            &[(
                "tests/a.rs",
                "#[test]\nfn none() {\n    assert_eq!(pages(0), 0);\n}\n",
                "fn counts(lines: u32, count: u32) {\n    assert_eq!(pages(lines), count);\n}\n\n#[test]\nfn none() { counts(0, 0) }\n",
            )],
        ),
        (
            "script",
            &[(
                "a.test.ts",
                SCRIPT_TWO,
                "const check = (lines: string, count: number) => {\n  expect(pages(lines)).toBe(count);\n};\n\ndescribe('pages', () => {\n  it('has none when empty', () => check('empty', 0));\n  it('has two when full', () => check('full', 2));\n});\n",
            )],
        ),
        (
            "each of a name",
            &[(
                "a.test.ts",
                SCRIPT_TWO,
                &script(
                    "  it.each(cases)('$lines', ({ lines, count }) => {\n    expect(pages(lines)).toBe(count);\n  });\n",
                ),
            )],
        ),
        (
            "tagged",
            &[(
                "a.test.ts",
                SCRIPT_TWO,
                "describe('pages', () => {\n  it.each`\n    lines      | count\n    ${'empty'} | ${0}\n    ${'full'}  | ${2}\n  `('counts $lines', ({ lines, count }) => {\n    expect(pages(lines)).toBe(count);\n  });\n});\n",
            )],
        ),
        (
            "a loop of tests",
            &[(
                "a.test.ts",
                SCRIPT_TWO,
                &script(
                    "  for (const { lines, count } of cases) {\n    it(lines, () => {\n      expect(pages(lines)).toBe(count);\n    });\n  }\n",
                ),
            )],
        ),
        (
            "a loop of tests, in one line",
            &[(
                "a.test.ts",
                SCRIPT_TWO,
                &script(
                    "  for (const c of cases) it(c.lines, () => {\n    expect(pages(c.lines)).toBe(c.count);\n  });\n",
                ),
            )],
        ),
        (
            "forEach",
            &[(
                "a.test.ts",
                SCRIPT_TWO,
                &script(
                    "  cases.forEach((c) => {\n    it(`counts ${c.lines}`, () => {\n      expect(pages(c.lines)).toBe(c.count);\n    });\n  });\n",
                ),
            )],
        ),
        (
            "a source of lines",
            &[("PagesTest.java", JAVA_TWO, &java("@CsvSource({\"empty,0\", \"full,2\"})", ""))],
        ),
        (
            "a source of a method",
            &[(
                "PagesTest.java",
                JAVA_TWO,
                &java(
                    "@MethodSource(\"books\")",
                    "\n  static Stream<Arguments> books() {\n    return Stream.of(arguments(\"empty\", 0), arguments(\"full\", 2));\n  }\n",
                ),
            )],
        ),
    ]);
    each_is_caught(&[
        (
            "one line that does nothing",
            &[(
                "a_test.go",
                GO_TWO,
                &GO_TWO.replace(
                    "{\n\tif got := pages(80); got != 2 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n",
                    "{ pages(80) }\n",
                ),
            )],
            "`TestTwo`",
        ),
        (
            "a helper that does nothing",
            &[("a_test.go", GO_TWO, &go.replace("\t\tt.Errorf(\"got %d\", got)\n", ""))],
            "`TestTwo`",
        ),
        (
            "a table without asserts",
            &[(
                "a.test.ts",
                SCRIPT_TWO,
                &script("  it.each(cases)('$lines', ({ lines, count }) => {\n    pages(lines);\n  });\n"),
            )],
            "is gone",
        ),
        (
            "a table about something else",
            &[(
                "a.test.ts",
                SCRIPT_TWO,
                "const cases = [1, 2];\n\ndescribe('x', () => {\n  it.each(cases)('%i', (one) => {\n    expect(one).toBeLessThan(3);\n  });\n});\n",
            )],
            "is gone",
        ),
    ]);
}

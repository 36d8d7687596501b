//! Expectations that became another outcome, and asserts that others imply, beside those that demand less.

use super::*;

#[test]
fn an_expectation_may_become_another_outcome() {
    each_body_passes(&[
        ("an error", "tests/a.rs", &["assert_eq!(f(2), 0);"], &["assert!(f(2).is_err());"]),
        ("nothing", "tests/a.rs", &["assert_eq!(f(2), 0);"], &["assert!(f(2).is_none());"]),
        ("empty", "tests/a.rs", &["assert_eq!(f(2), vec![1]);"], &["assert!(f(2).is_empty());"]),
        ("unwrapped", "tests/a.rs", &["assert_eq!(f(2), Some(3));"], &["assert!(f(2).is_none());"]),
        ("throws", "ATest.java", &["assertEquals(0, f(2));"], &["assertThrows(Wrong.class, () -> f(2));"]),
        ("zero", "ATest.java", &["assertThat(f(2)).isEqualTo(0);"], &["assertThat(f(2)).isZero();"]),
        ("size", "ATest.java", &["assertThat(f(2)).isEqualTo(none);"], &["assertThat(f(2)).isEmpty();"]),
        ("to zero", "ATest.java", &["assertEquals(0, f(2));"], &["assertThat(f(2)).isZero();"]),
        ("raises", "spec/a_spec.rb", &["expect(f(2)).to eq 0"], &["expect { f(2) }.to raise_error(Wrong)"]),
        (
            "raises, in a block",
            "spec/a_spec.rb",
            &["expect(f(2)).to eq(0)"],
            &["expect do", "  f(2)", "end.to raise_error(Wrong)"],
        ),
        ("raises", "test_a.py", &["assert f(2) == 0"], &["with pytest.raises(ValueError):", "    f(2)"]),
        (
            "raises, unittest",
            "test_a.py",
            &["self.assertEqual(f(2), 0)"],
            &["with self.assertRaises(ValueError):", "    f(2)"],
        ),
        (
            "raises, from unittest",
            "test_a.py",
            &["self.assertEqual(f(2), 0)", "self.assertEqual(f(3), 1)"],
            &["with pytest.raises(ValueError):", "    f(2)", "assert f(3) == 1"],
        ),
        ("none", "test_a.py", &["assert f(2) == 0"], &["assert f(2) is None"]),
        ("empty", "test_a.py", &["assert f(2) == [1]"], &["assert not f(2)"]),
        ("throws", "a.test.ts", &["expect(f(2)).toBe(0);"], &["expect(() => f(2)).toThrow(Wrong);"]),
        ("null", "a.test.ts", &["expect(f(2)).toBe(0);"], &["expect(f(2)).toBeNull();"]),
        ("undefined", "a.test.ts", &["expect(f(2)).toBe(0);"], &["expect(f(2)).toBeUndefined();"]),
        ("found now", "a.test.ts", &["expect(f(2)).toBeNull();"], &["expect(f(2)).not.toBeNull();"]),
        ("found now", "test_a.py", &["assert f(2) is None"], &["assert f(2) is not None"]),
        ("found now", "tests/a.rs", &["assert!(f(2).is_none());"], &["assert!(f(2).is_some());"]),
        ("allowed now", "ATest.java", &["assertThrows(Wrong.class, () -> f(2));"], &["assertNotNull(f(2));"]),
        (
            "rejects",
            "a.test.ts",
            &["expect(await f(2)).toBe(0);"],
            &["await expect(f(2)).rejects.toThrow(Wrong);"],
        ),
        (
            "an error",
            "a_test.go",
            &["require.Equal(t, 0, f(2))"],
            &["_, err := f(2)", "require.Error(t, err)"],
        ),
        ("empty", "a_test.go", &["require.Equal(t, 0, f(2))"], &["require.Empty(t, f(2))"]),
    ]);
    each_body_is_caught(&[
        ("some error", "tests/a.rs", &["assert_eq!(find(2), Err(Wrong));"], &["assert!(find(2).is_err());"]),
        (
            "some error, unwrapped",
            "tests/a.rs",
            &["assert_eq!(find(2).unwrap_err(), Wrong);"],
            &["assert!(find(2).is_err());"],
        ),
        ("not empty", "tests/a.rs", &["assert_eq!(find(2), vec![1]);"], &["assert!(!find(2).is_empty());"]),
        ("not none", "tests/a.rs", &["assert_eq!(find(2), Some(1));"], &["assert!(find(2).is_some());"]),
        ("not thrown", "a.test.ts", &["expect(find(2)).toBe(0);"], &["expect(() => find(2)).not.toThrow();"]),
        ("not", "test_a.py", &["assert find(2) == 3"], &["assert not is_far(find(2))"]),
        ("nearly the same", "test_a.py", &["assert find(2) == 0"], &["assert not find(2)"]),
    ]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn an_assert_that_another_one_implies_may_go() {
    each_body_passes(&[
        (
            "not none",
            "test_a.py",
            &["x = find(2)", "assert x is not None", "assert x == 3"],
            &["x = find(2)", "assert x == 3"],
        ),
        (
            "true",
            "test_a.py",
            &["x = find(2)", "assert x", "assert x.size == 3"],
            &["x = find(2)", "assert x.size == 3"],
        ),
        (
            "length",
            "test_a.py",
            &["x = find(2)", "assert len(x) == 2", "assert x == [1, 2]"],
            &["x = find(2)", "assert x == [1, 2]"],
        ),
        (
            "not none, unittest",
            "test_a.py",
            &["self.assertIsNotNone(x)", "self.assertEqual(x, 3)"],
            &["self.assertEqual(x, 3)"],
        ),
        ("kind", "test_a.py", &["assert isinstance(x, list)", "assert x == [1, 2]"], &["assert x == [1, 2]"]),
        (
            "some",
            "tests/a.rs",
            &["assert!(x.is_some());", "assert_eq!(x, Some(3));"],
            &["assert_eq!(x, Some(3));"],
        ),
        (
            "ok",
            "tests/a.rs",
            &["assert!(x.is_ok());", "assert_eq!(x.unwrap(), 3);"],
            &["assert_eq!(x.unwrap(), 3);"],
        ),
        (
            "length",
            "tests/a.rs",
            &["assert_eq!(x.len(), 2);", "assert_eq!(x, vec![1, 2]);"],
            &["assert_eq!(x, vec![1, 2]);"],
        ),
        (
            "length",
            "tests/a.rs",
            &["assert_eq!(x.len(), 2);", "assert_eq!(x, [1, 2]);"],
            &["assert_eq!(x, [1, 2]);"],
        ),
        (
            "defined",
            "a.test.ts",
            &["expect(x).toBeDefined();", "expect(x).toBe(3);"],
            &["expect(x).toBe(3);"],
        ),
        (
            "defined, a field",
            "a.test.ts",
            &["expect(x).not.toBeNull();", "expect(x.size).toBe(3);"],
            &["expect(x.size).toBe(3);"],
        ),
        (
            "length",
            "a.test.ts",
            &["expect(x).toHaveLength(2);", "expect(x).toEqual([1, 2]);"],
            &["expect(x).toEqual([1, 2]);"],
        ),
        (
            "length",
            "a.test.ts",
            &["expect(x.length).toBe(2);", "expect(x).toEqual([1, 2]);"],
            &["expect(x).toEqual([1, 2]);"],
        ),
        ("not null", "ATest.java", &["assertNotNull(x);", "assertEquals(3, x);"], &["assertEquals(3, x);"]),
        (
            "not null, a call",
            "ATest.java",
            &["assertNotNull(x);", "assertEquals(3, x.size());"],
            &["assertEquals(3, x.size());"],
        ),
        (
            "not nil",
            "a_test.go",
            &["require.NotNil(t, x)", "require.Equal(t, 3, x.Size)"],
            &["require.Equal(t, 3, x.Size)"],
        ),
        (
            "length",
            "a_test.go",
            &["require.Len(t, x, 2)", "require.Equal(t, []int{1, 2}, x)"],
            &["require.Equal(t, []int{1, 2}, x)"],
        ),
    ]);
    each_body_is_caught(&[
        ("about another", "test_a.py", &["assert y is not None", "assert x == 3"], &["assert x == 3"]),
        (
            "about a longer name",
            "test_a.py",
            &["assert x is not None", "assert xy == 3"],
            &["assert xy == 3"],
        ),
        ("it is none", "test_a.py", &["assert x is not None", "assert x == y"], &["assert x != y"]),
        (
            "length of another",
            "test_a.py",
            &["assert len(y) == 2", "assert x == [1, 2]"],
            &["assert x == [1, 2]"],
        ),
        ("the exact one", "test_a.py", &["assert x is not None", "assert x == 3"], &["assert x is not None"]),
        ("the list", "test_a.py", &["assert len(x) == 2", "assert x == [1, 2]"], &["assert len(x) == 2"]),
        (
            "the list",
            "tests/a.rs",
            &["assert_eq!(x.len(), 2);", "assert_eq!(x, [1, 2]);"],
            &["assert_eq!(x.len(), 2);"],
        ),
    ]);
}

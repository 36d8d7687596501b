//! Tests whose failures are thrown away, or that only a feature builds.

use super::doubts::each_is_only_told;
use super::*;

#[test]
fn a_test_that_is_thrown_away_is_caught() {
    each_body_is_caught(&[
        ("throw-away", "a_test.go", &["check(t, 80, 2)"], &["check(&testing.T{}, 80, 2)"]),
        (
            "throw-away, named",
            "a_test.go",
            &["check(t, 80, 2)"],
            &["other := new(testing.T)", "check(other, 80, 2)"],
        ),
        (
            "throw-away, hidden",
            "a_test.go",
            &["if f(2) != 3 {", "\tt.Fatal(\"x\")", "}"],
            &["var t testing.T", "if f(2) != 3 {", "\tt.Fatal(\"x\")", "}"],
        ),
    ]);
    each_body_passes(&[(
        "an assert of one's own",
        "a_test.go",
        &["check(t, 80, 2)"],
        &[
            "check(t, 80, 2)",
            "other := new(testing.T)",
            "check(other, 80, 3)",
            "require.True(t, other.Failed())",
        ],
    )]);
    let module = "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {\n        assert_eq!(f(), ());\n    }\n}\n";
    let gated = |feature: &str| module.replace("cfg(test)", feature);
    let own =
        format!("#[cfg(feature = \"slow\")]\nfn g() {{}}\n{}", gated("cfg(all(test, feature = \"slow\"))"));
    each_is_caught(&[
        (
            "behind a feature",
            &[("src/a.rs", module, &gated("cfg(all(test, feature = \"slow\"))"))],
            "src/a.rs:3",
        ),
        (
            "the other way round",
            &[("src/a.rs", module, &gated("cfg(all(feature = \"slow\", test))"))],
            "src/a.rs:3",
        ),
        (
            "behind a feature that is nothing else",
            &[
                ("src/a.rs", module, &gated("cfg(all(test, feature = \"slow\"))")),
                ("Cargo.toml", "[features]\n", "[features]\nslow = []\n"),
            ],
            "src/a.rs:3",
        ),
    ]);
    each_passes(&[
        ("with its code", &[("src/a.rs", module, &own)]),
        (
            "with its code elsewhere",
            &[
                ("src/a.rs", module, &gated("cfg(all(test, feature = \"slow\"))")),
                ("src/lib.rs", "mod a;\n", "#[cfg(feature = \"slow\")]\nmod a;\n"),
            ],
        ),
        (
            "what is there by default",
            &[
                ("src/a.rs", module, &gated("cfg(all(test, feature = \"std\"))")),
                ("Cargo.toml", "[features]\n", "[features]\ndefault = [\"std\"]\nstd = []\n"),
            ],
        ),
        ("a system", &[("src/a.rs", module, &gated("cfg(all(test, unix))"))]),
        ("not under miri", &[("src/a.rs", module, &gated("cfg(all(test, not(miri)))"))]),
        ("new tests", &[("src/b.rs", "fn f() {}\n", &gated("cfg(all(test, feature = \"slow\"))"))]),
    ]);
    each_is_only_told(&[(
        "needs a crate",
        &[
            ("src/a.rs", module, &gated("cfg(all(test, feature = \"json\"))")),
            ("Cargo.toml", "[features]\n", "[features]\njson = [\"dep:serde_json\"]\n"),
        ],
        "feature",
    )]);
}

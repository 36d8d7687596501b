//! A data file is read as the reader of TOML reads it, and one with an unknown key is refused.

use std::collections::HashMap;

use serde::Deserialize;

use super::read;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fruit {
    name: String,
    kind: Kind,
    weight: f64,
    price: f64,
    pieces: u32,
    season: Option<[String; 2]>,
    #[serde(default)]
    words: HashMap<Kind, Vec<char>>,
}

#[derive(Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Stone,
    Citrus,
}

const FRUITS: &str = r#"
[[fruit]]
name = "plum"
kind = "stone"
weight = 30
price = 0.5
pieces = 0x10
season = ["July", "October"]

[[fruit]]
pieces = 1_000
price = 1e-1
weight = 9
kind = "citrus"
name = '''lime'''
[fruit.words]
citrus = ["l", "ß"]
"#;

#[test]
fn data_file_says_what_the_reader_of_toml_reads() {
    let fruits: HashMap<String, Vec<Fruit>> = read(FRUITS);
    assert_eq!(fruits, toml::from_str(FRUITS).expect("fruits in TOML"));
    assert_eq!(fruits["fruit"].len(), 2);
}

#[test]
#[should_panic(expected = "a data file has the form of what is read from it: Error(\"unknown field `colour`")]
fn data_file_with_an_unknown_key_is_refused() {
    read::<Fruit>("colour = 'blue'");
}

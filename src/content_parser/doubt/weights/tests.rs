//! Learns the weights from sentences whose judgment is known: a linear support vector machine with squared hinge loss, solved by
//! coordinate descent in the dual (Hsieh and others, 2008). It uses no arithmetic that differs between machines.
//!
//! The sentences stand in `lexicon/sentences`, one a line, by language, a file for those that deny and one for those that do not,
//! all written for this purpose: in `basic` short ones of common words, in `contrast` sets about one subject that only their sense
//! tells apart, in `reviews` those of whole reviews, and in `tables` those of the tests' own tables. One that stands there several
//! times weighs as much more.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::clause::sentences;
use crate::objects::{find, joined};
use crate::passages::passages;

/// What a violated margin costs beside the size of the weights.
const COST: f64 = 1.0;
/// So much more it costs for a sentence as whole reviews have it: there are fewer of them, and they are what is read.
const REVIEWED: f64 = 3.0;
/// How often all examples are looked at.
const ROUNDS: usize = 15;
/// An n-gram of fewer sentences has no weight.
const FEWEST: usize = 2;
/// So many n-grams keep their weight: those that make the largest difference, by weight and by the root of how often they stand there.
const MOST: usize = 150_000;

/// A sentence whose judgment is known.
struct Known {
    sentence: String,
    /// 1 where it denies, -1 where it does not.
    judgment: f64,
    cost: f64,
}

/// The n-grams of a sentence by number, each with how often it stands there by the root of how many there are.
struct Example {
    ngrams: Vec<(usize, f64)>,
    judgment: f64,
    /// What its violated margin costs.
    cost: f64,
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test writes the weights when it is asked to")]
fn the_weights_are_those_that_the_sentences_give() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("lexicon/weights.tsv");
    let learned = learned(&known_sentences());
    if std::env::var_os("LEARN_WEIGHTS").is_some() {
        std::fs::write(&file, &learned).expect("written");
    }
    let kept = std::fs::read_to_string(&file).expect("read");
    assert!(kept == learned, "the sentences changed: run this test with LEARN_WEIGHTS=1");
}

/// Returns the sentences of the lexicon, and those of the honest approvals.
fn known_sentences() -> Vec<Known> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("lexicon/sentences");
    let mut known = Vec::new();
    for (inner, cost) in [("", COST), ("basic", COST), ("contrast", COST), ("reviews", COST * REVIEWED)] {
        for (name, text) in files_of(&folder.join(inner)) {
            let judgment = if name.ends_with(".denies.txt") { 1.0 } else { -1.0 };
            let lines = text.lines().map(|line| line.trim_start_matches(|c| "#->* ".contains(c)));
            let sentences = lines.flat_map(plain_sentences);
            known.extend(sentences.map(|sentence| Known { sentence, judgment, cost }));
        }
    }
    let honest = include_str!("../../tests/reviews/honest.jsonl").lines();
    let honest = honest.map(|line| serde_json::from_str::<String>(line).expect("a JSON string"));
    let sentences = honest.flat_map(|text| sentences_of(&text));
    known.extend(sentences.map(|sentence| Known { sentence, judgment: -1.0, cost: COST * REVIEWED }));
    known
}

/// Returns the files of a folder by name, with their texts.
#[expect(clippy::disallowed_methods, reason = "a test reads the sentences")]
fn files_of(folder: &Path) -> BTreeMap<String, String> {
    let files = folder.read_dir().expect("a folder").map(|entry| entry.expect("an entry").path());
    let name = |file: &Path| file.file_name().expect("a name").to_string_lossy().into_owned();
    let files = files.filter(|file| file.is_file());
    files.map(|file| (name(&file), std::fs::read_to_string(&file).expect("read"))).collect()
}

fn plain_sentences(text: &str) -> Vec<String> {
    sentences(text)
        .into_iter()
        .map(|sentence| sentence.plain)
        .filter(|plain| !plain.trim().is_empty())
        .collect()
}

fn sentences_of(answer: &str) -> Vec<String> {
    let objects = joined(find(answer).whole);
    let passages = passages(answer, &objects).expect("short");
    passages.iter().flat_map(|passage| plain_sentences(&passage.text)).collect()
}

fn learned(known: &[Known]) -> String {
    let ngrams: Vec<NGrams> = known.iter().map(|known| NGrams::read(&known.sentence)).collect();
    let numbers = numbers(&ngrams);
    let example = |(ngrams, known): (&NGrams, &Known)| Example {
        ngrams: counted(ngrams, &numbers),
        judgment: known.judgment,
        cost: known.cost,
    };
    let examples: Vec<Example> = ngrams.iter().zip(known).map(example).collect();
    let (weights, bias) = descended(&examples, numbers.len());
    let rounded = |weight: f64| (weight / STEP).round() * STEP;
    let mut frequencies = vec![0.0_f64; numbers.len()];
    let all =
        examples.iter().flat_map(|example| example.ngrams.iter().map(|(number, _)| (number, example.cost)));
    all.for_each(|(number, cost)| frequencies[*number] += cost);
    let difference = |number: usize| weights[number].abs() * frequencies[number].sqrt();
    let mut kept: Vec<(f64, &str, usize)> =
        numbers.iter().map(|(ngram, number)| (difference(*number), ngram.as_str(), *number)).collect();
    kept.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    kept.truncate(MOST);
    let mut kept: Vec<(f64, &str)> =
        kept.into_iter().map(|(_, ngram, number)| (rounded(weights[number]), ngram)).collect();
    kept.retain(|(weight, _)| *weight != 0.0);
    kept.push((rounded(bias), BIAS));
    kept.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    let lines = kept.chunk_by(|one, other| one.0.to_bits() == other.0.to_bits()).map(|line| {
        let ngrams: Vec<&str> = line.iter().map(|(_, ngram)| *ngram).collect();
        format!("{:.2}\t{}\n", line[0].0, ngrams.join("\t"))
    });
    lines.collect()
}

/// Weights are kept in steps of so much.
const STEP: f64 = 0.05;

/// Numbers the n-grams that stand in enough sentences.
fn numbers(sentences: &[NGrams]) -> HashMap<String, usize> {
    let mut found: HashMap<String, (usize, usize)> = HashMap::new();
    for (sentence, ngrams) in sentences.iter().enumerate() {
        ngrams.each(|ngram| match found.get_mut(ngram) {
            Some((_, last)) if *last == sentence => {}
            Some((count, last)) => (*count, *last) = (*count + 1, sentence),
            None => drop(found.insert(ngram.to_owned(), (1, sentence))),
        });
    }
    let mut kept: Vec<String> =
        found.into_iter().filter(|(_, (count, _))| *count >= FEWEST).map(|(ngram, _)| ngram).collect();
    kept.sort_unstable();
    kept.into_iter().enumerate().map(|(number, ngram)| (ngram, number)).collect()
}

fn counted(ngrams: &NGrams, numbers: &HashMap<String, usize>) -> Vec<(usize, f64)> {
    let mut counts: BTreeMap<usize, f64> = BTreeMap::new();
    let mut all = 0.0_f64;
    ngrams.each(|ngram| {
        all += 1.0;
        if let Some(number) = numbers.get(ngram) {
            *counts.entry(*number).or_default() += 1.0;
        }
    });
    counts.into_iter().map(|(number, count)| (number, count / all.sqrt())).collect()
}

/// Returns the weights, and the one that every example has.
fn descended(examples: &[Example], ngrams: usize) -> (Vec<f64>, f64) {
    let (mut weights, mut bias) = (vec![0.0; ngrams], 0.0);
    let mut duals = vec![0.0_f64; examples.len()];
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut seed = 1_u64;
    for _ in 0..ROUNDS {
        shuffle(&mut order, &mut seed);
        for &index in &order {
            let Example { ngrams, judgment, cost } = &examples[index];
            let softness = 0.5 / cost;
            let sum: f64 = bias + ngrams.iter().map(|(number, value)| weights[*number] * value).sum::<f64>();
            let size: f64 = 1.0 + ngrams.iter().map(|(_, value)| value * value).sum::<f64>();
            let gradient = judgment * sum - 1.0 + softness * duals[index];
            let dual = (duals[index] - gradient / (size + softness)).max(0.0);
            let step = (dual - duals[index]) * judgment;
            duals[index] = dual;
            bias += step;
            for (number, value) in ngrams {
                weights[*number] += step * value;
            }
        }
    }
    (weights, bias)
}

/// Brings a list into another order, the same on every machine.
fn shuffle(order: &mut [usize], seed: &mut u64) {
    for last in (1..order.len()).rev() {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(last, (*seed >> 33) as usize % (last + 1));
    }
}

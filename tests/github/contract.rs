//! GitHub's published description of its API, slimmed by `tests/github/slim.mjs`: every request and every answer is held
//! to it. Without the description nothing is checked, and that is said; `AI_WORKFLOW_CONTRACT_REQUIRED=1` makes it a failure.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};

use super::exchange::Request;

/// The one contract of this process; `None` when it is not there.
static CONTRACT: LazyLock<Option<Contract>> = LazyLock::new(|| {
    let contract = Contract::read(&place());
    if contract.is_none() {
        // Written past the harness, which keeps what a test that passes says to itself.
        let told = writeln!(
            std::io::stderr(),
            "CONTRACT NOT CHECKED: {} is missing; `npm ci --prefix tests/github && npm run --prefix tests/github slim` makes it",
            place().display()
        );
        told.expect("stderr takes a line");
    }
    contract
});

fn place() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/github/contract.json")
}

/// Returns the contract when it is there.
pub fn contract() -> Option<&'static Contract> {
    let required = std::env::var("AI_WORKFLOW_CONTRACT_REQUIRED").is_ok_and(|value| value == "1");
    let found = CONTRACT.as_ref();
    assert!(found.is_some() || !required, "{} is required and cannot be read", place().display());
    found
}

/// The operations and how their requests and answers look.
pub struct Contract {
    pub operations: Vec<Operation>,
    schemas: Map<String, Value>,
    compiled: Mutex<BTreeMap<String, Arc<Validator>>>,
}

/// One operation.
pub struct Operation {
    pub method: String,
    pub path: String,
    parameters: Vec<Value>,
    pub body: Option<Value>,
    body_required: bool,
    /// The schema of each status; null when there is no content.
    pub answers: BTreeMap<u16, Value>,
}

impl Contract {
    fn read(place: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(place).ok()?;
        Some(Self::of(&serde_json::from_str(&text).expect("the contract is JSON")))
    }

    /// Takes a description apart.
    pub fn of(described: &Value) -> Self {
        let mut described = described.clone();
        plain(&mut described);
        let mut operations = Vec::new();
        for (path, methods) in described["paths"].as_object().into_iter().flatten() {
            for (method, operation) in methods.as_object().into_iter().flatten() {
                operations.push(Operation::of(&described, method, path, operation));
            }
        }
        let schemas = described["components"]["schemas"].as_object().cloned().unwrap_or_default();
        Self { operations, schemas, compiled: Mutex::default() }
    }

    /// Returns the operation of a path; the one with the most literal segments when several fit.
    pub fn operation(&self, method: &str, path: &str) -> Option<&Operation> {
        let fitting = self.operations.iter().filter(|known| known.method == method);
        fitting
            .filter_map(|known| Some((known.literal(path)?, known)))
            .max_by_key(|(literal, _)| *literal)
            .map(|(_, known)| known)
    }

    /// Tells what of a request GitHub does not describe.
    pub fn of_request(&self, request: &Request) -> Vec<String> {
        let Some(operation) = self.operation(&request.method, &request.path) else {
            return vec!["is not among tests/github/operations.txt".to_owned()];
        };
        let mut wrong = operation.wrong_parameters(self, request);
        match &operation.body {
            Some(schema) if !request.body.is_null() => {
                let name = format!("{} {} body", operation.method, operation.path);
                wrong.extend(
                    self.check(&name, schema, &request.body).into_iter().map(|why| format!("body{why}")),
                );
            }
            Some(_) if operation.body_required => wrong.push("body: is missing".to_owned()),
            _ => {}
        }
        wrong
    }

    /// Tells what of an answer GitHub does not describe. A refusal may have a status that is not described.
    pub fn of_answer(&self, request: &Request, status: u16, body: Option<&Value>) -> Vec<String> {
        let Some(operation) = self.operation(&request.method, &request.path) else { return Vec::new() };
        let wrong = match (operation.answers.get(&status), body) {
            (None, _) if status >= 400 => Vec::new(),
            (None, _) => vec![": the status is not described".to_owned()],
            (Some(Value::Null), None) => Vec::new(),
            (Some(Value::Null), Some(_)) => vec![": there is content, and none is described".to_owned()],
            (Some(_), None) => vec![": there is no content".to_owned()],
            (Some(schema), Some(body)) => {
                self.check(&format!("{} {} {status}", operation.method, operation.path), schema, body)
            }
        };
        wrong.into_iter().map(|why| format!("answer {status}{why}")).collect()
    }

    /// Holds a value to a schema; `name` is that of the compiled schema.
    pub fn check(&self, name: &str, schema: &Value, value: &Value) -> Vec<String> {
        let validator = self.validator(name, schema);
        validator
            .iter_errors(value)
            .take(5)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect()
    }

    fn validator(&self, name: &str, schema: &Value) -> Arc<Validator> {
        let mut compiled = self.compiled.lock().expect("no thread panics with it");
        let fresh = || {
            let whole = json!({ "allOf": [schema], "components": { "schemas": self.reached(schema) } });
            let options = jsonschema::options().with_draft(Draft::Draft4).should_validate_formats(true);
            Arc::new(options.build(&whole).unwrap_or_else(|error| panic!("{name}: {error}")))
        };
        Arc::clone(compiled.entry(name.to_owned()).or_insert_with(fresh))
    }

    /// Returns the named schemas that a schema leads to.
    fn reached(&self, schema: &Value) -> Map<String, Value> {
        let (mut reached, mut names) = (Map::new(), BTreeSet::new());
        references(schema, &mut names);
        while let Some(name) = names.pop_first() {
            let Some(found) = self.schemas.get(&name).filter(|_| !reached.contains_key(&name)) else {
                continue;
            };
            references(found, &mut names);
            reached.insert(name, found.clone());
        }
        reached
    }
}

impl Operation {
    fn of(described: &Value, method: &str, path: &str, operation: &Value) -> Self {
        let list = |key: &str| operation[key].as_array().into_iter().flatten();
        let body = resolved(described, &operation["requestBody"]);
        let answers = operation["responses"].as_object().into_iter().flatten();
        let answers = answers.filter_map(|(status, answer)| {
            Some((status.parse().ok()?, schema(resolved(described, answer)).cloned().unwrap_or(Value::Null)))
        });
        Self {
            method: method.to_uppercase(),
            path: path.to_owned(),
            parameters: list("parameters").map(|parameter| resolved(described, parameter).clone()).collect(),
            body: schema(body).cloned(),
            body_required: body["required"] == json!(true),
            answers: answers.collect(),
        }
    }

    /// Returns how many segments of a path are the same; `None` when the path is another one.
    fn literal(&self, path: &str) -> Option<usize> {
        let (own, given) = (self.path.split('/'), path.split('/'));
        if own.clone().count() != given.clone().count() {
            return None;
        }
        let mut same = 0;
        for (own, given) in own.zip(given) {
            if own == given {
                same += 1;
            } else if !own.starts_with('{') || given.is_empty() {
                return None;
            }
        }
        Some(same)
    }

    fn wrong_parameters(&self, contract: &Contract, request: &Request) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut check = |place: &str, name: &str, text: &str| {
            let known = self.parameters.iter().find(|known| known["in"] == place && known["name"] == name);
            let Some(known) = known else {
                wrong.push(format!("{place} parameter {name} is not described"));
                return;
            };
            let value = serde_json::from_str(text).ok().filter(|_| known["schema"]["type"] != "string");
            let value = value.unwrap_or_else(|| json!(text));
            let compiled = format!("{} {} {place} {name}", self.method, self.path);
            let why = contract.check(&compiled, &known["schema"], &value);
            wrong.extend(why.into_iter().map(|why| format!("{place} parameter {name}{why}")));
        };
        for (name, text) in &request.query {
            check("query", name, text);
        }
        for (own, given) in self.path.split('/').zip(request.path.split('/')) {
            if let Some(name) = own.strip_prefix('{').and_then(|own| own.strip_suffix('}')) {
                check("path", name, given);
            }
        }
        wrong
    }
}

fn schema(holder: &Value) -> Option<&Value> {
    holder.pointer("/content/application~1json/schema")
}

fn resolved<'a>(described: &'a Value, node: &'a Value) -> &'a Value {
    let to = node["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    to.map_or(node, |pointer| described.pointer(pointer).expect("references lead somewhere"))
}

fn references(node: &Value, names: &mut BTreeSet<String>) {
    match node {
        Value::Array(items) => items.iter().for_each(|item| references(item, names)),
        Value::Object(entries) => {
            let name = node["$ref"].as_str().and_then(|to| to.strip_prefix("#/components/schemas/"));
            names.extend(name.map(str::to_owned));
            entries.values().for_each(|value| references(value, names));
        }
        _ => {}
    }
}

/// Writes `nullable`, which only the description has, as JSON Schema says it.
fn plain(node: &mut Value) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(plain),
        Value::Object(entries) => {
            if entries.get("nullable") == Some(&json!(true)) {
                entries.remove("nullable");
                if let Some(kind) = entries.get("type").and_then(Value::as_str) {
                    entries.insert("type".to_owned(), json!([kind, "null"]));
                }
                if let Some(Value::Array(values)) = entries.get_mut("enum") {
                    values.push(Value::Null);
                    values.dedup();
                }
            }
            entries.values_mut().for_each(plain);
        }
        _ => {}
    }
}

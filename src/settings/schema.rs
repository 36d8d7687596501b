//! The JSON Schema of a configuration file, made from the types in `keys`.
//! A file may leave out everything, so the published schema requires nothing; the merged whole is checked by `load`.

use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::keys::Keys;

/// Returns the JSON Schema of a configuration file.
pub fn schema() -> Value {
    let mut schema = COMPLETE.clone();
    visit(&mut schema, &mut |object| {
        if object.get("required").is_some_and(Value::is_array) {
            object.remove("required");
        }
    });
    schema
}

/// The schema of the merged whole: nothing nullable, since TOML knows no null, and no references.
pub(super) static COMPLETE: LazyLock<Value> = LazyLock::new(|| {
    let generator = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = generator.into_generator().into_root_schema_for::<Keys>().to_value();
    visit(&mut schema, &mut drop_null);
    schema
});

fn drop_null(object: &mut serde_json::Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = choices.as_mut_slice() {
            let mut only = std::mem::take(only);
            object.remove("anyOf");
            only.append(object);
            *object = only;
        }
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
}

/// Calls a function for every object of a schema, outermost first.
fn visit(value: &mut Value, change: &mut impl FnMut(&mut serde_json::Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            change(object);
            object.values_mut().for_each(|inner| visit(inner, change));
        }
        Value::Array(items) => items.iter_mut().for_each(|inner| visit(inner, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

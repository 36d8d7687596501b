//! Reads the schemas that phases name for their answers and pins them in the agreement: what a run is held to does not
//! change when the files do.

use std::fs;
use std::path::Path;

use super::failure::Failure;
use journal::store::folders::HOME;
use model::policy::Agreement;
use settings::{Settings, output_schema};

/// A longer file is nobody's schema, in bytes.
const LONGEST_FILE: u64 = 1024 * 1024;

/// Resolves every schema that a phase or its step names, below the home of the repository, where the registry lies, too.
pub(super) fn pin(settings: &Settings, root: &Path, agreement: &mut Agreement) -> Result<(), Failure> {
    for phase in &mut agreement.phases {
        let Some(keys) = settings.phases.get(phase.name.as_str()) else { continue };
        let Some(reference) = settings.schema_of(keys) else { continue };
        let key = match &keys.step {
            Some(step) if keys.schema.is_none() => format!("`outputSchemaRef` of the step `{step}`"),
            _ => format!("`phases.{}.schema = \"{reference}\"`", phase.name),
        };
        let resolved = output_schema(&reference, |file| text(&root.join(HOME).join(file)));
        phase.output_schema = Some(resolved.map_err(|error| {
            Failure::usage(format!("{key}: {error}")).hint(format!(
                "the file is looked for below {HOME}/ and named as FILE#NAME or FILE#/$defs/NAME"
            ))
        })?);
    }
    Ok(())
}

fn text(path: &Path) -> Result<String, String> {
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > LONGEST_FILE {
        return Err(format!("it has {size} bytes; {LONGEST_FILE} is the most"));
    }
    fs::read_to_string(path).map_err(|error| error.to_string())
}

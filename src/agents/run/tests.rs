//! Tests of `run`.

use std::collections::BTreeMap;
use std::ffi::OsString;

use settings::AgentKeys;

use super::*;
use crate::call::tests::with_call;
use crate::launch::program_variables;

fn launched(spec: &str, profiles: &Profiles) -> Result<Launch, String> {
    with_call(|call| prepare(&spec.parse().expect("a good name"), profiles, &call)).map(|(launch, _)| launch)
}

#[test]
fn acp_agents_get_proxy_and_toolchain_variables_but_no_api_key() {
    let key = "ANTHROPIC_API_KEY";
    let ours: Vec<_> =
        program_variables(&[]).into_iter().filter(|name| std::env::var_os(name).is_some()).collect();
    // Cargo sets one of them for every test on Linux.
    assert!(!ours.is_empty() || !cfg!(target_os = "linux"));
    let launch = launched("acp:/bin/sh --acp", &Profiles::new()).expect("usable");
    for name in ours {
        assert_eq!(launch.environment.get(&OsString::from(name)), std::env::var_os(name).as_ref());
    }
    assert!(!launch.environment.contains_key(&OsString::from(key)));
}

#[test]
fn profile_sets_arguments_environment_and_time_limits() {
    let profile = AgentKeys {
        command: vec!["/bin/sh".into(), "-c".into(), "true".into()],
        env: BTreeMap::from([("KEY".into(), "value".into())]),
        step_seconds: Some(7),
        ..AgentKeys::default()
    };
    let launch = launched("mine", &Profiles::from([("mine".into(), profile)])).expect("usable");
    assert_eq!(launch.program, "/bin/sh");
    assert_eq!(launch.arguments, ["-c", "true"]);
    assert_eq!(launch.environment.get(&OsString::from("KEY")), Some(&"value".into()));
    assert_eq!((launch.wall.as_secs(), launch.idle), (7, Some(Duration::from_secs(30))));
}

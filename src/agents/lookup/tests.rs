//! Tests of `lookup`.

use super::*;

#[test]
fn program_names_are_searched_in_path_and_paths_are_used_unchanged() {
    let folders = OsStr::new("relative:/no/such/folder:/bin:/usr/bin");
    let found = find_program_in(OsStr::new("sh"), folders).expect("every Unix has it");
    assert!(found.ends_with("sh") && found.is_absolute(), "{}", found.display());
    assert_eq!(find_program_in(found.as_os_str(), OsStr::new("")).expect("it is there"), found);
}

#[test]
fn missing_program_error_has_a_hint() {
    let failed = |program: &str| {
        let error = find_program(OsStr::new(program)).expect_err(program);
        (error.to_string(), error.hint())
    };
    let (error, hint) = failed("no-such-agent");
    assert_eq!(error, "the agent program `no-such-agent` was not found");
    assert!(hint.contains("PATH"), "{hint}");
    assert!(failed("/no/such/agent").1.contains("exists"));
    assert_eq!(failed("").0, "the agent program `` was not found");
}

#[test]
fn files_without_execute_permission_are_refused() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let spec = AgentSpec::Command(file.path().to_owned());
    let error = ensure_usable(&spec, &Profiles::new()).expect_err("no right");
    assert!(matches!(error, LookupError::NotExecutable(_)), "{error}");
    assert!(error.hint().starts_with("make it executable"));
}

#[test]
fn profiles_without_a_command_are_refused() {
    let empty = AgentKeys::default();
    let shell = AgentKeys { command: vec!["/bin/sh".into(), "-c".into()], ..AgentKeys::default() };
    let profiles = Profiles::from([("empty".to_owned(), empty), ("shell".to_owned(), shell)]);
    let ask = |name: &str| ensure_usable(&AgentSpec::Profile(name.to_owned()), &profiles);
    assert!(ask("shell").is_ok());
    assert_eq!(ask("shel").map_err(|error| error.hint()), Err("configured are: empty, shell".to_owned()));
    assert!(ask("empty").is_err_and(|error| error.hint().contains("[agents.empty]")));
    let none = ensure_usable(&AgentSpec::Profile("x".into()), &Profiles::new()).expect_err("not there");
    assert!(none.hint().contains("[agents.x]"));
}

#[test]
fn acp_agents_are_searched_by_the_first_word_of_their_command() {
    assert!(ensure_usable(&AgentSpec::Acp("/bin/sh --acp".into()), &Profiles::new()).is_ok());
    assert!(ensure_usable(&AgentSpec::Acp("/no/such --acp".into()), &Profiles::new()).is_err());
}

#[test]
fn auto_selects_the_first_installed_of_claude_and_codex() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().expect("a folder");
    let ask = |text: &str| {
        let spec = text.parse().expect("a good name");
        let (profiles, folders) = (Profiles::new(), folder.path().as_os_str());
        resolve_in(&spec, &profiles, folders).map(drop).map_err(|error| error.to_string())
    };
    let nothing = LookupError::NothingFound;
    assert_eq!((ask("auto"), ask("claude").is_ok()), (Err(nothing.to_string()), false));
    assert!(nothing.hint().contains("--agent command:PATH"));
    symlink("/bin/sh", folder.path().join("codex")).expect("a program");
    assert_eq!((ask("auto"), ask("codex:o3"), ask("claude").is_ok()), (Ok(()), Ok(()), false));
    symlink("/bin/sh", folder.path().join("claude")).expect("a program");
    assert_eq!((ask("auto"), ask("claude:opus")), (Ok(()), Ok(())));
}

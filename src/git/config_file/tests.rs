//! Tests of `config_file`: what it reads is what git reads.

use std::fs;
use std::process::Command;

use super::*;

/// Returns the settings as `git config --list` writes them, without subsections.
fn read_by_git(text: &str) -> Vec<String> {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(file.path(), text).expect("written");
    let output = Command::new("git").args(["config", "--list", "-z", "--file"]).arg(file.path()).output();
    let output = String::from_utf8(output.expect("git is installed").stdout).expect("text");
    let without_subsection = |record: &str| {
        let (name, value) = record.split_once('\n').unwrap_or((record, ""));
        let (section, key) =
            (name.split('.').next().unwrap_or_default(), name.rsplit('.').next().unwrap_or_default());
        format!("{section}.{key}={value}")
    };
    output.split('\0').filter(|record| !record.is_empty()).map(without_subsection).collect()
}

#[test]
fn settings_are_read_as_git_reads_them() {
    for text in [
        "[core]\n\thooksPath = .hk\n",
        "[core] hooksPath = .hk ; ours\n[include] path = extra.cfg # x\n",
        "[Core]HooksPath=a b  \n# [core] x = y\n; z = 1\n\tbare\n",
        "[includeIf \"gitdir:a]b\\\"c\"] path = \"a ; b\" \" c \"d\n",
        "[core]\n\ta = one \\\n  two\n\tb = \"x\\ty\\\\z\\\"\"\n\tc =\n\td = e f\tg   # h\n",
        "[remote.Origin]\n\turl = x\r\n[a-b]\r\n\tc = d\r\n",
        "\u{feff}[core] a = b",
        "[a] b = c\n[d]\n[e]f\n\n\n g = \"\"h\n",
    ] {
        let ours = parse(text).into_iter();
        let ours: Vec<String> =
            ours.map(|Setting { section, key, value }| format!("{section}.{key}={value}")).collect();
        assert_eq!(ours, read_by_git(text), "{text}");
        assert!(!ours.is_empty(), "{text}");
    }
}

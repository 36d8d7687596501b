//! Tests of `remote`.

use super::*;
use crate::Git;

#[test]
fn the_address_says_its_host() {
    for (address, expected) in [
        ("https://github.com/o/n.git", Some("github.com")),
        ("https://ghe.example:8443/o/n", Some("ghe.example:8443")),
        ("git@github.com:o/n.git", Some("github.com")),
        ("ssh://git@github.com:22/o/n", Some("github.com")),
        ("https://github.com@evil.example/o/n", Some("evil.example")),
        ("file:///srv/n.git", None),
        ("/srv/n.git", None),
        ("./a:b/n", None),
    ] {
        assert_eq!(host_of(address).as_deref(), expected, "{address}");
    }
}

#[test]
fn the_address_says_owner_and_name() {
    for (address, expected) in [
        ("https://github.com/o/n.git", Some("o/n")),
        ("https://github.com/o/n/", Some("o/n")),
        ("git@github.com:o/n.git", Some("o/n")),
        ("ssh://git@github.com:22/o/n", Some("o/n")),
        ("https://host/a/b/c", None),
        ("https://host", None),
        ("https://host/o/$(x)", None),
        ("/srv/git/o/n.git", None),
        ("../o:x/n", None),
        ("file:///srv/o/n", None),
    ] {
        assert_eq!(repository_of(address).as_deref(), expected, "{address}");
    }
}

#[test]
fn user_and_password_are_left_out() {
    assert_eq!(without_userinfo("https://u:p@ss@host/o/n"), "https://host/o/n");
    assert_eq!(without_userinfo("https://host/o/n@2"), "https://host/o/n@2");
    assert_eq!(without_userinfo("git@host:o/n"), "git@host:o/n");
}

#[test]
fn git_gets_the_token_for_that_server_alone_and_its_value_is_no_argument() {
    let credentials = Credentials { server: "https://ghe.example".into(), variable: "GITHUB_TOKEN" };
    let setting = credentials.setting();
    let git = Git::with_environment([("GITHUB_TOKEN", "ghp_secret")]);
    let asked = |host: &str| {
        let call = Call::new(["credential", "fill"]).over_network().setting(&setting);
        let call = call.stdin(format!("protocol=https\nhost={host}\n\n"));
        git.run(std::path::Path::new("/"), &call).expect("git is installed").text()
    };
    assert!(asked("ghe.example").contains("username=x-access-token\npassword=ghp_secret\n"));
    assert!(!asked("evil.example").contains("ghp_secret"));
    assert!(!setting.contains("ghp_secret"));
}

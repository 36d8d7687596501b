//! Tests of `remote`.

use super::*;
use crate::Git;

#[test]
fn host_is_parsed_from_the_remote_url() {
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
        assert_eq!(parse_host(address).as_deref(), expected, "{address}");
    }
}

#[test]
fn owner_and_name_are_parsed_from_the_remote_url() {
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
        assert_eq!(parse_repository(address).as_deref(), expected, "{address}");
    }
}

#[test]
fn user_and_password_are_removed_from_urls() {
    assert_eq!(strip_userinfo("https://u:p@ss@host/o/n"), "https://host/o/n");
    assert_eq!(strip_userinfo("https://host/o/n@2"), "https://host/o/n@2");
    assert_eq!(strip_userinfo("git@host:o/n"), "git@host:o/n");
}

#[test]
fn git_gets_the_token_only_for_its_server_and_not_as_an_argument() {
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

const HUNG_UP: &str = "send-pack: unexpected disconnect while reading sideband packet\n\
                       fatal: the remote end hung up unexpectedly\n";

fn rpc(why: &str) -> String {
    format!("error: RPC failed; {why}\n{HUNG_UP}")
}

fn unable(why: &str) -> String {
    format!("fatal: unable to access 'https://github.com/o/n/': {why}\n")
}

#[test]
fn server_and_connection_errors_are_transient() {
    for stderr in [
        rpc("HTTP 500 curl 22 The requested URL returned error: 500"),
        rpc("HTTP 429 curl 22 The requested URL returned error: 429"),
        rpc("curl 56 Recv failure: Connection reset by peer"),
        rpc("curl 52 Empty reply from server"),
        rpc("curl 18 transfer closed with 25 bytes remaining to read"),
        rpc("curl 92 HTTP/2 stream 5 was not closed cleanly: CANCEL (err 8)"),
        unable("The requested URL returned error: 502"),
        unable("The requested URL returned error: 503 Service Unavailable"),
        unable("Could not resolve host: github.com"),
        unable("Failed to connect to github.com port 443 after 5 ms: Couldn't connect to server"),
        unable("Operation timed out after 300000 milliseconds with 0 out of 0 bytes received"),
        "fatal: early EOF\nfatal: fetch-pack: invalid index-pack output\n".to_owned(),
        "ssh: connect to host github.com port 22: Connection timed out\n".to_owned(),
        "kex_exchange_identification: Connection closed by remote host\n".to_owned(),
    ] {
        assert!(is_transient("Done\n", &stderr), "{stderr}");
    }
    for line in [
        "!\trefs/heads/b:refs/heads/b\t[remote failure] (remote failed to report status)",
        "!\trefs/heads/b:refs/heads/b\t[remote rejected] (Internal Server Error)",
        " ! [remote rejected] b -> b (Internal Server Error)",
    ] {
        assert!(is_transient(line, "error: failed to push some refs to 'x'\n"), "{line}");
    }
}

#[test]
fn refusals_are_not_transient_whatever_the_remote_prints() {
    for stderr in [
        rpc("HTTP 403 curl 22 The requested URL returned error: 403"),
        rpc("HTTP 413 curl 22 The requested URL returned error: 413"),
        unable("The requested URL returned error: 403"),
        unable("SSL certificate problem: unable to get local issuer certificate"),
        "fatal: could not read Username for 'https://github.com': terminal prompts disabled\n".to_owned(),
        "fatal: Authentication failed for 'https://github.com/o/n/'\n".to_owned(),
        "fatal: repository 'https://github.com/o/n/' not found\n".to_owned(),
        "git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.\n"
            .to_owned(),
        "remote: The requested URL returned error: 500\nremote: fatal: early EOF\n".to_owned(),
    ] {
        assert!(!is_transient("", &stderr), "{stderr}");
    }
    for line in [
        "!\trefs/heads/b:refs/heads/b\t[remote rejected] (pre-receive hook declined)",
        "!\trefs/heads/b:refs/heads/b\t[remote rejected] (protected branch hook declined)",
        "!\trefs/heads/b:refs/heads/b\t[rejected] (non-fast-forward)",
        " ! [remote rejected] b -> b (pre-receive hook declined)",
    ] {
        assert!(!is_transient(line, &format!("remote: Connection reset by peer\n{HUNG_UP}")), "{line}");
    }
}

#[test]
fn push_retry_delays_grow_to_a_limit_and_refusals_have_none() {
    let (action, detail) = ("the push".to_owned(), "HTTP 500".to_owned());
    let trouble = Error::Unreachable { action, detail };
    let mut retry = RetryCounter::default();
    let pauses: Vec<_> = (0..5).map(|_| retry.pause(&trouble).map(|pause| pause.as_secs())).collect();
    assert_eq!(pauses, [Some(1), Some(2), Some(4), Some(8), None]);
    let (branch, remote, detail) = ("b".to_owned(), "origin".to_owned(), String::new());
    assert_eq!(RetryCounter::default().pause(&Error::PushFailed { branch, remote, detail }), None);
}

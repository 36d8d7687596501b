//! Tests of `client`.

use super::*;

#[test]
fn token_is_sent_only_over_https_or_to_localhost() {
    let taken = |api: &str| Access::new(api, "o/n", "ghp_x").is_ok();
    for good in [PUBLIC_API, "https://ghe.example/api/v3/", "http://127.0.0.1:4000", "http://[::1]:80"] {
        assert!(taken(good), "{good}");
    }
    for bad in
        ["http://api.github.com", "https://a@evil", "ftp://x", "https://", "x", "http://127.0.0.1.evil"]
    {
        assert!(!taken(bad), "{bad}");
    }
}

#[test]
fn repository_name_must_be_owner_slash_name() {
    for bad in ["o", "o/", "/n", "o/n/x", "o/..", "o/n?x", "a b/c"] {
        assert!(Access::new(PUBLIC_API, bad, "ghp_x").is_err(), "{bad}");
    }
    assert!(Access::new(PUBLIC_API, "o/n", " \n").is_err());
}

#[test]
fn names_in_urls_are_percent_encoded() {
    assert_eq!(escape_name("octo-cat", LOGIN), "octo-cat");
    assert_eq!(escape_name("renovate[bot]", LOGIN), "renovate%5Bbot%5D");
    assert_eq!(escape_name("../x?y#z", LOGIN), "%2E%2E%2Fx%3Fy%23z");
    assert_eq!(escape_name("ai-workflow:needs-human", LABEL), "ai-workflow%3Aneeds-human");
    assert_eq!(escape_name("a/b ?c", LABEL), "a%2Fb%20%3Fc");
    assert_eq!(escape_name("ai-workflow/issue-7", BRANCH), "ai-workflow/issue-7");
    assert_eq!(escape_name("a&state=all#+é", BRANCH), "a%26state%3Dall%23%2B%C3%A9");
}

#[test]
fn debug_output_does_not_contain_the_token() {
    let access = Access::new(PUBLIC_API, "o/n", "ghp_secret").expect("an access");
    assert!(!format!("{access:?}").contains("secret"));
}

#[test]
fn graphql_url_of_an_enterprise_server_is_next_to_its_rest_url() {
    let at = |api: &str| {
        let access = Access::new(api, "o/n", "t").expect("an access");
        format!("{}{GRAPHQL}", access.graphql_base())
    };
    assert_eq!(at(PUBLIC_API), "https://api.github.com/graphql");
    assert_eq!(at("https://ghe.example/api/v3"), "https://ghe.example/api/graphql");
}

//! Tests of `github`.

use serde_json::json;

use super::*;

#[test]
fn only_write_access_is_permitted_and_accounts_match_by_id() {
    let permission = |permission: &str, role: &str| -> Permission {
        let value = json!({ "permission": permission, "role_name": role, "user": { "id": 7, "login": "a" } });
        serde_json::from_value(value).expect("a permission")
    };
    for (level, role, may) in [
        ("admin", "admin", true),
        ("write", "maintain", true),
        ("write", "made up", true),
        ("read", "triage", false),
        ("read", "write", false),
        ("none", "", false),
        ("", "", false),
    ] {
        assert_eq!(permission(level, role).may_write(), may, "{level} {role}");
    }
    let person = |id| GithubUser { id, login: "a".into(), kind: "User".into() };
    assert!(permission("write", "").is_of(&person(7)) && !permission("write", "").is_of(&person(8)));
}

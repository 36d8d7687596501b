//! The repository, the people, their permissions, and the limit of requests.

use serde_json::{Map, Value, json};

use super::exchange::{Answer, Request};
use super::world::{ACTIONS, NAME, OWNER, REPOSITORY_ID, SITE, World};

/// Answers what is asked outside the repository.
pub fn outside(world: &World, request: &Request) -> Answer {
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/user") if request.login.ends_with("[bot]") => {
            Answer::error(403, "Resource not accessible by integration")
        }
        ("GET", "/user") => Answer::ok(myself(world, &request.login)),
        ("GET", path) if path.starts_with("/users/") => account(world, request),
        ("GET", "/rate_limit") => Answer::ok(rate_limit()),
        _ => Answer::not_found(),
    }
}

/// Everybody sees who has a login.
fn account(world: &World, request: &Request) -> Answer {
    let login = request.segments().pop().unwrap_or_default();
    let known = world.people.iter().find(|known| known.eq_ignore_ascii_case(&login));
    known.map_or_else(Answer::not_found, |known| Answer::ok(myself(world, known)))
}

/// Answers what is asked of the repository itself.
pub fn answer(world: &World, request: &Request, rest: &[&str]) -> Option<Answer> {
    match (request.method.as_str(), rest) {
        ("GET", []) => Some(Answer::ok(full(world))),
        ("GET", ["collaborators", login, "permission"]) => Some(permission(world, login)),
        _ => None,
    }
}

/// Nobody is asked about who is no person; everybody who is one may at least read what is public.
fn permission(world: &World, login: &str) -> Answer {
    let Some(known) = world.people.iter().find(|known| known.eq_ignore_ascii_case(login)) else {
        return Answer::not_found();
    };
    if known.ends_with("[bot]") {
        return Answer::error(404, &format!("{known} is not a user"));
    }
    let role = world.permissions.get(known).map_or("read", String::as_str);
    let level = match role {
        "maintain" => "write",
        "triage" => "read",
        other => other,
    };
    let mut user = person(world, known);
    user["role_name"] = json!(role);
    user["permissions"] = rights(role);
    Answer::ok(json!({ "permission": level, "role_name": role, "user": user }))
}

fn rights(role: &str) -> Value {
    let rank =
        ["none", "read", "triage", "write", "maintain", "admin"].iter().position(|known| *known == role);
    let at_least = |wanted: usize| rank.is_some_and(|rank| rank >= wanted);
    json!({
        "admin": at_least(5), "maintain": at_least(4), "push": at_least(3), "triage": at_least(2), "pull": at_least(1),
    })
}

/// Returns somebody as GitHub shows them beside what they wrote.
pub fn person(world: &World, login: &str) -> Value {
    let escaped = login.replace('[', "%5B").replace(']', "%5D");
    let url = format!("{}/users/{escaped}", world.base);
    let bot = login.ends_with("[bot]");
    let page = login.strip_suffix("[bot]").map_or_else(|| login.to_owned(), |app| format!("apps/{app}"));
    json!({
        "login": login,
        "id": person_id(login),
        "node_id": format!("U_{}", person_id(login)),
        "avatar_url": format!("https://avatars.githubusercontent.com/u/{}?v=4", person_id(login)),
        "gravatar_id": "",
        "url": url,
        "html_url": format!("https://github.com/{page}"),
        "followers_url": format!("{url}/followers"),
        "following_url": format!("{url}/following{{/other_user}}"),
        "gists_url": format!("{url}/gists{{/gist_id}}"),
        "starred_url": format!("{url}/starred{{/owner}}{{/repo}}"),
        "subscriptions_url": format!("{url}/subscriptions"),
        "organizations_url": format!("{url}/orgs"),
        "repos_url": format!("{url}/repos"),
        "events_url": format!("{url}/events{{/privacy}}"),
        "received_events_url": format!("{url}/received_events"),
        "type": if bot { "Bot" } else { "User" },
        "user_view_type": "public",
        "site_admin": false,
    })
}

/// Returns the number of somebody; that of GitHub's own robot is the real one.
pub fn person_id(login: &str) -> u64 {
    if login == ACTIONS {
        return 41_898_282;
    }
    login.bytes().fold(7, |number, byte| (number * 31 + u64::from(byte)) % 90_000_000) + 1_000
}

/// Returns what somebody is to the repository.
pub fn association(world: &World, login: &str) -> &'static str {
    match world.permissions.get(login).map(String::as_str) {
        _ if login == OWNER => "OWNER",
        Some("admin" | "maintain" | "write" | "triage") => "COLLABORATOR",
        _ => "NONE",
    }
}

fn myself(world: &World, login: &str) -> Value {
    let mut user = person(world, login);
    let more = json!({
        "name": null, "company": null, "blog": "", "location": null, "email": null, "hireable": null, "bio": null,
        "twitter_username": null, "notification_email": null, "public_repos": 1, "public_gists": 0, "followers": 0,
        "following": 0, "created_at": "2020-01-05T09:00:00Z", "updated_at": "2025-12-05T09:00:00Z",
        "private_gists": 0, "total_private_repos": 0, "owned_private_repos": 0, "disk_usage": 0, "collaborators": 0,
        "two_factor_authentication": true,
    });
    extend(&mut user, more);
    user
}

fn rate_limit() -> Value {
    let rate = json!({ "limit": 5000, "used": 1, "remaining": 4999, "reset": 4_102_444_800_u64 });
    json!({ "resources": { "core": rate, "search": rate, "graphql": rate }, "rate": rate })
}

/// Adds the entries of an object to another one.
pub fn extend(value: &mut Value, more: Value) {
    if let (Value::Object(value), Value::Object(more)) = (value, more) {
        value.extend(more);
    }
}

/// The addresses of a repository, by what stands before `_url`.
const ADDRESSES: [(&str, &str); 36] = [
    ("archive", "/{archive_format}{/ref}"),
    ("assignees", "/assignees{/user}"),
    ("blobs", "/git/blobs{/sha}"),
    ("branches", "/branches{/branch}"),
    ("collaborators", "/collaborators{/collaborator}"),
    ("comments", "/comments{/number}"),
    ("commits", "/commits{/sha}"),
    ("compare", "/compare/{base}...{head}"),
    ("contents", "/contents/{+path}"),
    ("contributors", "/contributors"),
    ("deployments", "/deployments"),
    ("downloads", "/downloads"),
    ("events", "/events"),
    ("forks", "/forks"),
    ("git_commits", "/git/commits{/sha}"),
    ("git_refs", "/git/refs{/sha}"),
    ("git_tags", "/git/tags{/sha}"),
    ("hooks", "/hooks"),
    ("issue_comment", "/issues/comments{/number}"),
    ("issue_events", "/issues/events{/number}"),
    ("issues", "/issues{/number}"),
    ("keys", "/keys{/key_id}"),
    ("labels", "/labels{/name}"),
    ("languages", "/languages"),
    ("merges", "/merges"),
    ("milestones", "/milestones{/number}"),
    ("notifications", "/notifications{?since,all,participating}"),
    ("pulls", "/pulls{/number}"),
    ("releases", "/releases{/id}"),
    ("stargazers", "/stargazers"),
    ("statuses", "/statuses/{sha}"),
    ("subscribers", "/subscribers"),
    ("subscription", "/subscription"),
    ("tags", "/tags"),
    ("teams", "/teams"),
    ("trees", "/git/trees{/sha}"),
];

/// Returns the repository as it stands inside other things.
pub fn short(world: &World) -> Value {
    let addresses = ADDRESSES.iter().map(|(name, path)| (format!("{name}_url"), json!(world.api(path))));
    let mut repository = Value::Object(addresses.collect::<Map<_, _>>());
    extend(
        &mut repository,
        json!({
            "id": REPOSITORY_ID,
            "node_id": format!("R_{REPOSITORY_ID}"),
            "name": NAME,
            "full_name": format!("{OWNER}/{NAME}"),
            "private": false,
            "owner": person(world, OWNER),
            "html_url": SITE,
            "description": "Pages that are counted",
            "fork": false,
            "url": world.api(""),
        }),
    );
    repository
}

/// Returns the repository as it stands beside a branch of a pull request.
pub fn whole(world: &World) -> Value {
    let open = world.issues.values().filter(|issue| issue.open).count();
    let mut repository = short(world);
    extend(
        &mut repository,
        json!({
            "clone_url": format!("{SITE}.git"), "git_url": "git://github.com/octo/pages.git",
            "ssh_url": "git@github.com:octo/pages.git", "svn_url": SITE, "mirror_url": null, "homepage": null,
            "default_branch": "main", "language": "Rust", "license": null, "topics": [], "visibility": "public",
            "forks": 0, "forks_count": 0, "stargazers_count": 0, "watchers": 0, "watchers_count": 0, "size": 10,
            "open_issues": open, "open_issues_count": open, "archived": false, "disabled": false,
            "has_issues": true, "has_projects": false, "has_wiki": false, "has_pages": false,
            "has_downloads": true, "has_discussions": false, "is_template": false, "allow_forking": true,
            "web_commit_signoff_required": false, "pushed_at": world.now, "created_at": "2020-01-05T09:00:00Z",
            "updated_at": world.now,
        }),
    );
    repository
}

fn full(world: &World) -> Value {
    let mut repository = whole(world);
    let permissions = rights("write");
    extend(
        &mut repository,
        json!({
            "permissions": permissions, "network_count": 0, "subscribers_count": 0, "allow_squash_merge": true,
            "allow_merge_commit": true, "allow_rebase_merge": true, "allow_auto_merge": false,
            "delete_branch_on_merge": false,
        }),
    );
    repository
}

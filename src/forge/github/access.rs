//! Which repository on which GitHub, and the token that goes there and nowhere else.

use std::fmt;
use std::net::IpAddr;

use super::super::ForgeError;

/// The public GitHub.
pub const PUBLIC: &str = "https://api.github.com";

/// What stands for itself in a login. GitHub allows letters, digits and hyphens; a program's ends with `[bot]`.
pub(super) const LOGIN: &str = "-_";
/// What stands for itself in the name of a label.
pub(super) const LABEL: &str = "-_.~";
/// What stands for itself in the name of a branch; git allows `&`, `#` and `+` in it.
pub(super) const BRANCH: &str = "-._~/";

/// Where a repository is and what lets us in.
#[derive(Clone)]
pub struct Access {
    /// The address of the REST interface, without a slash at its end: `GITHUB_API_URL`.
    pub(super) api: String,
    pub(super) owner: String,
    pub(super) name: String,
    token: String,
    /// Nothing may be written here, whatever the token could do.
    pub(super) reads_only: bool,
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Access({}/{} at {})", self.owner, self.name, self.api)
    }
}

impl Access {
    /// Takes an address, `owner/name` and a token. A token travels over https only, or to this machine.
    pub fn new(api: &str, repository: &str, token: &str) -> Result<Self, ForgeError> {
        let bad = |why: &str| ForgeError::Access { why: why.to_owned() };
        let api = api.trim_end_matches('/');
        if !is_safe(api) {
            return Err(bad(&format!("`{api}` is no https address of a GitHub")));
        }
        let plain = |part: &str| {
            let good = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            !part.is_empty() && part.chars().all(good) && part != "." && part != ".."
        };
        let parts = repository.split_once('/').filter(|(owner, name)| plain(owner) && plain(name));
        let (owner, name) =
            parts.ok_or_else(|| bad(&format!("`{repository}` is no repository: write owner/name")))?;
        let token = token.trim();
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(bad("there is no token in GITHUB_TOKEN or GH_TOKEN"));
        }
        Ok(Self {
            api: api.into(),
            owner: owner.into(),
            name: name.into(),
            token: token.into(),
            reads_only: false,
        })
    }

    /// Returns the same access for reading alone.
    #[must_use]
    pub fn for_reading(self) -> Self {
        Self { reads_only: true, ..self }
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Returns the path of something in the repository.
    pub(super) fn path(&self, rest: &str) -> String {
        format!("/repos/{}/{}{rest}", self.owner, self.name)
    }

    /// Returns the address of GraphQL beside the REST interface: an enterprise server has it outside `/api/v3`.
    pub(super) fn graphql(&self) -> (&str, &'static str) {
        match self.api.strip_suffix("/v3") {
            Some(above) => (above, "/graphql"),
            None => (&self.api, "/graphql"),
        }
    }
}

/// Writes a name into an address; besides letters and digits only what is named in `plain` stands for itself.
pub(super) fn escaped(name: &str, plain: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || plain.as_bytes().contains(&byte);
    let one = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    name.bytes().map(one).collect()
}

fn is_safe(address: &str) -> bool {
    let Some((scheme, rest)) = address.split_once("://") else { return false };
    let authority = rest.split('/').next().unwrap_or_default();
    let plain = !authority.is_empty() && !rest.contains(['@', '?', '#', '\\', ' ']);
    plain && (scheme == "https" || (scheme == "http" && is_here(authority)))
}

fn is_here(authority: &str) -> bool {
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_travels_over_https_only_or_to_this_machine() {
        let taken = |api: &str| Access::new(api, "o/n", "ghp_x").is_ok();
        for good in [PUBLIC, "https://ghe.example/api/v3/", "http://127.0.0.1:4000", "http://[::1]:80"] {
            assert!(taken(good), "{good}");
        }
        for bad in
            ["http://api.github.com", "https://a@evil", "ftp://x", "https://", "x", "http://127.0.0.1.evil"]
        {
            assert!(!taken(bad), "{bad}");
        }
    }

    #[test]
    fn a_repository_is_owner_and_name() {
        for bad in ["o", "o/", "/n", "o/n/x", "o/..", "o/n?x", "a b/c"] {
            assert!(Access::new(PUBLIC, bad, "ghp_x").is_err(), "{bad}");
        }
        assert!(Access::new(PUBLIC, "o/n", " \n").is_err());
    }

    #[test]
    fn a_name_in_an_address_cannot_say_more_than_a_name() {
        assert_eq!(escaped("octo-cat", LOGIN), "octo-cat");
        assert_eq!(escaped("renovate[bot]", LOGIN), "renovate%5Bbot%5D");
        assert_eq!(escaped("../x?y#z", LOGIN), "%2E%2E%2Fx%3Fy%23z");
        assert_eq!(escaped("ai-workflow:needs-human", LABEL), "ai-workflow%3Aneeds-human");
        assert_eq!(escaped("a/b ?c", LABEL), "a%2Fb%20%3Fc");
        assert_eq!(escaped("ai-workflow/issue-7", BRANCH), "ai-workflow/issue-7");
        assert_eq!(escaped("a&state=all#+é", BRANCH), "a%26state%3Dall%23%2B%C3%A9");
    }

    #[test]
    fn the_token_is_in_no_debug_text() {
        let access = Access::new(PUBLIC, "o/n", "ghp_secret").expect("an access");
        assert!(!format!("{access:?}").contains("secret"));
    }

    #[test]
    fn an_enterprise_server_has_graphql_beside_its_rest() {
        let at = |api: &str| {
            let access = Access::new(api, "o/n", "t").expect("an access");
            let (base, path) = access.graphql();
            format!("{base}{path}")
        };
        assert_eq!(at(PUBLIC), "https://api.github.com/graphql");
        assert_eq!(at("https://ghe.example/api/v3"), "https://ghe.example/api/graphql");
    }
}

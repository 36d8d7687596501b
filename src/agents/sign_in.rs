//! Which variables of ours a program may sign in with. A key goes to the address it was made for and to no other, and
//! a key that a profile names has no rival.

use super::Profile;

/// What a program that we know signs in with.
#[derive(Debug, Clone, Copy)]
pub(super) struct SignIn {
    /// Names the folder of its own settings.
    pub home: &'static str,
    /// Names the address of its provider.
    pub address: &'static str,
    pub keys: &'static [&'static str],
}

impl SignIn {
    /// Returns the variables of ours that the program gets. What the profile says itself comes on top.
    pub(super) fn of(&self, profile: &Profile) -> Vec<&'static str> {
        let elsewhere = profile.base_url.is_some() || profile.env.contains_key(self.address);
        let mut names = vec![self.home];
        if !elsewhere {
            names.push(self.address);
            let own_key = self.keys.iter().any(|key| profile.env.contains_key(*key));
            if profile.api_key_env.is_none() && !own_key {
                names.extend(self.keys);
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::super::{claude, codex};
    use super::*;

    fn names(change: impl Fn(&mut Profile)) -> [String; 2] {
        [claude::SIGNS_IN_WITH, codex::SIGNS_IN_WITH].map(|sign_in| {
            let mut profile = Profile::default();
            change(&mut profile);
            sign_in.of(&profile).join(" ")
        })
    }

    #[test]
    fn without_a_word_in_the_profile_the_program_gets_all_of_its_own() {
        let expected = [
            "CLAUDE_CONFIG_DIR ANTHROPIC_BASE_URL ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN CLAUDE_CODE_OAUTH_TOKEN",
            "CODEX_HOME OPENAI_BASE_URL CODEX_API_KEY OPENAI_API_KEY",
        ];
        assert_eq!(names(|_| {}), expected);
    }

    #[test]
    fn a_key_that_is_named_has_no_rival() {
        let expected = ["CLAUDE_CONFIG_DIR ANTHROPIC_BASE_URL", "CODEX_HOME OPENAI_BASE_URL"];
        assert_eq!(names(|profile| profile.api_key_env = Some("MY_KEY".into())), expected);
        let written = names(|profile| {
            for key in ["ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY"] {
                profile.env.insert(key.into(), "x".into());
            }
        });
        assert_eq!(written, expected);
    }

    #[test]
    fn another_address_gets_no_key_of_ours() {
        let expected = ["CLAUDE_CONFIG_DIR", "CODEX_HOME"];
        assert_eq!(names(|profile| profile.base_url = Some("http://elsewhere".into())), expected);
        let said = names(|profile| {
            for address in ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"] {
                profile.env.insert(address.into(), "http://elsewhere".into());
            }
        });
        assert_eq!(said, expected);
    }
}

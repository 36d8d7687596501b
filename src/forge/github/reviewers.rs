//! Asks people and teams to review a pull request. Asking somebody twice changes nothing.

use http::Method;
use serde_json::{Value, json};

use super::super::{ForgeError, Owner};
use super::GithubForge;
use super::comment::same_account;
use super::talk::Ask;

const ASK: &str = "ask for a review";
/// GitHub takes no more at once.
const MOST: usize = 15;

impl GithubForge {
    /// Asks owners to review and returns those who could be asked. The author of the pull request is not asked, and
    /// teams only of the organisation that the repository is in.
    pub async fn ask_for_review(
        &self,
        pull_request: u64,
        owners: impl IntoIterator<Item = Owner>,
    ) -> Result<Vec<String>, ForgeError> {
        let Some(seen) = self.pull_request(pull_request).await? else { return Ok(Vec::new()) };
        let can_be_asked = |owner: &Owner| match owner {
            Owner::Person(login) => !same_account(&seen.author, login),
            Owner::Team { organisation, .. } => organisation.eq_ignore_ascii_case(&self.line.access.owner),
        };
        let owners: Vec<Owner> = owners.into_iter().filter(can_be_asked).take(MOST).collect();
        if owners.is_empty() {
            return Ok(Vec::new());
        }
        match self.request(pull_request, &owners).await {
            Ok(()) => Ok(owners.iter().map(ToString::to_string).collect()),
            // One who is no collaborator makes GitHub refuse all.
            Err(ForgeError::Refused { status: 422, .. }) => self.one_by_one(pull_request, &owners).await,
            Err(error) => Err(error),
        }
    }

    async fn one_by_one(&self, number: u64, owners: &[Owner]) -> Result<Vec<String>, ForgeError> {
        let mut asked = Vec::new();
        for owner in owners {
            match self.request(number, std::slice::from_ref(owner)).await {
                Ok(()) => asked.push(owner.to_string()),
                Err(error @ ForgeError::Refused { status: 422, .. }) => {
                    tracing::warn!("{owner} owns what changed and was not asked to review: {error}");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(asked)
    }

    async fn request(&self, number: u64, owners: &[Owner]) -> Result<(), ForgeError> {
        let people = owners.iter().filter_map(|owner| match owner {
            Owner::Person(login) => Some(login.as_str()),
            Owner::Team { .. } => None,
        });
        let teams = owners.iter().filter_map(|owner| match owner {
            Owner::Team { name, .. } => Some(name.as_str()),
            Owner::Person(_) => None,
        });
        let mut body = json!({});
        for (key, names) in [("reviewers", people.collect::<Vec<_>>()), ("team_reviewers", teams.collect())] {
            if !names.is_empty() {
                body[key] = Value::from(names);
            }
        }
        let path = self.line.access.path(&format!("/pulls/{number}/requested_reviewers"));
        let ask = Ask { action: ASK, method: Method::POST, path, body: Some(&body) };
        self.line.repeat(&ask).await.map(drop)
    }
}

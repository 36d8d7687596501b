//! Takes a pull request out of its draft. Only GraphQL can; a pull request that is no draft is left alone.

use http::Method;
use serde::Deserialize;
use serde_json::json;

use super::super::ForgeError;
use super::GithubForge;
use super::pages::read;
use super::talk::{Ask, MUTATES, refused};

const READY: &str = "mark the pull request ready for review";
const MUTATION: &str = "mutation($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) \
                        { pullRequest { isDraft } } }";

#[derive(Deserialize)]
struct Given {
    node_id: String,
    draft: Option<bool>,
}

impl GithubForge {
    /// Marks a pull request ready for review.
    pub async fn mark_ready(&self, number: u64) -> Result<(), ForgeError> {
        let given = self.draft_state(number).await?;
        if given.draft == Some(false) {
            return Ok(());
        }
        let body = json!({ "query": MUTATION, "variables": { "id": given.node_id } });
        let (_, path) = self.line.access.graphql();
        let ask = Ask { action: READY, method: Method::POST, path: path.to_owned(), body: Some(&body) };
        let look = || async {
            let ready = self.draft_state(number).await?.draft == Some(false);
            Ok(ready.then(|| json!({ "data": {} })))
        };
        refused(READY, MUTATES, &self.line.create(&ask, look).await?)
    }

    async fn draft_state(&self, number: u64) -> Result<Given, ForgeError> {
        read(READY, self.line.get(READY, &format!("/pulls/{number}")).await?)
    }
}

//! Labels on an issue: the one that starts a run is taken off, those that tell where a run stands take turns.

use http::Method;
use serde_json::{Value, json};

use super::super::ForgeError;
use super::GithubForge;
use super::access::{LABEL, escaped};
use super::talk::Ask;
use model::issue::IssueNumber;

const LOOK: &str = "look at a label";
const REMOVE: &str = "take the label off";
const ADD: &str = "put a label on the issue";
const MAKE: &str = "make a label";

impl GithubForge {
    /// Takes a label off an issue; one that is not there is no error.
    pub async fn unlabel(&self, number: IssueNumber, label: &str) -> Result<(), ForgeError> {
        let path = self.line.access.path(&format!("/issues/{number}/labels/{}", escaped(label, LABEL)));
        match self.line.repeat(&Ask { action: REMOVE, method: Method::DELETE, path, body: None }).await {
            Err(error) if error.is_missing() => Ok(()),
            done => done.map(drop),
        }
    }

    /// Puts a label on an issue. It has to exist, else GitHub makes one without colour.
    pub async fn label(&self, number: IssueNumber, label: &str) -> Result<(), ForgeError> {
        let (body, path) =
            (json!({ "labels": [label] }), self.line.access.path(&format!("/issues/{number}/labels")));
        let ask = Ask { action: ADD, method: Method::POST, path, body: Some(&body) };
        self.line.repeat(&ask).await.map(drop)
    }

    /// Tells whether the repository has a label of that name.
    pub(super) async fn there_is_label(&self, name: &str) -> Result<bool, ForgeError> {
        match self.line.get(LOOK, &format!("/labels/{}", escaped(name, LABEL))).await {
            Err(error) if error.is_missing() => Ok(false),
            found => found.map(|_| true),
        }
    }

    /// Makes a label of the repository unless there is one of that name.
    pub async fn make_label(&self, name: &str, color: &str, description: &str) -> Result<(), ForgeError> {
        if self.there_is_label(name).await? {
            return Ok(());
        }
        let body = json!({ "name": name, "color": color, "description": description });
        let path = self.line.access.path("/labels");
        let made: Result<Value, _> =
            self.line.repeat(&Ask { action: MAKE, method: Method::POST, path, body: Some(&body) }).await;
        match made {
            // Another run was faster, or an answer of ours was lost.
            Err(ForgeError::Refused { status: 422, .. }) => Ok(()),
            done => done.map(drop),
        }
    }
}

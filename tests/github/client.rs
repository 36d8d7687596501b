//! A plain client for the tests of the fake: octocrab, status and JSON side by side.

use octocrab::Octocrab;
use serde_json::Value;

use super::server::Github;

/// What came back.
#[derive(Debug)]
pub struct Came {
    pub status: u16,
    pub link: String,
    pub body: Value,
    pub text: String,
}

/// Makes a client of a GitHub.
pub fn client(url: &str, token: &str) -> Octocrab {
    let builder = Octocrab::builder().base_uri(url).expect("an address").personal_token(token.to_owned());
    builder.build().expect("a client")
}

/// Sends one request; the error is a call without an answer.
pub async fn send(
    github: &Github,
    method: &str,
    path: &str,
    body: Option<Value>,
) -> Result<Came, octocrab::Error> {
    send_to(&client(&github.url(), "test-token"), method, path, body).await
}

pub async fn send_to(
    client: &Octocrab,
    method: &str,
    path: &str,
    body: Option<Value>,
) -> Result<Came, octocrab::Error> {
    let response = match method {
        "GET" => client._get(path).await?,
        "POST" => client._post(path, body.as_ref()).await?,
        "PATCH" => client._patch(path, body.as_ref()).await?,
        "PUT" => client._put(path, body.as_ref()).await?,
        _ => client._delete(path, body.as_ref()).await?,
    };
    let status = response.status().as_u16();
    let link =
        response.headers().get("link").and_then(|link| link.to_str().ok()).unwrap_or_default().to_owned();
    let text = client.body_to_string(response).await?;
    Ok(Came { status, link, body: serde_json::from_str(&text).unwrap_or(Value::Null), text })
}

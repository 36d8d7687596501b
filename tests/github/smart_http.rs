//! The repository as git meets it over HTTP: git's own `http-backend` answers from the bare repository.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use axum::body::Body;
use axum::http::{HeaderMap, Method, Uri};
use axum::response::Response;

/// What the address of the repository ends with.
pub const PREFIX: &str = "/octo/pages.git";

/// Has git answer one request.
pub fn answer(bare: &Path, method: &Method, uri: &Uri, headers: &HeaderMap, body: &[u8]) -> Response {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let rest = uri.path().strip_prefix(PREFIX).unwrap_or_default();
    let mut child = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", bare)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", rest)
        .env("QUERY_STRING", uri.query().unwrap_or_default())
        .env("REQUEST_METHOD", method.as_str())
        .env("CONTENT_TYPE", header("content-type"))
        .env("CONTENT_LENGTH", body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("GIT_PROTOCOL", header("git-protocol"))
        .env("REMOTE_USER", "octo")
        .env("REMOTE_ADDR", "127.0.0.1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git is installed");
    child.stdin.take().expect("a pipe").write_all(body).expect("git reads the request");
    read(&child.wait_with_output().expect("git ends").stdout)
}

/// Reads the head of a CGI answer, an empty line and the body.
fn read(bytes: &[u8]) -> Response {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("a head");
    let head = String::from_utf8_lossy(&bytes[..end]);
    let mut response = Response::builder();
    for (name, value) in head.lines().filter_map(|line| line.split_once(": ")) {
        response = match name {
            "Status" => response.status(value[..3].parse::<u16>().expect("a status")),
            _ => response.header(name, value),
        };
    }
    response.body(Body::from(bytes[end + 4..].to_vec())).expect("a response")
}

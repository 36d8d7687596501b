//! The fake GitHub as a program under test meets it: HTTP on loopback, a thread with a runtime of its own that ends when
//! the value is dropped. What is answered is the routes', how it breaks is the faults'.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Query, State};
use axum::http::{HeaderMap, Method, Uri};
use axum::response::Response;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::connection_reset::{Scissors, Wires};
use super::contract::contract;
use super::exchange::{Answer, Request};
use super::fake_state::Picture;
use super::fault::{Fault, Faults, Hit, Kind, Lost, PAGE};
use super::references::References;
use super::world::World;
use super::{fault, graphql, routes, smart_http};

/// The prefixes of GitHub Enterprise Server.
const ENTERPRISE: [(&str, &str); 2] = [("/api/v3/", "/"), ("/api/graphql", "/graphql")];

/// A GitHub that runs.
pub struct Github {
    address: SocketAddr,
    inner: Arc<Inner>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A call as it was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub method: String,
    /// With its query.
    pub path: String,
    /// `None` when the caller got no answer.
    pub status: Option<u16>,
    pub writes: bool,
}

impl std::fmt::Display for Call {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mark = if self.writes { " (write)" } else { "" };
        let status = self.status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
        write!(formatter, "{} {} {status}{mark}", self.method, self.path)
    }
}

struct Inner {
    kept: Mutex<Kept>,
}

struct Kept {
    world: World,
    calls: Vec<Call>,
    faults: Faults,
    violations: Vec<String>,
    /// A key that is taken out of every answer: the control that shows that answers are checked.
    broken: Option<String>,
    /// The address of the pages for people, where that is not the public one.
    server: Option<String>,
}

/// Where the resources say that people see them.
const PUBLIC_SERVER: &str = "https://github.com/";

impl Github {
    /// Starts with one branch, `main`, and nothing else.
    pub fn start() -> Self {
        let main = ("heads/main".to_owned(), "1".repeat(40));
        Self::with(References::Told(BTreeMap::from([main])))
    }

    /// Starts with the branches of a bare repository.
    pub fn start_with(bare: impl Into<PathBuf>) -> Self {
        Self::with(References::Bare(bare.into()))
    }

    fn with(references: References) -> Self {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port on loopback");
        listener.set_nonblocking(true).expect("a listener that does not block");
        let address = listener.local_addr().expect("an address");
        let world = World::new(format!("http://{address}"), references);
        let (faults, calls, violations) = (Faults::default(), Vec::new(), Vec::new());
        let kept = Kept { world, calls, faults, violations, broken: None, server: None };
        let inner = Arc::new(Inner { kept: Mutex::new(kept) });
        let (stop, stopped) = oneshot::channel();
        let serving = Arc::clone(&inner);
        let thread = std::thread::spawn(move || run(listener, serving, stopped));
        contract();
        Self { address, inner, stop: Some(stop), thread: Some(thread) }
    }

    /// Returns the address of the API.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the address that git fetches from and pushes to.
    pub fn git_url(&self) -> String {
        format!("{}{}", self.url(), smart_http::PREFIX)
    }

    /// Returns the address of the API in the form of GitHub Enterprise Server.
    pub fn enterprise_url(&self) -> String {
        format!("{}/api/v3", self.url())
    }

    /// Shows its pages at another address from now on, as a server of one's own does.
    pub fn show_pages_at(&self, server: &str) {
        self.kept().server = Some(format!("{server}/"));
    }

    /// Changes what GitHub knows, as people would.
    pub fn change<T>(&self, change: impl FnOnce(&mut World) -> T) -> T {
        change(&mut self.kept().world)
    }

    /// Returns what is there now.
    pub fn state(&self) -> Picture {
        Picture::of(&self.kept().world)
    }

    /// Returns every call so far, in order.
    pub fn calls(&self) -> Vec<Call> {
        self.kept().calls.clone()
    }

    /// Returns how many calls changed something, or would have.
    pub fn writes(&self) -> usize {
        self.kept().calls.iter().filter(|call| call.writes).count()
    }

    /// Returns what GitHub's description does not allow, and forgets it: what is not asked for fails the test.
    pub fn violations(&self) -> Vec<String> {
        std::mem::take(&mut self.kept().violations)
    }

    pub fn fault(&self, fault: Fault) {
        self.kept().faults.add(fault);
    }

    /// Nothing breaks any more.
    pub fn works_again(&self) {
        self.kept().faults = Faults::default();
    }

    /// Breaks the nth call from now on.
    pub fn fault_at_call(&self, nth: usize, kind: Kind) {
        self.fault(Fault { method: "", path_contains: "", nth, kind });
    }

    /// Breaks these calls from now on.
    pub fn aim(&self, hits: impl IntoIterator<Item = Hit>) {
        self.kept().faults.aim(hits);
    }

    /// Returns what is still to be hit.
    pub fn missed(&self) -> Vec<Hit> {
        self.kept().faults.missed()
    }

    /// Takes a key out of every answer from now on.
    pub fn break_answers(&self, key: &str) {
        self.kept().broken = Some(key.to_owned());
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.inner.kept.lock().expect("no thread panics with it")
    }
}

impl Drop for Github {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // A thread that has ended already needs no word.
            let _ = stop.send(());
        }
        let ended = self.thread.take().is_none_or(|thread| thread.join().is_ok());
        if !std::thread::panicking() {
            assert!(ended, "the fake GitHub panicked: see above");
            let violations = self.violations();
            assert!(violations.is_empty(), "GitHub's description does not allow this: {violations:#?}");
        }
    }
}

fn run(listener: std::net::TcpListener, inner: Arc<Inner>, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = Wires::new(TcpListener::from_std(listener).expect("a listener of the runtime"));
        let router = Router::new().fallback(serve).with_state(inner);
        let service = router.into_make_service_with_connect_info::<Scissors>();
        tokio::select! {
            served = async { axum::serve(listener, service).await } => served.expect("the server runs"),
            _ = stopped => {}
        }
    });
    // Connections that are still open are dropped with the runtime.
    runtime.shutdown_timeout(Duration::from_secs(1));
}

async fn serve(
    State(inner): State<Arc<Inner>>,
    ConnectInfo(scissors): ConnectInfo<Scissors>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let (wait, reply) = {
        let mut kept = inner.kept.lock().expect("no thread panics with it");
        kept.served(&method, &uri, &headers, &body)
    };
    tokio::time::sleep(wait).await;
    match reply {
        Reply::Whole(answer) => written(&answer, None),
        Reply::Text(answer, text) => written(&answer, Some(text)),
        Reply::Git(response) => response,
        Reply::Nothing => {
            scissors.cut();
            Response::new(Body::empty())
        }
    }
}

/// What goes over the wire.
enum Reply {
    Whole(Answer),
    /// The head of an answer with another text.
    Text(Answer, String),
    /// What git's own program answers.
    Git(Response),
    Nothing,
}

impl Kept {
    fn served(&mut self, method: &Method, uri: &Uri, headers: &HeaderMap, body: &[u8]) -> (Duration, Reply) {
        let request = self.request(method, uri, headers, body);
        let path = uri.path_and_query().map_or("", |path| path.as_str()).to_owned();
        let asked = graphql::asked(&request).map_or_else(|| path.clone(), |asked| format!("{path}?{asked}"));
        let hit = self.faults.hit(&request.method, &asked);
        let (wait, reply) = match &self.world.references {
            References::Bare(bare) if request.path.starts_with(smart_http::PREFIX) => {
                (Duration::ZERO, git(hit, || smart_http::answer(bare, method, uri, headers, body)))
            }
            _ => self.broken_or_answered(hit, &request, headers),
        };
        let status = match &reply {
            Reply::Whole(answer) | Reply::Text(answer, _) => Some(answer.status),
            Reply::Git(response) => Some(response.status().as_u16()),
            Reply::Nothing => None,
        };
        let writes = match request.path.as_str() {
            "/graphql" => graphql::writes(&request.body),
            _ => request.method != "GET",
        };
        self.calls.push(Call { method: request.method, path, status, writes });
        (wait, reply)
    }

    fn request(&mut self, method: &Method, uri: &Uri, headers: &HeaderMap, body: &[u8]) -> Request {
        let mut path = uri.path().to_owned();
        let host = headers.get("host").and_then(|host| host.to_str().ok()).unwrap_or_default();
        self.world.base = format!("http://{host}");
        for (prefix, plain) in ENTERPRISE {
            if let Some(rest) = path.strip_prefix(prefix) {
                self.world.base = format!("http://{host}/api/v3");
                path = format!("{plain}{rest}");
                break;
            }
        }
        let query =
            Query::<BTreeMap<String, String>>::try_from_uri(uri).map(|query| query.0).unwrap_or_default();
        Request {
            method: method.to_string(),
            path: routes::described(&path),
            query,
            body: serde_json::from_slice(body).unwrap_or(Value::Null),
            login: token(headers).map(|token| self.world.login(token)).unwrap_or_default(),
        }
    }

    fn broken_or_answered(
        &mut self,
        hit: Option<Kind>,
        request: &Request,
        headers: &HeaderMap,
    ) -> (Duration, Reply) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let before = match hit {
            Some(Kind::Before(status)) => Some(Reply::Whole(fault::refusal(status))),
            Some(Kind::Reset) => Some(Reply::Nothing),
            Some(Kind::RateLimited { status, retry_after }) => {
                Some(Reply::Whole(fault::limited(status, retry_after, now)))
            }
            Some(Kind::SecondaryLimit { retry_after }) => Some(Reply::Whole(fault::secondary(retry_after))),
            Some(Kind::GraphqlLimit) => Some(Reply::Whole(fault::graphql_limit())),
            Some(Kind::GraphqlForbidden) => Some(Reply::Whole(fault::graphql_forbidden())),
            Some(Kind::SettingForbids) => Some(Reply::Whole(fault::setting_forbids())),
            Some(Kind::Html) => Some(Reply::Text(fault::page(), PAGE.to_owned())),
            _ => None,
        };
        if let Some(before) = before {
            return (Duration::ZERO, before);
        }
        let answer = self.answered(request, headers);
        match hit {
            Some(Kind::AppliedButLost(Lost::Status(status))) => {
                (Duration::ZERO, Reply::Whole(fault::refusal(status)))
            }
            Some(Kind::AppliedButLost(Lost::Reset)) => (Duration::ZERO, Reply::Nothing),
            Some(Kind::HalfJson) => {
                let text = answer.body.as_ref().map(Value::to_string).unwrap_or_default();
                let half = text.chars().take(text.chars().count() / 2).collect();
                (Duration::ZERO, Reply::Text(answer, half))
            }
            Some(Kind::Slow(wait)) => (Duration::from_millis(wait), Reply::Whole(answer)),
            _ => (Duration::ZERO, Reply::Whole(answer)),
        }
    }

    fn answered(&mut self, request: &Request, headers: &HeaderMap) -> Answer {
        if token(headers).is_none() {
            return Answer::error(401, "Requires authentication");
        }
        if !headers.contains_key("user-agent") {
            return Answer::error(403, "Request forbidden by administrative rules.");
        }
        let mut answer = routes::answer(&mut self.world, request);
        if let (Some(key), Some(Value::Object(body))) = (&self.broken, &mut answer.body) {
            body.remove(key);
        }
        if let (Some(server), Some(body)) = (&self.server, &mut answer.body) {
            let text = body.to_string().replace(PUBLIC_SERVER, server);
            *body = serde_json::from_str(&text).expect("it stays JSON");
        }
        let wrong = if request.path == "/graphql" {
            graphql::wrong(&answer)
        } else {
            contract()
                .map(|contract| {
                    let mut wrong = contract.of_request(request);
                    wrong.extend(contract.of_answer(request, answer.status, answer.body.as_ref()));
                    wrong
                })
                .unwrap_or_default()
        };
        let named = wrong.into_iter().map(|why| format!("{} {}: {why}", request.method, request.path));
        self.violations.extend(named);
        answer
    }
}

/// Answers git, or breaks as it is told. GitHub's description says nothing about it.
fn git(hit: Option<Kind>, answer: impl FnOnce() -> Response) -> Reply {
    match hit {
        Some(Kind::Before(status)) => Reply::Whole(fault::refusal(status)),
        Some(Kind::Reset) => Reply::Nothing,
        Some(Kind::AppliedButLost(lost)) => {
            answer();
            match lost {
                Lost::Status(status) => Reply::Whole(fault::refusal(status)),
                Lost::Reset => Reply::Nothing,
            }
        }
        _ => Reply::Git(answer()),
    }
}

fn token(headers: &HeaderMap) -> Option<&str> {
    let given = headers.get("authorization")?.to_str().ok()?;
    given.strip_prefix("Bearer ").or_else(|| given.strip_prefix("token ")).filter(|token| !token.is_empty())
}

fn written(answer: &Answer, text: Option<String>) -> Response {
    let page = answer.headers.iter().any(|(name, _)| *name == "content-type");
    let mut response = Response::builder().status(answer.status).header("x-github-request-id", "FAKE:1");
    if !page {
        response = response.header("content-type", "application/json; charset=utf-8");
        response = response.header("x-github-media-type", "github.v3; format=json");
    }
    for (name, value) in [("x-ratelimit-limit", "5000"), ("x-ratelimit-remaining", "4999")] {
        if !answer.headers.iter().any(|(given, _)| *given == name) {
            response = response.header(name, value);
        }
    }
    for (name, value) in &answer.headers {
        response = response.header(*name, value);
    }
    let text = text.or_else(|| answer.body.as_ref().map(Value::to_string)).unwrap_or_default();
    response.body(Body::from(text)).expect("a response")
}

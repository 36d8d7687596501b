//! A model server on loopback: HTTP/1.1 by hand, a thread for each connection. When the value is dropped every connection
//! is closed and every thread has ended. What is answered is the player's, how it looks is the provider's.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Result, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, spawn};

use serde_json::{Value, json};

use super::play::{Asked, Broken, Fault, Line, Message, Player, Turn};

/// The longest request that is read; the programs send their whole conversation each time.
const LONGEST: usize = 64 << 20;

/// An event of a stream: its name and its data.
pub type Event = (String, Value);

/// How a provider's requests and answers look.
pub trait Provider: Send + Sync {
    /// Tells whether a request asks the model; everything else is not found.
    fn asks(&self, path: &str) -> bool;
    fn lines(&self, body: &Value) -> Vec<Line>;
    /// Returns the events of an answer; `number` makes its ids unique.
    fn events(&self, message: &Message, model: &Value, number: u64) -> Vec<Event>;
    /// Returns an answer in one piece.
    fn whole(&self, message: &Message, model: &Value, number: u64) -> Value;
    fn error(&self, kind: &str, message: &str) -> Value;
}

/// A server that plays.
pub struct Server {
    address: SocketAddr,
    inner: Arc<Inner>,
    listening: Option<JoinHandle<()>>,
}

struct Inner {
    provider: Box<dyn Provider>,
    player: Player,
    asked: Mutex<Vec<Asked>>,
    number: AtomicU64,
    closing: AtomicBool,
    open: Mutex<Vec<TcpStream>>,
    serving: Mutex<Vec<JoinHandle<()>>>,
}

impl Server {
    pub fn start(provider: impl Provider + 'static, player: Player) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port on loopback");
        let address = listener.local_addr().expect("an address");
        let inner = Arc::new(Inner {
            provider: Box::new(provider),
            player,
            asked: Mutex::default(),
            number: AtomicU64::default(),
            closing: AtomicBool::default(),
            open: Mutex::default(),
            serving: Mutex::default(),
        });
        let accepting = Arc::clone(&inner);
        let listening = spawn(move || accept(&listener, &accepting));
        Self { address, inner, listening: Some(listening) }
    }

    /// Returns the address to be configured, without a version.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns every request to the model so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.inner.asked.lock().expect("no thread panics with it").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.inner.closing.store(true, Ordering::SeqCst);
        // Wakes the listener.
        drop(TcpStream::connect(self.address));
        if let Some(listening) = self.listening.take() {
            drop(listening.join());
        }
        for stream in self.inner.open.lock().expect("no thread panics with it").drain(..) {
            drop(stream.shutdown(Shutdown::Both));
        }
        let serving = std::mem::take(&mut *self.inner.serving.lock().expect("no thread panics with it"));
        for thread in serving {
            let played = thread.join();
            assert!(played.is_ok() || std::thread::panicking(), "a player panicked: see above");
        }
    }
}

fn accept(listener: &TcpListener, inner: &Arc<Inner>) {
    for stream in listener.incoming() {
        if inner.closing.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let Ok(other) = stream.try_clone() else { continue };
        inner.open.lock().expect("no thread panics with it").push(other);
        let serving = Arc::clone(inner);
        // A connection that breaks is the client's decision.
        let thread = spawn(move || drop(serving.serve(&stream)));
        inner.serving.lock().expect("no thread panics with it").push(thread);
    }
}

impl Inner {
    fn serve(&self, stream: &TcpStream) -> Result<()> {
        stream.set_nodelay(true)?;
        let mut reader = BufReader::new(stream);
        while let Some(request) = read_request(&mut reader)? {
            if !self.answer(&request, stream)? {
                stream.shutdown(Shutdown::Both)?;
                break;
            }
        }
        Ok(())
    }

    /// Answers a request and tells whether the connection can be used again.
    fn answer(&self, request: &Request, stream: &TcpStream) -> Result<bool> {
        let body = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
        if request.method != "POST" || body.is_null() || !self.provider.asks(&request.path) {
            let status = if request.method == "HEAD" { 200 } else { 404 };
            let error = self.provider.error("not_found_error", "there is nothing here");
            let body = if request.method == "HEAD" { String::new() } else { error.to_string() };
            return whole(stream, status, &[], "application/json", &body);
        }
        let asked = Asked {
            headers: request.headers.clone(),
            lines: self.provider.lines(&body),
            tools: tools(&body),
            stream: body["stream"] == json!(true),
            body,
        };
        self.asked.lock().expect("no thread panics with it").push(asked.clone());
        match (self.player)(&asked) {
            Turn::Message(message) => self.say(&asked, &message, stream),
            Turn::Error { status, headers, error } => {
                let body = match error {
                    Fault::Kind(kind, message) => self.provider.error(kind, message),
                    Fault::Body(body) => body,
                };
                whole(stream, status, &headers, "application/json", &body.to_string())
            }
            Turn::Raw { content_type, body } => whole(stream, 200, &[], content_type, &body),
            Turn::Hang => wait_for_the_end(stream),
        }
    }

    fn say(&self, asked: &Asked, message: &Message, mut stream: &TcpStream) -> Result<bool> {
        let number = self.number.fetch_add(1, Ordering::SeqCst);
        let model = &asked.body["model"];
        if !asked.stream {
            let body = self.provider.whole(message, model, number).to_string();
            return whole(stream, 200, &[], "application/json", &body);
        }
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes())?;
        for (at, (name, data)) in self.provider.events(message, model, number).iter().enumerate() {
            match message.broken {
                Some((after, Broken::Cut)) if at == after => return Ok(false),
                Some((after, Broken::Stalled)) if at == after => return wait_for_the_end(stream),
                _ => chunk(stream, &format!("event: {name}\ndata: {data}\n\n"))?,
            }
        }
        stream.write_all(b"0\r\n\r\n")?;
        Ok(true)
    }
}

/// Waits until the client or the drop of the server closes the connection.
fn wait_for_the_end(mut stream: &TcpStream) -> Result<bool> {
    let mut byte = [0];
    while stream.read(&mut byte)? > 0 {}
    Ok(false)
}

fn chunk(mut stream: &TcpStream, text: &str) -> Result<()> {
    stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())
}

fn whole(
    mut stream: &TcpStream,
    status: u16,
    headers: &[(&str, String)],
    content_type: &str,
    body: &str,
) -> Result<bool> {
    let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\n{more}\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes())?;
    Ok(true)
}

/// Returns the names of the tools that a request offers.
fn tools(body: &Value) -> Vec<String> {
    let all = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let name = |tool: &Value| tool["name"].as_str().or(tool["type"].as_str()).map(str::to_owned);
    all.iter().filter_map(name).collect()
}

struct Request {
    method: String,
    path: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

/// Reads the next request of a connection; nothing when the client has gone.
fn read_request(reader: &mut impl BufRead) -> Result<Option<Request>> {
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let mut words = first.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let headers = read_headers(reader)?;
    let chunked = headers.get("transfer-encoding").is_some_and(|value| value.contains("chunked"));
    let body = if chunked { read_chunks(reader)? } else { read_exactly(reader, length(&headers))? };
    Ok(Some(Request { method, path, headers, body }))
}

fn length(headers: &BTreeMap<String, String>) -> usize {
    headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0)
}

fn read_headers(reader: &mut impl BufRead) -> Result<BTreeMap<String, String>> {
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { return Ok(headers) };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
}

fn read_exactly(reader: &mut impl BufRead, length: usize) -> Result<Vec<u8>> {
    assert!(length < LONGEST, "a request of {length} bytes");
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn read_chunks(reader: &mut impl BufRead) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut size = String::new();
        reader.read_line(&mut size)?;
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        body.extend(read_exactly(reader, size)?);
        reader.read_line(&mut String::new())?;
        if size == 0 {
            return Ok(body);
        }
    }
}

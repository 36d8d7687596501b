//! The event log: one fact per line, chained by hash, appended and synced. The truth of a run.
//! Reading changes nothing: a torn last line is dropped in memory and cut off by the next append; any other
//! damage is an error. The chain detects accidents, not forgery; an agent that touches the file while a run is
//! going on is noticed, because the runner's memory holds what was written; what it took back to an earlier state is
//! put back.
//!
//! One line is `{"chain":"<64 hex>",` and the rest of the entry's object. The chain of a line is the SHA-256 of
//! the chain before it (as hex) and the exact bytes of that rest, so that checking needs no serialising again.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::common_dir::issue_folder;
use super::files::{
    StoreError, io_error, make_folders, not_ordinary, read_metadata, read_ordinary_file, replace_durably,
    replace_in_folder,
};
use jiff::Timestamp;
use model::event::{Entry, FORMAT, Fact};
use model::issue::IssueNumber;
use model::redact::Masker;
use model::text::sha256_hex;
use serde_json::Value;

/// The chain before the first line.
pub const FIRST_CHAIN: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const OPENING: &[u8] = b"{\"chain\":\"";
const CLOSING: &[u8] = b"\",";
const REST_AT: usize = OPENING.len() + 64 + CLOSING.len();

/// What a log holds.
#[derive(Debug, Clone, PartialEq)]
pub struct LogContents {
    /// The entries, in their order.
    pub entries: Vec<Entry>,
    /// The chain of the last entry.
    pub chain: String,
    /// How many bytes the whole lines take.
    pub good_bytes: usize,
    /// The last line, where it was not written to its end.
    pub torn: Option<TornLine>,
}

/// A last line that was not written to its end and is therefore not part of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, derive_more::Display)]
#[display("line {line} of the log was not written to its end; its {bytes} bytes are dropped")]
pub struct TornLine {
    /// Its number, from 1.
    pub line: usize,
    /// How many bytes of it there are.
    pub bytes: usize,
}

/// Reads the bytes of a log; `name` is what errors call it.
pub fn read(bytes: &[u8], name: &str) -> Result<LogContents, StoreError> {
    match read_intact(bytes, name) {
        (contents, None) => Ok(contents),
        (_, Some(error)) => Err(error),
    }
}

/// Reads the entries of a log that is damaged, up to the damage; of a file that is missing nothing.
pub fn read_intact_entries(path: &Path) -> Result<Vec<Entry>, StoreError> {
    Ok(read_intact(&read_log_bytes(path)?, &path.display().to_string()).0.entries)
}

/// Reads a log up to its end or to its first damage.
fn read_intact(bytes: &[u8], name: &str) -> (LogContents, Option<StoreError>) {
    let mut contents =
        LogContents { entries: Vec::new(), chain: FIRST_CHAIN.to_owned(), good_bytes: 0, torn: None };
    for (line, bytes) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        let Some(whole) = bytes.strip_suffix(b"\n") else {
            contents.torn = Some(TornLine { line, bytes: bytes.len() });
            break;
        };
        let (entry, chain) = match read_line(whole, &contents.chain, line as u64) {
            Ok(found) => found,
            Err(why) => {
                let damaged = StoreError::Damaged { file: name.to_owned(), line, why };
                return (contents, Some(parse_newer_format(whole, name, line).unwrap_or(damaged)));
            }
        };
        contents.entries.push(entry);
        contents.chain = chain;
        contents.good_bytes += bytes.len();
    }
    (contents, None)
}

/// Reads a log that is not going to be written; a file that is missing holds nothing.
pub fn read_file(path: &Path) -> Result<LogContents, StoreError> {
    read(&read_log_bytes(path)?, &path.display().to_string())
}

/// Reads one line, which has to continue the chain and the count.
fn read_line(line: &[u8], previous: &str, expected: u64) -> Result<(Entry, String), String> {
    if line.is_empty() {
        return Err("the line is empty".to_owned());
    }
    let (stated, rest) = split_line(line).ok_or("the line does not begin with its chain")?;
    let chain = sha256_hex(&[previous.as_bytes(), rest]);
    if stated != chain.as_bytes() {
        return Err("its chain does not fit its content and the line before".to_owned());
    }
    let entry = parse_entry(rest)?;
    match &entry.fact {
        Fact::RunStarted(start) if start.format > FORMAT => Err("it has a newer format".to_owned()),
        _ if entry.seq != expected => Err(format!("it is entry {}, not {expected}", entry.seq)),
        _ => Ok((entry, chain)),
    }
}

/// Splits a line into the chain it states and the rest that the chain is about.
fn split_line(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (frame, rest) = line.split_at_checked(REST_AT)?;
    Some((frame.strip_prefix(OPENING)?.strip_suffix(CLOSING)?, rest))
}

fn parse_entry(rest: &[u8]) -> Result<Entry, String> {
    serde_json::from_slice(&[b"{", rest].concat()).map_err(|error| error.to_string())
}

/// Returns the error of a line that a newer program wrote; nothing when the line is damaged.
fn parse_newer_format(line: &[u8], name: &str, number: usize) -> Option<StoreError> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let fact = value.get("fact")?;
    let format = fact.get("format")?.as_u64()?;
    if fact.get("type")?.as_str()? != "run_started" || format <= u64::from(FORMAT) {
        return None;
    }
    Some(StoreError::Newer { file: name.to_owned(), line: number, format })
}

/// A log that is open for writing. Its holder also holds the lock of the run.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    seq: u64,
    chain: String,
    /// How long the file has to be; unknown after a write that failed and could not be taken back.
    on_disk: Option<u64>,
    /// The whole lines.
    written: Vec<u8>,
    /// The copy in which the next process finds them when the file is lost.
    copy: Option<LogCopy>,
}

impl Log {
    /// Opens a log and returns what it holds; a file that is missing is an empty log and is made by the first append.
    pub fn open(path: &Path) -> Result<(Self, LogContents), StoreError> {
        let mut written = read_log_bytes(path)?;
        let on_disk = Some(written.len() as u64);
        let contents = read(&written, &path.display().to_string())?;
        written.truncate(contents.good_bytes);
        let (seq, chain) = (contents.entries.len() as u64, contents.chain.clone());
        Ok((Self { path: path.to_owned(), seq, chain, on_disk, written, copy: None }, contents))
    }

    /// Has a copy follow the log from now on.
    pub fn keep_copy(&mut self, copy: LogCopy) {
        copy.catch_up(&self.written);
        self.copy = Some(copy);
    }

    /// Returns the chain of the last entry.
    pub fn chain(&self) -> &str {
        &self.chain
    }

    /// Returns the chains of all entries, in their order, as they stand in the file.
    pub fn chains(&self) -> Result<Vec<String>, StoreError> {
        let bytes = read_log_bytes(&self.path)?;
        let lines = bytes.split(|byte| *byte == b'\n').filter_map(split_line);
        Ok(lines.map(|(stated, _)| String::from_utf8_lossy(stated).into_owned()).collect())
    }

    /// Appends facts that belong together and returns the entries as they read back, masked, so that memory equals disk.
    /// When this returns the entries are on the disk; when it fails the log is as it was. The first ones of a log are there
    /// together or not at all, also when this process is killed meanwhile: half of what a run was begun with would be
    /// another run.
    pub fn append(
        &mut self,
        at: Timestamp,
        facts: &[Fact],
        masker: &Masker,
    ) -> Result<Vec<Entry>, StoreError> {
        let (mut chain, mut lines, mut entries) = (self.chain.clone(), Vec::new(), Vec::new());
        for (seq, fact) in (self.seq + 1..).zip(facts) {
            let (entry, rest) = mask_entry(&Entry { seq, at, fact: fact.clone() }, masker)?;
            chain = sha256_hex(&[chain.as_bytes(), &rest]);
            lines.extend_from_slice(&[OPENING, chain.as_bytes(), CLOSING, &rest, b"\n"].concat());
            entries.push(entry);
        }
        self.write_lines(&lines)?;
        self.seq += entries.len() as u64;
        self.chain = chain;
        Ok(entries)
    }

    /// Compares the whole file with what this process wrote; asked after every agent call. Tells whether it was taken back
    /// to an earlier state and had to be put back.
    pub fn verify_or_restore(&self) -> Result<bool, StoreError> {
        let was_taken_back = self.restore_earlier()?;
        self.check_length()?;
        if read_log_bytes(&self.path)?.starts_with(&self.written) {
            return Ok(was_taken_back);
        }
        Err(self.tampered_error("its content is not what was written".to_owned()))
    }

    fn restore_earlier(&self) -> Result<bool, StoreError> {
        Ok(self.on_disk == Some(self.length()) && restore_log(&self.path, &self.written)?)
    }

    /// Returns how many bytes the whole lines take.
    fn length(&self) -> u64 {
        self.written.len() as u64
    }

    /// The cheap half of the guard: the file is where it was and as long as it was.
    fn check_length(&self) -> Result<(), StoreError> {
        let Some(expected) = self.on_disk else { return Ok(()) };
        let why = match read_metadata(&self.path)? {
            None if expected == 0 => return Ok(()),
            None => "it is gone".to_owned(),
            Some(found) if !found.is_file() => "it is no ordinary file any more".to_owned(),
            Some(found) if found.len() == expected => return Ok(()),
            Some(found) => format!("it is {} bytes long where {expected} were written", found.len()),
        };
        Err(self.tampered_error(why))
    }

    fn tampered_error(&self, why: String) -> StoreError {
        StoreError::Tampered { file: self.path.display().to_string(), why }
    }

    fn write_lines(&mut self, lines: &[u8]) -> Result<(), StoreError> {
        self.restore_earlier()?;
        self.check_length()?;
        if self.written.is_empty() {
            self.write_first(lines)?;
        } else {
            self.append_lines(lines)?;
        }
        self.written.extend_from_slice(lines);
        self.on_disk = Some(self.length());
        if let Some(copy) = &self.copy {
            copy.update(&self.written, lines.len());
        }
        Ok(())
    }

    /// Writes behind the whole lines and syncs; takes back what a failed write left. The file is not kept open:
    /// a `git checkout` may put an equal one in its place.
    fn append_lines(&mut self, lines: &[u8]) -> Result<(), StoreError> {
        let file = OpenOptions::new().append(true).open(&self.path);
        let mut file = file.map_err(io_error("open", &self.path))?;
        if self.on_disk != Some(self.length()) {
            file.set_len(self.length()).map_err(io_error("cut the torn line off", &self.path))?;
        }
        file.write_all(lines).and_then(|()| file.sync_data()).map_err(|error| {
            self.on_disk = file.set_len(self.length()).ok().map(|()| self.length());
            io_error("write to", &self.path)(error)
        })
    }

    /// Makes the file, or takes the place of one that holds nothing but a torn line.
    fn write_first(&mut self, lines: &[u8]) -> Result<(), StoreError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let missing = missing_folders(folder);
        make_folders(folder)?;
        replace_durably(&self.path, lines)?;
        // From here on the lines may be there, whatever the folder says.
        self.on_disk = None;
        sync_names(folder, &missing)
    }
}

/// Returns the folders that are missing on the way to this one, itself included.
fn missing_folders(folder: &Path) -> Vec<PathBuf> {
    let named = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    folder.ancestors().take_while(named).map(Path::to_owned).collect()
}

/// Makes new names durable: a synced file in a folder that forgot it would be lost.
fn sync_names(folder: &Path, made: &[PathBuf]) -> Result<(), StoreError> {
    let parents = made.iter().filter_map(|path| path.parent());
    for path in std::iter::once(folder).chain(parents).filter(|path| !path.as_os_str().is_empty()) {
        File::open(path).and_then(|file| file.sync_all()).map_err(io_error("sync", path))?;
    }
    Ok(())
}

/// Reads a file that has to be an ordinary one: a link could lead the next append out of the worktree.
fn read_log_bytes(path: &Path) -> Result<Vec<u8>, StoreError> {
    match read_metadata(path)? {
        None => Ok(Vec::new()),
        Some(found) if found.is_file() => fs::read(path).map_err(io_error("read", path)),
        Some(_) => Err(not_ordinary(path)),
    }
}

/// Returns the masked entry and its bytes after the opening brace.
fn mask_entry(entry: &Entry, masker: &Masker) -> Result<(Entry, Vec<u8>), StoreError> {
    let unwritable = |why: String| StoreError::Unwritable { seq: entry.seq, why };
    let plain = serde_json::to_value(entry).map_err(|error| unwritable(error.to_string()))?;
    let mut value = plain.clone();
    masker.mask_value(&mut value);
    if let Ok(found) = read_back(&value) {
        return Ok(found);
    }
    read_back(&keep_own_words(&plain, masker)).map_err(unwritable)
}

/// Returns the entry of a value and its bytes after the opening brace, as they will be read.
fn read_back(value: &Value) -> Result<(Entry, Vec<u8>), String> {
    let text = serde_json::to_vec(value).map_err(|error| error.to_string())?;
    let rest = text[1..].to_vec();
    parse_entry(&rest).map(|entry| (entry, rest))
}

/// Masks text by text and leaves a text alone that has to be a word of ours, such as the name of a phase: a password may be
/// `planning`.
fn keep_own_words(plain: &Value, masker: &Masker) -> Value {
    let mut value = plain.clone();
    for pointer in texts(plain, String::new()) {
        let mut attempt = value.clone();
        if let Some(text) = attempt.pointer_mut(&pointer) {
            masker.mask_value(text);
        }
        if read_back(&attempt).is_ok() {
            value = attempt;
        }
    }
    value
}

/// Returns the JSON pointers of all texts in a value.
fn texts(value: &Value, at: String) -> Vec<String> {
    match value {
        Value::String(_) => vec![at],
        Value::Array(items) => {
            items.iter().enumerate().flat_map(|(index, item)| texts(item, format!("{at}/{index}"))).collect()
        }
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(key, field)| {
                texts(field, format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")))
            })
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// The copy of the log of one run, under git's common folder, which no checkout, stash or reset changes. It is updated after
/// the log and never before, so a log that is an earlier state of its copy was taken back. Whether a person meant that is not
/// known here.
#[derive(Debug, Clone)]
pub struct LogCopy {
    path: PathBuf,
}

impl LogCopy {
    /// Names the copy of the log of an issue's run.
    pub fn of(common: &Path, issue: IssueNumber) -> Self {
        Self { path: issue_folder(common, issue).join("events.jsonl") }
    }

    /// Returns the path of the copy.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the entries of the copy; nothing where there is no copy, or one that is damaged.
    pub fn entries(&self) -> Option<Vec<Entry>> {
        let entries = read_file(&self.path).ok()?.entries;
        if entries.is_empty() { None } else { Some(entries) }
    }

    /// Tells whether a log is an earlier state of its copy.
    pub fn is_ahead_of(&self, log: &Path) -> Result<bool, StoreError> {
        let (copy, found) = (read_ordinary_file(&self.path)?, read_ordinary_file(log)?);
        Ok(copy.zip(found).is_some_and(|(copy, found)| is_earlier(&found, &copy)))
    }

    /// Puts a log back that is an earlier state of its copy.
    pub fn restore(&self, log: &Path) -> Result<(), StoreError> {
        let copy = read_ordinary_file(&self.path)?.unwrap_or_default();
        restore_log(log, &copy).map(drop)
    }

    /// Puts a log back that was cut inside a line of which the copy has the rest. Neither git nor a person who goes back to
    /// an earlier state leaves that.
    pub fn restore_cut_line(&self, log: &Path) -> Result<(), StoreError> {
        let (copy, found) = (read_ordinary_file(&self.path)?, read_ordinary_file(log)?);
        let cut = |found: &Vec<u8>| found.contains(&b'\n') && !found.ends_with(b"\n");
        let (Some(copy), Some(found)) = (copy, found.filter(cut)) else { return Ok(()) };
        if found.len() < copy.len() && copy.starts_with(&found) {
            tracing::warn!("{} was cut inside a line; what was written is put back", log.display());
            replace_durably(log, &copy)?;
        }
        Ok(())
    }

    /// Brings the copy to what the log holds, of which so much is new. It only spares a later process a loss, so what
    /// stands in its way stops nothing.
    fn update(&self, written: &[u8], added: usize) {
        let (before, lines) = written.split_at(written.len() - added);
        let is_there = fs::symlink_metadata(&self.path)
            .is_ok_and(|found| found.is_file() && !before.is_empty() && found.len() == before.len() as u64);
        let done = if is_there { self.add(lines) } else { replace_in_folder(&self.path, written) };
        if let Err(error) = done {
            tracing::debug!("{error}");
        }
    }

    /// Brings a copy that may be older, or of another run, to what the log holds.
    fn catch_up(&self, written: &[u8]) {
        let copy = read_ordinary_file(&self.path).ok().flatten();
        if !written.is_empty() && copy.is_some_and(|copy| copy != written) {
            self.update(written, written.len());
        }
    }

    fn add(&self, lines: &[u8]) -> Result<(), StoreError> {
        let opened = OpenOptions::new().append(true).open(&self.path);
        opened.and_then(|mut file| file.write_all(lines)).map_err(io_error("write to", &self.path))
    }
}

/// Puts a log back that is an earlier state of what was written: a `git checkout` of what is committed leaves that. Tells
/// whether it was.
fn restore_log(log: &Path, written: &[u8]) -> Result<bool, StoreError> {
    let is_shorter = |found: fs::Metadata| found.is_file() && found.len() < written.len() as u64;
    if !fs::symlink_metadata(log).is_ok_and(is_shorter) {
        return Ok(false);
    }
    let was_taken_back = read_ordinary_file(log)?.is_some_and(|found| is_earlier(&found, written));
    if was_taken_back {
        let file = log.display();
        tracing::warn!("{file} was taken back to an earlier state; what was written since is put back");
        replace_durably(log, written)?;
    }
    Ok(was_taken_back)
}

/// Tells whether whole lines are an earlier state of a log. A file that holds nothing was emptied, which git does not do.
fn is_earlier(found: &[u8], written: &[u8]) -> bool {
    found.ends_with(b"\n") && found.len() < written.len() && written.starts_with(found)
}

#[cfg(test)]
mod tests;

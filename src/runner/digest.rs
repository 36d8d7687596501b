//! Random ids, and digests of texts.

use sha2::{Digest, Sha256};

/// Returns an id that nobody can guess: 128 random bits in hex.
pub fn nonce() -> String {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    hex(&bytes)
}

/// Returns the SHA-256 of a text in hex.
pub fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

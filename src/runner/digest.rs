//! Random ids, and digests of texts.

use journal::store::sha256_hex;

/// Returns an id that nobody can guess: 128 random bits in hex.
pub fn nonce() -> String {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    format!("{:032x}", u128::from_be_bytes(bytes))
}

/// Returns the SHA-256 of a text in hex.
pub fn digest(text: &str) -> String {
    sha256_hex(&[text.as_bytes()])
}

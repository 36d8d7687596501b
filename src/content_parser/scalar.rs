//! Numbers, truth values and null as JSON writes them. Strings are `objects`' own matter.

pub(super) fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// Returns where a scalar ends; in the middle of one may stand everything that scalars have.
pub(super) fn scalar_end(bytes: &[u8], from: usize) -> usize {
    let length = bytes[from..].iter().position(|byte| !is_scalar(*byte));
    length.map_or(bytes.len(), |length| from + length)
}

pub(super) fn is_json_scalar(token: &[u8]) -> bool {
    // One digit is by far the most frequent.
    matches!(token, [b'0'..=b'9']) || matches!(token, b"true" | b"false" | b"null") || is_json_number(token)
}

fn is_json_number(token: &[u8]) -> bool {
    let digits = |from: &[u8]| from.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut rest = token.strip_prefix(b"-").unwrap_or(token);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest[0] == b'0') {
        return false;
    }
    rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let length = digits(fraction);
        if length == 0 {
            return false;
        }
        rest = &fraction[length..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = exponent.strip_prefix(b"+").or(exponent.strip_prefix(b"-")).unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

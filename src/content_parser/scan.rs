//! Finds the next of a few bytes. What stands near is found byte by byte, because in hostile texts everything stands near;
//! what stands far is found many bytes at once. Every function returns the length of the text when there is none.

/// So many bytes are looked at one by one before the search for far ones, which has a price of its own, begins.
const NEAR: usize = 16;

/// Returns the position of the next `sought`.
#[inline]
pub(super) fn byte(bytes: &[u8], from: usize, sought: u8) -> usize {
    next(bytes, from, |byte| byte == sought, |far| memchr::memchr(sought, far))
}

/// Returns the position of the next of two bytes.
#[inline]
pub(super) fn either(bytes: &[u8], from: usize, [one, two]: [u8; 2]) -> usize {
    next(bytes, from, |byte| byte == one || byte == two, |far| memchr::memchr2(one, two, far))
}

/// Returns the position of the next of three bytes.
#[inline]
pub(super) fn one_of_three(bytes: &[u8], from: usize, [one, two, three]: [u8; 3]) -> usize {
    let is_sought = |byte| byte == one || byte == two || byte == three;
    next(bytes, from, is_sought, |far| memchr::memchr3(one, two, three, far))
}

#[inline]
fn next(
    bytes: &[u8],
    from: usize,
    is_sought: impl Fn(u8) -> bool,
    far: impl Fn(&[u8]) -> Option<usize>,
) -> usize {
    let near = bytes.len().min(from + NEAR);
    match bytes[from..near].iter().position(|byte| is_sought(*byte)) {
        Some(distance) => from + distance,
        None => far(&bytes[near..]).map_or(bytes.len(), |distance| near + distance),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_byte_is_found_near_and_far_and_not_before_the_start() {
        for distance in [0, 1, NEAR - 1, NEAR, NEAR + 1, 1_000] {
            let text = format!("a{}abc", "-".repeat(distance));
            let bytes = text.as_bytes();
            assert_eq!(byte(bytes, 1, b'a'), distance + 1);
            assert_eq!(either(bytes, 1, *b"cb"), distance + 2);
            assert_eq!(one_of_three(bytes, 1, *b"xyc"), distance + 3);
            assert_eq!(byte(bytes, 1, b'x'), bytes.len());
        }
        assert_eq!((byte(b"a", 1, b'a'), byte(b"", 0, b'a')), (1, 0));
    }
}

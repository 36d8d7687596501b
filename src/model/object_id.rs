//! The ids that git gives to its objects: commits and trees. Knows their form only; whether such an object exists is
//! known to git alone.

/// Says why a text is not the id of a git object. Holds the beginning of the text, escaped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the id of a git object")]
pub struct BadObjectId {
    /// What stood there instead, at most 80 characters of it.
    pub text: String,
}

impl BadObjectId {
    /// Makes the error for a text.
    pub fn new(text: &str) -> Self {
        Self { text: text.escape_debug().take(80).collect() }
    }
}

macro_rules! object_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, derive_more::AsRef, derive_more::Display)]
        #[as_ref(str)]
        pub struct $name(String);

        impl $name {
            /// Returns the id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<&str> for $name {
            type Error = BadObjectId;

            fn try_from(text: &str) -> Result<Self, BadObjectId> {
                if is_object_id(text) { Ok(Self(text.to_owned())) } else { Err(BadObjectId::new(text)) }
            }
        }
    };
}

object_id! {
    /// The id of a commit.
    CommitId
}

object_id! {
    /// The id of a tree: the identity of a set of files.
    Tree
}

impl CommitId {
    /// Returns a name of its tree: where git wants a tree it takes a commit.
    pub fn as_tree(&self) -> Tree {
        Tree(self.0.clone())
    }
}

/// Tells whether a text is a full object id, of SHA-1 or SHA-256.
pub fn is_object_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    matches!(text.len(), 40 | 64) && text.bytes().all(plain)
}

#[cfg(test)]
mod tests;

//! What a run leaves on disk: the log (the truth), the view of it, the locks, the folders, and small files under git's common
//! folder. Knows how to write so that a crash costs nothing; does not know what the facts mean, nor what time it is.

pub mod common_dir;
pub(crate) mod files;
pub mod folders;
pub mod job;
pub mod lock;
pub mod log;
pub(crate) mod view;

pub use files::StoreError;

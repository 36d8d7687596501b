//! By which variables the toolchains of a repository are found. Names only.

/// Variables by which toolchains are found; none of them is a secret.
pub const TOOLCHAINS: [&str; 16] = [
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "JAVA_HOME",
    "GOPATH",
    "GOROOT",
    "GOCACHE",
    "NVM_DIR",
    "NODE_PATH",
    "PNPM_HOME",
    "VIRTUAL_ENV",
    "PYENV_ROOT",
    "GEM_HOME",
    "DENO_DIR",
    "XDG_CACHE_HOME",
    "LD_LIBRARY_PATH",
];

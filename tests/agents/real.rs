//! The real agent programs, end to end, against model servers of our own on loopback: no account, no network, every tool
//! call and every fault as a script says. Run by `.ci/full agents`, which installs the programs.

/// Makes two tests of one that is the same for both programs.
macro_rules! of_both {
    ($($name:ident),+ $(,)?) => {$(
        mod $name {
            use settings::AgentKind;

            #[test]
            #[ignore = "needs the real agent programs: .ci/full agents"]
            fn claude() {
                super::$name(AgentKind::Claude);
            }

            #[test]
            #[ignore = "needs the real agent programs: .ci/full agents"]
            fn codex() {
                super::$name(AgentKind::Codex);
            }
        }
    )+};
}

mod acp;
mod anthropic;
mod calls;
mod faults;
mod network;
mod openai;
mod play;
mod programs;
mod project;
mod recoveries;
mod runs;
mod scene;
mod screenplay;
mod server;
mod smoke;

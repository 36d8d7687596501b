//! Which forge a run works with: GitHub where origin is there and a token is given, else the files beside the code.
//! A run stays with the forge that it was begun with.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::environment::variable;
use crate::failure::{Failure, Result};
use crate::project::Project;
use engine::Run;
use forge::github::{Access, PUBLIC_API, RetryPolicy};
use forge::{Forge, GithubForge, LocalForge};
use git::{CommitId, Credentials, Workspace, retry};
use model::issue::{Issue, IssueNumber};
use settings::ForgeKind;

/// The remote that a run's branch is pushed to and fetched from.
pub(crate) const REMOTE: &str = "origin";
/// Where people see the public GitHub.
const PUBLIC_SERVER: &str = "https://github.com";
/// Where a token is looked for, in this order.
const TOKENS: [&str; 2] = ["GITHUB_TOKEN", "GH_TOKEN"];

/// Nothing may be written to GitHub by this process.
static READS_ONLY: AtomicBool = AtomicBool::new(false);

/// Refuses every write to GitHub from now on.
pub fn only_read() {
    READS_ONLY.store(true, Ordering::SeqCst);
}

/// Returns the forge for an issue without a run.
pub(crate) fn of_issue(project: &Project, number: IssueNumber) -> Result<Forge> {
    match project.settings.forge {
        Some(ForgeKind::Local) => Ok(local(project)),
        Some(ForgeKind::Github) => github(project).map(Forge::Github),
        None if token().is_some() && is_on_github(project)? => github(project).map(Forge::Github),
        None if LocalForge::new(project.root()).has(number) || !is_on_github(project)? => Ok(local(project)),
        None => Err(Failure::usage(format!("issue {number} is on GitHub, and there is no token"))
            .hint("set GITHUB_TOKEN or GH_TOKEN, for example to what `gh auth token` prints")
            .hint(format!("or write the issue into .ai-workflow/local/issues/{number}.md"))),
    }
}

/// Returns the forge that a run was begun with.
pub(crate) fn of_run(project: &Project, run: &Run) -> Result<Forge> {
    let number = run.started.issue.number;
    let kind = if run.started.issue.is_on_a_server() { ForgeKind::Github } else { ForgeKind::Local };
    if let Some(wanted) = project.settings.forge.filter(|wanted| *wanted != kind) {
        let (begun, wanted) =
            if wanted == ForgeKind::Local { ("github", "local") } else { ("local", "github") };
        return Err(Failure::usage(format!(
            "the run of issue {number} was begun with forge {begun}, not {wanted}"
        ))
        .hint(format!(
            "go on without `--forge`, or remove the run with `ai-workflow cleanup --issue {number}`"
        )));
    }
    match kind {
        ForgeKind::Github => Ok(Forge::Github(server_of(&run.started.repository)?)),
        ForgeKind::Local => Ok(local(project)),
    }
}

/// Returns the name of the repository that a run of an issue is in.
pub(crate) fn repository_of(project: &Project, issue: &Issue) -> Result<String> {
    if issue.is_on_a_server() {
        repository(project)
    } else {
        Ok(project.workspace.origin().repository_name()?)
    }
}

/// Returns what lets git push to GitHub where it knows no credentials of its own.
pub(crate) fn credentials() -> Option<Credentials> {
    let (variable, _) = token()?;
    Some(Credentials { server: server(), variable })
}

/// Fetches a branch of origin; returns its commit, where it is there.
pub(crate) fn fetch(project: &Project, branch: &str) -> Result<Option<CommitId>> {
    Ok(project.workspace.remote(REMOTE, credentials().as_ref()).fetch(branch)?)
}

/// Pushes a branch of a worktree to origin, in place of one commit another one where a pair is given.
pub(crate) fn push(workspace: &Workspace, branch: &str, pair: Option<(&CommitId, &CommitId)>) -> Result<()> {
    let credentials = credentials();
    Ok(retry(|| workspace.remote(REMOTE, credentials.as_ref()).push(branch, pair))?)
}

/// Tells whether we work in a job of a server for builds.
pub(crate) fn in_ci() -> bool {
    ["GITHUB_ACTIONS", "CI"].iter().any(|name| variable(name).is_some_and(|value| value == "true"))
}

/// Returns the files beside the code as a forge.
pub(crate) fn local(project: &Project) -> Forge {
    Forge::Local(LocalForge::new(project.root()))
}

/// Returns the GitHub that an event comes from.
pub(crate) fn github(project: &Project) -> Result<GithubForge> {
    server_of(&repository(project)?)
}

/// Returns GitHub where the repository is there and a token is given.
pub fn within_reach(project: &Project) -> Result<Option<GithubForge>> {
    let known = variable("GITHUB_REPOSITORY").is_some() || is_on_github(project)?;
    if known && token().is_some() { github(project).map(Some) } else { Ok(None) }
}

/// Returns a repository on the GitHub that the environment names.
pub(crate) fn server_of(repository: &str) -> Result<GithubForge> {
    let token = token().map(|(_, value)| value).unwrap_or_default();
    let access = Access::new(&api(), repository, &token)?;
    let access = if READS_ONLY.load(Ordering::SeqCst) { access.for_reading() } else { access };
    Ok(GithubForge::new(access, RetryPolicy::default()))
}

/// Returns `owner/name`: what a job says, else what origin's address says.
fn repository(project: &Project) -> Result<String> {
    match variable("GITHUB_REPOSITORY") {
        Some(named) => Ok(named),
        None if is_on_github(project)? => Ok(project.workspace.origin().repository_name()?),
        None => Err(Failure::usage(format!("origin is not on {}", server()))
            .hint("set GITHUB_REPOSITORY to owner/name, and GITHUB_SERVER_URL for a server of your own")),
    }
}

fn is_on_github(project: &Project) -> Result<bool> {
    let host = project.workspace.origin().host()?;
    Ok(host.is_some_and(|host| host.eq_ignore_ascii_case(&server_host())))
}

/// Returns the name of the server, with its port if it has one of its own.
fn server_host() -> String {
    let server = server();
    server.split_once("://").map_or(server.as_str(), |(_, host)| host).to_owned()
}

/// Returns what the addresses for mail end with that the server gives to people who keep theirs to themselves.
pub(crate) fn no_reply_domain() -> String {
    let host = server_host();
    let name = host.split(':').next().unwrap_or_default();
    format!("users.noreply.{name}")
}

/// Returns where people see the GitHub that the environment names.
pub(crate) fn server() -> String {
    variable("GITHUB_SERVER_URL").map_or(PUBLIC_SERVER.to_owned(), |url| url.trim_end_matches('/').to_owned())
}

fn api() -> String {
    let of_server = || {
        let server = server();
        if server == PUBLIC_SERVER { PUBLIC_API.to_owned() } else { format!("{server}/api/v3") }
    };
    variable("GITHUB_API_URL").unwrap_or_else(of_server)
}

fn token() -> Option<(&'static str, String)> {
    TOKENS.into_iter().find_map(|name| Some((name, variable(name)?)))
}

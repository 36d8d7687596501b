//! Where branches and tags stand. Who only reads may move none: the run's own branch is put back, and others are told. They
//! are left alone, because a person may have moved them; what surely is a person's is not told either: branches of other
//! worktrees and runs, and what a fetch brings.

use std::collections::{BTreeMap, BTreeSet};

use super::call::Call;
use super::{IssueSpace, Result, Workspace};
use model::event::issue_of_branch;

const FETCHED: &str = "refs/remotes/";

/// Where branches and tags stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct References {
    /// The branch of this worktree.
    pub(super) head: Option<String>,
    pub(super) tips: BTreeMap<String, String>,
    /// Those that another worktree has checked out.
    pub(super) elsewhere: BTreeSet<String>,
}

impl Workspace {
    /// Returns where branches and tags stand now.
    pub fn references_now(&self) -> Result<References> {
        self.references_by_file().map_or_else(|| self.references_by_git(), Ok)
    }

    fn references_by_git(&self) -> Result<References> {
        const FORMAT: &str = "--format=%(objectname)%00%(refname)%00%(symref)%00%(HEAD)%00%(worktreepath)%00";
        let call = Call::new(["for-each-ref", FORMAT, "refs/heads", "refs/tags", "refs/remotes"]).reading();
        let text = self.git(&call)?.text();
        let fields: Vec<&str> = text.split('\0').map(|field| field.trim_start_matches('\n')).collect();
        let mut now = References::default();
        for fields in fields.chunks_exact(5) {
            let &[tip, name, symbolic, head, worktree] = fields else { continue };
            // What it points to stands in the list as well.
            if !symbolic.is_empty() {
                continue;
            }
            if head == "*" {
                now.head = Some(name.to_owned());
            } else if !worktree.is_empty() {
                now.elsewhere.insert(name.to_owned());
            }
            now.tips.insert(name.to_owned(), tip.to_owned());
        }
        Ok(now)
    }
}

/// What does not stand where it stood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moved {
    /// What is ours, and was put back: its name, and where it was meanwhile.
    pub undone: Vec<String>,
    /// What may be people's as well, and was left alone: its name, and where it stood before.
    pub left: Vec<String>,
}

impl IssueSpace {
    /// Puts the run's branch back, and the worktree on it. Nobody can tell who moved another one, so it is told and left alone.
    pub fn put_references_back(&self, before: &References) -> Result<Moved> {
        let now = self.workspace.references_now()?;
        if now == *before {
            return Ok(Moved::default());
        }
        let own = format!("refs/heads/{}", self.branch());
        let mut moved = Moved::default();
        if let Some(tip) = before.tips.get(&own).filter(|tip| now.tips.get(&own) != Some(tip)) {
            let call = Call::new(["update-ref", "--no-deref", &own, tip]);
            self.workspace.git(&call)?;
            moved.undone.push(now.told(&own));
        }
        if let Some(head) = before.head.as_ref().filter(|head| now.head.as_ref() != Some(head)) {
            self.workspace.git(&Call::new(["symbolic-ref", "HEAD", head]))?;
            moved.undone.push("HEAD".to_owned());
        }
        let others = before.moved(&now).filter(|name| *name != own && is_watched(name));
        moved.left = others.map(|name| before.told(name)).collect();
        Ok(moved)
    }
}

impl References {
    /// Says where a reference stands, as a person would look for what it held.
    fn told(&self, name: &str) -> String {
        match self.tips.get(name) {
            Some(tip) => format!("{name} (was at {})", &tip[..9.min(tip.len())]),
            None => format!("{name} (was not there)"),
        }
    }

    /// Returns what does not stand where it stood, for which no person is likely to be the reason.
    fn moved<'a>(&'a self, now: &'a Self) -> impl Iterator<Item = &'a str> {
        let names: BTreeSet<&str> = self.tips.keys().chain(now.tips.keys()).map(String::as_str).collect();
        let fetched = self.fetched().ne(now.fetched());
        let elsewhere = |name: &str| {
            let was = self.elsewhere.contains(name) || !self.tips.contains_key(name);
            was && now.elsewhere.contains(name)
        };
        let by_a_fetch =
            move |name: &str| fetched && name.starts_with("refs/tags/") && !self.tips.contains_key(name);
        let differs = |name: &str| self.tips.get(name) != now.tips.get(name);
        names.into_iter().filter(move |name| differs(name) && !elsewhere(name) && !by_a_fetch(name))
    }

    fn fetched(&self) -> impl Iterator<Item = (&String, &String)> {
        self.tips.iter().filter(|(name, _)| name.starts_with(FETCHED))
    }
}

fn is_watched(name: &str) -> bool {
    let is_of_a_run =
        name.strip_prefix("refs/heads/").is_some_and(|branch| issue_of_branch(branch).is_some());
    !(name.starts_with(FETCHED) || is_of_a_run)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references(tips: &[(&str, &str)], elsewhere: &[&str]) -> References {
        let tips = tips.iter().map(|(name, tip)| ((*name).to_owned(), (*tip).to_owned())).collect();
        let elsewhere = elsewhere.iter().map(|name| (*name).to_owned()).collect();
        References { head: None, tips, elsewhere }
    }

    #[test]
    fn what_moved_came_or_went_is_seen_and_what_people_do_is_left_alone() {
        let before = references(
            &[("refs/heads/a", "1"), ("refs/heads/b", "1"), ("refs/heads/c", "1"), ("refs/tags/t", "1")],
            &["refs/heads/c"],
        );
        let now = references(
            &[
                ("refs/heads/a", "2"),
                ("refs/heads/c", "2"),
                ("refs/heads/d", "2"),
                ("refs/heads/e", "2"),
                ("refs/tags/t", "1"),
            ],
            &["refs/heads/c", "refs/heads/a", "refs/heads/e"],
        );
        assert_eq!(before.moved(&now).collect::<Vec<_>>(), ["refs/heads/a", "refs/heads/b", "refs/heads/d"]);
        let mut fetched = before.clone();
        fetched.tips.insert("refs/tags/new".into(), "3".into());
        assert_eq!(before.moved(&fetched).collect::<Vec<_>>(), ["refs/tags/new"]);
        fetched.tips.insert("refs/remotes/origin/main".into(), "3".into());
        assert!(!before.moved(&fetched).any(|name| name == "refs/tags/new"));
    }

    #[test]
    fn branches_of_other_runs_and_of_servers_are_not_told() {
        assert!(["refs/heads/main", "refs/tags/v1"].iter().all(|name| is_watched(name)));
        let others = ["refs/heads/ai-workflow/issue-21", "refs/remotes/origin/main"];
        assert!(!others.iter().any(|name| is_watched(name)));
    }
}

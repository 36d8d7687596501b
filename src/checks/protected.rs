//! Paths that no agent may change: `[checks] protected` and `protected_by_default`, without those of `allowed`; and those whose
//! change is worth a look: `noted`.

use super::{CheckResult, Patterns, Place, Site, file, if_failed, judge_places};

pub(super) const ID: &str = "protected";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let settings = site.settings;
    let protected = Patterns::folding(settings.protected.iter().chain(&settings.protected_by_default));
    let allowed = Patterns::exact(&settings.allowed);
    let is_protected = |path: &&String| protected.hold(path) && !allowed.hold(path);
    let touched: Vec<&str> = site.changed.iter().filter(is_protected).map(String::as_str).collect();
    let places = touched.iter().map(|path| file(path, "is protected")).collect();
    let params = [("code", "E_PROTECTED".into()), ("paths", touched.join(", ").into())];
    if_failed(judge_places(ID, places), params)
}

/// Manifests and lock files: a change of them is told to people and reviewers and refuses nothing.
pub(super) fn noted(site: &Site<'_>) -> Vec<Place> {
    let noted = Patterns::folding(site.settings.noted.iter());
    let touched = site.changed.iter().filter(|path| noted.hold(path));
    touched.map(|path| file(path, "changed")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckStatus;
    use crate::scene::Scene;
    use model::change::Change;

    fn status(path: &str) -> CheckStatus {
        let made = Scene::of([Change::of_texts(path, Some("a"), Some("b"))]);
        examine(&made.site()).status
    }

    #[test]
    fn ci_files_code_owners_and_what_instructs_agents_are_protected_by_default() {
        for path in [
            ".github/workflows/x.yml",
            ".gitlab-ci.yml",
            "CODEOWNERS",
            "docs/CODEOWNERS",
            ".gitlab/CODEOWNERS",
            "CLAUDE.md",
            "agents.md",
            "sub/dir/.claude/settings.json",
            "sub/AGENTS.md",
            ".mcp.json",
            "WARP.md",
            "sub/.trae/rules.md",
            ".augment/rules.md",
            ".tekton/pipeline.yaml",
            "ci/Jenkinsfile.release",
            ".windsurfrules",
            ".cargo/config.toml",
            ".gitmodules",
            ".husky/pre-commit",
            ".githooks/pre-push",
            ".ai-workflow/config.toml",
            ".ai-workflow/prompts/planning/execute.md",
            ".ai-workflow/steps_registry.json",
        ] {
            assert_eq!(status(path), CheckStatus::Fail, "{path}");
        }
    }

    #[test]
    fn ordinary_files_are_not_protected() {
        for path in [
            "src/lib.rs",
            "docs/agents.rst",
            "README.md",
            "Cargo.toml",
            "src/codeowners.rs",
            ".github/ISSUE_TEMPLATE/bug.md",
            ".ai-workflow/issue-7/00_planning/output/planning.md",
            "src/claude/mod.rs",
            ".gitignore",
        ] {
            assert_eq!(status(path), CheckStatus::Pass, "{path}");
        }
    }

    #[test]
    fn an_exception_is_made_by_a_person_and_means_exactly_what_it_says() {
        let mut made = Scene::of([
            Change::of_texts("AGENTS.md", None, Some("b")),
            Change::of_texts("agents.md", None, Some("b")),
        ]);
        made.settings.allowed = vec!["AGENTS.md".to_owned()];
        let result = examine(&made.site());
        assert_eq!((result.param("paths"), result.param("code")), (Some("agents.md"), Some("E_PROTECTED")));
    }

    #[test]
    fn manifests_and_lock_files_are_named() {
        let made = Scene::of(
            ["Cargo.lock", "sub/package.json", "requirements-dev.txt", "src/lib.rs"]
                .map(|path| Change::of_texts(path, Some("a"), Some("b"))),
        );
        let result = judge_places("noted", noted(&made.site()));
        assert_eq!(result.status, CheckStatus::Fail);
        let files: Vec<_> = result.places.iter().filter_map(|place| place.file.as_deref()).collect();
        assert_eq!(files, ["Cargo.lock", "requirements-dev.txt", "sub/package.json"]);
    }

    #[test]
    fn other_files_are_not_worth_a_note() {
        let made = Scene::of([Change::of_texts("src/cargo.rs", Some("a"), Some("b"))]);
        assert_eq!(judge_places("noted", noted(&made.site())).status, CheckStatus::Pass);
    }
}

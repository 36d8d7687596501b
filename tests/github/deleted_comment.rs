//! A progress comment that somebody deletes is made once more, once in a run; whichever process goes on knows that.

use super::run::Scene;

impl Scene {
    fn ids(&self) -> Vec<u64> {
        self.github.state().comments.iter().map(|comment| comment.id).collect()
    }

    fn known_id(&self) -> Option<u64> {
        self.sandbox.metadata()["github_integration"]["progress_comment_id"].as_u64()
    }

    /// Has a process go on until the budget is used.
    fn works_on_until(&self, calls: u32) {
        self.execute("", &["--set", &format!("budget.calls={calls}")]).exits(3);
    }
}

#[test]
fn a_deleted_progress_comment_is_replaced_once_and_its_id_is_recorded() {
    let scene = Scene::new();
    scene.works_on_until(3);
    let first = scene.ids()[0];
    scene.github.delete_comment(first);
    scene.works_on_until(6);
    let second = scene.ids();
    assert_eq!(second.len(), 1, "{second:?}");
    assert_ne!(second[0], first);
    assert_eq!(scene.known_id(), Some(second[0]));
    scene.on_another_machine();
    scene.works_on_until(9);
    assert_eq!(scene.ids(), second, "another process edits it");
    scene.within_the_contract();
}

#[test]
fn comment_deleted_twice_is_not_replaced_again() {
    let scene = Scene::new();
    scene.works_on_until(3);
    scene.github.delete_comment(scene.ids()[0]);
    scene.works_on_until(6);
    scene.github.delete_comment(scene.ids()[0]);
    scene.execute("", &["--set", "budget.calls=100"]).exits(0).says("The progress comment cannot be written");
    assert!(scene.ids().is_empty(), "{:?}", scene.ids());
    scene.draft();
}

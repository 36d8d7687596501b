//! Q6: the work is not declared complete when it is not. A declaration alone is no offence: it counts where nothing can be seen
//! of the work, or where another check of the same round failed. With `early_termination_strict` every phrase counts.

use super::{
    CheckResult, CheckStatus, MOST_TOLD, Place, Site, any_of, files, judge_places, of_answer, own_lines,
};
use model::event::ClaimStatus;
use model::policy::OnFail;

const ID: &str = "early_termination";

pattern!(PHRASE, &any_of("early_termination", "phrases"));
pattern!(STATEMENT, &any_of("early_termination", "statements"));

pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    let missing = files::lack_of_evidence(site);
    let mut places = literals(site);
    if site.settings.counts_every_declaration() || missing.is_some() {
        let what = missing.unwrap_or("declarations of completion are not allowed here");
        let claimed = missing.is_some() && claims_completion(site);
        let declared = phrase(site).or(claimed.then_some("completed"));
        places.extend(declared.map(|words| of_answer(format!("it declares `{words}`, but: {what}"))));
    }
    places
}

/// Returns the phrase by which the author declares the work complete; a statement that was asked for is none.
fn phrase<'s>(site: &Site<'s>) -> Option<&'s str> {
    let mut lines = own_lines(site.answer?).into_iter().filter(|(_, line)| !STATEMENT.is_match(line));
    lines.find_map(|(_, line)| Some(PHRASE.find(line)?.as_str().trim()))
}

fn claims_completion(site: &Site<'_>) -> bool {
    site.claim.is_some_and(|claim| claim.status == ClaimStatus::Completed)
}

/// Texts of the configuration count as written, in the author's own lines.
fn literals(site: &Site<'_>) -> Vec<Place> {
    let literals = site.settings.early_termination_patterns.iter().filter(|text| !text.trim().is_empty());
    let lines = own_lines(site.answer.unwrap_or_default()).into_iter();
    let found = lines.filter_map(|(_, line)| literals.clone().find(|text| line.contains(*text)));
    found.map(|literal| of_answer(format!("it says `{literal}`"))).collect()
}

/// Adds what a declaration of completion leaves out when other checks of the round failed. Never turns a good round bad: it
/// says something only where something else failed already.
pub(super) fn contradicted(results: &mut [CheckResult], site: &Site<'_>) {
    let lines = own_lines(site.answer.unwrap_or_default());
    let says_complete = lines.iter().any(|(_, line)| STATEMENT.is_match(line));
    let is_declared = claims_completion(site) || phrase(site).is_some() || says_complete;
    let failed: Vec<String> = results.iter().filter(|result| demands(result, site)).map(told).collect();
    let Some(own) = results.iter_mut().find(|result| result.check == ID) else { return };
    if failed.is_empty() || !is_declared {
        return;
    }
    own.places.push(of_answer(format!("declared completed, but: {}", failed.join(", "))));
    *own = judge_places(ID, std::mem::take(&mut own.places));
    own.params.insert("category".into(), ID.into());
}

/// Tells whether a result is a failure that something has to be done about.
fn demands(result: &CheckResult, site: &Site<'_>) -> bool {
    let rule = site.phase.policy.checks.iter().find(|rule| rule.id == result.check);
    let noted = rule.is_some_and(|rule| rule.on_fail == OnFail::Note);
    result.status == CheckStatus::Fail && result.check != ID && !noted && !result.asks
}

fn told(result: &CheckResult) -> String {
    let summary: String = result.summary.chars().take(MOST_TOLD).collect();
    format!("{} failed ({summary})", result.check)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{failure, passed};
    use crate::scene::{Scene, gist};

    fn examine(site: &Site<'_>) -> CheckResult {
        judge_places("early_termination", places(site))
    }

    fn said(scene: &Scene) -> String {
        gist(&scene.shown_to(examine))
    }

    #[test]
    fn a_declaration_counts_when_nothing_can_be_seen() {
        for words in [
            "完了しました",
            "これで完了です。",
            "以上です",
            "作業は終了です",
            "実装完了",
            "This completes it.",
            "x\nDone.\n",
            "That's all!",
        ] {
            assert_eq!(said(&Scene::answering(words)), "answer", "{words}");
            let mut seen = Scene::adding("a.rs", "fn a() {}");
            seen.answer = Some(words.to_owned());
            assert_eq!(said(&seen), "pass", "{words}");
            seen.settings.template_strict = true;
            assert_eq!(said(&seen), "pass", "{words}: a switch of the template");
            seen.settings.early_termination_strict = true;
            assert_eq!(said(&seen), "answer", "{words}");
            seen.settings.early_termination_strict = false;
            seen.settings.strict = true;
            assert_eq!(said(&seen), "answer", "{words}");
        }
        assert_eq!(said(&Scene::new().claiming(&[])), "answer");
        for words in [
            "Created the file as requested.",
            "> 完了しました\n\n```\nDone.\n```",
            "It is done. Nothing is left.",
            "",
        ] {
            assert_eq!(said(&Scene::answering(words)), "pass", "{words}");
        }
    }

    #[test]
    fn the_statement_that_is_demanded_is_exempt() {
        let mut scene = Scene::adding("a.rs", "fn a() {}");
        scene.settings.strict = true;
        scene.answer = Some("COMPLETE: All 3 requirements fulfilled".into());
        assert_eq!(said(&scene), "pass");
        scene.settings.early_termination_patterns = vec!["good enough".into()];
        scene.answer = Some("That is good enough.".into());
        assert_eq!(said(&scene), "answer");
    }

    #[test]
    fn a_false_declaration_is_told_beside_what_failed() {
        let scene = Scene::adding("a.rs", "fn a() {}").claiming(&[]);
        let round = |failed: bool| {
            let tests = if failed { failure("tests", "p", "2 failed", &[]) } else { passed("tests", "") };
            let mut results = vec![passed(ID, "fine"), tests];
            scene.shown_to(|site| contradicted(&mut results, site));
            results.remove(0)
        };
        assert_eq!(round(false), passed(ID, "fine"));
        let told = round(true);
        assert_eq!(told.places, [of_answer("declared completed, but: tests failed (2 failed)")]);
        assert_eq!((told.status, told.param("category")), (CheckStatus::Fail, Some("early_termination")));
        let mut silent = vec![passed(ID, "fine"), failure("tests", "p", "2 failed", &[])];
        Scene::adding("a.rs", "x").shown_to(|site| contradicted(&mut silent, site));
        assert_eq!(silent[0], passed(ID, "fine"));
    }
}

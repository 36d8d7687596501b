//! Which agents work and review: `auto` becomes an agent that is there, and where nobody has named a reviewer one is
//! found that fits the author. Both are pinned when a run begins, and told with the reason.
//! Commands, scripts and ACP agents are reviewed by the same program in a fresh process; claude and codex by each other,
//! else by another model, else by themselves, which is told as a warning. Asks programs about themselves at most; calls no model.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::door::{Door, runtime};
use super::failure::{Failure, Kind};
use agents::{self, AgentSpec, Examined, Profile, examine};
use model::policy::Agreement;
use process::own_program;
use settings::Settings;

/// What is chosen from.
struct Choice<'a> {
    settings: &'a Settings,
    profiles: &'a BTreeMap<String, Profile>,
    /// Says why an agent cannot be used.
    why_not: &'a dyn Fn(&AgentSpec) -> Option<String>,
}

/// A chain of agents, and what a person should know about it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) chain: Vec<String>,
    pub(super) told: Vec<Told>,
}

/// Why an agent was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Told {
    Note(String),
    Warning(String),
}

/// Puts agents that are there in place of `auto`, and fitting reviewers where nobody has named any. Returns why.
pub(super) fn choose(door: &Door, agreement: &mut Agreement) -> Result<Vec<Told>, Failure> {
    let mut told = Vec::new();
    let mut keep = |chosen: Chosen| {
        let fresh: Vec<Told> = chosen.told.into_iter().filter(|line| !told.contains(line)).collect();
        told.extend(fresh);
        chosen.chain
    };
    with_choice(door, |choice| {
        for phase in &mut agreement.phases {
            phase.agents = keep(choice.concrete(&phase.agents)?);
            let is_said = choice.is_reviewer_said(phase.name.as_str());
            let reviewers =
                if is_said { choice.concrete(&phase.reviewers)? } else { choice.fitting(&phase.agents) };
            phase.reviewers = keep(reviewers);
            let of_seats = phase.panel.iter_mut().map(|seat| &mut seat.agents);
            for chain in phase.step_agents.values_mut().chain(of_seats) {
                *chain = keep(choice.concrete(chain)?);
            }
        }
        Ok::<_, Failure>(())
    })?;
    Ok(told)
}

/// Returns agents that are named now, and their reviewers; without any the ones that fit.
pub(super) fn choose_again(
    door: &Door,
    agents: &[String],
    reviewers: Option<&[String]>,
) -> Result<(Chosen, Chosen), Failure> {
    with_choice(door, |choice| {
        let agents = choice.concrete(agents)?;
        let reviewers = match reviewers {
            Some(named) => choice.concrete(named)?,
            None => choice.fitting(&agents.chain),
        };
        Ok((agents, reviewers))
    })
}

/// Tells what `auto` stands for on this machine, and why.
pub(super) fn auto(door: &Door) -> Result<String, Failure> {
    with_choice(door, |choice| choice.auto().map(|(_, why)| why))
}

/// Hands over what there is to choose from on this machine.
fn with_choice<T>(door: &Door, ask: impl FnOnce(&Choice<'_>) -> T) -> T {
    let (profiles, known) = (door.profiles(), RefCell::new(BTreeMap::new()));
    let why_not = |spec: &AgentSpec| {
        let name = spec.to_string();
        let known = &mut *known.borrow_mut();
        known.entry(name).or_insert_with(|| why_not(spec, &examined(door, spec, &profiles))).clone()
    };
    ask(&Choice { settings: &door.settings, profiles: &profiles, why_not: &why_not })
}

/// Asks the program of an agent about itself.
pub(super) fn examined(door: &Door, spec: &AgentSpec, profiles: &BTreeMap<String, Profile>) -> Examined {
    let spec = spec.clone().seen_from(door.root());
    match runtime() {
        Ok(runtime) => runtime.block_on(examine(&spec, profiles, &own_program())),
        Err(failure) => Examined { remark: Some(failure.message), ..Examined::default() },
    }
}

/// Says why an agent cannot be used, as far as that shows without calling it.
fn why_not(spec: &AgentSpec, examined: &Examined) -> Option<String> {
    let signed_out = || format!("{spec} is not signed in");
    (!examined.is_usable()).then(|| examined.remark.clone().unwrap_or_else(signed_out))
}

impl Told {
    /// Logs it.
    pub(super) fn tell(&self) {
        match self {
            Self::Note(text) => tracing::info!("{text}"),
            Self::Warning(text) => tracing::warn!("{text}"),
        }
    }
}

impl Choice<'_> {
    fn is_reviewer_said(&self, phase: &str) -> bool {
        let own = self.settings.phases.get(phase).and_then(|keys| keys.reviewer.as_ref());
        own.is_some_and(|names| !names.0.is_empty()) || !self.settings.reviewer.0.is_empty()
    }

    /// Returns a chain with agents that are there in place of `auto`, each agent once.
    fn concrete(&self, chain: &[String]) -> Result<Chosen, Failure> {
        let mut chosen = Chosen::default();
        for name in chain {
            if name == "auto" {
                let (found, why) = self.auto()?;
                chosen.told.push(Told::Note(why));
                chosen.add(found);
            } else {
                chosen.add(name.clone());
            }
        }
        Ok(chosen)
    }

    /// Returns what `auto` stands for here, and why.
    fn auto(&self) -> Result<(String, String), Failure> {
        let mut missing = Vec::new();
        for name in ["claude", "codex"] {
            match self.why_not_named(name) {
                None if missing.is_empty() => {
                    return Ok((name.to_owned(), format!("auto is {name}: it is there, and asked first")));
                }
                None => return Ok((name.to_owned(), format!("auto is {name}: {}", missing.join(", ")))),
                Some(why) => missing.push(why),
            }
        }
        let told = format!("the agent `auto` cannot be used: {}", missing.join(", "));
        Err(Failure::new(Kind::NoAgent, told)
            .hint("install one of them and sign in, or name an agent: --agent command:PATH"))
    }

    fn why_not_named(&self, name: &str) -> Option<String> {
        name.parse().ok().and_then(|spec| (self.why_not)(&spec))
    }

    /// Returns reviewers that fit a chain of authors.
    fn fitting(&self, authors: &[String]) -> Chosen {
        let mut chosen = Chosen::default();
        for author in authors {
            let fit = self.fit(author);
            chosen.told.extend(fit.told);
            fit.chain.into_iter().for_each(|name| chosen.add(name));
        }
        chosen
    }

    fn fit(&self, author: &str) -> Chosen {
        let (name, model) = match author.parse() {
            Ok(AgentSpec::Claude { model }) => ("claude", model),
            Ok(AgentSpec::Codex { model }) => ("codex", model),
            Ok(AgentSpec::Profile { name }) if self.thinks_alone(&name) => {
                return by_itself(author, "it is the only agent at its address");
            }
            _ => return Chosen { chain: vec![author.to_owned()], told: Vec::new() },
        };
        let other = if name == "claude" { "codex" } else { "claude" };
        let mut chain = Vec::new();
        let missing = self.why_not_other(name, other);
        if missing.is_none() {
            chain.push(other.to_owned());
        }
        chain.extend(self.second(name, model.as_deref()));
        match (missing, chain.first()) {
            (None, _) => Chosen { chain, told: Vec::new() },
            (Some(why), Some(second)) => {
                let second = if second == name { format!("another model of {name}") } else { second.clone() };
                let told = format!("{second} reviews the work of {author}: {why}");
                Chosen { told: vec![Told::Note(told)], chain }
            }
            (Some(why), None) => by_itself(author, &why),
        }
    }

    /// Tells whether an own agent is a model behind claude or codex.
    fn thinks_alone(&self, name: &str) -> bool {
        self.profiles
            .get(name)
            .is_some_and(|profile| matches!(profile.kind, agents::Kind::Claude | agents::Kind::Codex))
    }

    /// Says why the other program cannot review. What somebody keeps on a model of their own is not sent elsewhere.
    fn why_not_other(&self, name: &str, other: &str) -> Option<String> {
        if self.has_own_address(name) && !self.has_own_address(other) {
            return Some(format!("{name} works at an address of its own, {other} does not"));
        }
        self.why_not_named(other)
    }

    fn has_own_address(&self, name: &str) -> bool {
        self.profiles.get(name).is_some_and(|profile| profile.base_url.is_some())
    }

    /// Returns the same program with another model; which one is left open where the difficulty chooses.
    fn second(&self, name: &str, model: Option<&str>) -> Option<String> {
        let second = self.second_model(name, model)?;
        let has_model = self.profiles.get(name).is_some_and(|profile| profile.model.is_some());
        let is_open = self.settings.auto_model && !has_model;
        Some(if is_open { name.to_owned() } else { format!("{name}:{second}") })
    }

    /// Returns the model of the same program that reviews a model; at another address its name would mean nothing.
    fn second_model(&self, name: &str, model: Option<&str>) -> Option<&str> {
        if self.has_own_address(name) {
            return None;
        }
        let models = self.settings.second_models.get(name)?;
        let own = model.or_else(|| self.profiles.get(name)?.model.as_deref());
        let second = own.and_then(|own| models.get(own)).or_else(|| models.get("default"))?;
        (own != Some(second.as_str())).then_some(second)
    }
}

impl Chosen {
    fn add(&mut self, name: String) {
        if !self.chain.contains(&name) {
            self.chain.push(name);
        }
    }
}

fn by_itself(author: &str, why: &str) -> Chosen {
    let told =
        format!("{author} reviews its own work, in a fresh process: {why}; `--reviewer` names another one");
    Chosen { chain: vec![author.to_owned()], told: vec![Told::Warning(told)] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiles::profiles;
    use settings::{Layers, load};

    /// Chooses with these programs on the machine and this configuration.
    fn with<T>(there: &[&str], text: &str, ask: impl FnOnce(&Choice<'_>) -> T) -> T {
        let layers = Layers { repository: Some(("config.toml".into(), text.into())), ..Layers::default() };
        let settings = load(&layers).expect("a good file");
        let profiles = profiles(&settings);
        let why_not = |spec: &AgentSpec| {
            let name = spec.to_string();
            (!there.iter().any(|known| *known == name)).then(|| format!("{name} was not found"))
        };
        ask(&Choice { settings: &settings, profiles: &profiles, why_not: &why_not })
    }

    fn names(chain: &[&str]) -> Vec<String> {
        chain.iter().map(|name| (*name).to_owned()).collect()
    }

    fn reviewers(there: &[&str], text: &str, authors: &[&str]) -> (String, Vec<Told>) {
        let chosen = with(there, text, |choice| choice.fitting(&names(authors)));
        (chosen.chain.join(" "), chosen.told)
    }

    #[test]
    fn plain_programs_are_reviewed_by_themselves() {
        for author in ["command:./fake", "scripted:x.toml", "acp:gemini --acp", "mine"] {
            let text = "[agents.mine]\ncommand = ['mine']";
            assert_eq!(reviewers(&[], text, &[author]), (author.to_owned(), vec![]));
        }
    }

    #[test]
    fn claude_and_codex_review_each_other_and_else_another_model_does() {
        let both = &["claude", "codex"][..];
        assert_eq!(reviewers(both, "", &["claude"]), ("codex claude:opus".into(), vec![]));
        assert_eq!(reviewers(both, "", &["claude:opus"]).0, "codex claude:sonnet");
        assert_eq!(reviewers(both, "", &["codex"]).0, "claude codex:gpt-6-sol");
        let note = |text: &str| vec![Told::Note(text.to_owned())];
        assert_eq!(
            reviewers(&["claude"], "", &["claude:opus"]),
            (
                "claude:sonnet".into(),
                note("claude:sonnet reviews the work of claude:opus: codex was not found")
            )
        );
        let profile = "[agents.claude]\nmodel = 'opus'";
        assert_eq!(reviewers(&["claude"], profile, &["claude"]).0, "claude:sonnet");
    }

    #[test]
    fn where_the_difficulty_chooses_the_second_model_is_left_open() {
        let auto = "auto_model = true";
        assert_eq!(reviewers(&["claude", "codex"], auto, &["claude"]), ("codex claude".into(), vec![]));
        assert_eq!(reviewers(&["claude", "codex"], auto, &["codex"]).0, "claude codex");
        let told = "another model of claude reviews the work of claude: codex was not found";
        let alone = reviewers(&["claude"], auto, &["claude"]);
        assert_eq!(alone, ("claude".into(), vec![Told::Note(told.to_owned())]));
        let fixed = "auto_model = true\n[agents.claude]\nmodel = 'opus'";
        assert_eq!(reviewers(&["claude"], fixed, &["claude"]).0, "claude:sonnet");
    }

    #[test]
    fn every_author_of_a_chain_has_its_reviewer() {
        let chain = reviewers(&["claude", "codex"], "", &["claude:opus", "codex"]).0;
        assert_eq!(chain, "codex claude:sonnet claude codex:gpt-6-sol");
        assert_eq!(reviewers(&["claude"], "", &["claude:opus", "command:x"]).0, "claude:sonnet command:x");
    }

    #[test]
    fn who_reviews_itself_is_warned_of() {
        let warning = |text: &str| vec![Told::Warning(format!("{text}; `--reviewer` names another one"))];
        let local = "[agents.claude]\nbase_url = 'http://localhost:1'";
        assert_eq!(
            reviewers(&["claude", "codex"], local, &["claude:qwen"]),
            (
                "claude:qwen".into(),
                warning(
                    "claude:qwen reviews its own work, in a fresh process: claude works at an address of its own, codex does not"
                )
            )
        );
        let profile = "[agents.local]\nkind = 'claude'\nbase_url = 'http://localhost:1'";
        let (chain, told) = reviewers(&["claude", "codex", "local"], profile, &["local"]);
        assert_eq!((chain.as_str(), told.len()), ("local", 1));
        let both = format!("{local}\n[agents.codex]\nbase_url = 'http://localhost:2'");
        assert_eq!(reviewers(&["claude", "codex"], &both, &["claude"]), ("codex".into(), vec![]));
    }

    #[test]
    fn auto_becomes_the_first_that_is_there() {
        let auto = |there: &[&str]| {
            with(there, "", |choice| choice.concrete(&names(&["auto", "codex", "command:x"])))
                .map(|chosen| (chosen.chain.join(" "), chosen.told))
                .map_err(|failure| (failure.kind, failure.message))
        };
        let note = |text: &str| vec![Told::Note(text.to_owned())];
        let first = "auto is claude: it is there, and asked first";
        assert_eq!(auto(&["claude", "codex"]), Ok(("claude codex command:x".into(), note(first))));
        let second = "auto is codex: claude was not found";
        assert_eq!(auto(&["codex"]), Ok(("codex command:x".into(), note(second))));
        let nothing = "the agent `auto` cannot be used: claude was not found, codex was not found";
        assert_eq!(auto(&[]), Err((Kind::NoAgent, nothing.to_owned())));
    }
}

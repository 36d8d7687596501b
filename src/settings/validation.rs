//! What each key allows by itself and the whole does not: needs in a circle, limits beyond reason, policies that judge nothing.
//! Returns the first thing found as a key and what is wrong with it; the place is added where the settings are loaded.
//! Whether the program of an agent is installed is not asked here.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::command_line::split_words;
use super::defined_check::{defined_check, is_plain_name};
use super::error::{RefusedKey, describe_bad_amount, names_no, refuse, refuse_if};
use super::keys::{AgentKeys, AgentKind, Keys, PhaseKeys, split_at_commas};
use super::registry::StepsRegistry;
use model::phase::{PhaseName, is_answer_document};
use model::policy::{FailurePattern, FirstStep, OnFail, PanelReviewer, Policy, PolicyLimits};

/// Returns the first contradiction. The order matters: later rules rely on names that earlier ones have seen.
pub(super) fn validate(keys: &Keys, registry: Option<&StepsRegistry>) -> Result<(), RefusedKey> {
    check_phase_names(keys)?;
    check_language(keys)?;
    check_agent_chains(keys)?;
    check_agent_profiles(keys)?;
    check_references(keys)?;
    check_phase_lists(keys)?;
    check_policies(keys)?;
    check_panels(keys)?;
    check_answers(keys)?;
    check_limits(keys)?;
    check_commands(keys)?;
    check_defined_checks(keys)?;
    check_registry_steps(keys, registry)
}

fn check_language(keys: &Keys) -> Result<(), RefusedKey> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let language = &keys.language;
    let is_tag = !language.is_empty() && language.len() <= 35 && language.chars().all(is_plain);
    refuse_if(!is_tag, "language", "has to be a language tag such as `en` or `ja`")
}

/// Refuses names that become part of paths and cannot.
fn check_phase_names(keys: &Keys) -> Result<(), RefusedKey> {
    let mut numbers = BTreeSet::new();
    for (name, phase) in &keys.phases {
        if let Err(error) = name.parse::<PhaseName>() {
            return refuse(format!("phases.{name}"), format!("has no usable name: {error}"));
        }
        let what = "has to be a plain file name: letters, digits, `.`, `-` and `_`";
        refuse_if(!is_file_name(&phase.output), format!("phases.{name}.output"), what)?;
        let what = "is the name of a document that the engine writes; name another file";
        refuse_if(is_answer_document(&phase.output), format!("phases.{name}.output"), what)?;
        let prompts = phase.prompts.as_ref();
        let is_plain = prompts.is_none_or(|folder| folder.parse::<PhaseName>().is_ok());
        let what = "has to be the name of a folder below `prompts/`, such as `planning`";
        refuse_if(!is_plain, format!("phases.{name}.prompts"), what)?;
        let is_taken = phase.number.is_some_and(|number| number > 99 || !numbers.insert(number));
        refuse_if(is_taken, format!("phases.{name}.number"), "has to be below 100 and its own")?;
    }
    Ok(())
}

fn is_file_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    !name.is_empty() && !name.starts_with('.') && name.chars().all(is_plain)
}

/// Refuses names of phases, policies and presets that nothing is behind.
fn check_references(keys: &Keys) -> Result<(), RefusedKey> {
    check_known_phases(keys, "order", &keys.order)?;
    check_known_phases(keys, "skip_phases", &keys.skip_phases)?;
    for (name, phase) in &keys.phases {
        check_known_phases(keys, &format!("phases.{name}.needs"), &phase.needs)?;
    }
    for (name, preset) in &keys.presets {
        check_known_phases(keys, &format!("presets.{name}.phases"), &preset.phases)?;
    }
    for (name, phase) in &keys.phases {
        let what = names_no("policy", &phase.policy, keys.policies.keys().map(String::as_str));
        refuse_if(!keys.policies.contains_key(&phase.policy), format!("phases.{name}.policy"), what)?;
    }
    let what = names_no("policy", &keys.step_policy, keys.policies.keys().map(String::as_str));
    refuse_if(!keys.policies.contains_key(&keys.step_policy), "step_policy", what)?;
    let Some(name) = &keys.preset else { return Ok(()) };
    let what = names_no("preset", name, keys.presets.keys().map(String::as_str));
    refuse_if(!keys.presets.contains_key(name), "preset", what)
}

fn check_known_phases(keys: &Keys, key: &str, list: &[String]) -> Result<(), RefusedKey> {
    let Some(missing) = list.iter().find(|name| !keys.phases.contains_key(*name)) else { return Ok(()) };
    refuse(key, names_no("phase", missing, keys.phases.keys().map(String::as_str)))
}

/// Refuses lists that cannot be walked, and a phase that would never run.
fn check_phase_lists(keys: &Keys) -> Result<(), RefusedKey> {
    if let Some(name) = keys.phases.keys().find(|name| keys.needs_up_to(name, &[]).contains(name)) {
        return refuse(format!("phases.{name}.needs"), "leads back to the phase itself");
    }
    check_list_of_phases(keys, "order", &keys.order)?;
    for (name, preset) in &keys.presets {
        check_list_of_phases(keys, &format!("presets.{name}.phases"), &preset.phases)?;
    }
    let is_listed = |name: &String| {
        keys.order.contains(name) || keys.presets.values().any(|preset| preset.phases.contains(name))
    };
    let Some(name) = keys.phases.keys().find(|name| !is_listed(name)) else { return Ok(()) };
    refuse(format!("phases.{name}"), "is neither in `order` nor in a preset: it would never run")
}

fn check_list_of_phases(keys: &Keys, key: &str, list: &[String]) -> Result<(), RefusedKey> {
    refuse_if(list.is_empty(), key, "has to name at least one phase")?;
    let mut before = BTreeSet::new();
    for name in list {
        refuse_if(!before.insert(name), key, format!("names `{name}` twice"))?;
        if let Some(need) = keys.needs_within(name, list).into_iter().find(|need| !before.contains(need)) {
            return refuse(key, format!("puts `{name}` before `{need}`, which it needs"));
        }
    }
    Ok(())
}

/// Words that name a kind of agent, so that no profile of that name would ever be asked for.
const RESERVED: [&str; 4] = ["auto", "command", "scripted", "acp"];

/// Refuses chains of agents that name no agent.
fn check_agent_chains(keys: &Keys) -> Result<(), RefusedKey> {
    let named =
        |agents: &str, key: String| refuse_if(split_at_commas(agents).is_empty(), key, "names no agent");
    named(&keys.agent, "agent".to_owned())?;
    for (name, phase) in &keys.phases {
        if let Some(agents) = &phase.agent {
            named(agents, format!("phases.{name}.agent"))?;
        }
    }
    for (name, phase) in &keys.phases {
        for (step, agents) in &phase.agents {
            named(agents, format!("phases.{name}.agents.{step}"))?;
        }
    }
    Ok(())
}

/// Refuses agents that could not be called as they are described.
fn check_agent_profiles(keys: &Keys) -> Result<(), RefusedKey> {
    let of_models = keys.models.iter().flat_map(|(difficulty, choices)| {
        choices.keys().map(move |name| (format!("models.{}", difficulty.as_str()), name))
    });
    let of_second = keys.second_models.keys().map(|name| ("second_models".to_owned(), name));
    for (table, name) in of_models.chain(of_second) {
        let unknown = "chooses models for an agent that is neither `claude` nor `codex`";
        refuse_if(AgentKind::built_in(name).is_none(), format!("{table}.{name}"), unknown)?;
    }
    for (name, agent) in &keys.agents {
        check_agent_kind(name, agent)?;
        check_agent_program(name, agent)?;
        check_agent_address(name, agent)?;
        check_agent_key_name(name, agent)?;
        check_only_for_models(name, agent)?;
    }
    Ok(())
}

fn check_agent_kind(name: &str, agent: &AgentKeys) -> Result<(), RefusedKey> {
    let reserved = "cannot be asked for: the word has a meaning of its own";
    refuse_if(RESERVED.contains(&name), format!("agents.{name}"), reserved)?;
    let is_another = AgentKind::built_in(name).is_some_and(|built_in| agent.kind_of(name) != built_in);
    let what = format!("has to be `{name}`: the agent is known by its name");
    refuse_if(is_another, format!("agents.{name}.kind"), what)
}

fn check_agent_program(name: &str, agent: &AgentKeys) -> Result<(), RefusedKey> {
    let may_lack = matches!(agent.kind_of(name), AgentKind::Claude | AgentKind::Codex);
    let has_program = agent.command.first().map_or(may_lack, |program| !program.trim().is_empty());
    refuse_if(!has_program, format!("agents.{name}.command"), "has to name a program")
}

fn check_agent_address(name: &str, agent: &AgentKeys) -> Result<(), RefusedKey> {
    let Some(url) = &agent.base_url else { return Ok(()) };
    let key = format!("agents.{name}.base_url");
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://")).unwrap_or_default();
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let has_gap = url.chars().any(|c| c.is_whitespace() || c.is_control());
    if has_gap || host.is_empty() || host.starts_with(':') {
        return refuse(key, "has to be an address such as `http://localhost:11434`");
    }
    refuse_if(host.contains('@'), key, "must not hold a name or a password")
}

fn check_agent_key_name(name: &str, agent: &AgentKeys) -> Result<(), RefusedKey> {
    let Some(variable) = &agent.api_key_env else { return Ok(()) };
    let key = format!("agents.{name}.api_key_env");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts_well = variable.chars().next().is_some_and(|first| !first.is_ascii_digit());
    if !starts_well || !variable.chars().all(is_plain) {
        return refuse(key, "has to be the name of a variable, not the key itself");
    }
    let upper = variable.to_uppercase();
    let is_token = (upper.starts_with("GITHUB") || upper.starts_with("GH_")) && upper.contains("TOKEN");
    refuse_if(is_token, key, "names a GitHub token, and no agent gets one")
}

/// A plain command never gets these.
fn check_only_for_models(name: &str, agent: &AgentKeys) -> Result<(), RefusedKey> {
    if agent.kind_of(name) != AgentKind::Command {
        return Ok(());
    }
    for (key, is_set) in [
        ("model", agent.model.is_some()),
        ("base_url", agent.base_url.is_some()),
        ("effort", agent.effort.is_some()),
        ("max_turns", agent.max_turns.is_some()),
        ("allow", !agent.allow.is_empty()),
    ] {
        let what = "means nothing to a plain command; set `kind`, or say it in `command` or `env`";
        refuse_if(is_set, format!("agents.{name}.{key}"), what)?;
    }
    Ok(())
}

/// More reviewers of one phase are a mistake, not a panel.
const MOST_SEATS: usize = 12;
/// The longest name of a seat or viewpoint.
const LONGEST_NAME: usize = 40;
/// What the first reviewer is called where seats are named.
const CHIEF: &str = "chief";

/// Refuses policies that judge nothing or cannot be followed, and a form of an answer without a step that gives it.
fn check_policies(keys: &Keys) -> Result<(), RefusedKey> {
    for (name, policy) in &keys.policies {
        check_judges_something(name, policy)?;
        check_policy_limits(name, policy)?;
    }
    for (name, phase) in &keys.phases {
        let has_author = keys.policies.get(&phase.policy).is_none_or(|policy| !policy.triage);
        if let (false, Some(key)) = (has_author, answer_keys(phase).first()) {
            let what = format!("is for the answer of an author, and the policy `{}` has none", phase.policy);
            return refuse(format!("phases.{name}.{key}"), what);
        }
    }
    Ok(())
}

fn check_judges_something(name: &str, policy: &Policy) -> Result<(), RefusedKey> {
    let key = |inner: &str| format!("policies.{name}{inner}");
    let Some(review) = &policy.review else {
        let requires_nothing = policy.checks.iter().all(|rule| rule.on_fail == OnFail::Note);
        let what = "has neither a review nor a required check: it would approve anything";
        refuse_if(requires_nothing, key(""), what)?;
        refuse_if(policy.triage, key(".triage"), "needs a review")?;
        return refuse_if(policy.entry == FirstStep::Review, key(".entry"), "is `review`, and there is none");
    };
    let what = "has to be `review` with `triage`: it answers the review of documents that are there, and no author works \
                in such a phase; take `triage` away for a phase with an author";
    refuse_if(policy.triage && policy.entry == FirstStep::Execute, key(".entry"), what)?;
    let approves = policy.triage || review.verdict_map.values().any(|judgment| judgment.approves());
    refuse_if(!approves, key(".review.verdict_map"), "has no word that approves")?;
    let what = "needs a policy without `review` and `triage`: the judge is its review";
    refuse_if(policy.llm_judge, key(".llm_judge"), what)
}

/// Refuses panels that cannot be used: seats without a usable name, twice the same one, a panel where no reviewer's word
/// counts, viewpoints that are none.
fn check_panels(keys: &Keys) -> Result<(), RefusedKey> {
    for (name, policy) in &keys.policies {
        check_viewpoints(name, policy)?;
    }
    check_panel(&keys.panel, "panel")?;
    for (name, phase) in &keys.phases {
        let policy = &keys.policies[&phase.policy];
        let Some(seats) = &phase.panel else {
            check_no_split_seat(&keys.panel, "panel", policy)?;
            continue;
        };
        let key = format!("phases.{name}.panel");
        let name = &phase.policy;
        let what = format!("has no effect: under the policy `{name}` no reviewer's word counts");
        refuse_if(!seats.is_empty() && !takes_a_panel(policy), key.as_str(), what)?;
        check_panel(seats, &key)?;
        check_no_split_seat(seats, &key, policy)?;
    }
    Ok(())
}

/// Tells whether second opinions count under a policy: a triage table and the judge of the criteria decide alone.
pub(super) fn takes_a_panel(policy: &Policy) -> bool {
    policy.review.is_some() && !policy.triage && !policy.llm_judge
}

fn check_viewpoints(name: &str, policy: &Policy) -> Result<(), RefusedKey> {
    let Some(review) = &policy.review else { return Ok(()) };
    let key = |inner: &str| format!("policies.{name}.review.{inner}");
    let has_none = review.viewpoints.is_empty();
    refuse_if(review.split && has_none, key("split"), "has no viewpoint to split")?;
    let what = "would be graded for nothing: the triage table alone decides";
    refuse_if(policy.triage && !has_none, key("viewpoints"), what)?;
    check_names(review.viewpoints.iter()).or_else(|what| refuse(key("viewpoints"), what))
}

/// A viewpoint that is split is a seat, too.
fn check_no_split_seat(panel: &[PanelReviewer], key: &str, policy: &Policy) -> Result<(), RefusedKey> {
    let Some(review) = &policy.review else { return Ok(()) };
    let is_made = |seat: &&PanelReviewer| review.split && review.viewpoints.contains(&seat.name);
    let Some(PanelReviewer { name, .. }) = panel.iter().find(is_made) else { return Ok(()) };
    refuse(key, format!("has a seat `{name}`, which the policy makes of its viewpoint already"))
}

fn check_panel(panel: &[PanelReviewer], key: &str) -> Result<(), RefusedKey> {
    let seats = panel.len();
    refuse_if(seats > MOST_SEATS, key, format!("has {seats} seats; {MOST_SEATS} is the most"))?;
    check_names(panel.iter().map(|seat| &seat.name)).or_else(|what| refuse(key, what))?;
    for PanelReviewer { name, agents, viewpoints, .. } in panel {
        let what = format!("has a seat `{CHIEF}`, which is what the first reviewer is called");
        refuse_if(name == CHIEF, key, what)?;
        let has_nameless = agents.iter().any(|agent| agent.trim().is_empty());
        refuse_if(has_nameless, key, format!("has a seat `{name}` with an agent that has no name"))?;
        check_names(viewpoints.iter())
            .or_else(|what| refuse(key, format!("has a seat `{name}` that {what}")))?;
    }
    Ok(())
}

/// Says which of some names cannot stand in prompts, records and folders.
fn check_names<'a>(names: impl Iterator<Item = &'a String>) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    for name in names {
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
            let form = "letters, digits, `-` and `_`, at most 40 of them, such as `security`";
            return Err(format!("names `{name}`; a name has {form}"));
        }
        if !seen.insert(name.to_lowercase()) {
            return Err(format!("names `{name}` twice"));
        }
    }
    Ok(())
}

/// Refuses forms of answers that contradict each other, and patterns that no answer or every answer meets.
fn check_answers(keys: &Keys) -> Result<(), RefusedKey> {
    for (name, phase) in &keys.phases {
        let key = |key: &str| format!("phases.{name}.{key}");
        if let [first, second, ..] = answer_keys(phase)[..] {
            let what = format!("is one form of the answer, and `{first}` is another; name one");
            return refuse(key(second), what);
        }
        let usable = phase.answer_pattern.as_deref().map_or(Ok(()), check_usable_pattern);
        usable.or_else(|what| refuse(key("answer_pattern"), what))?;
    }
    Ok(())
}

/// Returns the keys that say something about the form of a phase's answer.
fn answer_keys(phase: &PhaseKeys) -> Vec<&'static str> {
    let all = [
        ("schema", phase.schema.is_some()),
        ("answer_format", phase.answer_format.is_some()),
        ("answer_pattern", phase.answer_pattern.is_some()),
    ];
    all.into_iter().filter(|(_, is_set)| *is_set).map(|(key, _)| key).collect()
}

fn check_usable_pattern(pattern: &str) -> Result<(), String> {
    match Regex::new(pattern) {
        Ok(regex) if regex.is_match("") => {
            Err("is met by an empty answer: it would let everything pass; name a text that has to be there"
                .into())
        }
        Ok(_) => Ok(()),
        Err(error) => {
            let message = error.to_string();
            let why = message.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let hint = "a sign that is meant as written needs `\\` before it";
            Err(format!("is no regular expression: {why}; {hint}"))
        }
    }
}

/// Refuses steps of a registry that phases name and that cannot be attached.
fn check_registry_steps(keys: &Keys, registry: Option<&StepsRegistry>) -> Result<(), RefusedKey> {
    let mut patterns: BTreeMap<&String, &FailurePattern> = BTreeMap::new();
    for (name, phase) in &keys.phases {
        let Some(id) = &phase.step else { continue };
        let key = format!("phases.{name}.step");
        let Some(registry) = registry else {
            let what = format!("names `{id}`, and there is no `.ai-workflow/steps_registry.json`");
            return refuse(key, what);
        };
        let Some(step) = registry.steps.get(id) else {
            let known = registry.steps.keys().map(String::as_str);
            return refuse(key, names_no("step of the registry", id, known));
        };
        let (policy, has_schema) = (&phase.policy, step.output_schema.is_some());
        let what = format!("names `{id}`, which has a schema for the answer; the phase names another form");
        refuse_if(has_schema && !answer_keys(phase).is_empty(), key.as_str(), what)?;
        let what = format!("whose schema is for the answer of an author; the policy `{policy}` has none");
        refuse_if(has_schema && keys.policies[policy].triage, key.as_str(), format!("names `{id}`, {what}"))?;
        for (pattern, as_here) in &step.patterns {
            let is_other = patterns.insert(pattern, as_here).is_some_and(|other| other != as_here);
            let what = "two editions; name one in the pattern";
            let what = format!("and another step give the pattern `{pattern}` {what}");
            refuse_if(is_other, key.as_str(), what)?;
        }
    }
    Ok(())
}

/// More of anything in one phase is a mistake, not a limit.
const MOST: u32 = 50;

/// Refuses amounts beyond reason.
fn check_limits(keys: &Keys) -> Result<(), RefusedKey> {
    for (name, phase) in &keys.phases {
        check_at_most(format!("phases.{name}.max_revisions"), phase.max_revisions.unwrap_or(0))?;
        check_at_most(format!("phases.{name}.max_format_redo"), phase.max_format_redo.unwrap_or(0))?;
    }
    check_at_most("limits.max_cycles".to_owned(), keys.limits.max_cycles)?;
    check_times(keys)?;
    check_money(keys)?;
    let what = "would limit the calls of one call; `budget.phase.calls` limits those of a phase";
    refuse_if(keys.budget.scopes.step.calls.is_some(), "budget.step.calls", what)
}

/// Refuses limits of a policy that are beyond reason.
fn check_policy_limits(name: &str, policy: &Policy) -> Result<(), RefusedKey> {
    let PolicyLimits {
        max_passes,
        max_revisions,
        max_redo,
        max_format_redo,
        max_continuations,
        max_unreadable,
        max_tries,
        ..
    } = policy.limits;
    let key = |inner: &str| format!("policies.{name}.limits.{inner}");
    for (inner, number) in [
        ("max_passes", max_passes.unwrap_or(1)),
        ("max_revisions", max_revisions),
        ("max_redo", max_redo),
        ("max_format_redo", max_format_redo),
        ("max_continuations", max_continuations),
        ("max_unreadable", max_unreadable),
        ("max_tries", max_tries.unwrap_or(1)),
    ] {
        check_at_most(key(inner), number)?;
    }
    check_at_least_one(key("max_passes"), max_passes.map(u64::from))?;
    check_at_least_one(key("max_tries"), max_tries.map(u64::from))
}

fn check_at_most(key: String, number: u32) -> Result<(), RefusedKey> {
    refuse_if(number > MOST, key, format!("is {number}; {MOST} is the most"))
}

fn check_at_least_one(key: String, number: Option<u64>) -> Result<(), RefusedKey> {
    refuse_if(number == Some(0), key, "has to be 1 or more")
}

/// A time of zero would be over before anything began.
fn check_times(keys: &Keys) -> Result<(), RefusedKey> {
    let time = &keys.limits.time;
    check_at_least_one("limits.step_seconds".to_owned(), Some(time.step_seconds))?;
    check_at_least_one("limits.idle_seconds".to_owned(), Some(time.idle_seconds))?;
    check_at_least_one("limits.first_output_seconds".to_owned(), time.first_output_seconds)?;
    check_at_least_one("limits.command_seconds".to_owned(), Some(time.command_seconds))?;
    check_at_least_one("limits.outage_seconds".to_owned(), Some(keys.limits.outage_seconds))?;
    for (step, time) in &keys.limits.steps {
        let all = [time.step_seconds, time.idle_seconds, time.first_output_seconds];
        check_times_of_call(&format!("limits.steps.{step}"), all)?;
    }
    for (name, agent) in &keys.agents {
        let all = [agent.step_seconds, agent.idle_seconds, agent.first_output_seconds];
        check_times_of_call(&format!("agents.{name}"), all)?;
    }
    for (name, agent) in &keys.agents {
        check_at_least_one(format!("agents.{name}.max_turns"), agent.max_turns)?;
    }
    Ok(())
}

fn check_times_of_call(table: &str, [step, idle, first_output]: [Option<u64>; 3]) -> Result<(), RefusedKey> {
    check_at_least_one(format!("{table}.step_seconds"), step)?;
    check_at_least_one(format!("{table}.idle_seconds"), idle)?;
    check_at_least_one(format!("{table}.first_output_seconds"), first_output)
}

fn check_money(keys: &Keys) -> Result<(), RefusedKey> {
    let budget = &keys.budget;
    for (key, amount) in [
        ("usd", budget.run.usd),
        ("unattended_usd", Some(budget.unattended_usd)),
        ("step.usd", budget.scopes.step.usd),
        ("phase.usd", budget.scopes.phase.usd),
        ("day.usd", budget.scopes.day.usd),
    ] {
        let Some(amount) = amount else { continue };
        refuse_if(amount < 0.0, format!("budget.{key}"), describe_bad_amount(amount))?;
    }
    Ok(())
}

/// A command has to be split into a program and its arguments. One without text switches detection off for its key.
fn check_commands(keys: &Keys) -> Result<(), RefusedKey> {
    for (id, line) in keys.commands.by_id() {
        if !line.trim().is_empty() {
            split_words(&line).map(drop).or_else(|why| refuse(format!("commands.{id}"), why))?;
        }
    }
    Ok(())
}

/// A check of the project's own has to be made.
fn check_defined_checks(keys: &Keys) -> Result<(), RefusedKey> {
    for (name, own) in &keys.checks.define {
        let table = format!("checks.define.{name}");
        let plain = "has to have a plain name: letters, digits, `-` and `_`";
        refuse_if(!is_plain_name(name), table.as_str(), plain)?;
        if let Err((key, what)) = defined_check(own) {
            return refuse(if key.is_empty() { table } else { format!("{table}.{key}") }, what);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;

//! The findings ledger of a phase: everything that a review or a check ever named in it, once, under an id that never
//! changes. Taken up whenever the phase comes to a ruling. Judges nothing: what a finding demands is `judge`'s.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::finder::{Finder, Seen};
use super::state::PhaseState;
use model::event::{CheckResult, Reviewed, TriageTable};
use model::finding::{Disposition, Finding, Severity, normalised};
use model::phase::Step;
use model::verdict::ReadAs;

/// The number of a finding in its phase, told as `F1`. In the order in which they were first seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FindingId(u32);

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "F{}", self.0)
    }
}

/// Where a finding stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Named for the first time in the round that last looked.
    New,
    /// Named again.
    Repeated,
    /// Not named any more by those who looked again.
    Resolved,
    /// Open when a person accepted the work.
    Waived,
}

impl Standing {
    /// Returns the word used in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Repeated => "repeated",
            Self::Resolved => "resolved",
            Self::Waived => "waived",
        }
    }

    fn is_open(self) -> bool {
        matches!(self, Self::New | Self::Repeated)
    }
}

/// One finding of the ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub id: FindingId,
    identity: String,
    /// Its first wording, the worst severity, and the place where it was last seen.
    pub finding: Finding,
    /// The words in which it was named last.
    wording: String,
    /// What was told of it besides when it was named last: another place, or other words.
    pub also: Vec<String>,
    pub standing: Standing,
    pub disposition: Disposition,
    /// Why it needs no fix or a discussion, where somebody has said so.
    pub evidence: Option<String>,
    pub first_round: u32,
    pub last_round: u32,
    /// The round in which it was there again after it had gone.
    pub returned_in: Option<u32>,
    pub found_by: Vec<Finder>,
}

impl Listed {
    pub fn is_open(&self) -> bool {
        self.standing.is_open()
    }

    /// Returns what tells it from others: of a finding its fingerprint, of a failed check its own.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Returns the finding with everything that was told of it when it was named last.
    pub fn told(&self) -> Finding {
        Finding { issue: self.wording.clone(), ..self.finding.clone() }.with_also(&self.also)
    }

    /// Tells whether a check found it, and no reviewer.
    pub fn is_of_checks(&self) -> bool {
        self.found_by.iter().all(|finder| matches!(finder, Finder::Check(_)))
    }
}

/// How the number of open findings moved between the last two rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trend {
    Growing,
    Same,
    Shrinking,
}

impl Trend {
    /// Returns the word used in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Growing => "growing",
            Self::Same => "same",
            Self::Shrinking => "shrinking",
        }
    }
}

/// The latest review of somebody that could be read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LastReview {
    /// Who gave it; the next one of a chain has not read what this one has.
    pub(super) reviewer: String,
    pub(super) round: u32,
    /// The files it judged.
    pub(super) tree: String,
    /// It, or the round as a whole, did not approve and named nothing that says why.
    pub(super) is_vague: bool,
}

/// All findings of a phase.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    listed: Vec<Listed>,
    /// Rounds, and how many were open after each.
    counts: Vec<(u32, usize)>,
    /// By seat; the first reviewer has none.
    last_reviews: BTreeMap<Option<String>, LastReview>,
}

impl Ledger {
    /// Returns all of them in the order of their ids.
    pub fn all(&self) -> &[Listed] {
        &self.listed
    }

    /// Returns those that nobody has seen resolved.
    pub fn open(&self) -> impl Iterator<Item = &Listed> {
        self.listed.iter().filter(|listed| listed.is_open())
    }

    /// Returns the finding with an id.
    pub fn get(&self, id: FindingId) -> Option<&Listed> {
        self.listed.iter().find(|listed| listed.id == id)
    }

    /// Returns the latest review of a seat that could be read, in a round that could be, if it is this reviewer's.
    pub(super) fn last_review_of(&self, seat: Option<&str>, reviewer: &str) -> Option<&LastReview> {
        self.last_reviews.get(&seat.map(str::to_owned)).filter(|last| last.reviewer == reviewer)
    }

    /// Returns how many were open after each round.
    pub fn counts(&self) -> impl Iterator<Item = usize> {
        self.counts.iter().map(|(_, open)| *open)
    }

    /// Returns how the last two rounds compare; nothing after a single one.
    pub fn trend(&self) -> Option<Trend> {
        let [.., (_, before), (_, now)] = self.counts[..] else { return None };
        Some(match now.cmp(&before) {
            std::cmp::Ordering::Greater => Trend::Growing,
            std::cmp::Ordering::Equal => Trend::Same,
            std::cmp::Ordering::Less => Trend::Shrinking,
        })
    }

    /// Returns those of the identities that were first named in this round or later, have gone, and are there again.
    pub(super) fn returning(&self, named: &BTreeSet<String>, since: u32) -> Vec<FindingId> {
        let gone = |listed: &&Listed| listed.standing == Standing::Resolved && listed.first_round >= since;
        let back = self.listed.iter().filter(gone).filter(|listed| named.contains(&listed.identity));
        back.map(|listed| listed.id).collect()
    }

    /// Opens what a person accepted with work that is another one by now.
    pub(super) fn take_waivers_back(&mut self) {
        for listed in self.listed.iter_mut().filter(|listed| listed.standing == Standing::Waived) {
            let is_new = listed.first_round == listed.last_round;
            listed.standing = if is_new { Standing::New } else { Standing::Repeated };
        }
    }

    pub(super) fn demand_fix(&mut self, ids: &[FindingId]) {
        for listed in self.listed.iter_mut().filter(|listed| ids.contains(&listed.id)) {
            listed.disposition = Disposition::FixRequired;
        }
    }

    fn see(&mut self, round: u32, (identity, finding, finders): Seen, is_first: bool) {
        let next = FindingId(u32::try_from(self.listed.len()).unwrap_or(u32::MAX).saturating_add(1));
        let Some(listed) = self.listed.iter_mut().find(|listed| listed.identity == identity) else {
            self.listed.push(Listed {
                id: next,
                identity,
                standing: Standing::New,
                disposition: finding.disposition,
                wording: finding.issue.clone(),
                finding,
                also: Vec::new(),
                evidence: None,
                first_round: round,
                last_round: round,
                returned_in: None,
                found_by: finders,
            });
            return;
        };
        listed.see_again(round, finding, is_first);
        let others: Vec<Finder> =
            finders.into_iter().filter(|finder| !listed.found_by.contains(finder)).collect();
        listed.found_by.extend(others);
    }
}

impl Listed {
    /// The first telling of a round says what stands; every further one is about something else besides.
    fn see_again(&mut self, round: u32, told: Finding, is_first: bool) {
        if is_first {
            self.also.clear();
            self.wording.clone_from(&told.issue);
        } else {
            self.also.push(told.also());
        }
        if self.standing == Standing::Resolved {
            self.returned_in = Some(round);
        }
        self.standing = if self.first_round == round { Standing::New } else { Standing::Repeated };
        if self.last_round < round {
            (self.finding.line, self.finding.auto_fixable) = (told.line, told.auto_fixable);
            self.finding.in_scope = told.in_scope;
        }
        self.last_round = round;
        self.finding.severity = self.finding.severity.max(told.severity);
        self.finding.in_scope |= told.in_scope;
        self.finding.suggestion = self.finding.suggestion.take().or(told.suggestion);
    }
}

impl PhaseState {
    /// Takes up what the phase shows when it comes to a ruling; the same once more changes nothing.
    pub(super) fn take_up_findings(&mut self) {
        if !matches!(self.evidence.broken, Some(Step::Execute | Step::Revise)) {
            let mut ledger = std::mem::take(&mut self.ledger);
            self.look_into(&mut ledger);
            self.ledger = ledger;
        }
        if self.person.accepted_by.is_some() {
            for listed in self.ledger.listed.iter_mut().filter(|listed| listed.is_open()) {
                listed.standing = Standing::Waived;
            }
        }
    }

    /// Takes up what was found outside of the run, as if the latest round had shown it: the revision that comes repairs it.
    pub(super) fn take_up(&mut self, findings: &[Finding]) {
        let round = self.history.rounds.last().map_or(self.round, |round| round.n);
        for finding in findings {
            let identity = finding.fingerprint();
            let is_told = |listed: &Listed| listed.identity == identity && listed.last_round == round;
            let is_first = !self.ledger.listed.iter().any(is_told);
            self.ledger.see(round, (identity, finding.clone(), vec![Finder::Outside]), is_first);
        }
    }

    fn look_into(&self, ledger: &mut Ledger) {
        let (review, checks) = (self.readable_review(), self.evidence.checks.as_ref());
        if review.is_none() && checks.is_none() {
            return;
        }
        let of_review = review.into_iter().flat_map(|review| self.of_review(review));
        let seen: Vec<Seen> = of_review.chain(self.failed_checks().map(of_check)).collect();
        for listed in &mut ledger.listed {
            let of_checks = listed.is_of_checks();
            let looked =
                if of_checks { checks.is_some() } else { review.is_some() && self.looked_for(listed) };
            if looked && !seen.iter().any(|(identity, ..)| *identity == listed.identity) {
                listed.standing = Standing::Resolved;
            }
        }
        let mut named = BTreeSet::new();
        for seen in seen {
            let is_first = named.insert(seen.0.clone());
            ledger.see(self.round, seen, is_first);
        }
        if let Some(review) = review {
            let is_vague = self.is_vague(review);
            for opinion in self.reviews.opinions.iter().filter(|opinion| can_be_read(opinion)) {
                let is_vague = is_vague || self.is_vague(opinion);
                let (reviewer, tree) = (opinion.reviewer.clone(), opinion.tree.clone());
                let last = LastReview { reviewer, round: self.round, tree, is_vague };
                ledger.last_reviews.insert(opinion.seat.clone(), last);
            }
        }
        self.dispose(ledger);
        let open = ledger.open().count();
        ledger.counts.pop_if(|(round, _)| *round >= self.round);
        ledger.counts.push((self.round, open));
    }

    /// Returns the review of this round, when its findings are all that it names.
    fn readable_review(&self) -> Option<&Reviewed> {
        let review = self.reviews.current.as_ref().filter(|review| review.round == self.round)?;
        can_be_read(review).then_some(review)
    }

    /// Tells whether a review did not approve and named nothing that says why.
    fn is_vague(&self, review: &Reviewed) -> bool {
        let reading = review.reading.as_ref();
        let approves = reading.is_some_and(|reading| reading.judgment.approves());
        let blocking = self.def.policy.review.as_ref().map_or(Severity::Info, |rule| rule.blocking);
        let says_why = reading.is_some_and(|reading| reading.worst() >= Some(blocking));
        !approves && !says_why
    }

    /// A table of one kind of judgments says it of each finding of its round; a judgment says it of its own, with the
    /// reason. Of several about one finding the strictest counts.
    fn dispose(&self, ledger: &mut Ledger) {
        let Some((triage, table)) =
            self.evidence.triage.as_ref().and_then(|triage| Some((triage, triage.table?)))
        else {
            return;
        };
        let by_table = of_all(table).map(|disposition| (disposition, ""));
        for listed in ledger.listed.iter_mut().filter(|listed| listed.last_round == self.round) {
            let own = triage.judgments.iter().filter(|one| one.findings.contains(&listed.identity));
            let own = own.map(|one| (one.disposition, one.reason.as_str()));
            let own =
                own.reduce(|one, other| if strictness(other.0) > strictness(one.0) { other } else { one });
            let Some((disposition, reason)) = own.or(by_table) else { continue };
            let told = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            listed.disposition = disposition;
            listed.evidence = Some(format!("the triage of round {}{told}", self.round));
        }
    }
}

pub(super) fn can_be_read(review: &Reviewed) -> bool {
    let read = review.reading.as_ref().is_some_and(|reading| reading.read_as != ReadAs::Default);
    read && !review.ended.truncated
}

fn strictness(disposition: Disposition) -> u8 {
    match disposition {
        Disposition::NoFix => 0,
        Disposition::Open => 1,
        Disposition::NeedsDiscussion => 2,
        Disposition::FixRequired => 3,
    }
}

fn of_all(table: TriageTable) -> Option<Disposition> {
    match (table.fix_required, table.no_fix_needed, table.needs_discussion) {
        (1.., 0, 0) => Some(Disposition::FixRequired),
        (0, 1.., 0) => Some(Disposition::NoFix),
        (0, 0, 1..) => Some(Disposition::NeedsDiscussion),
        _ => None,
    }
}

fn of_check(result: &CheckResult) -> Seen {
    let only = if let [place] = &result.places[..] { Some(place) } else { None };
    let finding = Finding {
        severity: Severity::Major,
        category: result.check.clone(),
        file: only.and_then(|place| place.file.clone()),
        line: only.and_then(|place| place.line),
        issue: result.summary.clone(),
        suggestion: only.and_then(|place| place.suggestion.clone()),
        auto_fixable: false,
        disposition: Disposition::FixRequired,
        in_scope: true,
    };
    (check_identity(result), finding, vec![Finder::Check(result.check.clone())])
}

/// Returns the identity of a check that failed: its id and its summary without what changes between two tellings.
pub fn check_identity(result: &CheckResult) -> String {
    format!("check:{}:{}", result.check, normalised(&result.summary))
}

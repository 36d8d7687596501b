//! The findings ledger of a phase: everything that a review or a check ever named in it, once, under an id that never
//! changes. Judges nothing: what a finding demands is `judge`'s; what a round shows is entered by `findings`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use model::event::{CheckResult, TriageTable, Triaged};
use model::finding::{Disposition, Finding, Severity, normalised};

/// How the identity of a document that was put back begins.
pub(crate) const PUT_BACK: &str = "put back:";

/// The number of a finding in its phase, written as `F1`. In the order in which they were first seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, derive_more::Display)]
#[display("F{_0}")]
pub struct FindingId(u32);

/// Where a finding stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, strum::Display)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum FindingStatus {
    /// Named for the first time in the round that last looked.
    New,
    /// Named again.
    Repeated,
    /// Not named any more by those who looked again.
    Resolved,
    /// Open when a person accepted the work.
    Waived,
    /// Named in a round, and not any more by the same reviewer when it was asked again in that round.
    Withdrawn,
}

/// One finding of the ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerFinding {
    /// Its number in the phase.
    pub id: FindingId,
    /// Its identity: of a finding its fingerprint, of a failed check its own.
    pub identity: String,
    /// Its first wording, the worst severity, and the place where it was last seen.
    pub finding: Finding,
    /// Its latest wording.
    wording: String,
    /// Other places and wordings from the round that named it last.
    pub also: Vec<String>,
    /// Whether it is open.
    pub status: FindingStatus,
    /// What is to be done about it.
    pub disposition: Disposition,
    /// Why it needs no fix or a discussion, where the triage says so.
    pub evidence: Option<String>,
    /// The agent whose triage said so.
    pub triaged_by: Option<String>,
    /// The round in which it was first named.
    pub first_round: u32,
    /// The round in which it was named last.
    pub last_round: u32,
    /// The round that named it again after it was resolved.
    pub returned_in: Option<u32>,
    /// The reviewers and checks that named it.
    pub found_by: Vec<FindingSource>,
}

impl LedgerFinding {
    /// Tells whether it is neither resolved nor waived.
    pub fn is_open(&self) -> bool {
        matches!(self.status, FindingStatus::New | FindingStatus::Repeated)
    }

    /// Returns the finding with the wording of the round that named it last.
    pub fn with_latest_wording(&self) -> Finding {
        Finding { issue: self.wording.clone(), ..self.finding.clone() }.with_also(&self.also)
    }

    /// Tells whether those who named it do not name it any more.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self.status, FindingStatus::Resolved | FindingStatus::Withdrawn)
    }

    /// Tells whether it is critical or major, and a triage dismissed it or a person waived it. That stays on record, also where the
    /// reviewer did not name it again after it was dismissed.
    pub fn is_grave_and_unfixed(&self) -> bool {
        let is_dismissed = self.disposition == Disposition::NoFix;
        self.finding.severity >= Severity::Major && (self.status == FindingStatus::Waived || is_dismissed)
    }

    /// Tells whether it is about an approved document that was put back after a call that no check looked at.
    pub fn is_of_unchecked_call(&self) -> bool {
        self.identity.starts_with(PUT_BACK)
    }

    /// Tells whether a check found it, and no reviewer.
    pub fn is_of_checks(&self) -> bool {
        self.found_by.iter().all(|finder| matches!(finder, FindingSource::Check(_)))
    }
}

/// How the number of open findings moved between the last two rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, strum::Display)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum Trend {
    Growing,
    Same,
    Shrinking,
}

/// The latest readable review of one reviewer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LastReview {
    /// The agent that gave it; the next agent of a chain has not read the same files.
    pub(crate) reviewer: String,
    pub(crate) round: u32,
    /// The files it judged.
    pub(crate) tree: String,
    /// The review, or the round as a whole, did not approve and has no finding that says why.
    pub(crate) is_vague: bool,
}

/// All findings of a phase.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    listed: Vec<LedgerFinding>,
    /// Rounds, and how many were open after each.
    counts: Vec<(u32, usize)>,
    /// The latest review of each seat; the first reviewer has none.
    pub(crate) last_reviews: BTreeMap<Option<String>, LastReview>,
}

impl Ledger {
    /// Returns all of them in the order of their ids.
    pub fn all(&self) -> &[LedgerFinding] {
        &self.listed
    }

    /// Returns the open findings.
    pub fn open(&self) -> impl Iterator<Item = &LedgerFinding> {
        self.listed.iter().filter(|listed| listed.is_open())
    }

    /// Returns the finding with an id.
    pub fn get(&self, id: FindingId) -> Option<&LedgerFinding> {
        self.listed.iter().find(|listed| listed.id == id)
    }

    /// Returns the latest review of a seat that could be read, in a round that could be, if it is this reviewer's.
    pub(crate) fn last_review_of(&self, seat: Option<&str>, reviewer: &str) -> Option<&LastReview> {
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
    pub(crate) fn returned_ids(&self, named: &BTreeSet<String>, since: u32) -> Vec<FindingId> {
        let gone = |listed: &&LedgerFinding| listed.is_gone() && listed.first_round >= since;
        let back = self.listed.iter().filter(gone).filter(|listed| named.contains(&listed.identity));
        back.map(|listed| listed.id).collect()
    }

    /// Opens the waived findings again, since the work that a person accepted has changed.
    pub(crate) fn revoke_waivers(&mut self) {
        for listed in self.listed.iter_mut().filter(|listed| listed.status == FindingStatus::Waived) {
            let is_new = listed.first_round == listed.last_round;
            listed.status = if is_new { FindingStatus::New } else { FindingStatus::Repeated };
        }
    }

    pub(crate) fn demand_fix(&mut self, ids: &[FindingId]) {
        for listed in self.listed.iter_mut().filter(|listed| ids.contains(&listed.id)) {
            listed.disposition = Disposition::FixRequired;
        }
    }

    /// Enters what was named in a round; `is_first` where it is the first of that round about this finding.
    pub(crate) fn enter(&mut self, round: u32, named: NamedFinding, is_first: bool) {
        let next = FindingId(u32::try_from(self.listed.len()).unwrap_or(u32::MAX).saturating_add(1));
        let NamedFinding { identity, finding, found_by } = named;
        let Some(listed) = self.listed.iter_mut().find(|listed| listed.identity == identity) else {
            self.listed.push(LedgerFinding {
                id: next,
                identity,
                status: FindingStatus::New,
                disposition: finding.disposition,
                wording: finding.issue.clone(),
                finding,
                also: Vec::new(),
                evidence: None,
                triaged_by: None,
                first_round: round,
                last_round: round,
                returned_in: None,
                found_by,
            });
            return;
        };
        listed.name_again(round, finding, is_first);
        for finder in found_by {
            if !listed.found_by.contains(&finder) {
                listed.found_by.push(finder);
            }
        }
    }

    /// Resolves what is not named any more, where those who could name it looked again.
    pub(crate) fn resolve_unnamed(
        &mut self,
        named: &[NamedFinding],
        looked_again: impl Fn(&LedgerFinding) -> bool,
    ) {
        for listed in &mut self.listed {
            let is_named = named.iter().any(|named| named.identity == listed.identity);
            if !is_named && listed.status != FindingStatus::Withdrawn && looked_again(listed) {
                listed.status = FindingStatus::Resolved;
            }
        }
    }

    /// Enters what a reviewer named in a round and did not name when it was asked again.
    pub(crate) fn withdraw(&mut self, round: u32, named: NamedFinding) {
        let identity = named.identity.clone();
        self.enter(round, named, true);
        for listed in self.listed.iter_mut().filter(|listed| listed.identity == identity) {
            listed.status = FindingStatus::Withdrawn;
        }
    }

    /// Waives what is open: a person accepted the work.
    pub(crate) fn waive_open(&mut self) {
        for listed in self.listed.iter_mut().filter(|listed| listed.is_open()) {
            listed.status = FindingStatus::Waived;
        }
    }

    /// Counts what is open after a round; the same round again replaces its count.
    pub(crate) fn count_open(&mut self, round: u32) {
        let open = self.open().count();
        self.counts.pop_if(|(counted, _)| *counted >= round);
        self.counts.push((round, open));
    }

    /// Takes the dispositions of a triage. A table with one kind of judgments holds for each finding of its round; a judgment
    /// holds for its own findings, with the reason. Of several about one finding the strictest counts.
    pub(crate) fn dispose(&mut self, round: u32, triage: &Triaged, agent: &str) {
        let Some(table) = triage.table else { return };
        let by_table = common_disposition(table).map(|disposition| (disposition, ""));
        for listed in self.listed.iter_mut().filter(|listed| listed.last_round == round) {
            let own = triage.judgments.iter().filter(|one| one.findings.contains(&listed.identity));
            let own = own.map(|one| (one.disposition, one.reason.as_str()));
            let own = own.min_by_key(|(disposition, _)| Reverse(strictness(*disposition)));
            let Some((disposition, reason)) = own.or(by_table) else { continue };
            let why = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            listed.disposition = disposition;
            listed.evidence = Some(format!("the triage of round {round}{why}"));
            listed.triaged_by = Some(agent.to_owned());
        }
    }
}

fn strictness(disposition: Disposition) -> u8 {
    match disposition {
        Disposition::NoFix => 0,
        Disposition::Open => 1,
        Disposition::NeedsDiscussion => 2,
        Disposition::FixRequired => 3,
    }
}

/// Returns the disposition of all findings, where the table has only one kind.
fn common_disposition(table: TriageTable) -> Option<Disposition> {
    match (table.fix_required, table.no_fix_needed, table.needs_discussion) {
        (1.., 0, 0) => Some(Disposition::FixRequired),
        (0, 1.., 0) => Some(Disposition::NoFix),
        (0, 0, 1..) => Some(Disposition::NeedsDiscussion),
        _ => None,
    }
}

impl LedgerFinding {
    /// Updates a finding that is named again: the first naming of a round replaces the wording, further ones are kept beside it.
    fn name_again(&mut self, round: u32, named: Finding, is_first: bool) {
        if is_first {
            self.also.clear();
            self.wording.clone_from(&named.issue);
        } else {
            self.also.push(named.also());
        }
        if self.status == FindingStatus::Resolved {
            self.returned_in = Some(round);
        }
        self.status = if self.first_round == round { FindingStatus::New } else { FindingStatus::Repeated };
        if self.last_round < round {
            (self.finding.line, self.finding.auto_fixable) = (named.line, named.auto_fixable);
            self.finding.in_scope = named.in_scope;
        }
        self.last_round = round;
        self.finding.severity = self.finding.severity.max(named.severity);
        self.finding.in_scope |= named.in_scope;
        self.finding.suggestion = self.finding.suggestion.take().or(named.suggestion);
    }
}

/// Returns the identity of a check that failed: its id and its summary without what changes between two runs.
pub fn check_identity(result: &CheckResult) -> String {
    format!("check:{}:{}", result.check, normalised(&result.summary))
}

/// A finding as a review or a check of a round names it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NamedFinding {
    /// The identity of the finding.
    pub(crate) identity: String,
    /// The finding in the words of that naming.
    pub(crate) finding: Finding,
    /// Who named it.
    pub(crate) found_by: Vec<FindingSource>,
}

/// Who named a finding.
#[derive(Debug, Clone, PartialEq, Eq, strum::Display)]
pub enum FindingSource {
    /// The agent spec.
    #[strum(to_string = "{0}")]
    Reviewer(String),
    /// The id of the check.
    #[strum(to_string = "check {0}")]
    Check(String),
    /// A person or check outside the run that looked at finished work.
    #[strum(to_string = "feedback on the pull request")]
    Outside,
}

//! Reads marker lines: a label, a sign, a word. The best rank counts, then the strictest; `label` and `word` know the
//! parts. Text without a label is never looked at, whatever words it holds.
//!
//! Two forms are told apart. A declared marker (`判定: PASS`, a heading with the word on its next line, a table row) is a
//! statement. A sentence (`最終判定はFAILです`) is one only if no declared marker exists; beside one it can only tighten, and
//! so can a denial in the middle of a line, which is `remark`'s.

use std::ops::Range;

use super::folded::folded;
use super::joint::{Joint, joint, without_adverb};
use super::label::{self, Label, Lead, Rank};
use super::quoted::{self, Quoted};
use super::word::{self, Said, Words};
use super::{head, mention, remark, tail};
use model::verdict::Judgment;

/// More labels than this are nobody's answer.
const MOST: usize = 5_000;

/// More words that could end a label than this are not looked at.
const MOST_MENTIONS: usize = 200_000;

/// How far a label may stand from the start of its line, and how much of what follows is read.
const REACH: usize = 160;

/// What a marker line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    pub rank: Rank,
    pub name: String,
    pub judgment: Judgment,
    /// The word as written.
    pub stated: String,
    declared: bool,
    quoted: bool,
    /// It stands in the middle of its line.
    remarked: bool,
}

/// What all marker lines of a text say.
#[derive(Debug, Default)]
pub(super) struct Marks {
    found: Vec<Mark>,
    /// GO and NOGO said at a marker's place: the line, whether it is GO, whether it is quoted.
    pub go: Vec<(usize, bool, bool)>,
    /// There were too many to read.
    pub crowded: bool,
}

impl Marks {
    /// Returns the mark that counts. Quoted ones may only make it stricter.
    pub(super) fn best(&self) -> Option<Mark> {
        let own = strictest_of_best_rank(self.found.iter().filter(|mark| !mark.quoted))?;
        let own = self.contradicting(own).unwrap_or(own);
        let any = strictest_of_best_rank(self.found.iter())?;
        Some(if any.judgment > own.judgment { any } else { own }.clone())
    }

    /// Returns what lines that are not quoted say against passing: the label and the word.
    pub(super) fn against(&self) -> impl Iterator<Item = (&str, &str)> {
        let own = self.found.iter().filter(|mark| !mark.quoted && !mark.remarked);
        let against = own.filter(|mark| !mark.judgment.approves());
        against.map(|mark| (mark.name.as_str(), mark.stated.as_str()))
    }

    /// Returns a line that says of the whole review what an approval of a heavier label takes back: `Overall Decision:
    /// REJECT` below `Final Decision: PASS`. Labels that are written about parts, too, contradict nothing.
    fn contradicting(&self, own: &Mark) -> Option<&Mark> {
        let core = |name: &str| {
            ["decision", "verdict"].into_iter().find(|core| name.to_ascii_lowercase().ends_with(core))
        };
        let is_of_the_same = |mark: &&Mark| core(&mark.name).is_some_and(|of| core(&own.name) == Some(of));
        self.denying().filter(|_| own.judgment.approves()).find(is_of_the_same)
    }

    /// Returns the first denial in the middle of a line.
    pub(super) fn remark(&self) -> Option<&Mark> {
        self.found.iter().find(|mark| mark.remarked)
    }

    /// Returns the declared lines that say of the whole review that it does not pass.
    pub(super) fn denying(&self) -> impl Iterator<Item = &Mark> {
        let of_all = |name: &str| {
            ["DECISION", "最終判定"].contains(&name)
                || name.starts_with("overall ")
                || name.starts_with("final ")
        };
        let own = self.found.iter().filter(|mark| mark.declared && !mark.quoted);
        own.filter(move |mark| !mark.judgment.approves() && of_all(&mark.name))
    }
}

fn strictest_of_best_rank<'m>(marks: impl Iterator<Item = &'m Mark> + Clone) -> Option<&'m Mark> {
    let declared = marks.clone().filter(|mark| mark.declared);
    let best_rank = declared.clone().map(|mark| mark.rank).min();
    let counts = |mark: &&Mark| match best_rank {
        Some(rank) if mark.declared => mark.rank == rank,
        Some(_) => !mark.judgment.approves(),
        None => true,
    };
    // Of equals the first is named.
    marks.filter(counts).reduce(|best, next| if next.judgment > best.judgment { next } else { best })
}

/// Reads all marker lines of a text, without those inside objects. A flood of them is not read at all.
pub(super) fn read(text: &str, quotations: &Quoted, objects: &[Range<usize>], words: &Words) -> Marks {
    let Some(candidates) = candidates(text, objects) else {
        return Marks { crowded: true, ..Marks::default() };
    };
    let mut marks = Marks::default();
    let mut approved = None;
    for Candidate { line, number, core } in candidates {
        let Some(place) = MarkerPlace::read(text, line, core.clone()) else { continue };
        let is_quoted =
            quotations.is_quoted(line, core.start) || quoted::is_indented(&text[line..core.start]);
        let is_remark = matches!(place.label.lead, Lead::Remark { .. });
        match place.said(words) {
            Some(said) if is_remark => {
                let beside_approval = approved == Some(line);
                marks.found.extend(place.remark(said, words, beside_approval).filter(|_| !is_quoted));
            }
            Some(Said::Go(go)) => marks.go.push((number, go, is_quoted)),
            Some(said) => {
                let mark = place.mark(said, is_quoted);
                approved = mark.iter().any(|mark| mark.judgment.approves()).then_some(line).or(approved);
                marks.found.extend(mark);
            }
            None => {}
        }
    }
    marks
}

/// Words that could end a label, where one may stand.
#[derive(Debug)]
struct Candidate {
    /// Where its line starts.
    line: usize,
    /// The number of its line, from 0.
    number: usize,
    core: Range<usize>,
}

/// Returns nothing when there are too many.
fn candidates(text: &str, objects: &[Range<usize>]) -> Option<Vec<Candidate>> {
    let mut candidates = Vec::new();
    let mut lines = Lines::default();
    for (count, mention) in mention::mentions(text).enumerate() {
        if count == MOST_MENTIONS || candidates.len() == MOST {
            return None;
        }
        if !may_be_label(text.as_bytes(), mention.end) || is_inside(objects, mention.start) {
            continue;
        }
        lines.advance(text, mention.start);
        if label::may_follow(tail(&text[lines.start..mention.start], REACH)) {
            candidates.push(Candidate { line: lines.start, number: lines.number, core: mention });
        }
    }
    Some(candidates)
}

/// Tells by one character whether a verdict may follow; most mentions end here.
fn may_be_label(bytes: &[u8], end: usize) -> bool {
    match &bytes[end..] {
        // は, blanks and brackets; signs in full width; arrows, dashes and pictures
        [0xe3, second, ..] => matches!(second, 0x80 | 0x81),
        [byte, ..] => b" \t\r\n:=*_`|-)]>(\\".contains(byte) || matches!(byte, 0xc2 | 0xe2 | 0xef | 0xf0),
        [] => false,
    }
}

fn is_inside(objects: &[Range<usize>], at: usize) -> bool {
    let after = objects.partition_point(|span| span.start <= at);
    objects[..after].last().is_some_and(|span| at < span.end)
}

/// Where the line of the current mention starts.
#[derive(Debug, Default)]
struct Lines {
    start: usize,
    number: usize,
    seen: usize,
}

impl Lines {
    fn advance(&mut self, text: &str, at: usize) {
        let between = &text[self.seen..at];
        if let Some(last) = between.rfind('\n') {
            self.start = self.seen + last + 1;
            self.number += between.bytes().filter(|byte| *byte == b'\n').count();
        }
        self.seen = at;
    }
}

/// A label and what stands after it.
#[derive(Debug)]
struct MarkerPlace {
    label: Label,
    joint: Joint,
    before: String,
    after: String,
    next_line: String,
    /// The sentence before the label sets a condition.
    conditional: bool,
}

impl MarkerPlace {
    fn read(text: &str, line: usize, core: Range<usize>) -> Option<Self> {
        let before = tail(&text[line..core.start], REACH);
        let whole = before.len() == core.start - line;
        let before = folded(before);
        let core_word = &text[core.clone()];
        let label =
            label::read(&before, whole, core_word).or_else(|| label::read_remark(&before, core_word))?;
        let is_item = || remark::is_item(&text[line..core.start]);
        if label.lead == Lead::Sentence && label.rank != Rank::Final && is_item() {
            return None;
        }
        let stretch = head(&text[core.end..], 3 * REACH);
        let (own, rest) = stretch.split_once('\n').unwrap_or((stretch, ""));
        let own = folded(own.split("\\n").next().unwrap_or_default());
        let (joint, after) = joint(&own, label.lead)?;
        let next_line = rest.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        Some(Self {
            joint,
            after: after.to_owned(),
            next_line: folded(next_line).into_owned(),
            conditional: is_conditional(&before),
            before: before.into_owned(),
            label,
        })
    }

    /// Returns what is said here, if anything is.
    fn said(&self, words: &Words) -> Option<Said> {
        let said = match self.joint {
            Joint::Alone => Said::Nothing,
            Joint::Is | Joint::ShouldBe => words.read(without_adverb(&self.after)),
            Joint::Sign | Joint::Loose => words.read(&self.after),
        };
        let open = matches!(self.joint, Joint::Alone | Joint::Sign) && self.label.lead == Lead::Line;
        match said {
            Said::Nothing if open => match words.read(&self.next_line) {
                // A block quote is quoted, and a line of prose belongs to itself.
                Said::Word { .. } if self.next_line.trim_start().starts_with('>') => None,
                said @ Said::Word { .. } => Some(said),
                _ => None,
            },
            Said::Nothing | Said::Object | Said::Choice => None,
            said => Some(said),
        }
    }

    /// Makes a mark of what is said.
    fn mark(&self, said: Said, quoted: bool) -> Option<Mark> {
        let declared = matches!(self.joint, Joint::Sign | Joint::Alone) && self.label.lead != Lead::Clause;
        let (stated, judgment) = match said {
            Said::Word { text, judgment, clean } if declared => (text, closed(judgment, clean)),
            Said::Word { text, judgment, .. }
                if !judgment.approves() && !self.conditional && !self.tells_of_before() =>
            {
                (text, judgment)
            }
            Said::Word { text, judgment, clean: true } if judgment.approves() && self.may_approve() => {
                (text, judgment)
            }
            Said::Unknown(text) if declared || (self.may_doubt() && self.unknown() == Judgment::Revise) => {
                (text, self.unknown())
            }
            Said::Prose if declared && self.must_say_a_word() => {
                (super::clipped(self.after.trim(), 40).to_owned(), Judgment::Revise)
            }
            _ => return None,
        };
        let Label { rank, name, .. } = self.label.clone();
        Some(Mark { rank, name, judgment, stated, declared, quoted, remarked: false })
    }

    /// Returns what a word comes to that is none of the policy's, with all that stands on its line.
    fn unknown(&self) -> Judgment {
        word::unknown(&self.after)
    }

    /// Makes a mark of a denial in the middle of a line.
    fn remark(&self, said: Said, words: &Words, beside_approval: bool) -> Option<Mark> {
        let (stated, judgment) = match said {
            Said::Word { text, judgment, .. } if !judgment.approves() => (text, judgment),
            Said::Unknown(text) if words.denies(&text) => (text, Judgment::Revise),
            _ => return None,
        };
        let (_, after) = self.after.split_once(stated.as_str())?;
        let counts = !self.conditional && remark::counts(&self.label, &self.before, after, beside_approval);
        let Label { rank, name, .. } = self.label.clone();
        counts.then_some(Mark {
            rank,
            name,
            judgment,
            stated,
            declared: false,
            quoted: false,
            remarked: true,
        })
    }

    /// Tells whether a sentence here may approve when nothing else says anything.
    fn may_approve(&self) -> bool {
        matches!(self.joint, Joint::Is | Joint::Loose) && !self.conditional && self.label.lead != Lead::Clause
    }

    /// Tells whether a sentence names a verdict of before: `The verdict FAIL of round 1 …`.
    fn tells_of_before(&self) -> bool {
        self.joint == Joint::Loose && remark::is_of_before(&self.after)
    }

    /// Tells whether anything but a word of the policy is doubt here: `最終判定: 要再検討`, but not `判定: 適切`, which
    /// reviewers write about parts.
    fn must_say_a_word(&self) -> bool {
        let verdicts = ["判定", "判定結果", "verdict", "judgment", "determination", "decision"];
        self.label.rank <= Rank::Result
            && self.label.lead == Lead::Line
            && verdicts.iter().any(|word| self.label.name.ends_with(word))
    }

    /// Tells whether an unknown word in a sentence here is about the verdict.
    fn may_doubt(&self) -> bool {
        self.joint == Joint::Is && self.label.rank <= Rank::Judgment && !self.conditional
    }
}

/// An approval that does not stand clean is none.
fn closed(judgment: Judgment, clean: bool) -> Judgment {
    if clean { judgment } else { judgment.max(Judgment::Revise) }
}

/// Tells whether the sentence before a label says under which condition what follows holds.
fn is_conditional(before: &str) -> bool {
    let sentence = remark::last_sentence(before).to_lowercase();
    let japanese =
        ["場合", "れば", "たら", "なら", "限り", "とき", "際は"].iter().any(|word| sentence.contains(word));
    let mut words = sentence.split(|c: char| !c.is_ascii_alphabetic());
    japanese || words.any(|word| ["if", "when", "unless", "once", "until", "whenever"].contains(&word))
}

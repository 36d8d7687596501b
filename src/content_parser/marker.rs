//! Reads marker lines: a label, a sign, a word. The best rank counts, then the strictest; `label` and `word` know the
//! parts. Text without a label is never looked at, whatever words it holds.
//!
//! Two forms are told apart. A declared marker (`判定: PASS`, a heading with the word on its next line, a table row) is a
//! statement. A sentence (`最終判定はFAILです`) is one only if no declared marker exists; beside one it can only tighten, and
//! so can a denial in the middle of a line: `判定: PASS（最終判定: FAIL）`. That counts only where its label begins a remark, a cell
//! or a clause, is not quoted, and nothing beside it says that it is told of an earlier round or denied.

use std::ops::Range;

use super::label::{self, Label, Lead, Rank, mentions};
use super::lexicon::{MARKERS, is_told_of, mentions_one, pattern};
use super::markdown::{self, Quoted, is_inside};
use super::text::{after_prefix, clipped, decoration, folded, head, is_arrow, tail};
use super::word::{self, MarkerWord, Words};
use model::verdict::Judgment;

/// More labels than this are nobody's answer.
const MOST: usize = 5_000;
/// More words that could end a label than this are not looked at.
const MOST_MENTIONS: usize = 200_000;
/// How far a label may stand from the start of its line, and how much of what follows is read.
const REACH: usize = 160;
/// A report says GO among so many first lines.
const FIRST_LINES: usize = 40;

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
    /// What GO and NOGO say at a marker's place, the strictest of several. GO counts only near the top, where a report has it.
    pub go: Option<Judgment>,
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
        let name = own.name.to_ascii_lowercase();
        let core = ["decision", "verdict"].into_iter().find(|core| name.ends_with(core))?;
        if !own.judgment.approves() {
            return None;
        }
        self.denying().find(|mark| mark.name.to_ascii_lowercase().ends_with(core))
    }

    /// Returns the first denial in the middle of a line.
    pub(super) fn remark(&self) -> Option<&Mark> {
        self.found.iter().find(|mark| mark.remarked)
    }

    /// Returns the declared lines that say of the whole review that it does not pass. One with another approving word agrees.
    pub(super) fn denying(&self) -> impl Iterator<Item = &Mark> {
        let is_of_all = |name: &str| {
            ["DECISION", "最終判定"].contains(&name)
                || name.starts_with("overall ")
                || name.starts_with("final ")
        };
        let own = self.found.iter().filter(|mark| mark.declared && !mark.quoted);
        let denies =
            |mark: &Mark| !mark.judgment.approves() && word::unknown(&mark.stated) != Judgment::Unverifiable;
        own.filter(move |mark| denies(mark) && is_of_all(&mark.name))
    }
}

fn strictest_of_best_rank<'m>(marks: impl Iterator<Item = &'m Mark> + Clone) -> Option<&'m Mark> {
    let best_rank = marks.clone().filter(|mark| mark.declared).map(|mark| mark.rank).min();
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
            quotations.is_quoted(line, core.start) || markdown::is_indented(&text[line..core.start]);
        let is_remark = matches!(place.label.lead, Lead::Remark { .. });
        match place.said(words) {
            Some(_) if is_remark && is_quoted => {}
            Some(said) if is_remark => marks.found.extend(place.remark(said, words, approved == Some(line))),
            Some(MarkerWord::Go(false)) => marks.go = Some(Judgment::Revise),
            Some(MarkerWord::Go(true)) if is_quoted || number >= FIRST_LINES => {}
            Some(MarkerWord::Go(true)) => marks.go = marks.go.or(Some(Judgment::Approve)),
            Some(said) => {
                let mark = place.mark(said, is_quoted);
                if mark.as_ref().is_some_and(|mark| mark.judgment.approves()) {
                    approved = Some(line);
                }
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
    let (mut line, mut number, mut seen) = (0, 0, 0);
    for (count, mention) in mentions(text).enumerate() {
        if count == MOST_MENTIONS || candidates.len() == MOST {
            return None;
        }
        if !may_be_label(text.as_bytes(), mention.end) || is_inside(objects, mention.start) {
            continue;
        }
        let between = &text[seen..mention.start];
        if let Some(last) = between.rfind('\n') {
            line = seen + last + 1;
            number += between.bytes().filter(|byte| *byte == b'\n').count();
        }
        seen = mention.start;
        if label::may_follow(tail(&text[line..mention.start], REACH)) {
            candidates.push(Candidate { line, number, core: mention });
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

/// How a label is joined to its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// A colon, an equals sign, an arrow or the border of a cell.
    Sign,
    /// The label stands alone; the word may be on the next line.
    Alone,
    /// A dash or nothing at all.
    Loose,
    /// は, is
    Is,
    /// should be, must be: not said yet.
    ShouldBe,
}

/// Reads what joins a label to its word; nothing when the label goes on (`判定理由`, `decisions`).
fn joint(after: &str, lead: Lead) -> Option<(Joint, &str)> {
    let rest = without_kind(after.trim_start_matches(decoration("*_`】」』])>")))?;
    if rest.is_empty() {
        return Some((Joint::Alone, rest));
    }
    if let Some(cell) = rest.strip_prefix('|') {
        return if lead == Lead::Cell { Some((Joint::Sign, cell)) } else { None };
    }
    let kinds = [
        (&MARKERS["signs"], Joint::Sign),
        (&MARKERS["dashes"], Joint::Loose),
        (&MARKERS["copulas_before"], Joint::Is),
        (&MARKERS["demands"], Joint::ShouldBe),
    ];
    let begun = |(words, joint): (&Vec<String>, Joint)| {
        Some((joint, words.iter().find_map(|word| after_prefix(rest, word))?))
    };
    match kinds.into_iter().find_map(begun) {
        None if rest.len() < after.len() => Some((Joint::Loose, rest)),
        found => found,
    }
}

/// Skips a remark that only repeats what kind of label it is, such as `(最終)`; another one makes it another label.
fn without_kind(rest: &str) -> Option<&str> {
    let Some(remark) = rest.strip_prefix('(') else { return Some(rest) };
    let (remark, rest) = remark.split_once(')')?;
    let remark = remark.trim().to_lowercase();
    if !MARKERS["kinds"].contains(&remark) {
        return None;
    }
    Some(rest.trim_start_matches(['*', '_', ' ']))
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
        let label = label::read(&before, whole, &text[core.clone()])?;
        if label.lead == Lead::Sentence && label.rank != Rank::Final && is_item(&text[line..core.start]) {
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
            conditional: mentions_one(last_sentence(&before), &MARKERS["conditions_before"]),
            before: before.into_owned(),
            label,
        })
    }

    /// Returns what is said here, if anything is.
    fn said(&self, words: &Words) -> Option<MarkerWord> {
        let said = match self.joint {
            Joint::Alone => MarkerWord::Nothing,
            // `clearly FAIL`
            Joint::Is | Joint::ShouldBe => {
                let after = self.after.trim_start();
                let adverb = MARKERS["adverbs"].iter().find(|adverb| after.starts_with(adverb.as_str()));
                words.read(&after[adverb.map_or(0, String::len)..])
            }
            Joint::Sign | Joint::Loose => words.read(&self.after),
        };
        let open = matches!(self.joint, Joint::Alone | Joint::Sign) && self.label.lead == Lead::Line;
        match said {
            // A block quote is quoted, and a line of prose belongs to itself.
            MarkerWord::Nothing if open && !self.next_line.trim_start().starts_with('>') => {
                let below = words.read(&self.next_line);
                if matches!(below, MarkerWord::Word { .. }) { Some(below) } else { None }
            }
            MarkerWord::Nothing | MarkerWord::Object | MarkerWord::Choice => None,
            said => Some(said),
        }
    }

    /// Makes a mark of what is said.
    fn mark(&self, said: MarkerWord, quoted: bool) -> Option<Mark> {
        let unknown = word::unknown(&self.after);
        let declared = matches!(self.joint, Joint::Sign | Joint::Alone) && self.label.lead != Lead::Clause;
        let (stated, judgment) = match said {
            // An approval that does not stand clean is none.
            MarkerWord::Word { text, judgment, clean } if declared => {
                (text, if clean { judgment } else { judgment.max(Judgment::Revise) })
            }
            MarkerWord::Word { text, judgment, .. }
                if !judgment.approves() && !self.conditional && !self.is_of_before() =>
            {
                (text, judgment)
            }
            MarkerWord::Word { text, judgment, clean: true } if judgment.approves() && self.may_approve() => {
                (text, judgment)
            }
            MarkerWord::Unknown(text) if declared || (self.may_doubt() && unknown == Judgment::Revise) => {
                (text, unknown)
            }
            MarkerWord::Prose if declared && self.must_say_a_word() => {
                (clipped(self.after.trim(), 40).to_owned(), Judgment::Revise)
            }
            _ => return None,
        };
        Some(Mark { declared, quoted, ..self.denial(stated, judgment) })
    }

    /// Makes a mark of a denial in the middle of a line.
    fn remark(&self, said: MarkerWord, words: &Words, beside_approval: bool) -> Option<Mark> {
        let (stated, judgment) = match said {
            MarkerWord::Word { text, judgment, .. } if !judgment.approves() => (text, judgment),
            MarkerWord::Unknown(text) if words.denies(&text) => (text, Judgment::Revise),
            _ => return None,
        };
        let (_, after) = self.after.split_once(stated.as_str())?;
        if self.conditional || !self.is_certain(beside_approval) || !ends_remark(after) {
            return None;
        }
        Some(Mark { remarked: true, ..self.denial(stated, judgment) })
    }

    fn denial(&self, stated: String, judgment: Judgment) -> Mark {
        let Label { rank, name, .. } = self.label.clone();
        Mark { rank, name, judgment, stated, declared: false, quoted: false, remarked: false }
    }

    /// Tells whether the place of a label in the middle of its line makes a denial the reviewer's; `beside_approval` tells whether the
    /// line approves at its place.
    fn is_certain(&self, beside_approval: bool) -> bool {
        let Lead::Remark { start } = self.label.lead else { return false };
        let before = &self.before[..start];
        let is_about_all = self.label.rank == Rank::Final || beside_approval;
        let is_certain = match begins(before) {
            Begins::Clearly => is_about_all || (self.label.rank != Rank::Outcome && !is_item(&self.before)),
            Begins::Perhaps => is_about_all,
            Begins::No => false,
        };
        is_certain && !is_in_quotation(before) && !is_told_of(last_sentence(&self.before))
    }

    /// Tells whether a sentence here may approve when nothing else says anything.
    fn may_approve(&self) -> bool {
        matches!(self.joint, Joint::Is | Joint::Loose) && !self.conditional && self.label.lead != Lead::Clause
    }

    /// Tells whether a sentence names a verdict of before: `The verdict FAIL of round 1 …`.
    fn is_of_before(&self) -> bool {
        self.joint == Joint::Loose && pattern("marker.of_before").is_match(&self.after)
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

/// Tells whether what follows a denial ends it, and neither denies it nor says that it is told of what was.
fn ends_remark(after: &str) -> bool {
    let clause = after.split(['。', '.', ';', '|', ')']).next().unwrap_or_default();
    word::denial_ends(after) && !is_told_of(clause) && !pattern("marker.denied").is_match(clause)
}

/// Tells whether a line is one item of several: what it says is about that item.
fn is_item(before: &str) -> bool {
    let start = before.trim_start();
    let bullet = ["- ", "* ", "+ ", "•", "・", "|", "#"].iter().any(|mark| start.starts_with(mark));
    bullet || start.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the sentence that a text ends in.
pub(super) fn last_sentence(text: &str) -> &str {
    let sentence = text.rsplit(['。', '!', '?']).next().unwrap_or(text);
    sentence.rsplit(". ").next().unwrap_or(sentence)
}

/// How sure the place of a label makes its denial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begins {
    /// A bracket, the border of a cell or a separator stands before it.
    Clearly,
    /// So does a sign after which parts of the review have verdicts of their own: `Gate 1: verdict`.
    Perhaps,
    /// A word does.
    No,
}

fn begins(before: &str) -> Begins {
    let end = before.trim_end_matches(decoration("*_#"));
    let arrow = end.ends_with("->") || end.ends_with("=>") || end.ends_with(is_arrow);
    match end.chars().next_back() {
        None => Begins::No,
        _ if end.ends_with("[ ]") => Begins::No,
        _ if arrow || !end.contains(char::is_alphanumeric) => Begins::Clearly,
        Some(last) if "([【|;/※・…,、".contains(last) => Begins::Clearly,
        Some(last) if last.is_alphanumeric() => Begins::No,
        Some(_) => Begins::Perhaps,
    }
}

/// Tells whether a quotation that begins in a text is still open at its end.
fn is_in_quotation(text: &str) -> bool {
    let is_odd = |mark: char| text.matches(mark).count() % 2 == 1;
    let is_open = |[open, close]: [char; 2]| text.rfind(open) > text.rfind(close);
    is_odd('`') || is_odd('"') || [['「', '」'], ['『', '』'], ['“', '”']].into_iter().any(is_open)
}

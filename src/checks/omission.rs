//! Q3: nothing that was added stands for something left out: no "rest unchanged" in a comment, no line of three dots, no
//! "(omitted)" in the document of the phase. Spread operators, ranges and running text are honest.

use super::added::added_comments;
use super::unfinished::{self, Unfinished};
use super::{ChangedFile, LanguageFamily, Place, Site, any_of, ending, is_code, one_line, pattern};

pattern!(SUSPECT, &any_of("omission", "suspects"));
pattern!(DOTS, &any_of("omission", "dots"));
pattern!(CONTENT, &any_of("omission", "content"));

/// What may stand around something left out.
const AROUND: &str = r"[\s.…()\[\]<>（）。—*✂-]*";
pattern!(
    /// A whole comment that stands for code that is left out.
    OMITS,
    &format!(
        r"(?i)^{AROUND}(?:{}|\.\.\.|…|\. \. \.|\.\. ){AROUND}$|^(?:\.\.\.|…){AROUND}(?:{})",
        any_of("omission", "left_out"),
        any_of("omission", "beside_dots")
    )
);

pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    let is_wanted =
        |file: &ChangedFile<'_>| !LanguageFamily::of(file.path()).is_text() || file.path() == site.output;
    let mut places = unfinished::places(site, &SUSPECT, is_wanted, in_file);
    places.extend(literals(site));
    places
}

/// Returns the added lines of a file that stand for something else.
fn in_file(file: &ChangedFile<'_>) -> Vec<Unfinished> {
    let mut comments = added_comments(file);
    comments.retain(|comment| !comment.is_documentation && OMITS.is_match(comment.text()));
    let omitting: Vec<usize> = comments.iter().map(|comment| comment.line).collect();
    let is_text = LanguageFamily::of(file.path()).is_text();
    let has_dots = is_code(file.path()) && !ending(file.path()).starts_with("py");
    let is_hollow = |number: usize, line: &str| {
        let is_dots = has_dots && DOTS.is_match(line) && !is_in_a_list(file, number);
        if is_text { CONTENT.is_match(line) && OMITS.is_match(line) } else { is_dots }
    };
    let added = file.change.added_lines();
    let found = added.filter(|(number, line)| omitting.contains(number) || is_hollow(*number, line));
    let what = |text: &str| format!("`{}` stands for something left out", one_line(text, 80));
    found.map(|(line, text)| Unfinished::new(line, text.trim(), what(text))).collect()
}

/// Tells whether the code above a line goes on in it.
fn is_in_a_list(file: &ChangedFile<'_>, number: usize) -> bool {
    let above = file.change.new_text().unwrap_or_default().lines().take(number - 1).map(str::trim_end);
    above.filter(|line| !line.is_empty()).last().is_some_and(|line| line.ends_with([',', '=', '(']))
}

/// Texts of the configuration count as written; three dots alone are what the built-in rule is about.
fn literals(site: &Site<'_>) -> Vec<Place> {
    let literals = site.settings.omission_patterns.iter().map(|text| text.trim());
    let literals: Vec<String> =
        literals.filter(|text| !text.is_empty() && *text != "...").map(regex::escape).collect();
    if literals.is_empty() {
        return Vec::new();
    }
    let literals = pattern(&literals.join("|"));
    let find = |file: &ChangedFile<'_>| {
        let lines = file.change.added_lines();
        let held = lines.filter_map(|(line, text)| Some((line, literals.find(text)?.as_str())));
        held.map(|(line, held)| Unfinished::new(line, held, format!("holds `{held}`"))).collect()
    };
    unfinished::places(site, &literals, |_| true, find)
}

#[cfg(test)]
mod tests;

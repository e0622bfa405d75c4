//! Texts that may stand anywhere in an attribute: which documents can have them, by the search views.
//!
//! A text that stands in another one brings its runs of characters with it. The view of a collection finds the documents with
//! a few runs of a text; the search itself then reads no others, and tests the text on them as it does without a view. So a
//! view only leaves out what cannot be found.
//!
//! Views make letters small and join them with the accents behind them (NFC), while filters compare characters as they are
//! stored. Runs are therefore taken from characters that stay what they are, and the last one counts with every accent that a
//! stored text may have behind it.

mod joined;

use serde::Serialize;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, is_nfc_quick};

use crate::api::wildcard;
use crate::error::Result;
use crate::store::{Query, Store, View, typed};

/// Documents that are looked up one by one. A text that more documents can have is so common that a search soon finds a page
/// of them on its way through all.
pub const MOST_CANDIDATES: usize = 2_000;

/// Letters that may be written as one.
const LIGATURES: [[char; 2]; 5] = [['f', 'f'], ['f', 'i'], ['f', 'l'], ['s', 's'], ['s', 't']];

/// How many runs of a text are asked for at once.
const RUNS: usize = 4;

/// What the queries over views take.
#[derive(Serialize)]
struct Asked<'a, R> {
    runs: R,
    analyzer: &'a str,
    limit: usize,
}

/// The keys of all documents that can have a text, by a query over the view of a collection; `None` where any document may,
/// or too many do. It is asked outside of transactions: a server's view waits for what was written before only there.
pub async fn candidates(store: &Store, query: &Query, text: Option<Text>) -> Result<Option<Vec<String>>> {
    let analyzers = query.reads.iter().find_map(|collection| View::of(collection)).map_or(&[][..], View::analyzers);
    let asked = text.and_then(|text| analyzers.iter().find_map(|by| Some((by, text.runs(by.length)?))));
    let Some((analyzer, runs)) = asked else { return Ok(None) };
    let asked = Asked { runs, analyzer: analyzer.name, limit: MOST_CANDIDATES + 1 };
    let keys: Vec<String> = store.rows(query, typed::bound(&asked)?).await?;
    Ok((keys.len() <= MOST_CANDIDATES).then_some(keys))
}

/// What is known of the characters of a text that is searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Pieces that every text that is found has, in lower case, each with what may stand there in its place.
    pieces: Vec<Vec<Character>>,
}

/// A character of a text that is found; several where it is one of them.
type Character = Vec<char>;

impl Text {
    /// A text in lower case that is contained, character by character, in the lower case of another.
    pub fn contained(text: &str) -> Self {
        let characters: Vec<char> = text.chars().collect();
        let pieces = characters.split(|character| !is_steady(*character));
        Self { pieces: pieces.map(|piece| piece.iter().map(|character| vec![*character]).collect()).collect() }
    }

    /// A text with wildcards that another one matches, whatever the case of its letters. Regular expressions know other letters
    /// by more than one form, and databases tell a ligature from its letters or not: of both nothing is taken.
    pub fn matched(text: &str) -> Self {
        let literals: Vec<Vec<char>> =
            wildcard::literals(text).iter().map(|literal| literal.to_lowercase().chars().collect()).collect();
        let pieces = literals.iter().flat_map(|literal| {
            let is_joined = |pair: &[char]| LIGATURES.contains(&[pair[0], pair[1]]);
            let known = |(place, character): (usize, &char)| {
                let around = &literal[place.saturating_sub(1)..literal.len().min(place + 2)];
                let is_plain = (' '..='~').contains(character) && !around.windows(2).any(is_joined);
                is_plain.then(|| if *character == 's' { vec!['s', 'ſ'] } else { vec![*character] })
            };
            let characters: Vec<Option<Character>> = literal.iter().enumerate().map(known).collect();
            let pieces = characters.split(Option::is_none);
            pieces.map(|piece| piece.iter().flatten().cloned().collect()).collect::<Vec<_>>()
        });
        Self { pieces: pieces.collect() }
    }

    /// A few sets of runs, one of each of which stands in every text that is found; `None` when it is too short.
    fn runs(&self, length: usize) -> Option<[Vec<String>; RUNS]> {
        let mut all = Vec::new();
        for piece in &self.pieces {
            let mut windows: Vec<Vec<Character>> = piece.windows(length).map(<[Character]>::to_vec).collect();
            // What is last may be joined with an accent behind it. Where there are other runs that one is left out.
            if let Some(mut last) = windows.pop() {
                let end: &mut Character = last.last_mut()?;
                let joined: Vec<char> = end.iter().flat_map(|last| joined::with_accents(*last)).collect();
                if joined.is_empty() || (windows.is_empty() && all.is_empty()) {
                    end.extend(joined);
                    windows.push(last);
                }
            }
            all.append(&mut windows);
        }
        let last = all.len().checked_sub(1)?;
        Some(std::array::from_fn(|place| spelled(&all[place * last / (RUNS - 1)])))
    }
}

/// Every text that characters make.
fn spelled(characters: &[Character]) -> Vec<String> {
    characters.iter().fold(vec![String::new()], |begun, character| {
        let longer = |text: &String, next: &char| format!("{text}{next}");
        begun.iter().flat_map(|text| character.iter().map(move |next| longer(text, next))).collect()
    })
}

/// Whether a character in lower case stays what it is when a text is put into its normal form, unless accents follow. The
/// small sigma depends on what stands around it.
fn is_steady(character: char) -> bool {
    let is_normal = is_nfc_quick(std::iter::once(character)) == IsNormalized::Yes;
    is_normal
        && canonical_combining_class(character) == 0
        && !joined::is_hangul(character)
        && !matches!(character, 'σ' | 'ς')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a view has of a stored text.
    fn stored(text: &str, length: usize) -> Vec<String> {
        use unicode_normalization::UnicodeNormalization;
        let characters: Vec<char> = text.to_lowercase().nfc().collect();
        characters.windows(length).map(|run| run.iter().collect()).collect()
    }

    /// Whether a view finds a stored text by the runs of another; `None` where it is not asked.
    fn is_found(text: &Text, stored_text: &str, length: usize) -> Option<bool> {
        let stored = stored(stored_text, length);
        let runs = text.runs(length)?;
        Some(runs.iter().all(|set| set.iter().any(|run| stored.contains(run))))
    }

    #[test]
    fn runs_stand_at_the_beginning_in_between_and_at_the_end() {
        let runs = Text::contained("sn-26-0048213").runs(3).unwrap();
        assert_eq!(runs.map(|set| set.join("|")), ["sn-", "26-", "004", "213"]);
        let runs = Text::contained("torque 7").runs(5).unwrap();
        assert_eq!(runs.map(|set| set.join("|")), ["torqu", "orque", "rque ", "que 7"]);
    }

    #[test]
    fn a_text_that_is_too_short_has_none() {
        for text in ["", "ab", "a\u{301}bc\u{301}d"] {
            assert_eq!(Text::contained(text).runs(3), None, "{text:?}");
        }
        assert_eq!(Text::contained("abcd").runs(5), None);
    }

    #[test]
    fn accents_behind_a_text_do_not_hide_it() {
        let search = Text::contained("cafe");
        for stored_text in ["CAFE", "Cafe\u{301}", "un cafe\u{323}\u{302} noir", "cafes"] {
            assert_eq!(is_found(&search, stored_text, 3), Some(true), "{stored_text}");
        }
        let search = Text::contained("afe");
        assert_eq!(is_found(&search, "Cafe\u{301}", 3), Some(true));
        assert_eq!(is_found(&search, "Caff", 3), Some(false));
    }

    #[test]
    fn what_stands_between_wildcards_is_looked_for() {
        let runs = Text::matched("SN-26*7?Lot 9").runs(3).unwrap();
        assert_eq!(runs.map(|set| set.join("|")), ["sn-|ſn-", "n-2", "lot", "t 9"]);
        // of letters that may be one, and of letters beyond ASCII, nothing is asked
        assert_eq!(Text::matched("first").runs(3), None);
        assert_eq!(Text::matched("früh").runs(3), None);
        assert_eq!(Text::matched("*").runs(3), None);
    }

    #[test]
    fn whatever_a_text_contains_is_found() {
        let mut random = 7_u64;
        let mut next = |below: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(random >> 33).unwrap() % below
        };
        let letters: Vec<char> =
            "aAeEéÉêßẞİIıΣσςſK\u{301}\u{323}\u{307}7 *?한\u{1100}\u{1161}\u{11a8}👍ﬁ".chars().collect();
        let (mut asked, mut missed) = (0, Vec::new());
        for _ in 0..40_000 {
            let stored_text: String = (0..next(12)).map(|_| letters[next(letters.len())]).collect();
            let small: Vec<char> = stored_text.to_lowercase().chars().collect();
            let from = next(small.len() + 1);
            let part: String = small[from..from + next(small.len() - from + 1)].iter().collect();
            let pattern = regex::RegexBuilder::new(&wildcard::regex(Some(&part)).unwrap_or_default());
            let is_match = pattern.clone().case_insensitive(true).build().unwrap().is_match(&stored_text);
            let texts = [Some(Text::contained(&part)), is_match.then(|| Text::matched(&part))];
            for (text, length) in texts.iter().flatten().flat_map(|text| [(text, 3), (text, 5)]) {
                match is_found(text, &stored_text, length) {
                    Some(false) => missed.push((stored_text.clone(), part.clone())),
                    Some(true) => asked += 1,
                    None => {}
                }
            }
        }
        assert!(asked > 3_000 && missed.is_empty(), "{asked}, {missed:?}");
    }
}

//! Runs of characters as tokens.

use smol_str::SmolStr;

use super::tokenizer::Tokens;

/// The beginnings of words.
pub struct EdgeNgrams {
    pub(super) min: usize,
    pub(super) max: usize,
    pub(super) preserve: bool,
}

/// Every run of characters of certain lengths.
pub struct Ngrams {
    pub(super) min: usize,
    pub(super) max: usize,
    pub(super) preserve: bool,
    pub(super) start: SmolStr,
    pub(super) end: SmolStr,
}

/// What the runs of a wildcard analyzer begin with, so that they are no tokens.
pub(crate) const RUN: char = '\u{1}';

/// Every run of so many characters of a text, marked as such.
pub(crate) fn grams(text: &str, size: usize) -> Vec<SmolStr> {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let runs = places.windows(size + 1).map(|ends| smol_str::format_smolstr!("{RUN}{}", &text[ends[0]..ends[size]]));
    runs.collect()
}

impl EdgeNgrams {
    pub(super) fn of(&self, word: &str) -> Vec<SmolStr> {
        let ends: Vec<usize> = word.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
        let longest = self.max.min(ends.len());
        let mut found: Vec<SmolStr> = (self.min..=longest).map(|n| SmolStr::new(&word[..ends[n - 1]])).collect();
        if self.preserve && found.last().is_none_or(|last| last != word) {
            found.push(word.into());
        }
        found
    }
}

impl Ngrams {
    pub(super) fn tokens(&self, text: &str, tokens: &mut Tokens) {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let all = places.len() - 1;
        for begin in 0..all {
            let longest = self.max.min(all - begin);
            let runs = (self.min..=longest).map(|length| {
                let at = places[begin]..places[begin + length];
                let run = &text[at.clone()];
                let run = if begin == 0 {
                    smol_str::format_smolstr!("{}{run}", self.start)
                } else if begin + length == all {
                    smol_str::format_smolstr!("{run}{}", self.end)
                } else {
                    SmolStr::new(run)
                };
                (run, at)
            });
            // the whole text stands where its first run does, unless it is one itself
            let is_run = (self.min..=self.max).contains(&all);
            let whole = (begin == 0 && self.preserve && !is_run).then(|| self.marked(text));
            let whole = whole.into_iter().flatten().map(|whole| (whole, 0..text.len()));
            tokens.push_all(whole.chain(runs));
        }
    }

    /// The whole text with each of the markers, or as it is where there are none.
    fn marked(&self, text: &str) -> Vec<SmolStr> {
        let (start, end) = (&self.start, &self.end);
        let marked =
            [(start, smol_str::format_smolstr!("{start}{text}")), (end, smol_str::format_smolstr!("{text}{end}"))];
        let found: Vec<SmolStr> = marked.into_iter().filter(|(m, _)| !m.is_empty()).map(|(_, text)| text).collect();
        if found.is_empty() { vec![SmolStr::new(text)] } else { found }
    }
}

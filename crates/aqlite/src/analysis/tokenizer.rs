//! From text to tokens.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use icu_collator::options::CollatorOptions;
use icu_collator::{Collator, CollatorBorrowed};
use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

use super::GeoForm;
use super::ngrams::{EdgeNgrams, Ngrams, grams};
use crate::functions::hash::signature;
use crate::value::Value;

/// A token of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// What is found.
    pub text: SmolStr,
    /// Its place among the tokens; those of one place are alternatives of each other.
    pub position: u32,
    /// The bytes of the text that it stands for.
    pub at: Range<usize>,
}

/// What becomes of capital and small letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// They stay.
    Keep,
    /// All are small.
    Lower,
    /// All are capitals.
    Upper,
}

impl Case {
    pub(super) fn to_value(self) -> Value {
        Value::str(match self {
            Self::Keep => "none",
            Self::Lower => "lower",
            Self::Upper => "upper",
        })
    }

    fn apply(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Keep => Cow::Borrowed(text),
            Self::Lower => Cow::Owned(text.to_lowercase()),
            Self::Upper => Cow::Owned(text.to_uppercase()),
        }
    }
}

/// Which segments of a text are tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Break {
    /// All of them.
    All,
    /// Those with a letter or digit.
    Alpha,
    /// Those with anything that can be seen.
    Graphic,
}

impl Break {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Alpha => "alpha",
            Self::Graphic => "graphic",
        }
    }

    fn admits(self, segment: &str) -> bool {
        match self {
            Self::All => true,
            Self::Alpha => segment.chars().any(char::is_alphanumeric),
            Self::Graphic => segment.chars().any(|c| !c.is_whitespace() && !c.is_control()),
        }
    }
}

/// Words of a language.
pub struct Text {
    pub(super) case: Case,
    pub(super) accent: bool,
    pub(super) stemmer: Option<Algorithm>,
    pub(super) stopwords: FxHashSet<SmolStr>,
    pub(super) edges: Option<EdgeNgrams>,
}

/// The order of a language.
pub struct Collating(CollatorBorrowed<'static>);

impl Collating {
    pub(super) fn new(locale: &str) -> Option<Self> {
        let code: String = locale.split(['.', '@']).next()?.replace('_', "-");
        let locale: icu_locale_core::Locale = code.parse().ok()?;
        Collator::try_new(locale.into(), CollatorOptions::default()).ok().map(Self)
    }

    /// Text whose bytes sort as the language sorts.
    fn key(&self, text: &str) -> SmolStr {
        let mut key = Vec::new();
        let Ok(()) = self.0.write_sort_key_to(text, &mut key);
        hex::encode(key).into()
    }
}

/// What makes the tokens.
pub enum Tokenizer {
    /// The text as it is.
    Identity,
    /// Words.
    Text(Text),
    /// Runs of characters.
    Ngrams(Ngrams),
    /// The whole text, normalized.
    Norm {
        /// Capital and small letters.
        case: Case,
        /// Accents stay.
        accent: bool,
    },
    /// The stem of the whole text.
    Stem(Option<Algorithm>),
    /// What stands between delimiters.
    Delimiter(SmolStr),
    /// What stands between any of several.
    MultiDelimiter(Vec<SmolStr>),
    /// One after the other, each with the tokens of the one before.
    Pipeline(Vec<Tokenizer>),
    /// The text, unless it is one of these.
    Stopwords(FxHashSet<SmolStr>),
    /// Segments.
    Segmentation {
        /// Capital and small letters.
        case: Case,
        /// Which ones.
        at: Break,
    },
    /// Keys that sort as a language does.
    Collation(Collating),
    /// The signature of the tokens of another one: the more of it two texts share, the more similar they are.
    MinHash {
        /// The other one.
        inner: Box<Tokenizer>,
        /// How many hashes.
        count: usize,
    },
    /// The tokens of another one, and the runs of characters that they hold.
    Wildcard {
        /// The other one.
        inner: Box<Tokenizer>,
        /// How many characters each run has.
        size: usize,
    },
    /// Cells of places; texts have none.
    Geo(GeoForm),
}

impl fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tokenizer")
    }
}

/// Gathers tokens and counts places.
#[derive(Default)]
pub(super) struct Tokens {
    found: Vec<Token>,
    next: u32,
}

impl Tokens {
    /// A token at a place of its own.
    pub(super) fn push(&mut self, text: impl Into<SmolStr>, at: Range<usize>) {
        self.found.push(Token { text: text.into(), position: self.next, at });
        self.next += 1;
    }

    /// Tokens that share a place.
    pub(super) fn push_all(&mut self, texts: impl Iterator<Item = (SmolStr, Range<usize>)>) {
        let before = self.found.len();
        let position = self.next;
        self.found.extend(texts.map(|(text, at)| Token { text, position, at }));
        self.next += u32::from(self.found.len() > before);
    }
}

impl Tokenizer {
    /// The tokens of a text, in their order.
    pub fn tokens(&self, text: &str) -> Vec<Token> {
        let mut tokens = Tokens::default();
        let all = 0..text.len();
        match self {
            Self::Identity => tokens.push(text, all),
            Self::Text(settings) => settings.tokens(text, &mut tokens),
            Self::Ngrams(settings) => settings.tokens(text, &mut tokens),
            Self::Norm { case, accent } => tokens.push(normal(&case.apply(text), *accent), all),
            Self::Stem(stemmer) => match stemmer {
                Some(language) => tokens.push(&*Stemmer::create(*language).stem(text), all),
                None => tokens.push(text, all),
            },
            Self::Delimiter(delimiter) if delimiter.is_empty() => tokens.push(text, all),
            Self::Delimiter(delimiter) => {
                let mut begin = 0;
                for part in text.split(delimiter.as_str()) {
                    tokens.push(part, begin..begin + part.len());
                    begin += part.len() + delimiter.len();
                }
            }
            Self::MultiDelimiter(delimiters) => split_at_any(text, delimiters, &mut tokens),
            Self::Stopwords(words) => {
                if !words.contains(text) {
                    tokens.push(text, all);
                }
            }
            Self::Segmentation { case, at } => {
                let segments = text.split_word_bound_indices().filter(|(_, segment)| at.admits(segment));
                segments.for_each(|(begin, segment)| tokens.push(&*case.apply(segment), begin..begin + segment.len()));
            }
            Self::Collation(collating) => tokens.push(collating.key(text), all),
            Self::Pipeline(parts) => return pipeline(parts, text),
            Self::MinHash { inner, count } => {
                let found = inner.tokens(text).into_iter().map(|token| Value::Str(token.text));
                for hash in signature(found, *count) {
                    tokens.push(hash, all.clone());
                }
            }
            Self::Wildcard { inner, size } => {
                for token in inner.tokens(text) {
                    let runs = grams(&token.text, *size).into_iter();
                    tokens.push_all(std::iter::once(token.text).chain(runs).map(|text| (text, token.at.clone())));
                }
            }
            Self::Geo(_) => {}
        }
        tokens.found
    }
}

fn pipeline(parts: &[Tokenizer], text: &str) -> Vec<Token> {
    let mut tokens = vec![Token { text: text.into(), position: 0, at: 0..text.len() }];
    for part in parts {
        let mut next: Vec<Token> = Vec::with_capacity(tokens.len());
        // a token that becomes several moves those behind it on
        let (mut place, mut last) = (0, None);
        for token in tokens {
            let begin = match last {
                Some(before) if before == token.position => place,
                Some(_) => next.last().map_or(place, |t| t.position + 1),
                None => 0,
            };
            (place, last) = (begin, Some(token.position));
            let all = token.text.len();
            next.extend(part.tokens(&token.text).into_iter().map(|t| {
                // the last one ends where the token ends that it is a part of, however long that has become
                let end = if t.at.end == all { token.at.end } else { token.at.end.min(token.at.start + t.at.end) };
                let at = end.min(token.at.start + t.at.start)..end;
                Token { position: begin + t.position, text: t.text, at }
            }));
        }
        tokens = next;
    }
    tokens
}

fn split_at_any(text: &str, delimiters: &[SmolStr], tokens: &mut Tokens) {
    let mut begin = 0;
    let mut at = 0;
    while at < text.len() {
        // the longest that stands here
        let here = delimiters.iter().filter(|d| text[at..].starts_with(d.as_str())).map(SmolStr::len).max();
        match here {
            Some(len) => {
                if at > begin {
                    tokens.push(&text[begin..at], begin..at);
                }
                at += len;
                begin = at;
            }
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    if text.len() > begin {
        tokens.push(&text[begin..], begin..text.len());
    }
}

/// A text in its normal form, perhaps without accents.
fn normal(text: &str, accent: bool) -> SmolStr {
    if text.is_ascii() {
        SmolStr::new(text)
    } else if accent {
        text.nfc().collect::<String>().into()
    } else {
        text.nfd().filter(|c| !is_combining_mark(*c)).nfc().collect::<String>().into()
    }
}

impl Text {
    fn tokens(&self, text: &str, tokens: &mut Tokens) {
        let stemmer = self.stemmer.map(Stemmer::create);
        for (begin, word) in text.unicode_word_indices() {
            let at = begin..begin + word.len();
            let word = normal(&self.case.apply(word), self.accent);
            if self.stopwords.contains(&word) {
                continue;
            }
            let word = match &stemmer {
                Some(stemmer) => SmolStr::new(stemmer.stem(&word)),
                None => word,
            };
            match &self.edges {
                None => tokens.push(word, at),
                Some(edges) => tokens.push_all(edges.of(&word).into_iter().map(|edge| (edge, at.clone()))),
            }
        }
    }
}

//! `PHRASE`: from its arguments to the terms of each of its places.

use super::compile::{Compiler, Scope};
use super::functions::{invalid, list_of};
use super::phrase::{Phrase, Place};
use super::postings::Postings;
use super::score::Weight;
use super::tree::{Kind, Tree};
use crate::Result;
use crate::error::{Error, code};
use crate::plan::expr::Ex;
use crate::plan::optimize::literal_prefix;
use crate::search::keys;
use crate::value::{SmolStr, Value};

/// A phrase takes no more terms for one place that stands for many.
const MOST_TERMS: usize = 1_024;

impl Compiler<'_, '_, '_> {
    pub(super) fn phrase(&mut self, args: &[Ex], scope: &Scope) -> Result<Tree> {
        let path = self.attribute(args)?;
        let mut values = self.values(&args[1..])?;
        // a string right behind another part names the analyzer
        let is_part = |value: &Value| !value.is_number();
        let analyzer = match values.as_slice() {
            [.., before, Value::Str(_)] if is_part(before) => {
                values.pop();
                Some(self.analyzer(&args[args.len() - 1])?)
            }
            _ => scope.analyzer.clone(),
        };
        // all parts may stand in one array
        if let [list] = values.as_slice()
            && list.is_array()
        {
            values = list.iter_array().collect();
        }
        let Some(number) = self.number_of(&path, analyzer.as_ref()) else { return Ok(Tree::nothing()) };
        let field = keys::field(&path, keys::TOKENS + number as u8);
        let mut phrase = Phrase { places: Vec::new(), weights: Vec::new(), found: (0, 0) };
        let mut next = 0;
        for value in &values {
            if let Some(gap) = value.as_f64() {
                next += gap.max(0.0) as u32;
                continue;
            }
            let members: Vec<Value> = if value.is_array() { value.iter_array().collect() } else { vec![value.clone()] };
            for member in members {
                next = self.phrase_part(&mut phrase, &field, number, &member, next, scope)?;
            }
        }
        if phrase.places.is_empty() || phrase.places.iter().any(|place| place.terms.is_empty()) {
            return Ok(Tree::nothing());
        }
        let first = phrase.places[0].offset;
        phrase.places.iter_mut().for_each(|place| place.offset -= first);
        let own = Scope { analyzer, ..scope.clone() };
        self.note_search(&path, &own, "places", || {
            let place = |place: &Place| Value::array(vec![Value::Int(place.offset.into()), list_of(&place.texts)]);
            Value::array(phrase.places.iter().map(place).collect())
        });
        Ok(Kind::Phrase(Box::new(phrase)).into())
    }

    /// Adds a part of a phrase and tells where the next one stands.
    fn phrase_part(
        &mut self,
        phrase: &mut Phrase,
        field: &[u8],
        analyzer: usize,
        part: &Value,
        at: u32,
        scope: &Scope,
    ) -> Result<u32> {
        const NAME: &str = "PHRASE";
        if let Value::Str(text) = part {
            let tokens = self.source.definition.analyzers[analyzer].1.tokens(text);
            for (behind, token) in tokens.iter().enumerate() {
                self.phrase_place(phrase, field, std::slice::from_ref(&token.text), at + behind as u32, scope)?;
            }
            return Ok(at + tokens.len() as u32);
        }
        let Some((kind, about)) = part.iter_object().next().map(|(kind, about)| (kind.to_uppercase(), about)) else {
            return Err(invalid(NAME));
        };
        let list: Vec<Value> = if about.is_array() { about.iter_array().collect() } else { vec![about] };
        let texts =
            |list: &[Value]| -> Option<Vec<SmolStr>> { list.iter().map(|v| v.as_str().map(SmolStr::new)).collect() };
        let terms = match kind.as_str() {
            "TERM" => texts(&list).ok_or_else(|| invalid(NAME))?,
            "TERMS" => match list.as_slice() {
                [inner] if inner.is_array() => {
                    texts(&inner.iter_array().collect::<Vec<_>>()).ok_or_else(|| invalid(NAME))?
                }
                list => texts(list).ok_or_else(|| invalid(NAME))?,
            },
            "STARTS_WITH" => {
                let prefix = list.first().map(Value::to_text).unwrap_or_default();
                self.terms(field, &prefix, &mut |_, _| Ok(true))?
            }
            "WILDCARD" => {
                let pattern = list.first().map(Value::to_text).unwrap_or_default();
                let (prefix, _) = literal_prefix(&pattern);
                self.terms(field, &prefix, &mut |compiler, text| compiler.is_like(text, &pattern))?
            }
            "LEVENSHTEIN_MATCH" => self.similar(NAME, field, &list)?,
            "IN_RANGE" => {
                let [Value::Str(low), Value::Str(high), rest @ ..] = list.as_slice() else { return Err(invalid(NAME)) };
                let with = |at: usize| rest.get(at).is_some_and(Value::truthy);
                self.terms(field, "", &mut |_, text| {
                    let above = text > low.as_str() || (with(0) && text == low.as_str());
                    let below = text < high.as_str() || (with(1) && text == high.as_str());
                    Ok(above && below)
                })?
            }
            _ => return Err(invalid(NAME)),
        };
        if terms.len() > MOST_TERMS {
            let message = format!("a part of a phrase stands for more than {MOST_TERMS} terms");
            return Err(Error::new(code::BAD_PARAMETER, message));
        }
        self.phrase_place(phrase, field, &terms, at, scope)?;
        Ok(at + 1)
    }

    fn phrase_place(
        &mut self,
        phrase: &mut Phrase,
        field: &[u8],
        terms: &[SmolStr],
        at: u32,
        scope: &Scope,
    ) -> Result<()> {
        let mut place = Place { offset: at, terms: Vec::with_capacity(terms.len()), texts: terms.to_vec() };
        for text in terms {
            let (postings, weight): (Postings, Weight) = self.term(field, &keys::token(text), scope.boost)?;
            place.terms.push(postings);
            phrase.weights.push(weight);
        }
        phrase.places.push(place);
        Ok(())
    }
}

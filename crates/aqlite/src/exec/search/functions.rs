//! The functions that ask the postings of an attribute.

use super::compile::{Compiler, Scope, at_least};
use super::phrase::{Ngrams, Phrase, Place};
use super::postings::Postings;
use super::score::Weight;
use super::tree::{Kind, Tree};
use crate::Result;
use crate::analysis::{RUN, Tokenizer, grams};
use crate::error::{Error, code};
use crate::functions::{self, Host};
use crate::plan::expr::Ex;
use crate::plan::optimize::{literal_prefix, literal_runs};
use crate::search::keys;
use crate::value::{SmolStr, Value};

/// A phrase takes no more terms for one place that stands for many.
const MOST_TERMS: usize = 1_024;
/// `NGRAM_MATCH` without a threshold.
const THRESHOLD: f64 = 0.7;
/// `LEVENSHTEIN_MATCH` without a number of terms.
const SIMILAR_TERMS: i64 = 64;

fn list_of(texts: &[SmolStr]) -> Value {
    Value::array(texts.iter().cloned().map(Value::Str).collect())
}

fn invalid(function: &str) -> Error {
    Error::new(code::BAD_PARAMETER, format!("invalid arguments of '{function}' in a SEARCH condition"))
}

impl Compiler<'_, '_, '_> {
    pub(super) fn call(&mut self, name: &str, args: &[Ex], scope: &Scope) -> Result<Tree> {
        match name {
            "ANALYZER" => {
                let scope = Scope { analyzer: Some(self.analyzer(&args[1])?), ..scope.clone() };
                self.tree(&args[0], &scope)
            }
            "BOOST" => {
                let factor = self.ctx.eval(&args[1])?.as_f64().ok_or_else(|| invalid(name))?;
                self.tree(&args[0], &Scope { boost: scope.boost * factor, ..scope.clone() })
            }
            "MIN_MATCH" => {
                let Some((needed, parts)) = args.split_last() else { return Err(invalid(name)) };
                let needed = self.ctx.eval(needed)?;
                let needed = needed.as_f64().ok_or_else(|| invalid(name))? as i64;
                let parts = parts.iter().map(|part| self.tree(part, scope)).collect::<Result<_>>()?;
                Ok(at_least(needed, parts))
            }
            "EXISTS" => self.exists(args, scope),
            "IN_RANGE" => {
                let path = self.attribute(args)?;
                let values = self.values(&args[1..])?;
                let [low, high, with_low, with_high] = values.as_slice() else { return Err(invalid(name)) };
                let (low, high) = ((low.clone(), with_low.truthy()), (high.clone(), with_high.truthy()));
                self.range(&path, Some(low), Some(high), scope)
            }
            "STARTS_WITH" => self.starts_with(args, scope),
            "LIKE" => self.like(args, scope),
            "LEVENSHTEIN_MATCH" => self.levenshtein(args, scope),
            "PHRASE" => self.phrase(args, scope),
            "NGRAM_MATCH" => self.ngram_match(args, scope),
            "MINHASH_MATCH" => self.minhash_match(args, scope),
            "GEO_CONTAINS" => self.geo("GEO_CONTAINS", args, scope),
            "GEO_INTERSECTS" => self.geo("GEO_INTERSECTS", args, scope),
            "GEO_IN_RANGE" => self.geo("GEO_IN_RANGE", args, scope),
            _ => Err(Error::new(
                code::BAD_PARAMETER,
                format!("unsupported SEARCH condition: {name} is not answered by views"),
            )),
        }
    }

    fn values(&mut self, args: &[Ex]) -> Result<Vec<Value>> {
        args.iter().map(|arg| self.ctx.eval(arg)).collect()
    }

    /// The name of an analyzer, as links name it.
    pub(super) fn analyzer(&mut self, name: &Ex) -> Result<SmolStr> {
        let name = self.ctx.eval(name)?;
        let name = name.as_str().ok_or_else(|| invalid("ANALYZER"))?;
        let unknown = || {
            let message = format!("Unable to load requested analyzer '{name}'");
            Error::new(code::BAD_PARAMETER, message)
        };
        let found = self.ctx.analyzer(name)?;
        found.map(|(name, _)| name).ok_or_else(unknown)
    }

    fn exists(&mut self, args: &[Ex], scope: &Scope) -> Result<Tree> {
        let path = self.attribute(args)?;
        let values = self.values(&args[1..])?;
        let present = keys::field(&path, keys::PRESENT);
        let what = match values.first().and_then(Value::as_str) {
            None if values.is_empty() => {
                let scan = self.source.beginning(&present)?;
                return self.list(scan, scope.boost);
            }
            Some("analyzer") => {
                let analyzer = match args.get(2) {
                    Some(name) => Some(self.analyzer(name)?),
                    None => scope.analyzer.clone(),
                };
                let Some(field) = self.tokens_of(&path, analyzer.as_ref()) else { return Ok(Tree::nothing()) };
                let scan = self.source.beginning(&field)?;
                return self.list(scan, scope.boost);
            }
            Some("string") => keys::present::STRING,
            Some("numeric") => keys::present::NUMBER,
            Some("bool" | "boolean") => keys::present::BOOL,
            Some("null") => keys::present::NULL,
            _ => return Err(invalid("EXISTS")),
        };
        let (postings, weight) = self.term(&present, &[what], scope.boost)?;
        Ok(Kind::Term(postings, weight).into())
    }

    fn starts_with(&mut self, args: &[Ex], scope: &Scope) -> Result<Tree> {
        let path = self.attribute(args)?;
        let values = self.values(&args[1..])?;
        let Some(field) = self.tokens_of(&path, scope.analyzer.as_ref()) else { return Ok(Tree::nothing()) };
        let (prefixes, needed) = match values.as_slice() {
            [Value::Str(prefix), ..] => (vec![prefix.clone()], 1),
            [list, rest @ ..] if list.is_array() => {
                let texts: Option<Vec<SmolStr>> =
                    list.iter_array().map(|text| text.as_str().map(SmolStr::new)).collect();
                let needed = rest.first().and_then(Value::as_f64).unwrap_or(1.0) as i64;
                (texts.ok_or_else(|| invalid("STARTS_WITH"))?, needed)
            }
            _ => return Err(invalid("STARTS_WITH")),
        };
        let mut parts = Vec::with_capacity(prefixes.len());
        for prefix in prefixes {
            self.note_search(&path, scope, "prefix", || Value::Str(prefix.clone()));
            let scan = self.source.beginning(&[field.as_slice(), &keys::beginning(&prefix)].concat())?;
            parts.push(self.list(scan, scope.boost)?);
        }
        Ok(at_least(needed, parts))
    }

    fn like(&mut self, args: &[Ex], scope: &Scope) -> Result<Tree> {
        let path = self.attribute(args)?;
        let values = self.values(&args[1..])?;
        let Some(pattern) = values.first().and_then(Value::as_str) else { return Err(invalid("LIKE")) };
        let Some(field) = self.tokens_of(&path, scope.analyzer.as_ref()) else { return Ok(Tree::nothing()) };
        if values.get(1).is_some_and(Value::truthy) {
            return Err(invalid("LIKE"));
        }
        if let Some(found) = self.like_by_runs(&path, &args[0], pattern, scope)? {
            return Ok(found);
        }
        let (prefix, _) = literal_prefix(pattern);
        let terms = self.terms(&field, &prefix, &mut |compiler, text| {
            Ok(!text.starts_with(RUN) && compiler.is_like(text, pattern)?)
        })?;
        self.note_search(&path, scope, "terms", || list_of(&terms));
        self.any_of(&field, &terms, scope)
    }

    /// The same by the runs of characters that a wildcard analyzer has of its tokens: they find what may be like the
    /// pattern, the documents say whether it is. `None`: the analyzer is another one, or the pattern has no run.
    fn like_by_runs(&mut self, path: &str, attribute: &Ex, pattern: &str, scope: &Scope) -> Result<Option<Tree>> {
        let source = self.source;
        let Some(number) = self.number_of(path, scope.analyzer.as_ref()) else { return Ok(None) };
        let Tokenizer::Wildcard { size, .. } = &*source.definition.analyzers[number].1.tokenizer else {
            return Ok(None);
        };
        let mut runs: Vec<SmolStr> = literal_runs(pattern).iter().flat_map(|text| grams(text, *size)).collect();
        runs.sort();
        runs.dedup();
        if runs.is_empty() || !self.members.is_empty() {
            return Ok(None);
        }
        let field = keys::field(path, keys::TOKENS + number as u8);
        let mut parts = Vec::with_capacity(runs.len());
        for run in &runs {
            let (postings, weight) = self.term(&field, &keys::token(run), scope.boost)?;
            parts.push(Kind::Term(postings, weight).into());
        }
        let mut candidates: Tree = Kind::And(parts).into();
        let (mut ids, mut target) = (Vec::new(), 0);
        while let Some(id) = candidates.seek(source, target)? {
            target = id + 1;
            let Some(document) = source.document(id)? else { continue };
            self.ctx.stats.documents += 1;
            let before = std::mem::replace(&mut self.ctx.frame[self.slot], document);
            let value = self.ctx.eval(attribute);
            self.ctx.frame[self.slot] = before;
            for token in self.tokens(path, &value?, scope) {
                let is_token = token.as_str().filter(|text| !text.starts_with(RUN));
                if is_token.map_or(Ok(false), |text| self.is_like(text, pattern))? {
                    self.note(&mut ids, id)?;
                    break;
                }
            }
        }
        self.known(ids, scope.boost).map(Some)
    }

    pub(super) fn is_like(&mut self, text: &str, pattern: &str) -> Result<bool> {
        let Some(like) = functions::lookup("LIKE") else { return Ok(false) };
        Ok((like.body)(&mut *self.ctx, &[Value::from(text), Value::from(pattern)])?.truthy())
    }

    fn levenshtein(&mut self, args: &[Ex], scope: &Scope) -> Result<Tree> {
        const NAME: &str = "LEVENSHTEIN_MATCH";
        let path = self.attribute(args)?;
        let values = self.values(&args[1..])?;
        let Some(field) = self.tokens_of(&path, scope.analyzer.as_ref()) else { return Ok(Tree::nothing()) };
        let terms = self.similar(NAME, &field, &values)?;
        self.note_search(&path, scope, "terms", || list_of(&terms));
        self.any_of(&field, &terms, scope)
    }

    /// The terms of a field that are so similar to a text: target, distance, transpositions, how many at most, prefix.
    fn similar(&mut self, name: &str, field: &[u8], values: &[Value]) -> Result<Vec<SmolStr>> {
        let (target, distance) = match values {
            [Value::Str(target), distance, ..] => (target.clone(), distance.as_f64().ok_or_else(|| invalid(name))?),
            _ => return Err(invalid(name)),
        };
        let swaps = values.get(2).is_none_or(Value::truthy);
        let most = if swaps { 3.0 } else { 4.0 };
        if !(0.0..=most).contains(&distance) {
            return Err(invalid(name));
        }
        let distance = distance as usize;
        let max_terms = values.get(3).and_then(Value::as_f64).map_or(SIMILAR_TERMS, |n| n as i64);
        let prefix = values.get(4).map(Value::to_text).unwrap_or_default();
        let mut found: Vec<(usize, SmolStr)> = Vec::new();
        self.terms(field, &prefix, &mut |_, text| {
            let rest = text.strip_prefix(prefix.as_str()).unwrap_or(text);
            let away = if swaps { strsim::osa_distance(rest, &target) } else { strsim::levenshtein(rest, &target) };
            if away <= distance {
                found.push((away, text.into()));
            }
            Ok(false)
        })?;
        // the most similar ones count
        found.sort();
        if let Ok(most) = usize::try_from(max_terms)
            && most > 0
        {
            found.truncate(most);
        }
        Ok(found.into_iter().map(|(_, text)| text).collect())
    }

    /// The terms of a field that begin with a text and fulfil a condition: each is looked at once.
    pub(super) fn terms(
        &mut self,
        field: &[u8],
        prefix: &str,
        admits: &mut dyn FnMut(&mut Self, &str) -> Result<bool>,
    ) -> Result<Vec<SmolStr>> {
        let begin = [field, &keys::beginning(prefix)].concat();
        let mut end = begin.clone();
        crate::value::index_key::increment(&mut end);
        let mut from = begin;
        let mut found = Vec::new();
        loop {
            self.ctx.tick()?;
            let mut scan = self.source.range(&from, &end)?;
            if scan.next()?.is_none() {
                return Ok(found);
            }
            let Some((text, _)) = scan.key().get(field.len()..).and_then(keys::read_token) else { return Ok(found) };
            if admits(self, &text)? {
                self.ctx.room(size_of::<SmolStr>() * found.len())?;
                found.push(text.as_str().into());
            }
            from = [field, &keys::behind(&text)].concat();
        }
    }

    /// Documents with one of some terms.
    pub(super) fn any_of(&mut self, field: &[u8], terms: &[SmolStr], scope: &Scope) -> Result<Tree> {
        let parts = terms.iter().map(|text| {
            let (postings, weight) = self.term(field, &keys::token(text), scope.boost)?;
            Ok(Kind::Term(postings, weight).into())
        });
        Ok(Kind::Or(parts.collect::<Result<_>>()?).into())
    }

    /// What stands behind the last part of a list of arguments: the name of an analyzer.
    fn analyzer_of(&mut self, name: Option<&Ex>, scope: &Scope) -> Result<Option<SmolStr>> {
        name.map_or_else(|| Ok(scope.analyzer.clone()), |name| self.analyzer(name).map(Some))
    }

    fn ngram_match(&mut self, args: &[Ex], scope: &Scope) -> Result<Tree> {
        const NAME: &str = "NGRAM_MATCH";
        let path = self.attribute(args)?;
        let target = match args.get(1) {
            Some(target) => self.ctx.eval(target)?,
            None => return Err(invalid(NAME)),
        };
        let Some(target) = target.as_str() else { return Err(invalid(NAME)) };
        let third = args.get(2).map(|arg| self.ctx.eval(arg)).transpose()?;
        let (threshold, analyzer) = match third {
            Some(Value::Str(_)) => (THRESHOLD, args.get(2)),
            Some(threshold) => (threshold.as_f64().ok_or_else(|| invalid(NAME))?, args.get(3)),
            None => (THRESHOLD, None),
        };
        if threshold <= 0.0 || threshold > 1.0 {
            return Err(invalid(NAME));
        }
        let analyzer = self.analyzer_of(analyzer, scope)?;
        let Some(number) = self.number_of(&path, analyzer.as_ref()) else { return Ok(Tree::nothing()) };
        let field = keys::field(&path, keys::TOKENS + number as u8);
        let tokens = self.source.definition.analyzers[number].1.tokens(target);
        let needed = (tokens.len() as f64 * threshold).ceil() as usize;
        if tokens.is_empty() {
            return Ok(Tree::nothing());
        }
        let own = Scope { analyzer, ..scope.clone() };
        self.note_search(&path, &own, "terms", || {
            Value::array(tokens.iter().map(|t| Value::Str(t.text.clone())).collect())
        });
        let found: Vec<_> = tokens
            .iter()
            .map(|token| self.term(&field, &keys::token(&token.text), scope.boost))
            .collect::<Result<_>>()?;
        let (terms, weights) = found.into_iter().unzip();
        Ok(Kind::Ngrams(Box::new(Ngrams { terms, weights, needed: needed.max(1), at: 0 })).into())
    }

    /// Documents whose signature has enough in common with that of a text.
    fn minhash_match(&mut self, args: &[Ex], scope: &Scope) -> Result<Tree> {
        const NAME: &str = "MINHASH_MATCH";
        let path = self.attribute(args)?;
        let (target, threshold) = (self.ctx.eval(&args[1])?, self.ctx.eval(&args[2])?);
        let threshold = threshold.as_f64().filter(|t| *t > 0.0 && *t <= 1.0).ok_or_else(|| invalid(NAME))?;
        let target = target.as_str().ok_or_else(|| invalid(NAME))?;
        let analyzer = self.analyzer_of(args.get(3), scope)?;
        let Some(number) = self.number_of(&path, analyzer.as_ref()) else { return Ok(Tree::nothing()) };
        let analyzer = &self.source.definition.analyzers[number].1;
        if !matches!(&*analyzer.tokenizer, Tokenizer::MinHash { .. }) {
            return Err(invalid(NAME));
        }
        let field = keys::field(&path, keys::TOKENS + number as u8);
        let tokens = analyzer.tokens(target);
        let needed = (tokens.len() as f64 * threshold).ceil() as i64;
        let mut parts = Vec::with_capacity(tokens.len());
        for token in &tokens {
            let (postings, weight) = self.term(&field, &keys::token(&token.text), scope.boost)?;
            parts.push(Kind::Term(postings, weight).into());
        }
        Ok(if parts.is_empty() { Tree::nothing() } else { at_least(needed.max(1), parts) })
    }

    fn phrase(&mut self, args: &[Ex], scope: &Scope) -> Result<Tree> {
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

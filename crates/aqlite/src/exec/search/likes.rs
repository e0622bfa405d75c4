//! Texts that are like a pattern, or nearly like another text: which terms of an attribute are.

use super::compile::{Compiler, Scope};
use super::functions::{invalid, list_of};
use super::tree::{Kind, Tree};
use crate::Result;
use crate::analysis::{RUN, Tokenizer, grams};
use crate::functions::{self, Host};
use crate::plan::expr::Ex;
use crate::plan::optimize::{literal_prefix, literal_runs};
use crate::search::keys;
use crate::value::{SmolStr, Value};

/// `LEVENSHTEIN_MATCH` without a number of terms.
const SIMILAR_TERMS: i64 = 64;

impl Compiler<'_, '_, '_> {
    pub(super) fn like(&mut self, args: &[Ex], scope: &Scope) -> Result<Tree> {
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

    pub(super) fn levenshtein(&mut self, args: &[Ex], scope: &Scope) -> Result<Tree> {
        const NAME: &str = "LEVENSHTEIN_MATCH";
        let path = self.attribute(args)?;
        let values = self.values(&args[1..])?;
        let Some(field) = self.tokens_of(&path, scope.analyzer.as_ref()) else { return Ok(Tree::nothing()) };
        let terms = self.similar(NAME, &field, &values)?;
        self.note_search(&path, scope, "terms", || list_of(&terms));
        self.any_of(&field, &terms, scope)
    }

    /// The terms of a field that are so similar to a text: target, distance, transpositions, how many at most, prefix.
    pub(super) fn similar(&mut self, name: &str, field: &[u8], values: &[Value]) -> Result<Vec<SmolStr>> {
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
}

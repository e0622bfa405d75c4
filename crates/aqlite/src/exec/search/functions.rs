//! The functions that ask the postings of an attribute.

use super::compile::{Compiler, Scope, at_least};
use super::phrase::Ngrams;
use super::tree::{Kind, Tree};
use crate::Result;
use crate::analysis::Tokenizer;
use crate::error::{Error, code};
use crate::functions::Host;
use crate::plan::analyzers::unknown;
use crate::plan::expr::Ex;
use crate::search::keys;
use crate::value::{SmolStr, Value};

/// `NGRAM_MATCH` without a threshold.
const THRESHOLD: f64 = 0.7;

pub(super) fn list_of(texts: &[SmolStr]) -> Value {
    Value::array(texts.iter().cloned().map(Value::Str).collect())
}

pub(super) fn invalid(function: &str) -> Error {
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

    pub(super) fn values(&mut self, args: &[Ex]) -> Result<Vec<Value>> {
        args.iter().map(|arg| self.ctx.eval(arg)).collect()
    }

    /// The name of an analyzer, as links name it.
    pub(super) fn analyzer(&mut self, name: &Ex) -> Result<SmolStr> {
        let name = self.ctx.eval(name)?;
        let name = name.as_str().ok_or_else(|| invalid("ANALYZER"))?;
        let found = self.ctx.analyzer(name)?;
        found.map(|(name, _)| name).ok_or_else(|| unknown(name))
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

    /// What stands behind the last part of a list of arguments: the name of an analyzer.
    pub(super) fn analyzer_of(&mut self, name: Option<&Ex>, scope: &Scope) -> Result<Option<SmolStr>> {
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
        self.note_search(&path, &own, "grams", || {
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
}

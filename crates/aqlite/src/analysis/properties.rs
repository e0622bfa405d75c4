//! The settings of analyzers: read, checked, and shown with what was left out.

use rust_stemmers::Algorithm;
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use super::GeoForm;
use super::ngrams::{EdgeNgrams, Ngrams};
use super::tokenizer::{Break, Case, Collating, Text, Tokenizer};
use crate::error::code;
use crate::value::{Object, Value};
use crate::{Error, Result};

/// Deeper pipelines are refused.
const MAX_DEPTH: usize = 16;
/// No token of an n-gram analyzer is longer.
const MAX_GRAM: usize = 1024;

fn bad(message: impl Into<String>) -> Error {
    Error::new(code::BAD_PARAMETER, message.into())
}

/// What makes the tokens of an analyzer of that kind, and its settings as they are shown.
pub(super) fn read(kind: &str, properties: &Value) -> Result<(Tokenizer, Value)> {
    read_at(kind, properties, 0)
}

fn read_at(kind: &str, given: &Value, depth: usize) -> Result<(Tokenizer, Value)> {
    let settings = Settings { kind, given };
    Ok(match kind {
        "identity" => (Tokenizer::Identity, Value::object(Object::default())),
        "text" => settings.text()?,
        "ngram" => settings.ngram()?,
        "norm" => {
            let (locale, case, accent) =
                (settings.locale()?, settings.case(Case::Keep)?, settings.flag("accent", true)?);
            let shown = [("locale", Value::Str(locale)), ("case", case.to_value()), ("accent", Value::Bool(accent))];
            (Tokenizer::Norm { case, accent }, Value::from_pairs(shown))
        }
        "stem" => {
            let locale = settings.locale()?;
            let stemmer = language(&locale);
            (Tokenizer::Stem(stemmer), Value::from_pairs([("locale", Value::Str(locale))]))
        }
        "delimiter" => {
            let delimiter = match given {
                Value::Str(delimiter) => delimiter.clone(),
                _ => settings.text_of("delimiter")?,
            };
            (Tokenizer::Delimiter(delimiter.clone()), Value::from_pairs([("delimiter", Value::Str(delimiter))]))
        }
        "multi_delimiter" => {
            let list = settings.texts("delimiters")?.ok_or_else(|| settings.missing("delimiters"))?;
            if list.iter().any(SmolStr::is_empty) {
                return Err(bad("a delimiter must not be empty"));
            }
            let shown = Value::from_pairs([("delimiters", list_of(&list))]);
            (Tokenizer::MultiDelimiter(list), shown)
        }
        "stopwords" => settings.stopwords()?,
        "segmentation" => {
            let (case, at) = (settings.case(Case::Lower)?, settings.breaks()?);
            (
                Tokenizer::Segmentation { case, at },
                Value::from_pairs([("case", case.to_value()), ("break", Value::str(at.name()))]),
            )
        }
        "collation" => {
            let locale = settings.locale()?;
            let collating = Collating::new(&locale).ok_or_else(|| bad(format!("invalid locale '{locale}'")))?;
            (Tokenizer::Collation(collating), Value::from_pairs([("locale", Value::Str(locale))]))
        }
        "pipeline" if depth >= MAX_DEPTH => return Err(bad("pipelines of analyzers are nested too deeply")),
        "pipeline" => {
            let parts = given.get("pipeline");
            if parts.array_len().is_none_or(|n| n == 0) {
                return Err(settings.missing("pipeline"));
            }
            let (mut tokenizers, mut shown) = (Vec::new(), Vec::new());
            for part in parts.iter_array() {
                let kind = part.get("type").to_text();
                let (tokenizer, properties) = read_at(&kind, &part.get("properties"), depth + 1)?;
                tokenizers.push(tokenizer);
                shown.push(Value::from_pairs([("type", Value::Str(kind)), ("properties", properties)]));
            }
            (Tokenizer::Pipeline(tokenizers), Value::from_pairs([("pipeline", Value::array(shown))]))
        }
        "geojson" | "geo_s2" => settings.geo_json()?,
        "geopoint" => settings.geo_point()?,
        "minhash" | "wildcard" if depth >= MAX_DEPTH => return Err(bad("analyzers are nested too deeply")),
        "minhash" => {
            let (inner, shown) = settings.inner(depth)?.ok_or_else(|| settings.missing("analyzer"))?;
            let count = settings.number(given, "numHashes")?.filter(|n| *n > 0);
            let count = count.ok_or_else(|| settings.missing("numHashes"))?;
            let shown = Value::from_pairs([("analyzer", shown), ("numHashes", Value::from(count))]);
            (Tokenizer::MinHash { inner, count }, shown)
        }
        "wildcard" => {
            let size = settings.number(given, "ngramSize")?.filter(|n| (2..=MAX_GRAM).contains(n));
            let size = size.ok_or_else(|| settings.missing("ngramSize"))?;
            let mut shown = vec![("ngramSize", Value::from(size))];
            let inner = settings.inner(depth)?.map(|(inner, about)| {
                shown.push(("analyzer", about));
                inner
            });
            (
                Tokenizer::Wildcard { inner: inner.unwrap_or_else(|| Box::new(Tokenizer::Identity)), size },
                Value::from_pairs(shown),
            )
        }
        "aql" | "classification" | "nearest_neighbors" => {
            let message = format!("analyzers of type '{kind}' are not supported");
            return Err(Error::new(code::NOT_IMPLEMENTED, message));
        }
        _ => return Err(bad(format!("Not implemented analyzer type '{kind}'."))),
    })
}

/// The stemmer of a locale's language.
fn language(locale: &str) -> Option<Algorithm> {
    let code = locale.split(['_', '.', '-', '@']).next().unwrap_or_default();
    Some(match code {
        "ar" => Algorithm::Arabic,
        "da" => Algorithm::Danish,
        "de" => Algorithm::German,
        "el" => Algorithm::Greek,
        "en" => Algorithm::English,
        "es" => Algorithm::Spanish,
        "fi" => Algorithm::Finnish,
        "fr" => Algorithm::French,
        "hu" => Algorithm::Hungarian,
        "it" => Algorithm::Italian,
        "nl" => Algorithm::Dutch,
        "no" | "nb" | "nn" => Algorithm::Norwegian,
        "pt" => Algorithm::Portuguese,
        "ro" => Algorithm::Romanian,
        "ru" => Algorithm::Russian,
        "sv" => Algorithm::Swedish,
        "ta" => Algorithm::Tamil,
        "tr" => Algorithm::Turkish,
        _ => return None,
    })
}

fn list_of(texts: &[SmolStr]) -> Value {
    Value::array(texts.iter().cloned().map(Value::Str).collect())
}

/// The settings of one analyzer.
struct Settings<'a> {
    kind: &'a str,
    given: &'a Value,
}

impl Settings<'_> {
    fn missing(&self, name: &str) -> Error {
        bad(format!("missing or invalid property '{name}' of an analyzer of type '{}'", self.kind))
    }

    fn text_of(&self, name: &str) -> Result<SmolStr> {
        match self.given.get(name) {
            Value::Str(text) => Ok(text),
            _ => Err(self.missing(name)),
        }
    }

    fn texts(&self, name: &str) -> Result<Option<Vec<SmolStr>>> {
        let list = self.given.get(name);
        if list.is_null() {
            return Ok(None);
        }
        let texts: Option<Vec<SmolStr>> = list.iter_array().map(|text| text.as_str().map(SmolStr::new)).collect();
        texts.filter(|_| list.is_array()).map(Some).ok_or_else(|| self.missing(name))
    }

    fn locale(&self) -> Result<SmolStr> {
        let locale = match self.given {
            Value::Str(locale) => locale.clone(),
            _ => self.text_of("locale")?,
        };
        let is_code = locale.starts_with(|c: char| c.is_ascii_alphabetic());
        if is_code { Ok(locale) } else { Err(self.missing("locale")) }
    }

    fn flag(&self, name: &str, default: bool) -> Result<bool> {
        match self.given.get(name) {
            Value::Null => Ok(default),
            Value::Bool(flag) => Ok(flag),
            _ => Err(self.missing(name)),
        }
    }

    fn number(&self, settings: &Value, name: &str) -> Result<Option<usize>> {
        match settings.get(name) {
            Value::Null => Ok(None),
            n => n.as_i64().and_then(|n| usize::try_from(n).ok()).map(Some).ok_or_else(|| self.missing(name)),
        }
    }

    fn case(&self, default: Case) -> Result<Case> {
        match self.given.get("case").as_str() {
            None if self.given.get("case").is_null() => Ok(default),
            Some("lower") => Ok(Case::Lower),
            Some("upper") => Ok(Case::Upper),
            Some("none") => Ok(Case::Keep),
            _ => Err(self.missing("case")),
        }
    }

    fn breaks(&self) -> Result<Break> {
        match self.given.get("break").as_str() {
            None if self.given.get("break").is_null() => Ok(Break::Alpha),
            Some("all") => Ok(Break::All),
            Some("alpha") => Ok(Break::Alpha),
            Some("graphic") => Ok(Break::Graphic),
            _ => Err(self.missing("break")),
        }
    }

    fn text(&self) -> Result<(Tokenizer, Value)> {
        let locale = self.locale()?;
        let case = self.case(Case::Lower)?;
        let (accent, stemming) = (self.flag("accent", false)?, self.flag("stemming", true)?);
        let stopwords = self.texts("stopwords")?.unwrap_or_default();
        let edges = self.edge_ngrams()?;
        let mut shown = vec![
            ("locale", Value::Str(locale.clone())),
            ("case", case.to_value()),
            ("stopwords", list_of(&stopwords)),
            ("accent", Value::Bool(accent)),
            ("stemming", Value::Bool(stemming)),
        ];
        if let Some(edges) = &edges {
            let max = if edges.max == usize::MAX { Value::Null } else { Value::Int(edges.max as i64) };
            let mut pairs = vec![("min", Value::Int(edges.min as i64))];
            if !max.is_null() {
                pairs.push(("max", max));
            }
            pairs.push(("preserveOriginal", Value::Bool(edges.preserve)));
            shown.push(("edgeNgram", Value::from_pairs(pairs)));
        }
        let stopwords: FxHashSet<SmolStr> = stopwords.into_iter().collect();
        let stemmer = language(&locale).filter(|_| stemming);
        Ok((Tokenizer::Text(Text { case, accent, stemmer, stopwords, edges }), Value::from_pairs(shown)))
    }

    fn edge_ngrams(&self) -> Result<Option<EdgeNgrams>> {
        let given = self.given.get("edgeNgram");
        if !given.is_object() {
            return if given.is_null() { Ok(None) } else { Err(self.missing("edgeNgram")) };
        }
        let min = self.number(&given, "min")?.unwrap_or(1).max(1);
        let max = self.number(&given, "max")?.filter(|max| *max > 0).unwrap_or(usize::MAX);
        Ok(Some(EdgeNgrams { min, max: max.max(min), preserve: given.get("preserveOriginal").truthy() }))
    }

    fn ngram(&self) -> Result<(Tokenizer, Value)> {
        let number = |name: &str| self.number(self.given, name)?.ok_or_else(|| self.missing(name));
        let (min, max) = (number("min")?.max(1), number("max")?);
        let preserve = self.given.get("preserveOriginal").as_bool().ok_or_else(|| self.missing("preserveOriginal"))?;
        if max > MAX_GRAM {
            return Err(self.missing("max"));
        }
        // shown; characters are counted either way
        let stream = self.given.get("streamType");
        let utf8 = match stream.as_str() {
            None if stream.is_null() => false,
            Some("binary") => false,
            Some("utf8") => true,
            _ => return Err(self.missing("streamType")),
        };
        let marker = |name: &str| match self.given.get(name) {
            Value::Null => Ok(SmolStr::default()),
            Value::Str(marker) => Ok(marker),
            _ => Err(self.missing(name)),
        };
        let ngrams =
            Ngrams { min, max: max.max(min), preserve, start: marker("startMarker")?, end: marker("endMarker")? };
        let shown = Value::from_pairs([
            ("min", Value::Int(ngrams.min as i64)),
            ("max", Value::Int(ngrams.max as i64)),
            ("preserveOriginal", Value::Bool(preserve)),
            ("streamType", Value::str(if utf8 { "utf8" } else { "binary" })),
            ("startMarker", Value::Str(ngrams.start.clone())),
            ("endMarker", Value::Str(ngrams.end.clone())),
        ]);
        Ok((Tokenizer::Ngrams(ngrams), shown))
    }

    /// The analyzer within this one.
    fn inner(&self, depth: usize) -> Result<Option<(Box<Tokenizer>, Value)>> {
        let given = self.given.get("analyzer");
        if given.is_null() {
            return Ok(None);
        }
        let kind = given.get("type");
        let kind = kind.as_str().ok_or_else(|| self.missing("analyzer"))?;
        let (tokenizer, properties) = read_at(kind, &given.get("properties"), depth + 1)?;
        Ok(Some((Box::new(tokenizer), Value::from_pairs([("type", Value::str(kind)), ("properties", properties)]))))
    }

    /// How shapes are covered; shown.
    fn cells(&self) -> Result<Value> {
        let given = self.given.get("options");
        let number = |name: &str, default: usize| Ok(self.number(&given, name)?.unwrap_or(default));
        let (cells, least, most) = (number("maxCells", 20)?, number("minLevel", 4)?, number("maxLevel", 23)?);
        if least > most || most > 30 {
            return Err(self.missing("options"));
        }
        let shown = [("maxCells", cells), ("minLevel", least), ("maxLevel", most)];
        Ok(Value::from_pairs(shown.map(|(name, n)| (name, Value::from(n)))))
    }

    fn geo_json(&self) -> Result<(Tokenizer, Value)> {
        let kind = self.given.get("type");
        let (form, name) = match kind.as_str() {
            None if kind.is_null() => (GeoForm::Shape, "shape"),
            Some("shape") => (GeoForm::Shape, "shape"),
            Some("centroid") => (GeoForm::Centroid, "centroid"),
            Some("point") => (GeoForm::Point, "point"),
            _ => return Err(self.missing("type")),
        };
        let mut shown = vec![("type", Value::str(name)), ("options", self.cells()?)];
        if self.kind == "geo_s2" {
            let format = self.given.get("format");
            let known = ["latLngDouble", "latLngInt", "s2Point"];
            let format = format.as_str().map_or(Some(known[0]), |format| known.into_iter().find(|k| *k == format));
            shown.push(("format", Value::str(format.ok_or_else(|| self.missing("format"))?)));
        } else {
            shown.push(("legacy", Value::Bool(self.flag("legacy", false)?)));
        }
        Ok((Tokenizer::Geo(form), Value::from_pairs(shown)))
    }

    fn geo_point(&self) -> Result<(Tokenizer, Value)> {
        let paths = (self.texts("latitude")?.unwrap_or_default(), self.texts("longitude")?.unwrap_or_default());
        let form = match &paths {
            (latitude, longitude) if latitude.is_empty() && longitude.is_empty() => GeoForm::Pair,
            (latitude, longitude) if latitude.is_empty() || longitude.is_empty() => {
                return Err(self.missing(if latitude.is_empty() { "latitude" } else { "longitude" }));
            }
            (latitude, longitude) => GeoForm::Attributes { latitude: latitude.clone(), longitude: longitude.clone() },
        };
        let shown = [("latitude", list_of(&paths.0)), ("longitude", list_of(&paths.1)), ("options", self.cells()?)];
        Ok((Tokenizer::Geo(form), Value::from_pairs(shown)))
    }

    fn stopwords(&self) -> Result<(Tokenizer, Value)> {
        let given = self.texts("stopwords")?.ok_or_else(|| self.missing("stopwords"))?;
        let hex = self.flag("hex", false)?;
        let plain = |word: &SmolStr| {
            if !hex {
                return Ok(word.clone());
            }
            let text = hex::decode(word).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            text.map(SmolStr::from).ok_or_else(|| self.missing("stopwords"))
        };
        let words = given.iter().map(plain).collect::<Result<_>>()?;
        Ok((
            Tokenizer::Stopwords(words),
            Value::from_pairs([("stopwords", list_of(&given)), ("hex", Value::Bool(hex))]),
        ))
    }
}

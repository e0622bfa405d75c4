//! Changes that name the revision they were made on: 412 when what is stored is another one by now.

use poem::http::header::{ETAG, IF_MATCH};
use poem::http::{HeaderValue, StatusCode};
use poem::{IntoResponse, Request, RequestBody, Response};
use poem_openapi::registry::{MetaHeader, MetaParamIn, MetaResponses, MetaSchemaRef, Registry};
use poem_openapi::types::Type;
use poem_openapi::{ApiExtractor, ApiExtractorType, ApiResponse, ExtractParamOptions};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::aql;
use crate::error::{Error, Result};
use crate::store::{Access, Transaction};

/// The revisions of the `If-Match` header, as `_rev` or `ETag` of an answer told them. An operation that replaces what was
/// read takes it as a parameter called `If-Match`; without the header nothing is compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IfMatch(Option<Vec<String>>);

/// That another revision is stored.
#[derive(Serialize)]
struct Changed<'a> {
    message: &'static str,
    #[serde(rename = "_rev")]
    rev: Option<&'a str>,
}

impl IfMatch {
    /// Reads the values of the header: tags with or without quotes, commas between them. A proxy that compresses marks tags
    /// as weak; the revision is the same.
    fn parse<'a>(values: impl Iterator<Item = &'a str>) -> Self {
        let tags = values.flat_map(|value| value.split(',')).map(|tag| {
            let tag = tag.trim();
            tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"').to_owned()
        });
        let tags: Vec<String> = tags.filter(|tag| !tag.is_empty()).collect();
        Self((!tags.is_empty()).then_some(tags))
    }

    /// Whether a revision has to be compared.
    pub fn is_given(&self) -> bool {
        self.0.is_some()
    }

    /// The same access, writing these collections in turn when a revision is compared. Who changes the document between the
    /// comparison and the change writes it too, so that one of both begins again.
    pub fn in_turn<'a>(&self, access: Access<'a>, collections: &[&'a str]) -> Access<'a> {
        if self.is_given() { access.in_turn(collections) } else { access }
    }

    /// 412 unless what is stored has one of the revisions. What does not exist has none.
    pub fn check(&self, stored: Option<&str>) -> Result<()> {
        let Some(wanted) = &self.0 else { return Ok(()) };
        let fits = |stored: &str| wanted.iter().any(|tag| tag == "*" || tag == stored);
        if stored.is_some_and(fits) {
            return Ok(());
        }
        let message = "Somebody else has changed it since it was read. Nothing was changed; please read it again.";
        Err(Error::detailed(StatusCode::PRECONDITION_FAILED, &Changed { message, rev: stored }))
    }

    /// The same for a document that may not exist yet.
    pub async fn check_entry(&self, trx: &Transaction, collection: &str, key: &str) -> Result<()> {
        if self.is_given() { self.check(revision(trx, collection, key).await?.as_deref()) } else { Ok(()) }
    }

    /// The same for a document that has to exist: where it does not, the operation says so itself.
    pub async fn check_document(&self, trx: &Transaction, collection: &str, key: &str) -> Result<()> {
        if !self.is_given() {
            return Ok(());
        }
        let stored = revision(trx, collection, key).await?;
        if stored.is_some() { self.check(stored.as_deref()) } else { Ok(()) }
    }
}

async fn revision(trx: &Transaction, collection: &str, key: &str) -> Result<Option<String>> {
    aql::schema::revision(trx, aql::schema::revision::Params { key, collection }).await
}

/// One revision for something that is stored as several documents: another one as soon as one of them is changed, added or
/// removed, in whatever order they come.
pub fn of_parts<'a>(revisions: impl Iterator<Item = &'a str>) -> String {
    let mut sorted: Vec<&str> = revisions.collect();
    sorted.sort_unstable();
    let mut hash = Sha256::new();
    for revision in sorted {
        hash.update(revision);
        hash.update([0]);
    }
    format!("{:x}", hash.finalize())
}

impl<'a> ApiExtractor<'a> for IfMatch {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];

    type ParamType = String;
    type ParamRawType = String;

    fn register(registry: &mut Registry) {
        <String as Type>::register(registry);
    }

    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Header)
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        Some(String::schema_ref())
    }

    fn param_raw_type(&self) -> Option<&String> {
        None
    }

    async fn from_request(
        request: &'a Request,
        _body: &mut RequestBody,
        _options: ExtractParamOptions<String>,
    ) -> poem::Result<Self> {
        let values = request.headers().get_all(IF_MATCH).iter();
        Ok(Self::parse(values.filter_map(|value| value.to_str().ok())))
    }
}

/// An answer with its revision as `ETag`, which [`IfMatch`] takes.
#[derive(Debug)]
pub struct Tagged<T> {
    /// The answer.
    pub body: T,
    /// Its revision; without one there is no `ETag`.
    pub rev: Option<String>,
}

impl<T: IntoResponse> IntoResponse for Tagged<T> {
    fn into_response(self) -> Response {
        let mut response = self.body.into_response();
        if let Some(tag) = self.rev.and_then(|rev| HeaderValue::from_str(&format!("\"{rev}\"")).ok()) {
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }
}

impl<T: ApiResponse> ApiResponse for Tagged<T> {
    fn meta() -> MetaResponses {
        let mut meta = T::meta();
        for response in &mut meta.responses {
            response.headers.push(MetaHeader {
                name: "ETag".to_owned(),
                description: Some("The revision, for `If-Match` of a change".to_owned()),
                required: false,
                deprecated: false,
                schema: String::schema_ref(),
            });
        }
        meta
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(value: &str) -> Option<Vec<String>> {
        IfMatch::parse([value].into_iter()).0
    }

    #[test]
    fn tags_come_with_or_without_quotes_alone_or_as_a_list() {
        assert_eq!(tags("_abc"), Some(vec!["_abc".to_owned()]));
        assert_eq!(tags("\"_abc\""), Some(vec!["_abc".to_owned()]));
        assert_eq!(tags("W/\"_abc\", \"d\""), Some(vec!["_abc".to_owned(), "d".to_owned()]));
        assert_eq!(tags("  "), None);
    }

    #[test]
    fn a_star_fits_whatever_exists_and_nothing_fits_what_does_not() {
        let any = IfMatch::parse(["*"].into_iter());
        assert!(any.check(Some("1")).is_ok() && any.check(None).is_err());
        assert!(IfMatch::default().check(None).is_ok());
    }

    #[test]
    fn a_revision_of_parts_does_not_depend_on_their_order_and_changes_with_each() {
        let of = |parts: &[&'static str]| of_parts(parts.iter().copied());
        assert_eq!(of(&["a", "b"]), of(&["b", "a"]));
        for other in [&["a"][..], &["a", "c"], &["a", "b", "c"], &["ab"], &[]] {
            assert_ne!(of(&["a", "b"]), of(other));
        }
    }
}

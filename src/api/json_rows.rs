//! An answer of many rows, sent as they come from the database.

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use poem::{Body, IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::payload::Json;
use poem_openapi::registry::{MetaResponses, Registry};
use serde_json::Value;

use crate::store::{Batches, StoreError};

/// Rows of an answer. The operation names what they are with `actual_type`.
pub enum JsonRows {
    /// A page, which is in memory.
    Page(Vec<Value>),
    /// All rows, of which there may be any number.
    All(Body),
}

impl JsonRows {
    /// All rows of a query, as `each` makes them. When the database fails on the way, the answer breaks off: its status is
    /// sent already, and half an array is not taken for a whole one.
    pub fn all(batches: Batches, each: fn(Value) -> Value) -> Self {
        let mut is_first = true;
        let rows = batches.map(move |batch| {
            let mut text = String::new();
            for row in batch? {
                if !std::mem::take(&mut is_first) {
                    text.push(',');
                }
                text.push_str(&each(row).to_string());
            }
            Ok::<_, StoreError>(Bytes::from(text))
        });
        let bracket = |text: &'static str| stream::once(async move { Ok(Bytes::from_static(text.as_bytes())) });
        let whole = bracket("[").chain(rows).chain(bracket("]"));
        let told = |error: StoreError| {
            tracing::error!(%error, "an answer of all rows breaks off");
            std::io::Error::other(error)
        };
        Self::All(Body::from_bytes_stream(whole.map_err(told)))
    }
}

impl IntoResponse for JsonRows {
    fn into_response(self) -> Response {
        match self {
            Self::Page(rows) => Json(rows).into_response(),
            Self::All(body) => Response::builder().content_type("application/json; charset=utf-8").body(body),
        }
    }
}

impl ApiResponse for JsonRows {
    fn meta() -> MetaResponses {
        MetaResponses { responses: Vec::new() }
    }

    fn register(_registry: &mut Registry) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    async fn text(batches: Vec<Result<Vec<Value>, StoreError>>) -> Result<Value, String> {
        let JsonRows::All(body) = JsonRows::all(stream::iter(batches).boxed(), |row| json!({ "n": row })) else {
            return Err("a page".to_owned());
        };
        let text = body.into_string().await.map_err(|error| error.to_string())?;
        serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))
    }

    #[tokio::test]
    async fn batches_make_one_array() {
        assert_eq!(text(vec![Ok(vec![])]).await, Ok(json!([])));
        let batches = vec![Ok(vec![]), Ok(vec![json!(1), json!(2)]), Ok(vec![]), Ok(vec![json!(3)])];
        assert_eq!(text(batches).await, Ok(json!([{"n": 1}, {"n": 2}, {"n": 3}])));
    }

    #[tokio::test]
    async fn an_answer_that_breaks_off_is_no_whole_array() {
        let batches = vec![Ok(vec![json!(1)]), Err(StoreError::Answer("gone".to_owned()))];
        assert!(text(batches).await.is_err());
    }
}

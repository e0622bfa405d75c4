//! An answer of many rows, sent as they come from the database.

use std::marker::PhantomData;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use poem::{Body, IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::payload::Json;
use poem_openapi::registry::{MetaResponses, Registry};
use poem_openapi::types::ToJSON;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::store::{Batches, StoreError};

/// Rows of an answer, of which the document says that each is a `T`.
pub enum JsonRows<T = Value> {
    /// A page, which is in memory.
    Page(Vec<Value>),
    /// All rows, of which there may be any number.
    All(Body, PhantomData<T>),
}

impl<T> JsonRows<T> {
    /// A page of rows with the members that `R` has.
    pub fn page_of<R: ToJSON>(rows: &[R]) -> Self {
        Self::Page(rows.iter().map(|row| row.to_json().unwrap_or_default()).collect())
    }

    /// All rows of a query, as `each` makes them. When the database fails on the way, the answer breaks off: its status is
    /// sent already, and half an array is not taken for a whole one.
    pub fn all(batches: Batches, each: fn(Value) -> Value) -> Self {
        Self::written(batches, move |row| Ok(each(row)))
    }

    fn written(batches: Batches, each: impl Fn(Value) -> Result<Value, StoreError> + Send + 'static) -> Self {
        let mut is_first = true;
        let rows = batches.map(move |batch| {
            let mut text = String::new();
            for row in batch? {
                if !std::mem::take(&mut is_first) {
                    text.push(',');
                }
                text.push_str(&each(row)?.to_string());
            }
            Ok::<_, StoreError>(Bytes::from(text))
        });
        let bracket = |text: &'static str| stream::once(async move { Ok(Bytes::from_static(text.as_bytes())) });
        let whole = bracket("[").chain(rows).chain(bracket("]"));
        let told = |error: StoreError| {
            tracing::error!(%error, "an answer of all rows breaks off");
            std::io::Error::other(error)
        };
        Self::All(Body::from_bytes_stream(whole.map_err(told)), PhantomData)
    }

    /// All rows of a query, each with the members that `R` has.
    pub fn all_as<R: DeserializeOwned + ToJSON>(batches: Batches) -> Self {
        Self::written(batches, |row| {
            let row: R = serde_json::from_value(row).map_err(|error| StoreError::Answer(error.to_string()))?;
            Ok(row.to_json().unwrap_or_default())
        })
    }
}

impl<T: Send> IntoResponse for JsonRows<T> {
    fn into_response(self) -> Response {
        match self {
            Self::Page(rows) => Json(rows).into_response(),
            Self::All(body, _) => Response::builder().content_type("application/json; charset=utf-8").body(body),
        }
    }
}

impl<T: ToJSON> ApiResponse for JsonRows<T> {
    fn meta() -> MetaResponses {
        Json::<Vec<T>>::meta()
    }

    fn register(registry: &mut Registry) {
        Json::<Vec<T>>::register(registry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use poem_openapi::Object;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Deserialize, Object)]
    struct Numbered {
        n: i64,
    }

    async fn text(rows: JsonRows<Numbered>) -> Result<Value, String> {
        let text = rows.into_response().into_body().into_string().await.map_err(|error| error.to_string())?;
        serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))
    }

    fn all(batches: Vec<Result<Vec<Value>, StoreError>>) -> JsonRows<Numbered> {
        JsonRows::all(stream::iter(batches).boxed(), |row| json!({ "n": row }))
    }

    #[tokio::test]
    async fn batches_make_one_array() {
        assert_eq!(text(all(vec![Ok(vec![])])).await, Ok(json!([])));
        let batches = vec![Ok(vec![]), Ok(vec![json!(1), json!(2)]), Ok(vec![]), Ok(vec![json!(3)])];
        assert_eq!(text(all(batches)).await, Ok(json!([{"n": 1}, {"n": 2}, {"n": 3}])));
    }

    #[tokio::test]
    async fn an_answer_that_breaks_off_is_no_whole_array() {
        let batches = vec![Ok(vec![json!(1)]), Err(StoreError::Answer("gone".to_owned()))];
        assert!(text(all(batches)).await.is_err());
    }

    #[tokio::test]
    async fn rows_of_a_type_have_its_members_and_one_that_is_none_breaks_the_answer_off() {
        let typed = |rows: Vec<Value>| JsonRows::all_as::<Numbered>(stream::iter([Ok(rows)]).boxed());
        assert_eq!(text(typed(vec![json!({"n": 1, "secret": 2})])).await, Ok(json!([{"n": 1}])));
        assert!(text(typed(vec![json!({"n": 1}), json!({"n": "one"})])).await.is_err());
    }
}

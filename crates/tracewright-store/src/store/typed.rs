//! What the functions of typed queries are made of, see `docs/typed-queries.md`. In builds with debug assertions every row is held to
//! the header of its query: no member that is not named there, none missing, none of another type.

use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Deserializer, Error as _, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Query, Source, StoreError, Transaction};
use crate::error::{Error, Result};

/// Parameters as the database takes them.
pub fn bound(params: &impl Serialize) -> Result<Value, StoreError> {
    serde_json::to_value(params).map_err(|error| StoreError::Answer(error.to_string()))
}

/// The members of what is written as an object, for parameters that are one of no known members.
pub fn members(given: &impl Serialize) -> Result<Map<String, Value>> {
    match bound(given)? {
        Value::Object(members) => Ok(members),
        other => Err(StoreError::Answer(format!("no object: {other}")).into()),
    }
}

/// The parameters of a query that takes none.
pub fn nothing() -> Result<Value, StoreError> {
    Ok(Value::Object(Map::new()))
}

/// What is looked at of a document that is handed on as it is. One that holds something else, as those of an earlier system may, has
/// nothing of it.
pub fn part<'d, T: Deserialize<'d> + Default>(document: &'d Value) -> T {
    T::deserialize(document).unwrap_or_default()
}

/// Runs a query for what it does.
pub async fn none(trx: &Transaction, query: &Query, params: Result<Value, StoreError>) -> Result<()> {
    trx.rows::<IgnoredAny>(query, params?).await.map(drop)
}

/// The one row of a query that always gives one.
pub async fn one<R: DeserializeOwned + Send>(
    source: &impl Source,
    query: &Query,
    params: Result<Value, StoreError>,
) -> Result<R> {
    let missing =
        || Error::internal("The database could not carry out the request.", format!("no row of {}", query.name));
    optional(source, query, params).await?.ok_or_else(missing)
}

/// The row of a query that gives one or none.
pub async fn optional<R: DeserializeOwned + Send>(
    source: &impl Source,
    query: &Query,
    params: Result<Value, StoreError>,
) -> Result<Option<R>> {
    Ok(all(source, query, params).await?.into_iter().next())
}

/// All rows of a query.
pub async fn all<R: DeserializeOwned + Send>(
    source: &impl Source,
    query: &Query,
    params: Result<Value, StoreError>,
) -> Result<Vec<R>> {
    source.rows(query, params?).await
}

/// The same as [`one`], read as the caller's type.
pub async fn one_as<R: DeserializeOwned + Send, T: DeserializeOwned + Send>(
    source: &impl Source,
    query: &Query,
    params: Result<Value, StoreError>,
) -> Result<T> {
    one::<Answer<R, T>>(source, query, params).await.map(|row| row.read)
}

/// The same as [`optional`], read as the caller's type.
pub async fn optional_as<R: DeserializeOwned + Send, T: DeserializeOwned + Send>(
    source: &impl Source,
    query: &Query,
    params: Result<Value, StoreError>,
) -> Result<Option<T>> {
    Ok(optional::<Answer<R, T>>(source, query, params).await?.map(|row| row.read))
}

/// The same as [`all`], read as the caller's type.
pub async fn all_as<R: DeserializeOwned + Send, T: DeserializeOwned + Send>(
    source: &impl Source,
    query: &Query,
    params: Result<Value, StoreError>,
) -> Result<Vec<T>> {
    Ok(all::<Answer<R, T>>(source, query, params).await?.into_iter().map(|row| row.read).collect())
}

/// A row `R` that the caller reads as `T`.
struct Answer<R, T> {
    read: T,
    row: PhantomData<fn() -> R>,
}

impl<'de, R: DeserializeOwned, T: DeserializeOwned> Deserialize<'de> for Answer<R, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !cfg!(debug_assertions) {
            return Ok(Self { read: T::deserialize(deserializer)?, row: PhantomData });
        }
        let value = Value::deserialize(deserializer)?;
        aqlite::value::Value::from(&value).read::<R>().map_err(D::Error::custom)?;
        Ok(Self { read: T::deserialize(value).map_err(D::Error::custom)?, row: PhantomData })
    }
}

/// Reads a member that may be null. It is there: one that is missing would be taken for null.
pub fn there<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::deserialize(deserializer)
}

/// Reads a member that may be missing. One that is there is not null.
pub fn not_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Texts that a query takes, wherever they are.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(transparent)]
pub struct Texts<'a>(Vec<&'a str>);

impl<'a, T: AsRef<str>> From<&'a [T]> for Texts<'a> {
    fn from(texts: &'a [T]) -> Self {
        texts.iter().collect()
    }
}

impl<'a, T: AsRef<str>> From<&'a Vec<T>> for Texts<'a> {
    fn from(texts: &'a Vec<T>) -> Self {
        texts.iter().collect()
    }
}

impl<'a, T: AsRef<str> + ?Sized> FromIterator<&'a T> for Texts<'a> {
    fn from_iter<I: IntoIterator<Item = &'a T>>(texts: I) -> Self {
        Self(texts.into_iter().map(AsRef::as_ref).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Row {
        key: String,
        #[serde(deserialize_with = "there")]
        code: Option<String>,
        #[serde(default, deserialize_with = "not_null")]
        note: Option<String>,
    }

    fn read<T: DeserializeOwned>(row: &Value) -> Result<T, String> {
        aqlite::value::Value::from(row).read::<T>().map_err(|error| error.to_string())
    }

    #[test]
    fn a_member_that_may_be_null_is_there_and_one_that_may_be_missing_is_not_null() {
        let row = |code: Option<&str>| Row { key: "1".to_owned(), code: code.map(str::to_owned), note: None };
        assert_eq!(read(&json!({"key": "1", "code": "c"})), Ok(row(Some("c"))));
        assert_eq!(read(&json!({"key": "1", "code": null})), Ok(row(None)));
        assert_eq!(read::<Row>(&json!({"key": "1"})), Err("missing field `code`".to_owned()));
        let error = read::<Row>(&json!({"key": "1", "code": null, "note": null})).unwrap_err();
        assert!(error.starts_with("note: ") && error.contains("expected a string"), "{error}");
    }

    #[test]
    fn a_row_that_is_read_as_the_callers_type_is_held_to_its_header_too() {
        let read_key = |row: &Value| read::<Answer<Row, Value>>(row).map(|row| row.read["key"].clone());
        assert_eq!(read_key(&json!({"key": "1", "code": null})), Ok("1".into()));
        let error = read_key(&json!({"key": "1", "code": null, "more": 1})).unwrap_err();
        assert!(error.contains("unknown field `more`"), "{error}");
        let error = read_key(&json!({"key": 1, "code": null})).unwrap_err();
        assert!(error.starts_with("key: "), "{error}");
    }

    #[test]
    fn texts_are_bound_as_a_list_wherever_they_are() {
        let owned = vec!["a".to_owned(), "b".to_owned()];
        for texts in [Texts::from(&owned), Texts::from(&owned[..]), ["a", "b"].into_iter().collect()] {
            assert_eq!(bound(&texts).ok(), Some(json!(["a", "b"])));
        }
    }
}

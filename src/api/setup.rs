//! What operations that create something do in their transaction, for the operation itself and for who fills an empty database
//! without a request: the same body, the same checks, the same documents. Who fills a database names the keys, clients do not.

use poem_openapi::types::{ParseFromJSON, Type};
use serde_json::Value;

use crate::app::App;
use crate::error::{Error, Invalid, Result};
use crate::openapi::Forms;
use crate::store::{Access, Transaction};

/// The body of an operation that creates something.
pub trait Create: Type + ParseFromJSON + Send + Sync {
    /// What is stored, as the operation answers it.
    type Stored;

    /// What its transaction reads, writes and holds.
    fn access(&self) -> Access<'static>;

    /// Checks and stores it, under a key where one is given.
    fn create(
        &self,
        app: &App,
        trx: &Transaction,
        key: Option<&str>,
    ) -> impl Future<Output = Result<Self::Stored>> + Send;
}

/// A body, held to the document as the bodies of requests are.
pub fn read<T: Type + ParseFromJSON>(mut body: Value) -> Result<T> {
    let mistakes = Forms::new(T::register).check(&mut body, &T::schema_ref());
    if !mistakes.is_empty() {
        return Err(Error::Validation(mistakes));
    }
    T::parse_from_json(Some(body))
        .map_err(|error| Error::Validation(vec![Invalid::new(&["body".into()], "value_error", error.into_message())]))
}

/// A document under a key where one is given; otherwise the database makes one.
pub fn keyed(mut document: Value, key: Option<&str>) -> Value {
    if let (Some(key), Some(members)) = (key, document.as_object_mut()) {
        members.insert("_key".to_owned(), key.into());
    }
    document
}

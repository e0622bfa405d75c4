//! What the trail of changes holds.

use serde_json::Value;
use tracewright::trail::seal::seal;
use tracewright_testkit::Service;

use crate::user_support::documents;

/// Every change, the earliest first.
pub async fn changes(service: &Service) -> Vec<Value> {
    let mut changes = documents(service, "Change").await;
    changes.sort_by_key(|change| change["at"].as_str().unwrap().to_owned());
    changes
}

/// The same in their chain.
pub async fn chain(service: &Service) -> Vec<Value> {
    seal(&service.app.store).await.unwrap();
    let mut changes = documents(service, "Change").await;
    changes.sort_by_key(|change| change["seq"].as_u64().unwrap());
    changes
}

/// A difference as it is told.
pub fn difference(path: &str, old: impl Into<Value>, new: impl Into<Value>) -> Value {
    serde_json::json!({"path": path, "old": old.into(), "new": new.into()})
}

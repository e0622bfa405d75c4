//! Names of ArangoDB's headers that every request may have, or every answer has: as names, not as texts, which would be read
//! each time.

use http::HeaderName;

/// The request is a job: nobody waits for its answer, or asks for it later.
pub(super) static ASYNC: HeaderName = HeaderName::from_static("x-arango-async");
/// How long the request has waited for its turn.
pub(super) static QUEUE_TIME: HeaderName = HeaderName::from_static("x-arango-queue-time-seconds");
/// The stream transaction that the request belongs to.
pub(super) static TRANSACTION: HeaderName = HeaderName::from_static("x-arango-trx-id");

//! What happens around every request: ids, log, metrics, errors, compression, health; and files as browsers load them.

mod allow;
mod answers;
mod client_address;
mod compress;
mod connections;
mod cors;
mod explorer;
pub mod guard;
mod guarded_page;
mod health;
mod media;
mod metrics;
mod observe;
mod unread;

use std::sync::{Arc, OnceLock};

use rand::RngExt;

use crate::error::Unreceived;

pub use allow::Methods;
pub use answers::Answers;
pub use client_address::ClientAddress;
pub use compress::Compress;
pub use connections::serve;
pub use cors::Origins;
pub use explorer::{AtRoot, explorer_files, explorer_page};
pub use guarded_page::InlinePage;
pub use health::{healthz, metrics_page, readyz};
pub use media::{FileAnswer, KnownFile, MediaFiles};
pub use metrics::Metrics;
pub use observe::Observe;
pub use unread::Discard;

/// What is known about a request while it is served. Clones share it.
#[derive(Debug, Clone)]
pub struct Context {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    request_id: String,
    route: OnceLock<String>,
    user: OnceLock<String>,
    unreceived: OnceLock<Unreceived>,
}

impl Default for Context {
    fn default() -> Self {
        let request_id = format!("{:032x}", rand::rng().random::<u128>());
        Self {
            inner: Arc::new(Inner {
                request_id,
                route: OnceLock::new(),
                user: OnceLock::new(),
                unreceived: OnceLock::new(),
            }),
        }
    }
}

impl Context {
    /// The id under which the request stands in the log.
    pub fn request_id(&self) -> &str {
        &self.inner.request_id
    }

    /// Notes the route that answers.
    pub fn set_route(&self, route: &str) {
        // The first route is the one; a second would be a nested one of the same request.
        let _ = self.inner.route.set(route.to_owned());
    }

    /// Notes who calls.
    pub fn set_user(&self, user_key: &str) {
        let _ = self.inner.user.set(user_key.to_owned());
    }

    /// Notes why the body could not be read to its end.
    pub fn set_unreceived(&self, why: Unreceived) {
        // The first cause is the one.
        let _ = self.inner.unreceived.set(why);
    }

    fn unreceived(&self) -> Option<Unreceived> {
        self.inner.unreceived.get().copied()
    }

    fn route(&self) -> Option<&str> {
        self.inner.route.get().map(String::as_str)
    }

    fn user(&self) -> Option<&str> {
        self.inner.user.get().map(String::as_str)
    }
}

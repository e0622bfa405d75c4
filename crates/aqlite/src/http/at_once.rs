//! Requests that are answered where they arrive.
//!
//! To wake another thread and to be woken by it takes longer than to tell a document that is in memory. So it is tried
//! first whether a request that seems to be light can be answered without reading tables and without computing for long;
//! where it cannot, nothing has happened, and it goes its usual way.

use bytes::Bytes;
use http::{Method, Response};

use super::admission::Admitted;
use super::request::Ctx;
use super::run_borrowed;
use crate::lang;
use crate::storage::at_hand;
use crate::value::SmolStr;

/// Larger bodies are not looked at here.
const LARGEST_BODY: usize = 4 << 10;

impl Admitted {
    /// The answer to a request with that body, if it can be told at once; otherwise the request.
    pub fn answer_at_once(mut self: Box<Self>, body: &Bytes) -> Result<Response<Bytes>, Box<Self>> {
        let ctx = &mut self.ctx;
        let elsewhere = ["x-arango-trx-id", "x-arango-async"];
        if body.len() > LARGEST_BODY || elsewhere.iter().any(|name| ctx.headers.contains_key(*name)) {
            return Err(self);
        }
        ctx.body = body.clone();
        if !may_be_light(ctx) {
            return Err(self);
        }
        if let Some(answer) = at_hand::from_memory(|| run_borrowed(ctx)) {
            return Ok(self.answered(answer));
        }
        if let Some(text) = ctx.read.as_ref().map(|body| body.get("query")) {
            lang::was_not_light(text.as_str().unwrap_or_default());
        }
        Err(self)
    }
}

/// Is it worth the attempt?
fn may_be_light(ctx: &mut Ctx) -> bool {
    let mut segments = ctx.target.segments.iter().map(SmolStr::as_str);
    let path = [segments.next(), segments.next(), segments.next(), segments.next(), segments.next()];
    match (&ctx.method, path) {
        (&Method::GET | &Method::HEAD, [Some("_api"), Some("document"), Some(_), Some(_), None]) => true,
        (&Method::POST, [Some("_api"), Some("cursor"), None, ..]) => {
            let Ok(Some(body)) = ctx.json_opt() else { return false };
            let text = body.get("query");
            ctx.read = Some(body);
            text.as_str().is_some_and(lang::may_be_light)
        }
        _ => false,
    }
}

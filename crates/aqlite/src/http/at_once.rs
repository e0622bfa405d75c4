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
const LARGEST_BODY: usize = 16 << 10;

impl Admitted {
    /// The answer to a request with that body, if it can be told at once; otherwise the request.
    pub fn answer_at_once(mut self: Box<Self>, body: &Bytes) -> Result<Response<Bytes>, Box<Self>> {
        let ctx = &mut self.ctx;
        if body.len() > LARGEST_BODY || ctx.headers.contains_key("x-arango-async") {
            return Err(self);
        }
        ctx.body = body.clone();
        if !may_be_light(ctx) {
            return Err(self);
        }
        let answer = at_hand::from_memory(|| run_borrowed(ctx));
        if let Some(text) = ctx.read.as_ref().map(|body| body.get("query")) {
            let text = text.as_str().unwrap_or_default();
            if answer.is_some() { lang::was_told_at_once(text) } else { lang::was_not_light(text) }
        }
        match answer {
            Some(answer) => Ok(self.answered(answer)),
            None => Err(self),
        }
    }
}

/// Is it worth the attempt?
fn may_be_light(ctx: &mut Ctx) -> bool {
    let mut segments = ctx.target.segments.iter().map(SmolStr::as_str);
    let path = [segments.next(), segments.next(), segments.next(), segments.next(), segments.next()];
    match (&ctx.method, path) {
        (&Method::GET | &Method::HEAD, [Some("_api"), Some("document"), Some(_), Some(_), None]) => true,
        // a transaction that waits for nobody, or has written nothing
        (&Method::POST, [Some("_api"), Some("transaction"), Some("begin"), None, _]) => true,
        (&Method::PUT | &Method::DELETE, [Some("_api"), Some("transaction"), Some(id), None, _]) => id != "write",
        (&Method::POST, [Some("_api"), Some("cursor"), None, ..]) => {
            let Ok(Some(body)) = ctx.json_opt() else { return false };
            let text = body.get("query");
            ctx.read = Some(body);
            text.as_str().is_some_and(lang::may_be_light)
        }
        _ => false,
    }
}

//! Requests that are answered where they arrive.
//!
//! To wake another thread and to be woken by it takes longer than to tell a document that is in memory. So it is tried
//! first whether a request that seems to be light can be answered without reading tables and without computing for long, and
//! one that was always brief without waiting for anybody; where it cannot, nothing has happened, and it goes its usual way.
//! Should tables not be in memory, others go on meanwhile on another thread.

use bytes::Bytes;
use http::{Method, Response};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;

use super::admission::Admitted;
use super::request::Ctx;
use super::{crew, run_borrowed};
use crate::lang::{self, Weight};
use crate::storage::at_hand;
use crate::value::SmolStr;

/// Larger bodies are not looked at here.
const LARGEST_BODY: usize = 16 << 10;

impl Admitted {
    /// The answer to a request with that body of so many bytes, if it can be told at once; otherwise the request.
    pub fn answer_at_once(mut self: Box<Self>, body: &Bytes, bytes: usize) -> Result<Response<Bytes>, Box<Self>> {
        if bytes > LARGEST_BODY || self.is_async() {
            return Err(self);
        }
        let ctx = &mut self.ctx;
        ctx.body = body.clone();
        let likely = Likely::of(ctx);
        let apart = if likely.is_brief { apart() } else { None };
        let answer = match apart {
            Some(apart) => at_hand::hurried(apart, || run_borrowed(ctx)),
            None if likely.is_light => at_hand::from_memory(|| run_borrowed(ctx)),
            None => return Err(self),
        };
        if let Some(text) = ctx.read.as_ref().map(|body| body.get("query")) {
            let note = match (apart.is_some(), answer.is_some()) {
                (true, true) => lang::was_brief,
                (true, false) => lang::was_not_brief,
                (false, true) => lang::was_told_at_once,
                (false, false) => lang::was_not_light,
            };
            note(text.as_str().unwrap_or_default());
        }
        match answer {
            Some(answer) => Ok(self.answered(answer)),
            None => Err(self),
        }
    }
}

/// How this thread lets others go on while it reads from a disk; `None` where it cannot.
fn apart() -> Option<at_hand::Apart> {
    if crew::has_one_connection() {
        return Some(|read| read());
    }
    let runtime = Handle::try_current().ok()?;
    (runtime.runtime_flavor() == RuntimeFlavor::MultiThread).then_some(|read| block_in_place(read))
}

/// How much there is to do, as far as can be told before.
struct Likely {
    /// So little that it is worth the attempt to do it at once.
    is_light: bool,
    /// It took no longer than a change of threads is worth each time lately, or is a document.
    is_brief: bool,
}

impl Likely {
    fn of(ctx: &mut Ctx) -> Self {
        let mut segments = ctx.target.segments.iter().map(SmolStr::as_str);
        let path = [segments.next(), segments.next(), segments.next(), segments.next(), segments.next()];
        let (is_light, is_brief) = match (&ctx.method, path) {
            (&Method::GET | &Method::HEAD, [Some("_api"), Some("document"), Some(_), Some(_), None]) => (true, true),
            // a transaction that waits for nobody, or has written nothing
            (&Method::POST, [Some("_api"), Some("transaction"), Some("begin"), None, _]) => (true, false),
            (&Method::PUT | &Method::DELETE, [Some("_api"), Some("transaction"), Some(id), None, _]) => {
                (id != "write", false)
            }
            (&Method::POST, [Some("_api"), Some("cursor"), None, ..]) => match weight(ctx) {
                // where that fails it may be one that reads
                Weight::Light => (true, false),
                Weight::Brief => (false, true),
                Weight::Unknown => (false, false),
            },
            _ => (false, false),
        };
        Self { is_light, is_brief }
    }
}

/// How the query of a request has run so far.
fn weight(ctx: &mut Ctx) -> Weight {
    let Ok(Some(body)) = ctx.json_opt() else { return Weight::Unknown };
    let text = body.get("query");
    ctx.read = Some(body);
    text.as_str().map_or(Weight::Unknown, lang::weight)
}

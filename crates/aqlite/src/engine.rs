//! The engine as a whole: one data directory, opened once, shared by every connection.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};

use crate::Result;

/// How an engine is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the data file lives; created when missing.
    pub data_dir: PathBuf,
    /// Password of `root`, set on the first start only.
    pub root_password: String,
    /// HS256 key of the tokens of `/_open/auth`; `None`: generated for this process.
    pub jwt_secret: Option<String>,
}

/// An open data directory. Cheap to clone; the last clone closes the file.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    options: Options,
}

impl Engine {
    /// Opens or creates the data directory.
    pub fn open(options: Options) -> Result<Self> {
        Ok(Self { inner: Arc::new(Inner { options }) })
    }

    /// Answers one HTTP request. It blocks while it works: call it from a thread that may block.
    pub fn handle(&self, request: Request<Bytes>) -> Response<Bytes> {
        let _ = (&self.inner.options, request);
        Response::new(Bytes::new())
    }
}

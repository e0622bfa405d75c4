//! An answer as it arrives: only looked at for where it ends.

use crate::client::Failure;

/// Room for a small answer; it grows with the largest one.
const ROOM: usize = 64 << 10;
/// More headers no server sends.
const MOST_HEADERS: usize = 64;

/// What has arrived of an answer.
pub struct Incoming {
    received: Vec<u8>,
    filled: usize,
    head: Option<Head>,
}

/// Where the parts of an answer are.
struct Head {
    status: u16,
    body: usize,
    end: usize,
}

impl Default for Incoming {
    fn default() -> Self {
        Self { received: vec![0; ROOM], filled: 0, head: None }
    }
}

impl Incoming {
    /// What has arrived is forgotten, and the next answer begins.
    pub fn begin(&mut self) {
        self.filled = 0;
        self.head = None;
    }

    /// Where the next bytes go.
    pub fn room(&mut self) -> &mut [u8] {
        let end = self.head.as_ref().map_or(self.filled + 1, |head| head.end);
        if self.received.len() < end {
            self.received.resize(end, 0);
        }
        &mut self.received[self.filled..]
    }

    /// So many bytes have come there. Is the answer complete?
    pub fn came(&mut self, bytes: usize) -> Result<bool, Failure> {
        self.filled += bytes;
        if self.head.is_none() {
            self.head = read_head(&self.received[..self.filled])?;
        }
        Ok(self.head.as_ref().is_some_and(|head| head.end <= self.filled))
    }

    /// The status and the body of a complete answer.
    pub fn complete(&self) -> (u16, &[u8]) {
        self.head.as_ref().map_or((0, &[]), |head| (head.status, &self.received[head.body..head.end]))
    }
}

/// The head of an answer; `None` as long as not all of it is there.
fn read_head(received: &[u8]) -> Result<Option<Head>, Failure> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut answer = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(body) = answer.parse(received).map_err(|e| e.to_string())? else { return Ok(None) };
    let length = answer.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|header| std::str::from_utf8(header.value).ok()?.parse::<usize>().ok());
    let end = body + length.ok_or("the server does not tell how long its answer is")?;
    Ok(Some(Head { status: answer.code.unwrap_or_default(), body, end }))
}

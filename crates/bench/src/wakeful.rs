//! The connection of a measurement: a request is written before its time begins, sent in one piece, and its answer is only
//! looked at for where it ends. So the times are those of the server.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::client::Failure;

/// So long an answer is looked for before the thread rests: to wake it takes longer than the server needs for a small answer.
/// Answers that take longer leave the core to the server.
const AWAKE: Duration = Duration::from_micros(100);
/// Room for a small answer; it grows with the largest one.
const ROOM: usize = 64 << 10;
/// More headers no server sends.
const MOST_HEADERS: usize = 64;

/// A keep-alive connection whose thread stays awake while an answer can come soon. Many of them would take the cores from
/// the server.
pub struct Wakeful {
    stream: TcpStream,
    received: Vec<u8>,
}

/// Where the parts of an answer are.
struct Head {
    status: u16,
    body: usize,
    end: usize,
}

impl Wakeful {
    pub fn connect(address: &str) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).map_err(|e| format!("{address}: {e}"))?;
        stream.set_nodelay(true).and_then(|()| stream.set_nonblocking(true)).map_err(|e| e.to_string())?;
        Ok(Self { stream, received: vec![0; ROOM] })
    }

    /// Sends a request, head and body; the status and the body of its answer.
    pub fn ask(&mut self, request: &[u8]) -> Result<(u16, &[u8]), Failure> {
        self.write(request).map_err(|e| e.to_string())?;
        let (mut filled, mut head) = (0, None);
        let Head { status, body, end } = loop {
            filled += self.read(filled).map_err(|e| e.to_string())?;
            if head.is_none() {
                head = read_head(&self.received[..filled])?;
            }
            match head.take() {
                Some(complete) if complete.end <= filled => break complete,
                known => {
                    let end = known.as_ref().map_or(filled + 1, |head| head.end);
                    self.received.resize(self.received.len().max(end), 0);
                    head = known;
                }
            }
        };
        Ok((status, &self.received[body..end]))
    }

    fn write(&mut self, mut rest: &[u8]) -> io::Result<()> {
        while !rest.is_empty() {
            match self.stream.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Reads what comes next behind what is there already.
    fn read(&mut self, filled: usize) -> io::Result<usize> {
        let began = Instant::now();
        let mut is_awake = true;
        let read = loop {
            match self.stream.read(&mut self.received[filled..]) {
                Err(e) if e.kind() == ErrorKind::WouldBlock => {
                    if began.elapsed() >= AWAKE {
                        self.stream.set_nonblocking(false)?;
                        is_awake = false;
                    }
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        if !is_awake {
            self.stream.set_nonblocking(true)?;
        }
        if read == 0 { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(read) }
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

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// What a server is asked, and the answer that it sends in these pieces.
    fn asked(pieces: &'static [&'static str]) -> Result<(u16, String), Failure> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address").to_string();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            let mut request = [0; 16];
            let length = stream.read(&mut request).expect("a request");
            for piece in pieces {
                thread::sleep(Duration::from_millis(2));
                stream.write_all(piece.as_bytes()).expect("sent");
            }
            String::from_utf8_lossy(&request[..length]).into_owned()
        });
        let mut connection = Wakeful::connect(&address)?;
        let answer =
            connection.ask(b"GET /").map(|(status, body)| (status, String::from_utf8_lossy(body).into_owned()));
        assert_eq!(server.join().expect("served"), "GET /");
        answer
    }

    #[test]
    fn an_answer_in_pieces_is_put_together() {
        let pieces = &["HTTP/1.1 201 Created\r\ncontent-", "length: 5\r\n\r\nab", "cd", "e"];
        assert_eq!(asked(pieces), Ok((201, "abcde".to_owned())));
    }

    #[test]
    fn an_answer_without_a_body_ends_with_its_head() {
        assert_eq!(asked(&["HTTP/1.1 304 Not Modified\r\nContent-Length: 0\r\n\r\n"]), Ok((304, String::new())));
    }

    #[test]
    fn an_answer_that_breaks_off_is_a_failure() {
        assert!(asked(&["HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc"]).is_err());
        assert!(asked(&["HTTP/1.1 200 OK\r\n\r\nabc"]).is_err());
    }
}

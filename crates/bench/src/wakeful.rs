//! The connection of a measurement: a request is written before its time begins, sent in one piece, and its answer is only
//! looked at for where it ends. So the times are those of the server.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::answer::Incoming;
use crate::client::Failure;

/// So long an answer is looked for before the thread rests: to wake it takes longer than the server needs for a small answer.
/// Answers that take longer leave the core to the server.
const AWAKE: Duration = Duration::from_micros(100);

/// A keep-alive connection whose thread stays awake while an answer can come soon. Many of them would take the cores from
/// the server.
pub struct Wakeful {
    stream: TcpStream,
    incoming: Incoming,
}

impl Wakeful {
    pub fn connect(address: &str) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).map_err(|e| format!("{address}: {e}"))?;
        stream.set_nodelay(true).and_then(|()| stream.set_nonblocking(true)).map_err(|e| e.to_string())?;
        Ok(Self { stream, incoming: Incoming::default() })
    }

    /// Sends a request, head and body; the status and the body of its answer.
    pub fn ask(&mut self, request: &[u8]) -> Result<(u16, &[u8]), Failure> {
        self.write(request).map_err(|e| e.to_string())?;
        self.incoming.begin();
        loop {
            let read = self.read().map_err(|e| e.to_string())?;
            if self.incoming.came(read)? {
                return Ok(self.incoming.complete());
            }
        }
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
    fn read(&mut self) -> io::Result<usize> {
        let began = Instant::now();
        let mut is_awake = true;
        let read = loop {
            match self.stream.read(self.incoming.room()) {
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

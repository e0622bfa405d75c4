//! Many connections that ask at once, all by one thread: threads of their own would take from the server what it needs to answer.

use std::io::{ErrorKind, Read, Write};
use std::net::ToSocketAddrs;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use crate::answer::Incoming;
use crate::client::Failure;

/// So long nobody answering is a failure.
const PATIENCE: Duration = Duration::from_mins(1);

/// One of them.
struct Member {
    stream: TcpStream,
    incoming: Incoming,
    sent: Instant,
}

impl Member {
    fn connect(address: &str) -> Result<Self, Failure> {
        let failed = |e: std::io::Error| format!("{address}: {e}");
        let mut addresses = address.to_socket_addrs().map_err(failed)?;
        let stream = std::net::TcpStream::connect(addresses.next().ok_or("no address")?).map_err(failed)?;
        stream.set_nodelay(true).and_then(|()| stream.set_nonblocking(true)).map_err(failed)?;
        Ok(Self { stream: TcpStream::from_std(stream), incoming: Incoming::default(), sent: Instant::now() })
    }

    fn send(&mut self, request: &[u8]) -> Result<(), Failure> {
        self.incoming.begin();
        self.sent = Instant::now();
        // nothing waits in the socket of who asks for the next time, and a request is smaller than its room
        self.stream.write_all(request).map_err(|e| format!("a request cannot be sent: {e}"))
    }

    /// Reads what is there. Gives how long the answer took, when it is complete.
    fn receive(&mut self) -> Result<Option<Duration>, Failure> {
        loop {
            let read = match self.stream.read(self.incoming.room()) {
                Ok(0) => return Err("a connection was closed before its answer".to_owned()),
                Ok(read) => read,
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => return Err(e.to_string()),
            };
            if self.incoming.came(read)? {
                return match self.incoming.complete() {
                    (status, body) if status >= 400 => Err(format!("{status} {}", String::from_utf8_lossy(body))),
                    _ => Ok(Some(self.sent.elapsed())),
                };
            }
        }
    }
}

/// Asks over so many connections, each again as soon as it is answered, until that time is over. Gives how long each answer took.
pub fn ask(
    address: &str,
    connections: usize,
    lasting: Duration,
    mut request: impl FnMut() -> Vec<u8>,
) -> Result<Vec<Duration>, Failure> {
    let failed = |e: std::io::Error| e.to_string();
    let (mut poll, mut events) = (Poll::new().map_err(failed)?, Events::with_capacity(connections.max(1)));
    let mut members = (0..connections).map(|_| Member::connect(address)).collect::<Result<Vec<_>, _>>()?;
    let began = Instant::now();
    for (number, member) in members.iter_mut().enumerate() {
        poll.registry().register(&mut member.stream, Token(number), Interest::READABLE).map_err(failed)?;
        member.send(&request())?;
    }
    let (mut times, mut waiting) = (Vec::new(), members.len());
    while waiting > 0 {
        match poll.poll(&mut events, Some(PATIENCE)) {
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            polled => polled.map_err(failed)?,
        }
        if events.is_empty() {
            return Err(format!("{waiting} requests were not answered within {} s", PATIENCE.as_secs()));
        }
        for event in &events {
            let member = &mut members[event.token().0];
            let Some(time) = member.receive()? else { continue };
            times.push(time);
            if began.elapsed() < lasting {
                member.send(&request())?;
            } else {
                waiting -= 1;
            }
        }
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// Answers of a server that gives each of so many connections this one, again and again.
    fn asked(connections: usize, answer: &'static str) -> Result<Vec<Duration>, Failure> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address").to_string();
        for _ in 0..connections {
            let listener = listener.try_clone().expect("the same port");
            thread::spawn(move || {
                let (mut stream, _) = listener.accept().expect("a client");
                let mut request = [0; 5];
                while stream.read_exact(&mut request).is_ok() {
                    assert_eq!(&request, b"GET /");
                    stream.write_all(answer.as_bytes()).expect("sent");
                }
            });
        }
        ask(&address, connections, Duration::from_millis(50), || b"GET /".to_vec())
    }

    #[test]
    fn every_connection_asks_again_until_the_time_is_over() {
        let times = asked(3, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").expect("answers");
        assert!(times.len() > 3, "{}", times.len());
    }

    #[test]
    fn a_refusal_is_a_failure_with_its_text() {
        let failure = asked(2, "HTTP/1.1 422 No\r\ncontent-length: 4\r\n\r\nnope").expect_err("no answers");
        assert_eq!(failure, "422 nope");
    }
}

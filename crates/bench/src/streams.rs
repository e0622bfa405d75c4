//! Many pages that listen: what arrives of what is announced, how late, and what the service needs for it.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;
use ureq::http::Method;

use crate::client::Failure;
use crate::service::Service;

/// Streams that a user may have open.
const OF_USER: usize = 100;
/// Writers that share the rate: each waits for its commits.
const WRITERS: u64 = 4;
/// What stands before the data of a message.
const MARK: &[u8] = b"\ndata: ";
const DAY: i64 = 24 * 60 * 60 * 1_000_000;

/// What is measured.
pub struct Plan {
    /// Address of the service.
    pub service: String,
    /// Password of its administrator.
    pub password: String,
    /// Streams that are opened.
    pub subscribers: usize,
    /// Messages a second.
    pub rate: u64,
    /// For how long.
    pub seconds: u64,
}

/// What came of it.
pub struct Outcome {
    subscribers: usize,
    announced: u64,
    took: Duration,
    delivered: u64,
    /// From the time in a message to its arrival, in microseconds and in order.
    delays: Vec<i64>,
    /// Processor seconds of the service.
    cpu: f64,
    /// Resident memory of the service before, and in each third.
    memory: Vec<f64>,
}

/// An open stream, and the end of what was read of it, in which a mark may begin.
struct Stream {
    socket: TcpStream,
    tail: Vec<u8>,
}

impl Stream {
    fn open(address: &str, token: &str) -> Result<Self, Failure> {
        let failed = |e: std::io::Error| format!("a stream cannot be opened: {e}");
        let mut socket = TcpStream::connect(address).map_err(failed)?;
        let head = format!(
            "GET /api/notification/production HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\r\n"
        );
        socket.write_all(head.as_bytes()).map_err(failed)?;
        let mut answer = [0; 4096];
        let read = socket.read(&mut answer).map_err(failed)?;
        if !answer[..read].starts_with(b"HTTP/1.1 200") {
            return Err(format!("a stream is refused: {}", String::from_utf8_lossy(&answer[..read])));
        }
        socket.set_nonblocking(true).map_err(failed)?;
        Ok(Self { socket, tail: Vec::new() })
    }

    /// What has arrived: each message is told the text that begins with its data.
    fn read(&mut self, buffer: &mut [u8], mut message: impl FnMut(&[u8])) -> Result<(), Failure> {
        loop {
            match self.socket.read(buffer) {
                Ok(0) => return Err("a stream has ended".to_owned()),
                Ok(read) => {
                    self.tail.extend_from_slice(&buffer[..read]);
                    let mut from = 0;
                    while let Some(found) = find(&self.tail[from..]) {
                        from += found + MARK.len();
                        message(&self.tail[from..]);
                    }
                    let rest = self.tail.len() - from;
                    self.tail.drain(..from + rest.saturating_sub(MARK.len() - 1));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(format!("a stream has broken off: {error}")),
            }
        }
    }
}

fn find(text: &[u8]) -> Option<usize> {
    text.windows(MARK.len()).position(|window| window == MARK)
}

/// How long ago the time in a message was, in microseconds.
fn delay(message: &[u8]) -> Option<i64> {
    let message = std::str::from_utf8(&message[..message.len().min(2000)]).ok()?;
    let (_, time) = message.split_once("\"timestamp\":\"")?;
    let mut parts = time.get(11..26)?.split([':', '.']).map(str::parse::<i64>);
    let mut next = || parts.next()?.ok();
    let then = ((next()? * 60 + next()?) * 60 + next()?) * 1_000_000 + next()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_micros() as i64 % DAY;
    Some((now - then).rem_euclid(DAY))
}

/// A printer that takes everything.
fn printer() -> Result<u16, Failure> {
    let failed = |e: std::io::Error| format!("no printer: {e}");
    let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            // What it prints is of no interest.
            let _ = std::io::copy(&mut { socket }, &mut std::io::sink());
        }
    });
    Ok(port)
}

/// Prints until the end, so that each job is announced: one writer's share of the rate.
fn write(service: &Service, token: &str, plan: &Plan, port: u16, end: Instant) -> Result<u64, Failure> {
    let job = json!({
        "printer_key": "bench", "printer_host": "127.0.0.1", "printer_port": port, "format": "zpl", "data": "^XA^XZ",
    });
    let pause = Duration::from_secs(WRITERS).div_f64(plan.rate as f64);
    let (mut next, mut done) = (Instant::now(), 0);
    while next < end {
        thread::sleep(next.saturating_duration_since(Instant::now()));
        let answer = service.json(&Method::POST, "/api/print-job", token, &job)?;
        if answer["ok"] != true {
            return Err(format!("a job was not printed: {answer}"));
        }
        done += 1;
        next += pause;
    }
    Ok(done)
}

/// Reads all streams until told to stop.
fn listen(streams: &mut [Stream], stop: &AtomicBool, delivered: &AtomicU64) -> Result<Vec<i64>, Failure> {
    let mut buffer = vec![0; 64 * 1024];
    let mut delays = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        for stream in &mut *streams {
            stream.read(&mut buffer, |message| {
                // Every message is counted; the clock is asked for some.
                if delivered.fetch_add(1, Ordering::Relaxed).is_multiple_of(97) {
                    delays.extend(delay(message));
                }
            })?;
        }
        thread::sleep(Duration::from_millis(2));
    }
    delays.sort_unstable();
    Ok(delays)
}

/// Opens the streams and measures.
pub fn measure(plan: &Plan) -> Result<Outcome, Failure> {
    let service = Service::new(&plan.service);
    let address = service.host().to_owned();
    let admin = service.administrator(&plan.password)?;
    let port = printer()?;
    let printers = json!({"printers": [{"_key": "bench", "host": "127.0.0.1", "port": port}]});
    service.json(&Method::PATCH, "/api/config", &admin, &printers)?;
    let run = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|e| e.to_string())?.as_secs();
    let mut streams = Vec::with_capacity(plan.subscribers);
    for first in (0..plan.subscribers).step_by(OF_USER) {
        let token = service.new_user(&admin, &format!("bench-{run}-{first}"))?;
        for _ in first..plan.subscribers.min(first + OF_USER) {
            streams.push(Stream::open(&address, &token)?);
        }
    }

    let resident = || service.metric("process_resident_memory_bytes");
    let cpu = || service.metric("process_cpu_seconds_total");
    let (stop, delivered) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut memory = vec![resident()?];
    let (before, began) = (cpu()?, Instant::now());
    let end = began + Duration::from_secs(plan.seconds);
    thread::scope(|scope| {
        let reader = scope.spawn(|| listen(&mut streams, &stop, &delivered));
        let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(|| write(&service, &admin, plan, port, end))).collect();
        let watched = (0..3).try_for_each(|_| {
            thread::sleep(Duration::from_secs(plan.seconds) / 3);
            memory.push(resident()?);
            Ok(())
        });
        let mut announced = 0;
        let mut wrong: Result<(), Failure> = watched;
        for writer in writers {
            match writer.join().map_err(|_| "a writer panicked".to_owned()).flatten() {
                Ok(done) => announced += done,
                Err(error) => wrong = Err(error),
            }
        }
        let (took, spent) = (began.elapsed(), cpu());
        // The last messages are on their way.
        thread::sleep(Duration::from_secs(2));
        stop.store(true, Ordering::Relaxed);
        let delays = reader.join().map_err(|_| "the reader panicked".to_owned()).flatten()?;
        wrong?;
        let (delivered, subscribers) = (delivered.load(Ordering::Relaxed), plan.subscribers);
        Ok(Outcome { subscribers, announced, took, delivered, delays, cpu: spent? - before, memory })
    })
}

/// The figures, as a Markdown table.
pub fn table(outcome: &Outcome) -> String {
    let Outcome { subscribers, announced, took, delivered, delays, cpu, memory } = outcome;
    let seconds = took.as_secs_f64();
    let milliseconds = |share: f64| {
        let place = (delays.len() as f64 * share) as usize;
        delays.get(place.min(delays.len().saturating_sub(1))).map_or(0.0, |delay| *delay as f64 / 1000.0)
    };
    let memory: Vec<String> = memory.iter().map(|bytes| format!("{:.0}", bytes / 1_048_576.0)).collect();
    let lines = [
        "| figure | |".to_owned(),
        "|---|--:|".to_owned(),
        format!("| streams | {subscribers} |"),
        format!("| announced a second | {:.1} |", *announced as f64 / seconds),
        format!("| delivered a second | {:.0} |", *delivered as f64 / seconds),
        format!("| delivered of what was announced | {delivered} of {} |", announced * *subscribers as u64),
        format!("| from the announcement to the reader, median ms | {:.1} |", milliseconds(0.5)),
        format!("| 99 of 100 within ms | {:.1} |", milliseconds(0.99)),
        format!("| the latest ms | {:.1} |", milliseconds(1.0)),
        format!("| processors that the service used | {:.2} |", cpu / seconds),
        format!("| memory of the service before and after each third, MiB | {} |", memory.join(", ")),
    ];
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_counted_also_where_a_read_ends_inside_the_mark() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut other, _) = listener.accept().unwrap();
        let mut stream = Stream { socket, tail: Vec::new() };
        stream.socket.set_nonblocking(true).unwrap();
        let mut count = 0;
        for part in ["id: 1\ndata: {}\n\nid: 2\nda", "ta: {}\n\nid: 3\nda", "ta", ": {}\n\n"] {
            other.write_all(part.as_bytes()).unwrap();
            thread::sleep(Duration::from_millis(20));
            stream.read(&mut [0; 100], |_| count += 1).unwrap();
        }
        assert_eq!(count, 3);
    }

    #[test]
    fn all_of_what_was_announced_to_all_is_expected() {
        let outcome = Outcome {
            subscribers: 10,
            announced: 20,
            took: Duration::from_secs(2),
            delivered: 200,
            delays: vec![1000, 2000, 9000],
            cpu: 1.0,
            memory: vec![1_048_576.0, 2_097_152.0],
        };
        let table = table(&outcome);
        for line in [
            "| announced a second | 10.0 |",
            "| 200 of 200 |",
            "median ms | 2.0 |",
            "ms | 9.0 |",
            "| 0.50 |",
            "| 1, 2 |",
        ] {
            assert!(table.contains(line), "{table}");
        }
    }
}

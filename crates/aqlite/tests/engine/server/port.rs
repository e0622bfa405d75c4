//! The same server at a port, and a client that sends what it is told byte by byte.
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use aqlite::Settings;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::Server;

pub struct Port {
    pub server: Server,
    pub address: SocketAddr,
    /// Dropped without waiting for what still runs.
    runtime: Option<Runtime>,
    stop: Option<oneshot::Sender<()>>,
    served: Option<JoinHandle<io::Result<()>>>,
}

impl Port {
    pub fn open() -> Self {
        Self::with(Settings::default())
    }

    /// One with other limits.
    pub fn with(settings: Settings) -> Self {
        let server = Server::with(settings);
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("port");
        let address = listener.local_addr().expect("address");
        let (stop, stopped) = oneshot::channel::<()>();
        let until = async { drop(stopped.await) };
        let served = runtime.spawn(aqlite::http::serve(server.engine.clone(), listener, until));
        Self { server, address, runtime: Some(runtime), stop: Some(stop), served: Some(served) }
    }

    /// Gives the word to stop.
    pub fn stop(&mut self) {
        drop(self.stop.take());
    }

    /// Waits until it has stopped.
    pub fn stopped(&mut self) {
        let (Some(runtime), Some(served)) = (&self.runtime, self.served.take()) else { return };
        runtime.block_on(served).expect("no panic").expect("served");
    }

    pub fn connect(&self) -> Connection {
        let stream = TcpStream::connect(self.address).expect("connection");
        stream.set_nodelay(true).expect("option");
        stream.set_read_timeout(Some(Duration::from_mins(1))).expect("option");
        Connection(BufReader::new(stream))
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        self.server.engine.close().expect("closed");
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The header of a user.
pub fn login(name: &str, password: &str) -> String {
    format!("authorization: Basic {}", STANDARD.encode(format!("{name}:{password}")))
}

pub struct Connection(BufReader<TcpStream>);

/// An answer as it came.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<String>,
    pub body: Value,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().filter_map(|line| line.split_once(": ")).find(|(n, _)| *n == name).map(|(_, value)| value)
    }
}

impl Connection {
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.get_mut().write_all(bytes.as_ref()).expect("sent");
    }

    /// The next answer; `None` at the end of the connection.
    pub fn reply(&mut self) -> Option<Reply> {
        let mut line = String::new();
        if self.0.read_line(&mut line).unwrap_or(0) == 0 {
            return None;
        }
        let status = line.split(' ').nth(1).and_then(|s| s.parse().ok()).expect("a status");
        let mut headers = Vec::new();
        loop {
            line.clear();
            self.0.read_line(&mut line).expect("a header");
            match line.trim() {
                "" => break,
                header => headers.push(header.to_ascii_lowercase()),
            }
        }
        let mut reply = Reply { status, headers, body: Value::Null };
        let length = reply.header("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).expect("a body");
        reply.body = serde_json::from_slice(&body).unwrap_or_default();
        Some(reply)
    }

    /// Sends a request as a whole.
    pub fn request(&mut self, method: &str, path: &str, header: &str, body: &str) {
        let length = body.len();
        self.send(format!("{method} {path} HTTP/1.1\r\nhost: x\r\n{header}\r\ncontent-length: {length}\r\n\r\n{body}"));
    }

    /// The answer to a request of root.
    pub fn root(&mut self, method: &str, path: &str, body: &Value) -> Reply {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.request(method, path, &login("root", "secret"), &body);
        self.reply().expect("an answer")
    }
}

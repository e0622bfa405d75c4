//! `aqlited` as a process of its own.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// The program.
pub fn aqlited() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aqlited"));
    command.env_remove("RUST_LOG");
    command
}

/// Runs a command to its end.
pub fn run(arguments: &[&str]) -> Output {
    aqlited().args(arguments).output().expect("runs")
}

/// The program while it serves.
pub struct Server {
    pub process: Child,
    pub address: String,
}

impl Server {
    /// Starts it with a folder.
    pub fn start(data_dir: &Path, arguments: &[&str]) -> Self {
        let mut process = aqlited()
            .arg("--data-dir")
            .arg(data_dir)
            .args(["--listen", "127.0.0.1:0", "--root-password", "pw"])
            .args(arguments)
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let mut log = BufReader::new(process.stderr.take().expect("log"));
        let mut line = String::new();
        while !line.contains("listening on http://") {
            line.clear();
            assert_ne!(log.read_line(&mut line).expect("log"), 0, "it did not start");
        }
        let address = line.rsplit("http://").next().expect("address").trim().to_owned();
        // somebody must go on reading, or the server blocks on its log
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::stderr()));
        Self { process, address }
    }

    /// Status and text of the answer to a request with these lines of its head.
    pub fn text(address: &str, head: &str, method: &str, path: &str, body: &Value) -> (u16, String) {
        let mut stream = TcpStream::connect(address).expect("connects");
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\n{head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).expect("sends");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answers");
        let status = answer.split(' ').nth(1).and_then(|s| s.parse().ok()).expect("status");
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status, body.to_owned())
    }

    /// Status and document of the answer to somebody.
    pub fn request(address: &str, authorization: &str, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let (status, text) = Self::text(address, &format!("authorization: {authorization}"), method, path, body);
        (status, serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    /// The same of its administrator.
    pub fn root(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        Self::request(&self.address, &root(), method, path, body)
    }

    /// Asks it to end.
    pub fn terminate(&self) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill").success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// How its administrator logs in.
pub fn root() -> String {
    format!("Basic {}", STANDARD.encode("root:pw"))
}

//! The real program in a folder of its own.

use std::env::consts::EXE_SUFFIX;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use base64::Engine as _;
use serde_json::Value;
use tempfile::TempDir;

use crate::prepared;

pub use crate::ADMIN_PASSWORD;

/// The program with a data folder and addresses of its own.
pub struct Program {
    folder: Arc<TempDir>,
    listen: String,
    engine: String,
    frees_at_once: bool,
}

/// What a run of the program left behind.
pub struct Outcome {
    /// The exit code; -1 where a signal ended it.
    pub code: i32,
    /// What it printed.
    pub stdout: String,
    /// What it logged or complained of.
    pub stderr: String,
}

impl Outcome {
    /// What it printed, when it ended with 0.
    pub fn succeeded(self) -> String {
        assert_eq!(self.code, 0, "{}{}", self.stdout, self.stderr);
        self.stdout
    }
}

/// An address that nobody listens at, and nobody gets for a connection of his own: below the ports that the system gives, and
/// another one in each process.
pub fn free_address() -> String {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    let first = std::process::id() * 8;
    let addresses = std::iter::from_fn(|| Some(first + ASKED.fetch_add(1, Ordering::Relaxed)));
    let mut addresses = addresses.map(|n| format!("127.0.0.1:{}", 10_000 + n % 22_000));
    addresses.find(|address| TcpListener::bind(address).is_ok()).unwrap()
}

impl Default for Program {
    fn default() -> Self {
        Self::new()
    }
}

impl Program {
    /// The program with an empty folder.
    pub fn new() -> Self {
        let folder = Arc::new(TempDir::new().unwrap());
        Self { folder, listen: free_address(), engine: free_address(), frees_at_once: false }
    }

    /// Memory that is free goes back at once, so that the most it has had is what was in use. Otherwise the allocator keeps it
    /// for a second.
    #[cfg(target_os = "linux")]
    pub fn freeing_at_once(self) -> Self {
        Self { frees_at_once: true, ..self }
    }

    /// A running service in a folder of its own.
    pub fn new_serving() -> Running {
        Self::new().serve(&[])
    }

    /// Where it runs; its data are in `data`.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where the embedded engine answers.
    pub fn engine_address(&self) -> &str {
        &self.engine
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(prepared::profile().join(format!("tracewright{EXE_SUFFIX}")));
        command
            .args(args)
            .current_dir(self.folder())
            .env("TRACEWRIGHT_DATA_DIR", self.folder().join("data"))
            .env("TRACEWRIGHT_LISTEN", &self.listen)
            .env("TRACEWRIGHT_DATABASE__EMBEDDED_LISTEN", &self.engine)
            .env("TRACEWRIGHT_ADMIN_PASSWORD", ADMIN_PASSWORD)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if self.frees_at_once {
            command.env("MIMALLOC_PURGE_DELAY", "0");
        }
        command
    }

    /// Begins to run a command.
    pub fn spawn(&self, args: &[&str]) -> Child {
        self.command(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Runs a command to its end.
    pub fn run(&self, args: &[&str]) -> Outcome {
        self.run_with_input(args, "")
    }

    /// Runs a command to its end with something on its standard input.
    pub fn run_with_input(&self, args: &[&str], input: &str) -> Outcome {
        let mut child = self.command(args).spawn().unwrap();
        // A command that reads nothing may have ended already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        Outcome {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn printed_file(&self) -> std::path::PathBuf {
        self.folder().join("printed")
    }

    /// What the service printed since its latest start, beside its log.
    pub fn printed(&self) -> String {
        std::fs::read_to_string(self.printed_file()).unwrap()
    }

    /// Starts the service and waits until it answers.
    pub fn serve(&self, args: &[&str]) -> Running {
        let log = self.folder().join("log");
        let child = self
            .command(&[&["serve"], args].concat())
            .stderr(std::fs::File::create(&log).unwrap())
            .stdout(std::fs::File::create(self.printed_file()).unwrap())
            .spawn()
            .unwrap();
        let running = Running {
            child: Some(child),
            folder: Arc::clone(&self.folder),
            listen: self.listen.clone(),
            engine: self.engine.clone(),
        };
        for _ in 0..1200 {
            if TcpStream::connect(&running.listen).is_ok() {
                return running;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the service does not answer: {}", std::fs::read_to_string(log).unwrap());
    }
}

/// A service that is stopped when it is dropped.
pub struct Running {
    child: Option<Child>,
    folder: Arc<TempDir>,
    listen: String,
    engine: String,
}

impl Running {
    /// Status and body of a GET.
    pub fn get(&self, path: &str) -> (u16, Value) {
        split(&exchange(&self.listen, &format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")))
    }

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.listen)
    }

    /// A figure of the process in KB, such as `VmHWM`, the most memory it has had.
    #[cfg(target_os = "linux")]
    pub fn memory(&self, name: &str) -> u64 {
        let id = self.id();
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap()
    }

    /// Forgets the most memory the process has had: `VmHWM` begins anew with what it has now.
    #[cfg(target_os = "linux")]
    pub fn forget_peak(&self) {
        std::fs::write(format!("/proc/{}/clear_refs", self.id()), "5").unwrap();
    }

    /// How many KB more the process has had at most than an earlier peak. The kernel counts per processor and adds up now and
    /// then, so that a peak may come out a little lower than it was before.
    #[cfg(target_os = "linux")]
    pub fn peak_above(&self, before: u64) -> u64 {
        self.memory("VmHWM:").saturating_sub(before)
    }

    /// Status and body of a login.
    pub fn login(&self, username: &str, password: &str) -> (u16, Value) {
        let form = format!("username={username}&password={password}");
        let head = "POST /api/auth HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded";
        split(&exchange(&self.listen, &format!("{head}\r\nContent-Length: {}\r\n\r\n{form}", form.len())))
    }

    /// The answer of the embedded engine to a request of `root`.
    pub fn engine(&self, method: &str, path: &str, body: Option<&str>) -> Value {
        let password = std::fs::read_to_string(self.folder.path().join("data/database_password")).unwrap();
        let credentials = base64::engine::general_purpose::STANDARD.encode(format!("root:{password}"));
        let body = body.unwrap_or_default();
        let request = format!(
            "{method} /_db/tracewright{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Basic \
             {credentials}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let (status, answer) = split(&exchange(&self.engine, &request));
        assert!(status < 300, "{status} {answer}");
        answer
    }

    /// A request whose body is not there yet.
    pub fn half_sent_request(&self) -> HalfSent {
        let mut stream = TcpStream::connect(&self.listen).unwrap();
        let form = "username=nobody&password=wrong";
        let head = "POST /api/auth HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded";
        let (first, rest) = form.split_at(10);
        stream.write_all(format!("{head}\r\nContent-Length: {}\r\n\r\n{first}", form.len()).as_bytes()).unwrap();
        // Another request goes all the way, so that this one has been accepted and begun.
        assert_eq!(self.get("/api/hello").0, 200);
        HalfSent { stream, rest }
    }

    /// Number of the process.
    pub fn id(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// Asks it to stop.
    pub fn signal_to_stop(&self) {
        let id = self.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    }

    /// Waits until it takes no more connections.
    pub fn wait_until_closed(&self) {
        for _ in 0..600 {
            if TcpStream::connect(&self.listen).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("still takes connections");
    }

    /// Waits for its end and gives the exit code.
    pub fn wait(mut self) -> Option<i32> {
        self.child.take().unwrap().wait().unwrap().code()
    }

    /// Stops it, which must work, and gives its log.
    pub fn stop(mut self) -> String {
        self.signal_to_stop();
        assert_eq!(self.child.take().unwrap().wait().unwrap().code(), Some(0));
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A request that waits for the rest of its body.
pub struct HalfSent {
    stream: TcpStream,
    rest: &'static str,
}

impl HalfSent {
    /// Sends the rest and reads the answer.
    pub fn finish(&mut self) -> String {
        self.stream.write_all(self.rest.as_bytes()).unwrap();
        let mut answer = String::new();
        self.stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

fn split(answer: &str) -> (u16, Value) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or(Value::Null))
}

fn exchange(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

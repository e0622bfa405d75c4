//! Requests a second of a running service beside those of another one on the same data, and the processor time of each.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use ureq::http::Method;

use crate::client::Failure;
use crate::service::{self, Service};

/// What is asked when nothing else is named: the four operations that both have.
pub const PATHS: [&str; 4] =
    ["/whoami", "/serial-children?serial_key=t0", "/serial-hierarchy?serial_key=t0", "/task?search=bolt&limit=20"];

/// What is measured.
pub struct Plan {
    /// Address of the service.
    pub service: String,
    /// Password of its administrator.
    pub password: String,
    /// Address of the other one, which takes the same tokens; its paths have no prefix.
    pub peer: Option<String>,
    /// What is asked.
    pub paths: Vec<String>,
    /// Connections that ask at once.
    pub connections: usize,
    /// How long each path is asked for.
    pub time: Duration,
}

/// What one path gave.
pub struct Measured {
    path: String,
    bytes: usize,
    /// Requests a second.
    rate: f64,
    /// Processor time of the service for each.
    cpu: Duration,
    peer_rate: Option<f64>,
}

/// Asks every path of both, one after the other.
pub fn measure(plan: &Plan) -> Result<Vec<Measured>, Failure> {
    let service = Service::new(&plan.service);
    let token = service.administrator(&plan.password)?;
    let mut measured = Vec::new();
    for path in &plan.paths {
        let own = format!("/api{path}");
        // The first answer warms what is kept, and tells whether there is one.
        let bytes = service.call(&Method::GET, &own, &token, b"", "text/plain")?.len();
        let before = service.metric("process_cpu_seconds_total")?;
        let (requests, rate) = ask(&plan.service, &own, &token, plan)?;
        let cpu = service.metric("process_cpu_seconds_total")? - before;
        let peer_rate = match &plan.peer {
            Some(peer) => Some(ask(peer, path, &token, plan)?.1),
            None => None,
        };
        let cpu = Duration::from_secs_f64(cpu.max(0.0) / requests as f64);
        measured.push(Measured { path: path.clone(), bytes, rate, cpu, peer_rate });
    }
    Ok(measured)
}

/// How many requests were answered, and how many a second.
fn ask(address: &str, path: &str, token: &str, plan: &Plan) -> Result<(usize, f64), Failure> {
    let began = Instant::now();
    let work = || {
        let service = Service::new(address);
        let mut answered = 0_usize;
        while answered == 0 || began.elapsed() < plan.time {
            service.call(&Method::GET, path, token, b"", "text/plain")?;
            answered += 1;
        }
        Ok::<_, Failure>(answered)
    };
    let answered = service::at_once(plan.connections, work)?.into_iter().sum();
    Ok((answered, answered as f64 / began.elapsed().as_secs_f64()))
}

/// The figures as a table.
pub fn table(measured: &[Measured]) -> String {
    let mut text =
        "| operation | bytes | requests/s | processor ms each | the other's requests/s | ratio |\n".to_owned();
    text.push_str("|---|--:|--:|--:|--:|--:|\n");
    for Measured { path, bytes, rate, cpu, peer_rate } in measured {
        let cpu = cpu.as_secs_f64() * 1e3;
        let _ = write!(text, "| `GET {path}` | {bytes} | {rate:.0} | {cpu:.2} |");
        let _ = match peer_rate {
            Some(peer) => writeln!(text, " {peer:.0} | {:.1} |", rate / peer),
            None => writeln!(text, " - | - |"),
        };
    }
    text
}

//! Requests a second of a running service beside those of another one on the same data, and the processor time of each.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::Value;
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
    /// The process of the service, where it is one of this machine.
    pub process: Option<u32>,
}

/// What one path gave.
pub struct Measured {
    path: String,
    bytes: usize,
    /// Requests a second.
    rate: f64,
    /// Processor time of the service for each.
    cpu: Duration,
    /// What it takes to write such an answer again as JSON, when all of it is known.
    writing: Option<Duration>,
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
        let answer = service.call(&Method::GET, &own, &token, b"", "text/plain")?;
        let cpu = || match plan.process {
            Some(process) => cpu_seconds(process),
            // tells whole seconds
            None => service.metric("process_cpu_seconds_total"),
        };
        let written_before = writing(&answer);
        let before = cpu()?;
        let (requests, rate) = ask(&plan.service, &own, &token, plan)?;
        let cpu = cpu()? - before;
        // the machine may have become faster or slower meanwhile
        let writing = written_before.zip(writing(&answer)).map(|(before, after)| (before + after) / 2);
        let peer_rate = match &plan.peer {
            Some(peer) => Some(ask(peer, path, &token, plan)?.1),
            None => None,
        };
        let cpu = Duration::from_secs_f64(cpu.max(0.0) / requests as f64);
        measured.push(Measured { path: path.clone(), bytes: answer.len(), rate, cpu, writing, peer_rate });
    }
    Ok(measured)
}

/// Processor time of a process so far, as Linux counts it.
fn cpu_seconds(process: u32) -> Result<f64, Failure> {
    /// Ticks of a second in what the kernel tells programs.
    const TICKS: f64 = 100.0;
    let path = format!("/proc/{process}/stat");
    let stat = std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
    // behind the name, which may contain anything: 11 fields, then the time in the program and the time in the kernel
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    if ticks.len() == 2 { Ok(ticks.iter().sum::<f64>() / TICKS) } else { Err(format!("{path} has no times")) }
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

/// How long it takes a core on average to write an answer as JSON text. All cores do so at once, as they were all busy when the
/// service was asked: two that share their units are each slower than one alone.
fn writing(answer: &[u8]) -> Option<Duration> {
    const LONG_ENOUGH: Duration = Duration::from_millis(200);
    let value: Value = serde_json::from_slice(answer).ok()?;
    let began = Instant::now();
    let work = || {
        let mut rounds = 0_u32;
        while began.elapsed() < LONG_ENOUGH {
            std::hint::black_box(serde_json::to_vec(&value).map_err(|e| e.to_string())?);
            rounds += 1;
        }
        Ok::<_, Failure>(rounds)
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let rounds: u32 = service::at_once(cores, work).ok()?.into_iter().sum();
    Some(began.elapsed() * u32::try_from(cores).ok()? / rounds)
}

/// The figures as a table.
pub fn table(measured: &[Measured]) -> String {
    let mut text =
        "| operation | bytes | requests/s | processor ms each | ms to write it | times | the other's requests/s | ratio |\n"
            .to_owned();
    text.push_str("|---|--:|--:|--:|--:|--:|--:|--:|\n");
    for Measured { path, bytes, rate, cpu, writing, peer_rate } in measured {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let cpu = milliseconds(*cpu);
        let (writing, times) = writing.map(milliseconds).map_or_else(
            || ("-".to_owned(), "-".to_owned()),
            |writing| (format!("{writing:.3}"), format!("{:.2}", cpu / writing)),
        );
        let _ = write!(text, "| `GET {path}` | {bytes} | {rate:.0} | {cpu:.3} | {writing} | {times} |");
        let _ = match peer_rate {
            Some(peer) => writeln!(text, " {peer:.0} | {:.1} |", rate / peer),
            None => writeln!(text, " - | - |"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_time_of_a_process_is_looked_up_by_its_number() {
        let own = std::process::id();
        let before = cpu_seconds(own).expect("its time");
        // ends as soon as the system has counted
        while cpu_seconds(own).expect("its time") <= before {}
        assert!(cpu_seconds(u32::MAX).is_err_and(|failure| failure.contains("/proc/")));
    }
}

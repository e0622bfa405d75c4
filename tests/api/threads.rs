//! How many threads the service has, whatever is asked of it at once: the real program, apart from who asks.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};

use tracewright_testkit::program::{Program, Running};

/// Places of the embedded engine, outside of transactions.
const PLACES: usize = 4;
/// Connections that ask at once, and what each asks for.
const CONNECTIONS: usize = 200;
const REQUESTS: usize = 10;

/// What the program may have beside the threads that serve and hash, one a core each: the places of the engine and those
/// within and at the end of transactions, those of files and sheets, and those of the engine itself.
const MOST: usize = 2 * PLACES + 26 + 12;

/// Asks for a file, so often over one connection.
fn ask(running: &Running, all: &Barrier) {
    let address = running.url("").trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(address).unwrap();
    let request = "GET /media/config/none.png HTTP/1.1\r\nHost: x\r\n\r\n".repeat(REQUESTS - 1);
    let last = "GET /media/config/none.png HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    all.wait();
    stream.write_all((request + last).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert_eq!(answer.matches("HTTP/1.1 404").count(), REQUESTS, "{answer}");
}

#[test]
fn a_burst_of_requests_does_not_make_a_thread_each() {
    let running = Program::new().serve(&["--database-embedded-query-threads", &PLACES.to_string()]);
    let (all, is_over) = (Barrier::new(CONNECTIONS), AtomicBool::new(false));
    let most = std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut most = 0;
            while !is_over.load(Ordering::Relaxed) {
                most = most.max(running.memory("Threads:"));
            }
            most
        });
        let asking: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(|| ask(&running, &all))).collect();
        for one in asking {
            one.join().unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
        watching.join().unwrap()
    });
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    assert!(most as usize <= MOST + 2 * cores, "{most} threads");
}

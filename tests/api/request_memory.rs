//! How much memory requests of strangers take: the real program, apart from who sends them.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::net::TcpStream;

use tracewright_testkit::program::{Program, Running};

/// Memory that requests without a valid token may take beside what the service has anyway.
const MOST_KB: u64 = 8 * 1024;

/// Sends a head and so many bytes of a body, as far as they are taken, and reads the status.
fn send(running: &Running, head: &str, part: &str, size: usize) -> u16 {
    let address = running.url("").trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    let block = part.repeat(65_536 / part.len());
    let mut left = size;
    while left > 0 {
        let count = left.min(block.len());
        // The service may have answered and closed already.
        if stream.write_all(&block.as_bytes()[..count]).is_err() {
            break;
        }
        left -= count;
    }
    let mut answer = [0; 12];
    match stream.read_exact(&mut answer) {
        Ok(()) => String::from_utf8_lossy(&answer[9..12]).parse().unwrap(),
        Err(_) => 0,
    }
}

#[test]
fn large_bodies_of_strangers_take_no_memory() {
    let running = Program::new_serving();
    let size = 60_000_000;
    let length = format!("Host: x\r\nContent-Length: {size}");
    let form = "Content-Type: application/x-www-form-urlencoded";
    let chunked = "Host: x\r\nTransfer-Encoding: chunked";
    // Hashing a password takes memory of its own.
    for _ in 0..10 {
        assert_eq!(running.login("nobody", "wrong").0, 401);
    }
    let before = running.memory("VmHWM:");
    for (head, part, expected) in [
        (format!("POST /api/auth HTTP/1.1\r\n{length}\r\n{form}\r\n\r\n"), "a=1&", 413),
        (format!("POST /api/auth HTTP/1.1\r\n{chunked}\r\n{form}\r\n\r\n"), "4\r\na=1&\r\n", 413),
        (format!("POST /api/auth HTTP/1.1\r\n{length}\r\nContent-Type: text/plain\r\n\r\n"), "a=1&", 413),
        (format!("PUT /api/product/a/bom HTTP/1.1\r\n{length}\r\n\r\n"), "[[[[", 401),
        (format!("POST /api/files HTTP/1.1\r\n{chunked}\r\n\r\n"), "4\r\na=1&\r\n", 401),
        (format!("PUT /api/custom-data/a HTTP/1.1\r\n{length}\r\nAuthorization: Bearer x\r\n\r\n"), "[[[[", 401),
        (format!("POST /api/nowhere HTTP/1.1\r\n{length}\r\n\r\n"), "[[[[", 404),
    ] {
        let status = send(&running, &head, part, size);
        assert!(status == expected || status == 0, "{head}: {status}");
    }
    // Names and passwords as long as a form may be, and as many members as it can hold.
    for number in 0..20 {
        let name = format!("username={number}{}&password=x", "n".repeat(15_000));
        let members = format!("username={number}&password=x&{}", "a&".repeat(8_000));
        for form_body in [name, members] {
            let head = format!(
                "POST /api/auth HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n{form}\r\n\r\n{form_body}",
                form_body.len()
            );
            assert!(matches!(send(&running, &head, "x", 0), 413 | 401));
        }
    }
    let taken = running.peak_above(before);
    println!("before {before} KB; {taken} KB more");
    assert!(taken < MOST_KB, "{taken} KB");
}

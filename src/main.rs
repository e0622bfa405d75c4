//! `tracewright`: all of it is in the library, where it is compiled once.

use std::process::ExitCode;

/// Events and answers are made of many small values, on threads that change.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    tracewright::cli::main()
}

//! `tracewright`: all of it is in the library, where it is compiled once.

use std::process::ExitCode;

/// Events and answers are made of many small values, on threads that change: a quarter of the time of recording was spent in
/// the allocator of the C library.
#[global_allocator]
static ALLOCATOR: aqlite::allocator::MiMalloc = aqlite::allocator::MiMalloc;

fn main() -> ExitCode {
    tracewright::cli::main()
}

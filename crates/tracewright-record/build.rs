//! Makes constants of the stored queries of this crate.

#[path = "../tracewright-store/build.rs"]
mod queries;

fn main() -> std::io::Result<()> {
    queries::main()
}

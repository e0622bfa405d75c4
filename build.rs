//! Makes constants of the stored queries. The files of the explorer are part of the program too: a new one builds it again.

#[path = "crates/tracewright-store/build.rs"]
mod queries;

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=web/dist");
    queries::main()
}

//! tracewright
fn main() {}

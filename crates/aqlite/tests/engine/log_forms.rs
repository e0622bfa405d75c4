//! Logs of any form: a start reads them or says what is wrong, and goes on.

use std::path::Path;
use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::power::PowerDisk;

#[path = "../../fuzz/targets/log.rs"]
mod target;

const CASES: u64 = 300;

/// A batch as a transaction writes it, with parts of any form: what kind of entry, of which table, how much of the key is
/// that of the one before, and how long everything is.
fn batch(random: &mut StdRng) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..16).map(|_| random.random_range(0..3)).collect();
    for _ in 0..random.random_range(0..5) {
        bytes.extend([random.random_range(1..8), random.random_range(0..6)]);
        let len = random.random_range(0..10_u8);
        bytes.extend([random.random_range(0..3), len]);
        let names = *b"!cdgkn\x00\x01\x02{";
        bytes.extend((0..len).map(|_| names[random.random_range(0..names.len())]));
        if random.random_bool(0.8) {
            let len = random.random_range(0..12_u8);
            bytes.push(len);
            bytes.extend((0..len).map(|_| random.random_range(0..255_u8)));
        }
    }
    bytes
}

#[test]
fn a_log_of_any_form_is_read_or_refused_and_never_more() {
    for seed in 0..CASES {
        let mut random = StdRng::seed_from_u64(seed);
        let mut input = Vec::new();
        for _ in 0..random.random_range(0..4) {
            let batch = batch(&mut random);
            input.push(batch.len() as u8);
            input.extend(batch);
        }
        for _ in 0..random.random_range(0..3) {
            if let Some(last) = input.len().checked_sub(1) {
                input[random.random_range(0..=last)] = random.random_range(0..255);
            }
        }
        let disk = PowerDisk::default();
        disk.power_for(u64::MAX);
        target::log(&input, Path::new("data"), Arc::new(disk));
    }
}

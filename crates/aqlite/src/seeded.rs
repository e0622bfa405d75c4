//! Hashing what clients choose: names of attributes, keys, values. The seed is made up when the process starts, so that
//! nobody can choose a thousand names that all fall into one place of a table.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::LazyLock;

use foldhash::SharedSeed;
use foldhash::fast::FoldHasher;

/// Makes hashers with the seed of the process; it takes no room in a table.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seeded;

/// A table of what clients choose.
pub(crate) type SeededMap<K, V> = HashMap<K, V, Seeded>;
/// A set of what clients choose.
pub(crate) type SeededSet<T> = HashSet<T, Seeded>;

struct Seed {
    own: u64,
    shared: SharedSeed,
}

static SEED: LazyLock<Seed> =
    LazyLock::new(|| Seed { own: rand::random(), shared: SharedSeed::from_u64(rand::random()) });

impl BuildHasher for Seeded {
    type Hasher = FoldHasher<'static>;

    #[inline]
    fn build_hasher(&self) -> Self::Hasher {
        let seed = &*SEED;
        FoldHasher::with_seed(seed.own, &seed.shared)
    }
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxBuildHasher;

    use super::*;

    #[test]
    fn names_that_meet_without_a_seed_do_not_meet_with_it() {
        let place = |hash: u64| hash >> 48;
        let begin = place(FxBuildHasher.hash_one("0"));
        let names = (0..).map(|n: u64| n.to_string()).filter(|name| place(FxBuildHasher.hash_one(name)) == begin);
        let places: HashSet<u64> = names.take(10).map(|name| place(Seeded.hash_one(name))).collect();
        assert!(places.len() > 5, "{places:?}");
    }

    #[test]
    fn equal_names_hash_alike_in_every_table() {
        assert_eq!(Seeded.hash_one("name"), Seeded.hash_one(String::from("name")));
    }
}

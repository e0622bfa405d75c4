//! The order in which ArangoDB lists what it gathers in a hash table.
//!
//! Some functions return the contents of a chained hash table of the C++ library as they lie there. An element becomes the
//! first of its chain, a new chain the first of all; when the table grows, the elements are put into it anew in their order.
//! With few elements that is nearly always the reverse of the order in which they came.

/// A table that nothing was said about.
pub(super) const EMPTY: usize = 1;
/// A table that was made for 512 elements.
pub(super) const ROOMY: usize = 541;

/// The sizes a table grows to.
const SIZES: [usize; 18] = [
    13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10_273, 20_753, 42_043, 85_229, 172_933, 351_061, 712_697, 1_447_153,
    2_938_679,
];

/// What stands before the first element of a chain.
#[derive(Clone, Copy)]
enum Before {
    /// The chain is empty.
    Nothing,
    /// It is the first of all.
    Start,
    Element(usize),
}

struct Table<'a> {
    hashes: &'a [u64],
    chains: Vec<Before>,
    first: Option<usize>,
    next: Vec<Option<usize>>,
}

impl<'a> Table<'a> {
    fn new(hashes: &'a [u64], size: usize) -> Self {
        Self { hashes, chains: vec![Before::Nothing; size], first: None, next: vec![None; hashes.len()] }
    }

    fn chain(&self, element: usize) -> usize {
        (self.hashes[element] % self.chains.len() as u64) as usize
    }

    fn insert(&mut self, element: usize) {
        let chain = self.chain(element);
        if let Before::Element(before) = self.chains[chain] {
            self.next[element] = self.next[before].replace(element);
            return;
        }
        if let (Before::Nothing, Some(first)) = (self.chains[chain], self.first) {
            let displaced = self.chain(first);
            self.chains[displaced] = Before::Element(element);
        }
        self.chains[chain] = Before::Start;
        self.next[element] = self.first.replace(element);
    }

    fn list(&self) -> Vec<usize> {
        std::iter::successors(self.first, |element| self.next[*element]).collect()
    }
}

/// The positions of different elements with these hashes in the order in which a table of that size lists them, once
/// they were put into it one after the other.
pub(super) fn listed(hashes: &[u64], size: usize) -> Vec<usize> {
    let mut table = Table::new(hashes, size);
    for element in 0..hashes.len() {
        // a table holds as many elements as it has chains
        let size = table.chains.len();
        if (element >= size || size == EMPTY)
            && let Some(size) = SIZES.iter().find(|larger| **larger >= 2 * size)
        {
            let listed = table.list();
            table = Table::new(hashes, *size);
            for element in listed {
                table.insert(element);
            }
        }
        table.insert(element);
    }
    table.list()
}

/// The hash of a string in the C++ library.
pub(super) fn text(text: &str) -> u64 {
    const FACTOR: u64 = 0xc6a4_a793_5bd1_e995;
    const SEED: u64 = 0xc70f_6907;
    let mix = |x: u64| x ^ (x >> 47);
    let mut hash = SEED ^ (text.len() as u64).wrapping_mul(FACTOR);
    let (chunks, rest) = text.as_bytes().as_chunks::<8>();
    for chunk in chunks {
        let data = mix(u64::from_le_bytes(*chunk).wrapping_mul(FACTOR)).wrapping_mul(FACTOR);
        hash = (hash ^ data).wrapping_mul(FACTOR);
    }
    if !rest.is_empty() {
        let data = rest.iter().rev().fold(0, |data, byte| data << 8 | u64::from(*byte));
        hash = (hash ^ data).wrapping_mul(FACTOR);
    }
    mix(mix(hash).wrapping_mul(FACTOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_comes_first_unless_chains_collide() {
        assert_eq!(listed(&[1, 2, 3], EMPTY), [2, 1, 0]);
        // the third joins the chain of the first, before it
        assert_eq!(listed(&[1, 2, 14], EMPTY), [1, 2, 0]);
        assert_eq!(listed(&[1, 14], EMPTY), [1, 0]);
    }

    #[test]
    fn growing_turns_the_order_around() {
        let hashes: Vec<u64> = (0..14).collect();
        let expected: Vec<usize> = std::iter::once(13).chain(0..13).collect();
        assert_eq!(listed(&hashes, EMPTY), expected);
        let large: Vec<u64> = (0..1000).collect();
        assert_eq!(listed(&large, ROOMY).len(), 1000);
    }
}

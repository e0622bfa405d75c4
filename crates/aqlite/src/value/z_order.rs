//! Several numbers in one key: their bits by turns, the first of each, then the second of each.
//!
//! In the order of such keys what is near in all dimensions is mostly near. A box is not one run of keys, but from any key
//! outside of it the next one inside can be told, so that whoever reads a box leaps from run to run.

/// A number as bits that order as it does.
pub fn ordered(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 0 { bits ^ (1 << 63) } else { !bits }
}

/// Appends the key of a point.
pub fn encode(point: &[u64], out: &mut Vec<u8>) {
    let (mut byte, mut used) = (0u8, 0);
    for bit in (0..u64::BITS).rev() {
        for number in point {
            byte = (byte << 1) | ((number >> bit) & 1) as u8;
            used += 1;
            if used == u8::BITS {
                out.push(byte);
                (byte, used) = (0, 0);
            }
        }
    }
}

/// The point of a key, which has eight bytes for each dimension.
pub fn decode(key: &[u8], dimensions: usize) -> Vec<u64> {
    let mut point = vec![0u64; dimensions];
    for (position, bit) in key.iter().flat_map(|byte| (0..u8::BITS).rev().map(move |bit| (byte >> bit) & 1)).enumerate()
    {
        let number = &mut point[position % dimensions];
        *number = (*number << 1) | u64::from(bit);
    }
    point
}

/// A box: the least and the greatest of each dimension, both inside.
#[derive(Debug, Clone)]
pub struct Box {
    /// The least.
    pub least: Vec<u64>,
    /// The greatest.
    pub most: Vec<u64>,
}

impl Box {
    /// Is nothing inside?
    pub fn is_empty(&self) -> bool {
        self.least.iter().zip(&self.most).any(|(least, most)| least > most)
    }

    /// Is a point inside?
    pub fn has(&self, point: &[u64]) -> bool {
        point.iter().zip(&self.least).zip(&self.most).all(|((x, least), most)| least <= x && x <= most)
    }

    /// The first point inside, in the order of keys, that is not before a point outside (the BIGMIN of Tropf and Herzog).
    pub fn next_from(&self, point: &[u64]) -> Option<Vec<u64>> {
        let (mut least, mut most) = (self.least.clone(), self.most.clone());
        let mut found = None;
        for bit in (0..u64::BITS).rev() {
            let one = 1u64 << bit;
            for (at, number) in point.iter().enumerate() {
                match (number & one != 0, least[at] & one != 0, most[at] & one != 0) {
                    // the box goes on where this bit is one: there it begins anew, unless something is found below
                    (false, false, true) => {
                        let mut begin = least.clone();
                        begin[at] = ((least[at] >> bit) | 1) << bit;
                        found = Some(begin);
                        most[at] = (most[at] & !one) | (one - 1);
                    }
                    (true, false, true) => least[at] = ((least[at] >> bit) | 1) << bit,
                    (false, true, _) => return Some(least),
                    (true, _, false) => return found,
                    (false, false, false) | (true, true, true) => {}
                }
            }
        }
        Some(point.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(point: &[u64]) -> Vec<u8> {
        let mut key = Vec::new();
        encode(point, &mut key);
        key
    }

    #[test]
    fn bits_order_as_numbers_do() {
        let numbers = [f64::MIN, -2.5, -1.0, -0.0, 0.0, f64::MIN_POSITIVE, 1.0, 1.5, 1e300, f64::INFINITY];
        for pair in numbers.windows(2) {
            assert_eq!(Some(ordered(pair[0]).cmp(&ordered(pair[1]))), pair[0].partial_cmp(&pair[1]), "{pair:?}");
        }
        assert_eq!(ordered(-0.0), ordered(0.0));
    }

    #[test]
    fn bits_stand_by_turns() {
        assert_eq!(key(&[u64::MAX, 0])[0], 0b1010_1010);
        assert_eq!(key(&[0, 0, u64::MAX]).len(), 24);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn a_key_says_its_point(point in prop::collection::vec(any::<u64>(), 1..5)) {
            prop_assert_eq!(decode(&key(&point), point.len()), point);
        }

        #[test]
        fn the_next_point_of_a_box_is_the_first_behind(
            corners in prop::collection::vec((0u64..8, 0u64..8), 1..4), start in prop::collection::vec(0u64..8, 3)
        ) {
            let least: Vec<u64> = corners.iter().map(|(a, b)| *a.min(b)).collect();
            let most: Vec<u64> = corners.iter().map(|(a, b)| *a.max(b)).collect();
            let dimensions = corners.len();
            let area = Box { least, most };
            let start = &start[..dimensions];
            // every point of a small space, in the order of keys
            let mut all: Vec<Vec<u64>> = (0..8u64.pow(dimensions as u32))
                .map(|n| (0..dimensions as u32).map(|at| n / 8u64.pow(at) % 8).collect())
                .collect();
            all.sort_by_key(|point| key(point));
            let expected = all.into_iter().find(|point| key(point) >= key(start) && area.has(point));
            prop_assert_eq!(area.next_from(start), expected);
        }
    }
}

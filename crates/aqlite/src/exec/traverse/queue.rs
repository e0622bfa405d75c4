//! The queue of a weighted walk.
//!
//! Which of several steps of the same weight comes first is seen in the order of the rows. ArangoDB keeps them in a binary
//! heap; the same moves are made here, so that the rows come in the same order.

/// A heap with the lightest step at its top.
#[derive(Default)]
pub(super) struct ByWeight {
    heap: Vec<(f64, u32)>,
}

impl ByWeight {
    pub(super) fn push(&mut self, weight: f64, step: u32) {
        self.heap.push((weight, step));
        self.rise(self.heap.len() - 1);
    }

    /// Takes the lightest step.
    pub(super) fn pop(&mut self) -> Option<u32> {
        let last = self.heap.pop()?;
        let Some(top) = self.heap.first().copied() else { return Some(last.1) };
        // the hole at the top sinks to the bottom, always to the lighter child and of equal ones to the right one; what
        // was last fills it and rises from there
        let length = self.heap.len();
        let mut hole = 0;
        while 2 * hole + 1 < length {
            let (left, right) = (2 * hole + 1, 2 * hole + 2);
            let child = if right < length && self.heap[right].0 <= self.heap[left].0 { right } else { left };
            self.heap[hole] = self.heap[child];
            hole = child;
        }
        self.heap[hole] = last;
        self.rise(hole);
        Some(top.1)
    }

    /// A step rises above those that are heavier.
    fn rise(&mut self, mut at: usize) {
        while at > 0 && self.heap[(at - 1) / 2].0 > self.heap[at].0 {
            self.heap.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ByWeight;

    fn order(weights: &[f64]) -> Vec<u32> {
        let mut queue = ByWeight::default();
        for (step, weight) in weights.iter().enumerate() {
            queue.push(*weight, step as u32);
        }
        std::iter::from_fn(|| queue.pop()).collect()
    }

    #[test]
    fn the_lightest_comes_first() {
        assert_eq!(order(&[3.0, 1.0, 2.0, 0.5]), [3, 1, 2, 0]);
        assert_eq!(order(&[]), [0; 0]);
    }

    #[test]
    fn equal_ones_come_in_the_order_of_a_binary_heap() {
        assert_eq!(order(&[1.0; 3]), [0, 1, 2]);
        assert_eq!(order(&[1.0; 4]), [0, 2, 1, 3]);
        assert_eq!(order(&[1.0, 36.0, 1.0, 1.0]), [0, 2, 3, 1]);
    }
}

//! Vertices by weight, each of which can become lighter while it waits.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::graph::Vertex;

/// A queue while weights only grow, a binary heap from the first lighter one on.
#[derive(Default)]
pub(super) struct Queue {
    entries: VecDeque<(f64, Vertex)>,
    /// Where each vertex stands, counted with those that left the front.
    positions: FxHashMap<Vertex, usize>,
    left: usize,
    is_heap: bool,
    heaviest: f64,
}

impl Queue {
    /// How many vertices wait.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn insert(&mut self, vertex: Vertex, weight: f64) {
        self.is_heap |= weight < self.heaviest;
        self.entries.push_back((weight, vertex));
        self.positions.insert(vertex, self.entries.len() - 1 + self.left);
        if self.is_heap {
            self.rise(self.entries.len() - 1);
        } else {
            self.heaviest = weight;
        }
    }

    /// A vertex that waits becomes lighter.
    pub(super) fn lower(&mut self, vertex: Vertex, weight: f64) {
        self.is_heap = true;
        if let Some(position) = self.positions.get(&vertex) {
            let at = position - self.left;
            self.entries[at].0 = weight;
            self.rise(at);
        }
    }

    /// Takes the lightest vertex.
    pub(super) fn pop(&mut self) -> Option<(f64, Vertex)> {
        let top = *self.entries.front()?;
        self.positions.remove(&top.1);
        if !self.is_heap {
            self.entries.pop_front();
            self.left += 1;
        } else if self.entries.len() == 1 {
            *self = Self::default();
        } else {
            self.entries.swap_remove_back(0);
            self.positions.insert(self.entries[0].1, self.left);
            self.sink();
        }
        Some(top)
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.entries.swap(a, b);
        for at in [a, b] {
            self.positions.insert(self.entries[at].1, at + self.left);
        }
    }

    fn rise(&mut self, mut at: usize) {
        while at > 0 && self.entries[at].0 < self.entries[(at - 1) / 2].0 {
            self.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    /// The first sinks below those that are lighter, of equal ones below the left one.
    fn sink(&mut self) {
        let mut at = 0;
        while 2 * at + 1 < self.entries.len() {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let takes_right = right < self.entries.len() && self.entries[right].0 < self.entries[left].0;
            let child = if takes_right { right } else { left };
            if self.entries[at].0 <= self.entries[child].0 {
                return;
            }
            self.swap(at, child);
            at = child;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Queue;

    #[test]
    fn the_lightest_comes_first_even_when_it_became_so_while_waiting() {
        let mut queue = Queue::default();
        for (vertex, weight) in [(1, 1.0), (2, 2.0), (3, 3.0), (4, 2.5), (5, 9.0)] {
            queue.insert(vertex, weight);
        }
        assert_eq!(queue.pop(), Some((1.0, 1)));
        queue.lower(5, 0.5);
        queue.insert(6, 2.2);
        let rest: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(rest, [(0.5, 5), (2.0, 2), (2.2, 6), (2.5, 4), (3.0, 3)]);
        queue.insert(7, 1.0);
        assert_eq!(queue.pop(), Some((1.0, 7)));
        assert_eq!(queue.pop(), None);
    }
}

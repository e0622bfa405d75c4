//! The links downwards of all serials, without a list of its own for each of thousands.

use super::super::graph::LinkState;

/// A link downwards.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub serial: usize,
    pub link: LinkState,
}

/// The children of all serials, those of one together.
#[derive(Default)]
pub(super) struct Children {
    all: Vec<Child>,
    /// Where those of each serial end, which is where those of the next one begin.
    ends: Vec<usize>,
}

impl Children {
    /// Of so many serials, from links with the places of their parents; those of a parent stay in their order.
    pub fn new(mut links: Vec<(usize, Child)>, serials: usize) -> Self {
        // a walk has found them in this order
        links.sort_by_key(|(parent, _)| *parent);
        let mut ends = Vec::with_capacity(serials);
        for (at, (parent, _)) in links.iter().enumerate() {
            ends.resize(*parent, at);
        }
        ends.resize(serials, links.len());
        Self { all: links.into_iter().map(|(_, child)| child).collect(), ends }
    }

    pub fn of(&self, serial: usize) -> &[Child] {
        let begin = serial.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[begin..self.ends[serial]]
    }

    /// Sorts those of each serial.
    pub fn sort_by(&mut self, mut order: impl FnMut(&Child, &Child) -> std::cmp::Ordering) {
        let mut rest = self.all.as_mut_slice();
        let mut begin = 0;
        for end in &self.ends {
            let (own, others) = rest.split_at_mut(end - begin);
            own.sort_by(&mut order);
            (rest, begin) = (others, *end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(links: &[(usize, usize)], serials: usize) -> Vec<Vec<usize>> {
        let link = LinkState { replaced: false, confirmed: true };
        let links = links.iter().map(|(parent, serial)| (*parent, Child { serial: *serial, link })).collect();
        let mut children = Children::new(links, serials);
        let all = |children: &Children| -> Vec<Vec<usize>> {
            (0..serials).map(|at| children.of(at).iter().map(|child| child.serial).collect()).collect()
        };
        let before = all(&children);
        children.sort_by(|one, other| one.serial.cmp(&other.serial));
        let mut sorted = before.clone();
        for own in &mut sorted {
            own.sort_unstable();
        }
        assert_eq!(all(&children), sorted);
        before
    }

    #[test]
    fn every_serial_has_its_own_children_in_the_order_of_their_links() {
        assert_eq!(grouped(&[], 0), Vec::<Vec<usize>>::new());
        assert_eq!(grouped(&[], 2), [Vec::<usize>::new(), Vec::new()]);
        assert_eq!(grouped(&[(0, 1), (0, 2), (2, 3)], 4), [vec![1, 2], vec![], vec![3], vec![]]);
        assert_eq!(grouped(&[(3, 9), (1, 8), (3, 1), (1, 2)], 4), [vec![], vec![8, 2], vec![], vec![9, 1]]);
    }
}

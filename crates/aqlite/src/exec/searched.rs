//! Arrays that a query looks for values in again and again.

use std::sync::Arc;

use crate::value::{Members, Value};

/// So many arrays are remembered; the next one takes the place of the one that was remembered first.
const REMEMBERED: usize = 4;
/// An array that is searched this often is worth a set of its members.
const OFTEN: usize = 3;

/// Arrays that were searched, with the sets of those that were searched often.
#[derive(Default)]
pub(super) struct Searched {
    arrays: Vec<Known>,
    next: usize,
}

struct Known {
    /// Held, so that no other array comes to stand in its place.
    array: Arc<Vec<Value>>,
    times: usize,
    members: Option<Members>,
}

impl Searched {
    /// Is there a member equal to `item`? Also tells how many bytes the sets have taken more.
    pub(super) fn contains(&mut self, array: &Arc<Vec<Value>>, item: &Value) -> (bool, usize) {
        let by_one = || array.iter().any(|member| member == item);
        let Some(known) = self.arrays.iter_mut().find(|known| Arc::ptr_eq(&known.array, array)) else {
            if Members::are_worthwhile(array.len()) {
                self.remember(array);
            }
            return (by_one(), 0);
        };
        known.times += 1;
        let mut more = 0;
        if known.times == OFTEN {
            known.members = Members::of(&Value::shared_array(Arc::clone(array)));
            more = known.members.as_ref().map_or(0, Members::memory);
        }
        (known.members.as_ref().map_or_else(by_one, |members| members.contains(item)), more)
    }

    fn remember(&mut self, array: &Arc<Vec<Value>>) {
        let known = Known { array: Arc::clone(array), times: 1, members: None };
        match self.arrays.get_mut(self.next) {
            Some(place) => *place = known,
            None => self.arrays.push(known),
        }
        self.next = (self.next + 1) % REMEMBERED;
    }
}

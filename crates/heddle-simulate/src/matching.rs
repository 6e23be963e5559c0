//! The two queues of a rank: messages that nobody has asked for yet, and receives that have nothing yet.
//!
//! A message and a receive meet if sender, tag and communicator agree, first in, first out. There are no wildcards,
//! so who meets whom does not depend on the order in which ranks are simulated.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::program::{Comm, Envelope};

/// By what messages are told apart at their receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) from: u32,
    pub(crate) tag: u32,
    pub(crate) comm: Comm,
}

impl Key {
    /// Of a receive.
    pub(crate) fn of(receive: &Envelope) -> Key {
        Key { from: receive.peer, tag: receive.tag, comm: receive.comm }
    }
}

/// From so many entries on, searching one by one is slower than a table.
const MOST_SEARCHED: usize = 32;

/// Things in the order they came, taken out by key. Small while few are in it: a million ranks have two each.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    few: Vec<(Key, T)>,
    many: Option<Box<FxHashMap<Key, VecDeque<T>>>>,
}

impl<T> Default for Queue<T> {
    fn default() -> Queue<T> {
        Queue { few: Vec::new(), many: None }
    }
}

impl<T> Queue<T> {
    pub(crate) fn push(&mut self, key: Key, value: T) {
        if self.many.is_none() && self.few.len() < MOST_SEARCHED {
            self.few.push((key, value));
            return;
        }
        let many = self.many.get_or_insert_default();
        for (key, value) in self.few.drain(..) {
            many.entry(key).or_default().push_back(value);
        }
        many.entry(key).or_default().push_back(value);
    }

    /// The first that came with this key.
    pub(crate) fn take(&mut self, key: &Key) -> Option<T> {
        let Some(many) = &mut self.many else {
            let at = self.few.iter().position(|(other, _)| other == key)?;
            return Some(self.few.remove(at).1);
        };
        let values = many.get_mut(key)?;
        let value = values.pop_front();
        if values.is_empty() {
            many.remove(key);
            if many.is_empty() {
                self.many = None;
            }
        }
        value
    }

    /// Any key that is left: the least one, so that it is always the same.
    pub(crate) fn any(&self) -> Option<Key> {
        let few = self.few.iter().map(|(key, _)| *key);
        let many = self.many.iter().flat_map(|many| many.keys().copied());
        few.chain(many).min_by_key(|key| (key.from, key.tag, key.comm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_is_first_in_first_out_however_many_there_are() {
        for count in [10, 100] {
            let mut queue = Queue::default();
            let key = |at: u32| Key { from: at % 3, tag: at % 2, comm: Comm::WORLD };
            for at in 0..count {
                queue.push(key(at), at);
            }
            for class in [5, 0, 3, 1, 4, 2] {
                let expected = (0..count).filter(|at| at % 6 == class);
                assert!(std::iter::from_fn(|| queue.take(&key(class))).eq(expected), "class {class} of {count}");
            }
            assert_eq!(queue.any(), None);
        }
    }
}

//! Non-blocking operations in flight on one location.
//!
//! A program has a handful open at a time, where a list beats a hash; a broken one may have a million.

use rustc_hash::FxHashMap;

use heddle_model::RequestId;

/// Up to so many a list is searched.
const FEW: usize = 24;

/// More than this mean that the recorder never writes completions; they are let go.
const MOST: usize = 1 << 20;

/// Open requests with what is known of them.
pub(crate) struct OpenRequests<T> {
    /// Ids apart from the rest: they are looked through twice for each operation.
    few: Vec<RequestId>,
    /// What is known of those, in the same order.
    values: Vec<T>,
    many: FxHashMap<RequestId, T>,
}

impl<T> Default for OpenRequests<T> {
    fn default() -> OpenRequests<T> {
        OpenRequests { few: Vec::new(), values: Vec::new(), many: FxHashMap::default() }
    }
}

impl<T> OpenRequests<T> {
    /// Adds a request; returns how many older ones had to go: one of the same id, or all if they are too many.
    pub(crate) fn open(&mut self, request: RequestId, value: T) -> usize {
        let mut gone = usize::from(self.close(request).is_some());
        if self.few.len() < FEW {
            self.few.push(request);
            self.values.push(value);
            return gone;
        }
        if self.many.len() >= MOST {
            gone += self.clear();
        }
        self.many.insert(request, value);
        gone
    }

    /// Takes a request out.
    pub(crate) fn close(&mut self, request: RequestId) -> Option<T> {
        match self.few.iter().position(|open| *open == request) {
            Some(at) => {
                self.few.swap_remove(at);
                Some(self.values.swap_remove(at))
            }
            None if self.many.is_empty() => None,
            None => self.many.remove(&request),
        }
    }

    /// Forgets all; returns how many there were.
    pub(crate) fn clear(&mut self) -> usize {
        let count = self.few.len() + self.many.len();
        self.few.clear();
        self.values.clear();
        self.many.clear();
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_are_found_again() {
        let mut open = OpenRequests::default();
        for id in 0..100 {
            assert_eq!(open.open(RequestId(id), id), 0);
        }
        assert_eq!(open.open(RequestId(7), 70), 1, "an id that is reused closes the older request");
        assert_eq!(open.open(RequestId(80), 800), 1, "also beyond the few");
        assert_eq!(open.close(RequestId(7)), Some(70));
        assert_eq!(open.close(RequestId(7)), None);
        assert_eq!(open.close(RequestId(80)), Some(800));
        assert_eq!(open.clear(), 98);
    }
}

//! Call paths: the tree of which function was called from where, merged over all locations.

use rustc_hash::FxHashMap;

use heddle_model::RegionId;

/// A call path: a function, and the functions around it. The caller of an outermost one is [`Paths::OUTSIDE`].
pub type PathId = u32;

/// All call paths. A caller has a smaller number than what it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    callers: Vec<PathId>,
    regions: Vec<RegionId>,
    by_call: FxHashMap<(PathId, RegionId), PathId>,
}

impl Paths {
    /// Not in any function.
    pub const OUTSIDE: PathId = u32::MAX;

    /// How many there are.
    pub fn len(&self) -> usize {
        self.callers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.callers.is_empty()
    }

    /// What a path was called from.
    pub fn caller(&self, path: PathId) -> PathId {
        self.callers.get(path as usize).copied().unwrap_or(Paths::OUTSIDE)
    }

    /// Its function.
    pub fn region(&self, path: PathId) -> RegionId {
        self.regions.get(path as usize).copied().unwrap_or(RegionId::NONE)
    }

    /// A path and what it was called from, the innermost first.
    pub fn outwards(&self, path: PathId) -> impl Iterator<Item = PathId> + '_ {
        let known = |path: PathId| ((path as usize) < self.len()).then_some(path);
        std::iter::successors(known(path), move |path| known(self.caller(*path)))
    }

    /// The path of a call, if there is such a call.
    #[inline]
    pub fn find(&self, caller: PathId, region: RegionId) -> Option<PathId> {
        self.by_call.get(&(caller, region)).copied()
    }

    /// The path of a call, made if there is none yet.
    #[inline]
    pub fn enter(&mut self, caller: PathId, region: RegionId) -> PathId {
        if let Some(known) = self.find(caller, region) {
            return known;
        }
        let path = self.callers.len() as PathId;
        self.callers.push(caller);
        self.regions.push(region);
        self.by_call.insert((caller, region), path);
        path
    }

    /// Takes in other paths, and says which of these each of them is.
    pub(crate) fn take(&mut self, others: &Paths) -> Vec<PathId> {
        let mut ours: Vec<PathId> = Vec::with_capacity(others.len());
        for path in 0..others.len() as PathId {
            let caller = ours.get(others.caller(path) as usize).copied().unwrap_or(Paths::OUTSIDE);
            ours.push(self.enter(caller, others.region(path)));
        }
        ours
    }

    /// For each path whether its function occurs nowhere around it.
    pub(crate) fn outermost(&self) -> Vec<bool> {
        // What each path calls, as lists through all paths.
        let mut first = vec![Paths::OUTSIDE; self.len()];
        let mut next = vec![Paths::OUTSIDE; self.len()];
        let mut outer = Vec::new();
        for path in 0..self.len() as PathId {
            match first.get_mut(self.caller(path) as usize) {
                Some(first) => next[path as usize] = std::mem::replace(first, path),
                None => outer.push(path),
            }
        }
        let mut is_outermost = vec![false; self.len()];
        let mut open: FxHashMap<RegionId, u32> = FxHashMap::default();
        for path in outer {
            let mut around = vec![(path, false)];
            while let Some((path, is_left)) = around.pop() {
                let times = open.entry(self.region(path)).or_default();
                if is_left {
                    *times -= 1;
                    continue;
                }
                is_outermost[path as usize] = *times == 0;
                *times += 1;
                around.push((path, true));
                let mut called = first[path as usize];
                while called != Paths::OUTSIDE {
                    around.push((called, false));
                    called = next[called as usize];
                }
            }
        }
        is_outermost
    }

    /// Callers and functions, path by path.
    pub(crate) fn columns(&self) -> (&[PathId], &[RegionId]) {
        (&self.callers, &self.regions)
    }
}

/// Paths that were looked up lately: a program makes the same few calls again and again.
#[derive(Debug)]
pub(crate) struct Lately {
    /// Caller, function and path, each in the place that the first two lead to.
    known: [(PathId, RegionId, PathId); LATELY],
}

/// How many of them are at hand, a power of two.
const LATELY: usize = 32;

impl Default for Lately {
    fn default() -> Lately {
        Lately { known: [(Paths::OUTSIDE, RegionId::NONE, Paths::OUTSIDE); LATELY] }
    }
}

impl Lately {
    /// The path of a call; [`Paths::OUTSIDE`] if there is no such call.
    #[inline]
    pub(crate) fn find(&mut self, paths: &Paths, caller: PathId, region: RegionId) -> PathId {
        let known = &mut self.known[(region.0.wrapping_add(caller.wrapping_mul(7)) as usize) % LATELY];
        if (known.0, known.1) != (caller, region) {
            *known = (caller, region, paths.find(caller, region).unwrap_or(Paths::OUTSIDE));
        }
        known.2
    }
}

/// Follows the calls of a location, entered in their order, from any call on whose caller is known.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    open: Vec<PathId>,
}

impl Walk {
    /// Begins at a call that was made from `caller`.
    pub(crate) fn begin(&mut self, paths: &Paths, caller: PathId) {
        self.open.clear();
        self.open.extend(paths.outwards(caller));
        self.open.reverse();
    }

    /// What a call of this depth was made from.
    #[inline]
    pub(crate) fn caller(&self, depth: u16) -> PathId {
        usize::from(depth).checked_sub(1).and_then(|at| self.open.get(at)).copied().unwrap_or(Paths::OUTSIDE)
    }

    /// Goes on inside of a call.
    #[inline]
    pub(crate) fn enter(&mut self, depth: u16, path: PathId) {
        self.open.truncate(usize::from(depth));
        self.open.push(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_several_locations_become_one_tree() {
        let [a, b, c] = [0, 1, 2].map(RegionId);
        let (mut one, mut two) = (Paths::default(), Paths::default());
        let outer = one.enter(Paths::OUTSIDE, a);
        one.enter(outer, b);
        let outer = two.enter(Paths::OUTSIDE, c);
        two.enter(outer, b);
        let other = two.enter(Paths::OUTSIDE, a);
        let inner = two.enter(other, b);
        let ours = one.take(&two);
        assert_eq!(ours, [2, 3, 0, 1]);
        one.enter(ours[inner as usize], a);
        assert_eq!(one.outermost(), [true, true, true, true, false]);
        assert_eq!(one.outwards(ours[inner as usize]).map(|path| one.region(path)).collect::<Vec<_>>(), [b, a]);
    }
}

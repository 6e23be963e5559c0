//! The task graphs of tiled factorisations, worked out instead of kept: which tasks there are, what each writes and waits for.
//!
//! At step `k` every tile of the trailing matrix (rows and columns from `k` on) is written by one task: the diagonal tile is
//! factored, its row and column are solved against it, and the others are updated by the product of the tiles at the head
//! of their row and column. So a task is a step and a tile, and its number follows from them.

/// What is factored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factorisation {
    /// LU without pivoting.
    Lu,
    /// Cholesky: the lower triangle only.
    Cholesky,
}

impl Factorisation {
    /// What its tasks do.
    pub fn kernels(self) -> impl Iterator<Item = Kernel> + Clone {
        Kernel::ALL.into_iter().filter(move |kernel| self == Factorisation::Cholesky || *kernel != Kernel::Symmetric)
    }
}

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Fills a tile with numbers.
    Generate,
    /// Factors a diagonal tile.
    Diagonal,
    /// Solves a tile of the panel.
    Panel,
    /// Updates a tile on the diagonal of a symmetric matrix.
    Symmetric,
    /// Updates any other tile.
    Update,
}

impl Kernel {
    /// All of them, in the order of their regions.
    pub const ALL: [Kernel; 5] = [Kernel::Generate, Kernel::Diagonal, Kernel::Panel, Kernel::Symmetric, Kernel::Update];
}

/// A task: the step, or none for the generation of a tile; and the tile that it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) step: Option<u32>,
    pub(crate) row: u32,
    pub(crate) column: u32,
}

impl Task {
    /// The task that next writes its tile.
    pub(crate) fn next_on_tile(self) -> Option<Task> {
        match self.step {
            None => Some(Task { step: Some(0), ..self }),
            Some(step) if self.row > step && self.column > step => Some(Task { step: Some(step + 1), ..self }),
            _ => None,
        }
    }

    /// What comes first where not everything can: early steps, and tiles that are soon at the head of the matrix.
    pub(crate) fn urgency(self) -> u32 {
        self.step.map_or(0, |step| 1 + 2 * step) + self.row + self.column
    }
}

/// The tasks of a factorisation, numbered in the order in which the program submits them.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    factorisation: Factorisation,
    tiles: u32,
    generates: bool,
    /// Number of the first task of each step, and of what would come after the last.
    first: Vec<u32>,
}

impl Graph {
    /// The graph of a matrix of so many tiles in each direction.
    pub(crate) fn new(factorisation: Factorisation, tiles: u32, generates: bool) -> Graph {
        let mut graph = Graph { factorisation, tiles, generates, first: Vec::with_capacity(tiles as usize + 1) };
        let mut first = if generates { graph.tiles_from(0) } else { 0 };
        for step in 0..=tiles {
            graph.first.push(first);
            first += graph.tiles_from(step);
        }
        graph
    }

    pub(crate) fn tiles(&self) -> u32 {
        self.tiles
    }

    /// How many tiles the trailing matrix has from a step on.
    fn tiles_from(&self, step: u32) -> u32 {
        let side = self.tiles - step;
        match self.factorisation {
            Factorisation::Lu => side * side,
            Factorisation::Cholesky => side * (side + 1) / 2,
        }
    }

    /// How many tasks there are.
    pub(crate) fn len(&self) -> u32 {
        self.first[self.tiles as usize]
    }

    /// How many of them generate a tile: the first.
    pub(crate) fn generated(&self) -> u32 {
        self.first[0]
    }

    /// The number of a task.
    pub(crate) fn number(&self, task: Task) -> u32 {
        let (from, first) = task.step.map_or((0, 0), |step| (step, self.first[step as usize]));
        let (row, column) = (task.row - from, task.column - from);
        match self.factorisation {
            Factorisation::Lu => first + row * (self.tiles - from) + column,
            Factorisation::Cholesky => first + row * (row + 1) / 2 + column,
        }
    }

    /// The task of a number.
    pub(crate) fn task(&self, number: u32) -> Task {
        let step = (self.first.partition_point(|first| *first <= number) as u32).checked_sub(1);
        let (from, first) = step.map_or((0, 0), |step| (step, self.first[step as usize]));
        let place = number - first;
        let (row, column) = match self.factorisation {
            Factorisation::Lu => (place / (self.tiles - from), place % (self.tiles - from)),
            Factorisation::Cholesky => {
                // The largest row whose first place, row (row + 1) / 2, is not beyond this one.
                let row = ((8 * u64::from(place) + 1).isqrt() as u32 - 1) / 2;
                (row, place - row * (row + 1) / 2)
            }
        };
        Task { step, row: from + row, column: from + column }
    }

    /// What a task does.
    pub(crate) fn kernel(&self, task: Task) -> Kernel {
        let Some(step) = task.step else { return Kernel::Generate };
        match (task.row == step, task.column == step) {
            (true, true) => Kernel::Diagonal,
            (true, false) | (false, true) => Kernel::Panel,
            _ if self.factorisation == Factorisation::Cholesky && task.row == task.column => Kernel::Symmetric,
            _ => Kernel::Update,
        }
    }

    /// Tasks that a task waits for: the one before on its tile, and those that make the tiles it reads.
    pub(crate) fn dependencies(&self, task: Task) -> impl Iterator<Item = Task> + use<> {
        let Task { step, row, column } = task;
        let before = match step {
            None => None,
            Some(0) => self.generates.then_some(Task { step: None, ..task }),
            Some(step) => Some(Task { step: Some(step - 1), ..task }),
        };
        let at = |row: u32, column: u32| Some(Task { step, row, column });
        let head = step.unwrap_or(0);
        let (left, top) = match (self.kernel(task), self.factorisation) {
            (Kernel::Generate | Kernel::Diagonal, _) => (None, None),
            (Kernel::Panel, _) => (at(head, head), None),
            (Kernel::Symmetric, _) => (at(row, head), None),
            (Kernel::Update, Factorisation::Lu) => (at(row, head), at(head, column)),
            (Kernel::Update, Factorisation::Cholesky) => (at(row, head), at(column, head)),
        };
        [before, left, top].into_iter().flatten()
    }

    /// Tasks that read what a task wrote, besides the next one on its tile: those of its row and column if its tile is now
    /// final.
    pub(crate) fn readers(&self, task: Task) -> impl Iterator<Item = Task> + use<> {
        let kernel = self.kernel(task);
        let Task { row, column, .. } = task;
        let head = task.step.unwrap_or(0);
        let last = self.tiles;
        let at = move |row: u32, column: u32| Task { step: Some(head), row, column };
        let is_lu = self.factorisation == Factorisation::Lu;
        // Of a panel's tile: the updates of its row, or of its column; of a symmetric matrix those of both.
        let (along_row, along_column) = match kernel {
            Kernel::Generate | Kernel::Symmetric | Kernel::Update => (0..0, 0..0),
            Kernel::Diagonal => (if is_lu { head + 1..last } else { 0..0 }, head + 1..last),
            Kernel::Panel if !is_lu => (head + 1..row + 1, row + 1..last),
            Kernel::Panel if column == head => (head + 1..last, 0..0),
            Kernel::Panel => (0..0, head + 1..last),
        };
        let (in_row, in_column) = match kernel {
            Kernel::Panel if !is_lu => (row, row),
            _ => (row, column),
        };
        along_row.map(move |column| at(in_row, column)).chain(along_column.map(move |row| at(row, in_column)))
    }

    /// More than any urgency.
    pub(crate) fn urgencies(&self) -> u32 {
        4 * self.tiles + 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graphs() -> impl Iterator<Item = Graph> {
        let all = [(Factorisation::Lu, false), (Factorisation::Lu, true), (Factorisation::Cholesky, true)];
        all.into_iter().flat_map(|(of, generates)| [1, 2, 3, 7].map(|tiles| Graph::new(of, tiles, generates)))
    }

    #[test]
    fn numbers_and_tasks_are_the_same_thing() {
        for graph in graphs() {
            for number in 0..graph.len() {
                assert_eq!(graph.number(graph.task(number)), number, "{graph:?}");
            }
        }
    }

    #[test]
    fn tasks_are_as_many_as_the_literature_says() {
        let count = |graph: &Graph, kernel| {
            (0..graph.len()).filter(|number| graph.kernel(graph.task(*number)) == kernel).count() as u32
        };
        for tiles in [1, 5, 30] {
            let lu = Graph::new(Factorisation::Lu, tiles, false);
            let pairs = tiles * (tiles - 1) / 2;
            assert_eq!((count(&lu, Kernel::Diagonal), count(&lu, Kernel::Panel)), (tiles, 2 * pairs));
            assert_eq!(count(&lu, Kernel::Update), (tiles - 1) * tiles * (2 * tiles - 1) / 6);
            let cholesky = Graph::new(Factorisation::Cholesky, tiles, true);
            let triples = tiles * (tiles - 1) * tiles.saturating_sub(2) / 6;
            assert_eq!(count(&cholesky, Kernel::Generate), pairs + tiles);
            assert_eq!((count(&cholesky, Kernel::Panel), count(&cholesky, Kernel::Symmetric)), (pairs, pairs));
            assert_eq!(count(&cholesky, Kernel::Update), triples);
        }
        // What StarPU's own example of 30 tiles says.
        assert_eq!(Graph::new(Factorisation::Lu, 30, false).len(), 9_455);
    }

    #[test]
    fn whoever_waits_is_told_by_whom_it_waits_for() {
        for graph in graphs() {
            let mut waits: Vec<(u32, u32)> = Vec::new();
            let mut told = Vec::new();
            for number in 0..graph.len() {
                let task = graph.task(number);
                for dependency in graph.dependencies(task) {
                    let dependency = graph.number(dependency);
                    assert!(dependency < number, "what is waited for was submitted before");
                    waits.push((dependency, number));
                }
                let after = task.next_on_tile().into_iter().chain(graph.readers(task));
                told.extend(after.map(|after| (number, graph.number(after))));
            }
            waits.sort_unstable();
            told.sort_unstable();
            assert_eq!(waits, told, "{graph:?}");
        }
    }
}

//! Compact cells by a pair of generating functions (the paper's equations 2 to 7): data, so that users can add pairs.
//!
//! A switch is known by base-four digits: from its layer up, which child of the pod above it is in; below, which of its pod's
//! switches it is. Each digit moves it by one of four ways, `a` for the upper ones and `b` for the lower ones, times a factor that
//! grows with the place of the digit.

use std::collections::HashMap;

use super::nest::Nest;
use super::{Place, UnfitLayout};
use crate::{Element, FatTree, Topology};

/// A pair of generating functions.
#[derive(Clone, Debug, PartialEq)]
pub struct Generators {
    /// Ways of the digits at and above the layer of a switch.
    pub a: [[f64; 2]; 4],
    /// Ways of the digits below.
    pub b: [[f64; 2]; 4],
    /// What `a` is multiplied by: A₁, A₂, …
    pub a_factors: Vec<f64>,
    /// What `b` is multiplied by: B₁, B₂, …
    pub b_factors: Vec<f64>,
}

/// Two switches whose cells overlap.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("puts {one} and {other} into the same place; cells are one unit wide, so their middles must be as far apart")]
pub struct Overlap {
    /// What one is called.
    pub one: String,
    /// What the other is called.
    pub other: String,
}

/// A text that is no pair of generators.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GeneratorsError {
    /// A line that says something else.
    #[error(
        "line {line}: expected four points, `a 0,1 1,0 0,-1 -1,0` or `b …`, or factors, `A 1 3 9 27` or `B …`; finite \
         numbers up to a million"
    )]
    Line {
        /// Which, from 1.
        line: usize,
    },
    /// The same twice.
    #[error("line {line}: `{what}` is there a second time")]
    Twice {
        /// Which line, from 1.
        line: usize,
        /// Which list.
        what: &'static str,
    },
    /// Not there.
    #[error("there is no line that begins with `{0}`")]
    Missing(&'static str),
}

const SIDES: [[f64; 2]; 4] = [[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]];
const CORNERS: [[f64; 2]; 4] = [[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]];
/// Factors that the pairs with names have: more layers than four children each could have.
const FACTORS: i32 = 15;
/// The largest number that a user may write.
const LARGEST: f64 = 1e6;

impl Generators {
    /// The H tree: pods as squares, each with its switches in the middle.
    pub fn ht() -> Generators {
        let doubled = |n: i32| 2_f64.powi(n - 2);
        Generators {
            a: CORNERS,
            b: CORNERS,
            a_factors: (1..=FACTORS).map(|n| f64::from(n + 2) * doubled(n)).collect(),
            b_factors: (1..=FACTORS).map(doubled).collect(),
        }
    }

    /// The fractal: lower switches at the sides of squares, upper ones at the corners.
    pub fn f1() -> Generators {
        let factors: Vec<f64> = (1..=FACTORS).map(|n| 3_f64.powi(n - 1)).collect();
        Generators { a: SIDES, b: CORNERS, a_factors: factors.clone(), b_factors: factors }
    }

    /// The pair that a text describes: four points for `a` and for `b`, factors for `A` and for `B`.
    pub fn parse(text: &str) -> Result<Generators, GeneratorsError> {
        const NAMES: [&str; 4] = ["a", "b", "A", "B"];
        let mut lists: [Option<Vec<f64>>; 4] = Default::default();
        for (at, line) in text.lines().enumerate() {
            let line_number = at + 1;
            let words = line.split('#').next().unwrap_or("").split_whitespace().collect::<Vec<_>>();
            let [name, numbers @ ..] = &words[..] else { continue };
            let wrong = GeneratorsError::Line { line: line_number };
            let Some(which) = NAMES.iter().position(|known| known == name) else { return Err(wrong) };
            let is_points = which < 2;
            let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite() && n.abs() <= LARGEST);
            let read: Option<Vec<f64>> = if is_points {
                let pair = |word: &&str| word.split_once(',').map(|(x, y)| [number(x), number(y)]);
                let pairs: Option<Vec<[Option<f64>; 2]>> = numbers.iter().map(pair).collect();
                pairs.filter(|pairs| pairs.len() == 4).and_then(|pairs| pairs.into_iter().flatten().collect())
            } else {
                numbers.iter().map(|word| number(word)).collect::<Option<Vec<f64>>>().filter(|all| !all.is_empty())
            };
            let Some(read) = read else { return Err(wrong) };
            if lists[which].replace(read).is_some() {
                return Err(GeneratorsError::Twice { line: line_number, what: NAMES[which] });
            }
        }
        let mut take = |which: usize| lists[which].take().ok_or(GeneratorsError::Missing(NAMES[which]));
        let points = |list: Vec<f64>| [0, 1, 2, 3].map(|at: usize| [list[2 * at], list[2 * at + 1]]);
        Ok(Generators { a: points(take(0)?), b: points(take(1)?), a_factors: take(2)?, b_factors: take(3)? })
    }

    /// The cells of all switches, in the order of elements.
    pub(super) fn cells(&self, tree: &FatTree) -> Result<Vec<Place>, UnfitLayout> {
        let nest = Nest::of(tree);
        let factors = self.a_factors.len().min(self.b_factors.len());
        if factors + 1 < tree.layers() as usize {
            return Err(UnfitLayout::TooDeep { layers: tree.layers(), factors: factors + 1 });
        }
        let mut cells = Vec::with_capacity(tree.switches() as usize);
        for layer in 1..=tree.layers() {
            // The children of the first layer are nodes: they have no cells.
            let children = nest.most_children[layer as usize];
            if layer > 1 && children > 4 {
                return Err(UnfitLayout::TooMany { what: "a pod", layer, count: children.into() });
            }
            let lower = lower_digits(tree, layer, nest.most_switches[layer as usize])?;
            for (number, pod) in tree.pods(layer).all().iter().enumerate() {
                let mut corner = [0.0; 2];
                for (n, digit) in (layer as usize..).zip(nest.path(layer, number)) {
                    add(&mut corner, self.a[digit.min(3) as usize], self.a_factors[n - 1]);
                }
                cells.extend((0..pod.switches.len() as u32).map(|at| {
                    let mut place = corner;
                    let mut left = at;
                    for (n, base) in lower.iter().enumerate() {
                        add(&mut place, self.b[(left % base).min(3) as usize], self.b_factors[n]);
                        left /= base;
                    }
                    Place { at: [place[0], place[1], 0.0], size: [1.0; 2] }
                }));
            }
        }
        Ok(cells)
    }
}

fn add(at: &mut [f64; 2], way: [f64; 2], factor: f64) {
    at[0] += factor * way[0];
    at[1] += factor * way[1];
}

/// The bases of the digits that tell the switches of a pod apart: as many as there are layers below.
fn lower_digits(tree: &FatTree, layer: u32, most: u32) -> Result<Vec<u32>, UnfitLayout> {
    let digits = layer as usize - 1;
    if let Some(rule) = tree.rule()
        && rule.parents[0] == 1
    {
        let bases = &rule.parents[1..layer as usize];
        return match bases.iter().position(|base| *base > 4) {
            None => Ok(bases.to_vec()),
            Some(at) => Err(UnfitLayout::TooMany {
                what: "what is below a switch",
                layer: at as u32 + 2,
                count: bases[at].into(),
            }),
        };
    }
    let room = 4_u64.saturating_pow(digits as u32);
    if u64::from(most) > room {
        return Err(UnfitLayout::TooMany { what: "a pod's set of switches", layer, count: most.into() });
    }
    Ok(vec![4; digits])
}

/// Whether no two cells share any of their area; the first two that do are named.
pub(super) fn check_disjoint(tree: &FatTree, cells: &[Place]) -> Result<(), Overlap> {
    let mut known: HashMap<(i64, i64), Vec<usize>> = HashMap::new();
    for (number, cell) in cells.iter().enumerate() {
        let [x, y, _] = cell.at;
        let (column, row) = (x.floor() as i64, y.floor() as i64);
        let beside = (-1..=1).flat_map(|across| (-1..=1).map(move |down| (column + across, row + down)));
        let overlaps = |other: &&usize| {
            let apart = |axis: usize| (cells[**other].at[axis] - cell.at[axis]).abs();
            // What differs by rounding alone touches.
            apart(0) < 1.0 - 1e-9 && apart(1) < 1.0 - 1e-9
        };
        if let Some(other) = beside.filter_map(|place| known.get(&place)).flatten().find(overlaps) {
            let name = |switch: usize| tree.label(Element(tree.hosts() + switch as u32));
            return Err(Overlap { one: name(*other), other: name(number) });
        }
        known.entry((column, row)).or_default().push(number);
    }
    Ok(())
}

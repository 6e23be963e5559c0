//! The kinds of machines, and the short text that names one.

use std::ops::Deref;
use std::str::FromStr;

use crate::{Dimension, Topology, Torus};

/// A machine of one of the kinds that there are. As a [`Topology`] it is used without asking which.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A torus or a mesh of any number of dimensions.
    Torus(Torus),
}

impl Deref for Shape {
    type Target = dyn Topology;

    fn deref(&self) -> &(dyn Topology + 'static) {
        match self {
            Shape::Torus(torus) => torus,
        }
    }
}

impl Shape {
    /// The torus, if it is one.
    pub fn torus(&self) -> Option<&Torus> {
        let Shape::Torus(torus) = self;
        Some(torus)
    }
}

/// A text, or a file, does not describe a machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// Not of the form `8x8x8`.
    #[error(
        "`{0}` is not a shape; write the sizes of its dimensions, for instance 8x8x16, or mesh:8x8x16 without wrap-around"
    )]
    NotSizes(String),
    /// Too many dimensions.
    #[error("`{text}` has {dimensions} dimensions; there can be at most {most}")]
    Dimensions {
        /// What was given.
        text: String,
        /// How many it has.
        dimensions: usize,
        /// How many there can be.
        most: usize,
    },
    /// More nodes than there are numbers.
    #[error("{0} has more nodes than Heddle can number (2^26)")]
    TooLarge(String),
}

impl FromStr for Shape {
    type Err = ShapeError;

    fn from_str(text: &str) -> Result<Shape, ShapeError> {
        let (wraps, sizes) = match text.split_once(':') {
            Some(("mesh", sizes)) => (false, sizes),
            Some(("torus", sizes)) => (true, sizes),
            Some(_) => return Err(ShapeError::NotSizes(text.to_owned())),
            None => (true, text),
        };
        let sizes: Option<Vec<u32>> =
            sizes.split('x').map(|size| size.trim().parse().ok().filter(|n| *n > 0)).collect();
        let sizes = sizes.ok_or_else(|| ShapeError::NotSizes(text.to_owned()))?;
        Torus::new(Dimension::named(&sizes, wraps)).map(Shape::Torus)
    }
}

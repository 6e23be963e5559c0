//! One node of the tree: the drawables that it holds itself. The summaries of its children are not needed here.

use super::fields::Fields;
use super::tables::NODE_HEAD;

/// A state, event or arrow.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Drawable<'a> {
    pub(super) category: i32,
    pub(super) cargo: &'a [u8],
    /// Time and line of its first vertex.
    pub(super) first: (f64, i32),
    /// And of its last, if it has more than one.
    pub(super) last: Option<(f64, i32)>,
}

/// What a node holds.
#[derive(Debug, Default)]
pub(super) struct Node<'a> {
    pub(super) drawables: Vec<Drawable<'a>>,
    /// Drawables that are made of others; the others are among the drawables.
    pub(super) composites: u64,
    /// Where in the node it stopped making sense.
    pub(super) damage: Option<usize>,
}

impl<'a> Node<'a> {
    /// Everything up to the first damage.
    pub(super) fn parse(bytes: &'a [u8]) -> Node<'a> {
        let mut node = Node::default();
        let mut fields = Fields::new(bytes);
        if node.read(&mut fields).is_none() {
            node.damage = Some(bytes.len() - fields.left());
        }
        node
    }

    fn read(&mut self, fields: &mut Fields<'a>) -> Option<()> {
        fields.take(NODE_HEAD)?;
        // Arrows and events first, then what can nest.
        for _ in 0..2 {
            for _ in 0..fields.count()? {
                // What is half read is not taken off, so that the damage is where a drawable begins.
                let mut ahead = *fields;
                match ahead.u8()? {
                    0 => self.drawables.push(primitive(&mut ahead)?),
                    1 => {
                        let (_category, _cargo) = (ahead.i32()?, ahead.short_bytes()?);
                        for _ in 0..ahead.short_count()? {
                            self.drawables.push(primitive(&mut ahead)?);
                        }
                        self.composites += 1;
                    }
                    _ => return None,
                }
                *fields = ahead;
            }
        }
        Some(())
    }
}

fn primitive<'a>(fields: &mut Fields<'a>) -> Option<Drawable<'a>> {
    let (category, cargo) = (fields.i32()?, fields.short_bytes()?);
    let vertices = fields.short_count()?;
    let mut vertex = || Some((fields.f64()?, fields.i32()?));
    let first = vertex()?;
    let mut last = None;
    for _ in 1..vertices {
        last = Some(vertex()?);
    }
    Some(Drawable { category, cargo, first, last })
}

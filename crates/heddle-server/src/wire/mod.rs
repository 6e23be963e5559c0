//! A scene as bytes for the browser: a JSON header for what is small, aligned little-endian arrays for what is not.
//!
//! The page draws the arrays as they are: nothing is parsed mark by mark. Positions are f32 pixels of the picture, which
//! are exact enough because the header says, in 64-bit text, what time and which rows the picture's edges stand for.

mod motion;
mod space;
#[cfg(test)]
mod tests;

pub(crate) use motion::{wire_activity, wire_moving};
pub(crate) use space::wire_space;

use serde::Serialize;
use serde_json::{Value, json};

use heddle_view::{Anchor, Axis, ColourId, Density, Extent, Layer, OpacityMap, Raster, Rect, RectMark, Scene, Spacing};

/// The first bytes.
const MAGIC: &[u8; 4] = b"HSCN";
/// Raised when a page that knows the old form would misread the new one.
const VERSION: u32 = 2;
/// Arrays begin at multiples of this, so that the page can view them in place.
const ALIGNMENT: usize = 8;

/// The bytes of a scene.
pub(crate) fn wire(scene: &Scene) -> Vec<u8> {
    let mut arrays = Arrays::default();
    let header = header(scene, &mut arrays);
    packed(*MAGIC, VERSION, &header, &arrays)
}

/// What is small of a scene.
fn header(scene: &Scene, arrays: &mut Arrays) -> Value {
    let layers: Vec<Value> = scene.layers.iter().map(|layer| layer_header(layer, arrays)).collect();
    let beside = rects_header(&scene.beside, arrays);
    json!({
        "size": [scene.size.width, scene.size.height],
        "background": scene.background.0,
        "palette": scene.palette.iter()
            .map(|c| format!("#{:02x}{:02x}{:02x}{:02x}", c.0, c.1, c.2, c.3)).collect::<Vec<_>>(),
        "title": scene.title,
        "plot": area(scene.plot),
        "x": axis(&scene.x_axis),
        "y": axis(&scene.y_axis),
        "layers": layers,
        "beside": beside,
        "labels": scene.labels.iter().map(|label| json!({
            "at": [label.at.0, label.at.1],
            "text": label.text,
            "size": label.size,
            "colour": label.colour.0,
            "anchor": match label.anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            },
        })).collect::<Vec<_>>(),
        "legend": scene.legend.iter().map(|entry| json!({
            "colour": entry.colour.0, "name": entry.name, "value": entry.value,
        })).collect::<Vec<_>>(),
        "colour_bar": scene.colour_bar.as_ref().map(|bar| json!({
            "title": bar.title,
            "colours": bar.colours.iter().map(|colour| colour.0).collect::<Vec<_>>(),
            "from": bar.from.0,
            "to": bar.to.0,
            "from_text": bar.from.1,
            "to_text": bar.to.1,
        })),
        "legend_area": area(scene.legend_area),
        "notes": scene.notes,
        "ink": {
            "strong": scene.ink.strong.0,
            "text": scene.ink.text.0,
            "faint": scene.ink.faint.0,
            "line": scene.ink.line.0,
            "grid": scene.ink.grid.0,
        },
    })
}

/// Sixteen bytes that say what follows, the header, the arrays.
fn packed(magic: [u8; 4], version: u32, header: &Value, arrays: &Arrays) -> Vec<u8> {
    let mut header = header.to_string().into_bytes();
    header.resize(header.len().next_multiple_of(ALIGNMENT), b' ');
    let mut bytes = Vec::with_capacity(16 + header.len() + arrays.bytes.len());
    bytes.extend_from_slice(&magic);
    for number in [version, header.len() as u32, 0] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(&header);
    bytes.extend_from_slice(&arrays.bytes);
    bytes
}

/// Where an array lies, counted from the first one.
#[derive(Serialize)]
struct ArrayRef {
    r#type: &'static str,
    at: usize,
    length: usize,
}

/// All arrays, one after the other.
#[derive(Default)]
struct Arrays {
    bytes: Vec<u8>,
}

impl Arrays {
    fn add<const N: usize>(&mut self, r#type: &'static str, values: impl Iterator<Item = [u8; N]>) -> ArrayRef {
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNMENT), 0);
        let at = self.bytes.len();
        values.for_each(|value| self.bytes.extend_from_slice(&value));
        ArrayRef { r#type, at, length: (self.bytes.len() - at) / N }
    }

    fn bytes(&mut self, bytes: &[u8]) -> ArrayRef {
        let reference = self.add("u8", std::iter::empty::<[u8; 1]>());
        self.bytes.extend_from_slice(bytes);
        ArrayRef { length: bytes.len(), ..reference }
    }

    fn floats(&mut self, values: impl Iterator<Item = f32>) -> ArrayRef {
        self.add("f32", values.map(f32::to_le_bytes))
    }

    fn doubles(&mut self, values: impl Iterator<Item = f64>) -> ArrayRef {
        self.add("f64", values.map(f64::to_le_bytes))
    }

    fn numbers(&mut self, values: impl Iterator<Item = u32>) -> ArrayRef {
        self.add("u32", values.map(u32::to_le_bytes))
    }

    fn colours(&mut self, colours: impl Iterator<Item = ColourId>) -> ArrayRef {
        self.add("u16", colours.map(|colour| colour.0.to_le_bytes()))
    }

    /// One byte each where that is enough, as it nearly always is: a raster has a million of them.
    fn short_colours(&mut self, colours: impl Iterator<Item = ColourId> + Clone) -> ArrayRef {
        if colours.clone().all(|colour| u8::try_from(colour.0).is_ok()) {
            self.bytes(&colours.map(|colour| colour.0 as u8).collect::<Vec<_>>())
        } else {
            self.colours(colours)
        }
    }
}

fn area(rect: Rect) -> [f32; 4] {
    [rect.x, rect.y, rect.width, rect.height]
}

fn axis(axis: &Axis) -> Value {
    let (kind, from, to, count) = match axis.extent {
        Extent::Values | Extent::Scaled(_) => ("value", "0".to_owned(), "0".to_owned(), 0),
        Extent::Time(from, to) => ("time", from.0.to_string(), to.0.to_string(), 0),
        Extent::Rows(from, to, all) => ("rows", from.to_string(), to.to_string(), all),
        Extent::Lines(from, to, all) => ("lines", from.to_string(), to.to_string(), all),
        Extent::Steps(from, to, all) => ("steps", from.to_string(), to.to_string(), all as usize),
        Extent::Columns(from, to, all) => ("columns", from.to_string(), to.to_string(), all),
        Extent::Across(from, to, all) => ("across", from.to_string(), to.to_string(), all),
        Extent::Down(from, to, all) => ("down", from.to_string(), to.to_string(), all),
    };
    let ticks: Vec<(f32, &str)> = axis.ticks.iter().map(|tick| (tick.at, tick.label.as_str())).collect();
    let mut header =
        json!({ "title": axis.title, "ticks": ticks, "kind": kind, "from": from, "to": to, "count": count });
    if let Extent::Scaled(scale) = axis.extent {
        header["scale"] = json!({
            "upper": scale.upper,
            "lower": scale.lower,
            "spacing": match scale.spacing {
                Spacing::Logarithmic => "log",
                Spacing::Linear => "linear",
            },
            "top": scale.top,
            "bottom": scale.bottom,
        });
    }
    header
}

fn layer_header(layer: &Layer, arrays: &mut Arrays) -> Value {
    match layer {
        Layer::Rects(marks) => rects_header(marks, arrays),
        Layer::Segments(marks) => json!({
            "kind": "segments",
            "count": marks.len(),
            "line": arrays.floats(
                marks.iter().flat_map(|mark| [mark.from.0, mark.from.1, mark.to.0, mark.to.1, mark.width])
            ),
            "colour": arrays.colours(marks.iter().map(|mark| mark.colour)),
        }),
        Layer::Discs(marks) => json!({
            "kind": "discs",
            "count": marks.len(),
            "disc": arrays.floats(marks.iter().flat_map(|mark| [mark.at.0, mark.at.1, mark.radius])),
            "colour": arrays.colours(marks.iter().map(|mark| mark.colour)),
        }),
        Layer::Bands(bands) => json!({
            "kind": "bands",
            "columns": bands.first().map_or(0, |band| band.upper.len()),
            "bands": bands.iter().map(|band| json!({
                "colour": band.colour.0,
                "upper": arrays.floats(band.upper.iter().copied()),
                "lower": arrays.floats(band.lower.iter().copied()),
            })).collect::<Vec<_>>(),
        }),
        Layer::Raster(Raster { columns, rows, colours, strength }) => json!({
            "kind": "raster",
            "columns": columns,
            "rows": rows,
            "colour": arrays.short_colours(colours.iter().copied()),
            "strength": arrays.bytes(strength),
        }),
        Layer::Density(density) => density_header(density, arrays),
    }
}

fn rects_header(marks: &[RectMark], arrays: &mut Arrays) -> Value {
    json!({
        "kind": "rects",
        "count": marks.len(),
        "rect": arrays.floats(marks.iter().flat_map(|mark| area(mark.rect))),
        "colour": arrays.colours(marks.iter().map(|mark| mark.colour)),
    })
}

/// Most cells of a density are empty, so only the others are sent: how far each is from the one before (the first from
/// the upper left), its count, and its colour. Distances and counts are LEB128: seven bits a byte, the lowest first,
/// the highest bit set on all but the last byte. Colours, which are most of it, are rounded to 64 steps a channel, which
/// nobody can tell apart under their opacities, and sent as differences, first all of red, then green, then blue: runs
/// of alike cells become runs of zeros.
fn density_header(density: &Density, arrays: &mut Arrays) -> Value {
    let (mut places, mut counts, mut colours) = (Vec::new(), Vec::new(), [const { Vec::new() }; 3]);
    let mut last = [0u8; 3];
    let mut before = 0;
    let cells = density.counts.iter().zip(&density.colours).enumerate().filter(|(_, (count, _))| **count > 0);
    for (at, (count, colour)) in cells {
        variable(&mut places, (at - before) as u64);
        variable(&mut counts, u64::from(*count));
        for ((channel, value), last) in colours.iter_mut().zip(colour).zip(&mut last) {
            let step = rounded(*value);
            channel.push(step.wrapping_sub(*last));
            *last = step;
        }
        before = at;
    }
    let filled = colours[0].len();
    let (map, alpha) = match density.map {
        OpacityMap::Logarithmic => ("log", 0.0),
        OpacityMap::Linear => ("linear", 0.0),
        OpacityMap::Alpha(each) => ("alpha", each),
    };
    json!({
        "kind": "density",
        "columns": density.columns,
        "rows": density.rows,
        "most": density.most,
        "map": map,
        "alpha": alpha,
        "least": density.least,
        "filled": filled,
        "places": arrays.bytes(&places),
        "counts": arrays.bytes(&counts),
        "colours": arrays.bytes(&colours.concat()),
    })
}

/// The nearest of 64 steps, the ends among them.
fn rounded(value: u8) -> u8 {
    let step = (u16::from(value) * 63 + 127) / 255;
    ((step * 255 + 31) / 63) as u8
}

/// Appends a number as LEB128.
fn variable(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

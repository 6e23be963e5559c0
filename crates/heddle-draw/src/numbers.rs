//! Numbers of the vector files: in hundredths of a pixel, which is finer than anybody sees and short to write.

use crate::marks::Area;

/// Rounded to hundredths.
pub(crate) fn hundredths(value: f32) -> i64 {
    (f64::from(value) * 100.0).round() as i64
}

/// x, y, width and height in hundredths, from rounded edges: so neighbours keep their common edge.
pub(crate) fn rounded(area: &Area) -> [i64; 4] {
    let (x, y) = (hundredths(area.left), hundredths(area.top));
    [x, y, hundredths(area.right) - x, hundredths(area.bottom) - y]
}

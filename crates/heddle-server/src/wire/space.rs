//! A scene in space as bytes: the header of a plain scene with a list of groups of solids, whose places, colours and numbers
//! are arrays that the page hands to the graphics card as they are.

use serde_json::{Value, json};

use heddle_view::{Group, Scene3, Solids};

use super::{Arrays, header, packed};

/// The first bytes.
const MAGIC: [u8; 4] = *b"HSC3";
/// Raised when a page that knows the old form would misread the new one.
const VERSION: u32 = 1;

/// The bytes of a scene in space.
pub(crate) fn wire_space(scene: &Scene3) -> Vec<u8> {
    let mut arrays = Arrays::default();
    let mut all = header(&scene.flat, &mut arrays);
    all["space"] = json!({
        "groups": scene.groups.iter().map(|group| group_header(group, &mut arrays)).collect::<Vec<_>>(),
        "labels": scene.labels.iter().map(|label| json!({
            "at": label.at, "text": label.text, "colour": label.colour.0,
        })).collect::<Vec<_>>(),
        "axes": scene.axes.iter().map(|axis| json!({
            "towards": axis.towards, "name": axis.name, "colour": axis.colour.0,
        })).collect::<Vec<_>>(),
        "low": scene.bounds.low,
        "high": scene.bounds.high,
        "plan": scene.is_plan,
        "turn": [scene.camera.turn.around, scene.camera.turn.above],
    });
    packed(MAGIC, VERSION, &all, &arrays)
}

/// A group: of boxes middles and lengths, of spheres middles and radii, of tubes both ends and radii.
fn group_header(group: &Group, arrays: &mut Arrays) -> Value {
    let (kind, place, colour, id) = match &group.solids {
        Solids::Boxes(marks) => (
            "boxes",
            arrays.floats(marks.iter().flat_map(|mark| {
                let ([x, y, z], [width, depth, height]) = (mark.centre, mark.size);
                [x, y, z, width, depth, height]
            })),
            arrays.colours(marks.iter().map(|mark| mark.colour)),
            arrays.numbers(marks.iter().map(|mark| mark.id)),
        ),
        Solids::Spheres(marks) => (
            "spheres",
            arrays.floats(marks.iter().flat_map(|mark| {
                let [x, y, z] = mark.centre;
                [x, y, z, mark.radius]
            })),
            arrays.colours(marks.iter().map(|mark| mark.colour)),
            arrays.numbers(marks.iter().map(|mark| mark.id)),
        ),
        Solids::Tubes(marks) => (
            "tubes",
            arrays.floats(marks.iter().flat_map(|mark| {
                let ([x, y, z], [to_x, to_y, to_z]) = (mark.from, mark.to);
                [x, y, z, to_x, to_y, to_z, mark.radius]
            })),
            arrays.colours(marks.iter().map(|mark| mark.colour)),
            arrays.numbers(marks.iter().map(|mark| mark.id)),
        ),
    };
    json!({
        "of": group.of.name(),
        "kind": kind,
        "count": group.solids.len(),
        "place": place,
        "colour": colour,
        "id": id,
    })
}

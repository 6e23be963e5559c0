//! Views of a torus: projected to a plane, as three small maps, and in space.

pub(crate) mod loads;
pub(crate) mod mappings;
pub(crate) mod minimaps;
pub(crate) mod options;
pub(crate) mod projected;
pub(crate) mod shown;
pub(crate) mod slices;
pub(crate) mod space;
mod ways;
mod words;

use heddle_options::{OptionSpec, Options};

use self::options::TorusOptions;
use crate::request::{Framing, ViewRequest};
use crate::scene::theme::Colours;
use crate::scene::{Rect, Scene};
use crate::views::machine::frame;
use crate::views::machine::motion::MotionOptions;
use crate::views::machine::options::MachineOptions;

/// Options of all of them.
fn options() -> Vec<OptionSpec> {
    [TorusOptions::specs(), MachineOptions::specs()].into_iter().flatten().collect()
}

/// Options of those that show messages on their way.
fn options_with_motion() -> Vec<OptionSpec> {
    [options(), MotionOptions::specs()].into_iter().flatten().collect()
}

/// Where the plot is: coordinates stand at its left and below it.
fn plot_area(request: &ViewRequest) -> Rect {
    let (width, height) = (request.size.width as f32, request.size.height as f32);
    let [left, top, right, bottom] = match request.framing {
        Framing::Figure => [44.0, 44.0, 222.0, 78.0],
        Framing::Strip => [2.0, 2.0, 2.0, 2.0],
        _ => [34.0, 18.0, 34.0, 26.0],
    };
    Rect { x: left, y: top, width: (width - left - right).max(1.0), height: (height - top - bottom).max(1.0) }
}

/// A picture of no torus.
fn nothing(request: &ViewRequest, plot: Rect, colours: &Colours) -> Scene {
    let mut scene = frame(request, plot, String::new(), colours, colours.palette());
    scene.notes.push("There is no torus to show.".to_owned());
    scene
}

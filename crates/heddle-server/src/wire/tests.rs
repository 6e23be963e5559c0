//! The form that the page reads. The page's own tests decode the same file, so neither side can change alone.

use heddle_model::{Ns, SpanRow};
use heddle_view::{
    Anchor, Axis, Axis3, Band, Bounds, BoxMark, Camera, ColourId, Density, DiscMark, Extent, Group, Ink, Label, Label3,
    Layer, LegendEntry, MotionActivity, Moving, MovingMessage, OpacityMap, PlaneMarks, Raster, Rect, RectMark, Rgba,
    Scale, Scene, Scene3, SegmentMark, Shares, Size, Solids, Spacing, SphereMark, Subject, Tick, TubeMark, Turn,
};

use super::{wire, wire_activity, wire_moving, wire_space};

const BLUE_ID: ColourId = ColourId(2);
const RED_ID: ColourId = ColourId(3);
/// Red, half opaque.
const GLASS_ID: ColourId = ColourId(4);

fn rect(x: f32, y: f32, width: f32, height: f32, colour: ColourId) -> RectMark {
    RectMark { rect: Rect { x, y, width, height }, colour, span: SpanRow(0) }
}

/// A scene with every kind of layer, small enough to read in a hex dump.
fn small() -> Scene {
    let raster = Raster {
        columns: 3,
        rows: 2,
        colours: [2, 3, 4, 2, 2, 3].map(ColourId).to_vec(),
        strength: vec![0, 64, 128, 192, 255, 1],
    };
    // 200 columns: the second distance and the first count need two bytes.
    let mut density = Density {
        columns: 200,
        rows: 2,
        counts: vec![0; 400],
        colours: vec![[0; 3]; 400],
        most: 300,
        map: OpacityMap::Logarithmic,
        least: 0.25,
    };
    for (at, count, colour) in [(3, 300, [0, 114, 178]), (203, 1, [213, 94, 0]), (204, 2, [106, 104, 89])] {
        (density.counts[at], density.colours[at]) = (count, colour);
    }
    let band = Band { upper: vec![30.0, 31.5, 20.25], lower: vec![70.0, 70.0, 60.0], colour: RED_ID };
    let line = SegmentMark { from: (41.5, 22.0), to: (90.25, 60.0), width: 1.5, colour: GLASS_ID };
    let palette = vec![
        Rgba::hex(0xff_ff_ff),
        Rgba::hex(0),
        Rgba::hex(0x00_00_ff),
        Rgba::hex(0xff_00_00),
        Rgba(255, 0, 0, 128),
        Rgba(255, 255, 255, 0),
    ];
    let plot = Rect { x: 40.0, y: 20.0, width: 100.0, height: 50.0 };
    let ink = Ink { strong: ColourId(1), text: ColourId(1), faint: ColourId(1), line: ColourId(5), grid: ColourId(5) };
    Scene {
        title: "a \"title\" · µs".to_owned(),
        x_axis: Axis {
            title: String::new(),
            ticks: vec![Tick { at: 40.0, label: "0 s".to_owned() }, Tick { at: 90.5, label: "5 s".to_owned() }],
            extent: Extent::Time(Ns(1 << 55), Ns((1 << 55) + 10)),
        },
        y_axis: Axis { title: "rank".to_owned(), ticks: Vec::new(), extent: Extent::Rows(3, 7, 16_384) },
        layers: vec![
            Layer::Raster(raster),
            Layer::Rects(vec![rect(40.0, 20.0, 10.5, 5.0, BLUE_ID), rect(60.0, 30.0, 0.5, 2.0, RED_ID)]),
            Layer::Bands(vec![band]),
            Layer::Segments(vec![line]),
            Layer::Discs(vec![DiscMark { at: (52.5, 33.0), radius: 4.5, colour: RED_ID }]),
            Layer::Density(density),
        ],
        beside: vec![RectMark {
            rect: Rect { x: 150.0, y: 25.0, width: 8.0, height: 4.5 },
            colour: ColourId(2),
            span: SpanRow::NONE,
        }],
        labels: vec![Label {
            at: (50.0, 40.0),
            text: "<b>MPI_Recv</b>".to_owned(),
            size: 11.0,
            colour: ColourId(1),
            anchor: Anchor::Start,
        }],
        legend: vec![LegendEntry { colour: BLUE_ID, name: "MPI_Recv".to_owned(), value: "5 %".to_owned() }],
        notes: vec!["Nothing was left out.".to_owned()],
        legend_area: Rect { x: 150.0, y: 20.0, width: 50.0, height: 54.0 },
        ..Scene::empty(Size { width: 200, height: 100 }, plot, palette, ink)
    }
}

/// A scene in space with every kind of solid.
fn small_space() -> Scene3 {
    let boxes = vec![
        BoxMark { centre: [0.0, 1.0, 2.0], size: [0.25, 0.5, 0.75], colour: BLUE_ID, id: 7 },
        BoxMark { centre: [-1.5, 0.0, 0.0], size: [1.0; 3], colour: GLASS_ID, id: 70_000 },
    ];
    let spheres = vec![SphereMark { centre: [3.0, 2.0, 1.0], radius: 0.5, colour: RED_ID, id: 3 }];
    let tubes = vec![TubeMark { from: [0.0; 3], to: [1.0, 0.0, 0.0], radius: 0.125, colour: RED_ID, id: 9 }];
    Scene3 {
        flat: Scene { layers: Vec::new(), ..small() },
        groups: vec![
            Group { of: Subject::Node, solids: Solids::Boxes(boxes) },
            Group { of: Subject::Rank, solids: Solids::Spheres(spheres) },
            Group { of: Subject::Link, solids: Solids::Tubes(tubes) },
        ],
        labels: vec![Label3 { at: [0.5, 0.25, -1.0], text: "<i>x 0</i>".to_owned(), colour: ColourId(1) }],
        axes: vec![Axis3 { towards: [0.0, 0.0, 1.0], name: "z".to_owned(), colour: RED_ID }],
        bounds: Bounds { low: [-2.0, -0.5, -0.5], high: [3.5, 2.5, 2.5] },
        camera: Camera { turn: Turn { around: 35.0, above: 22.0 }, zoom: 1.0, aim: [0.0; 3] },
        is_plan: true,
        is_layered: false,
    }
}

/// Two cables and three elements in four bins.
fn small_activity() -> MotionActivity {
    let shares = |count: usize, values: Vec<u8>| Shares {
        count,
        values,
        largest: "2 KiB per 5 ns".to_owned(),
        sum: (300.5, "3 KiB".to_owned()),
    };
    MotionActivity {
        window: (Ns(1 << 55), Ns((1 << 55) + 20)),
        bins: 4,
        fade: 0.5,
        messages: 9,
        in_flight: vec![0, 2, 5_000_000_000, 1],
        most_in_flight: 4_000,
        cables: shares(2, vec![0, 255, 10, 20, 30, 40, 50, 60]),
        elements: shares(3, (0..12).collect()),
        blocks: shares(1, vec![1, 2, 3, 4]),
        marks: Some(PlaneMarks {
            cables: vec![(1, [0.0, 0.5, 1000.0, 0.5])],
            elements: vec![(2, [10.0, 20.0]), (0, [30.0, 40.0])],
            sizes: [460.0, 620.0],
        }),
        notes: vec!["1 message does not leave its node and is not shown.".to_owned()],
    }
}

/// Two messages, one with a break on its way.
fn small_moving() -> Moving {
    let message = |row: u64, start: i64, end: i64, share, first, points| MovingMessage {
        row,
        start: Ns((1 << 55) + start),
        end: Ns((1 << 55) + end),
        share,
        first,
        points,
    };
    Moving {
        from: Ns(1 << 55),
        until: Ns((1 << 55) + 20),
        in_flight: 1,
        note: None,
        messages: vec![message(1 << 40, -5, 10, 0.25, 0, 2), message(7, 3, 9, 1.0, 2, 4)],
        points: vec![
            [0.0, 0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0, 1.0],
            [0.0, 2.0, 0.5, 0.0],
            [f32::NAN, f32::NAN, f32::NAN, 0.5],
            [4.0, 2.0, 0.5, 0.5],
            [3.0, 2.0, 0.5, 1.0],
        ],
        selected: Some(7),
        selected_way: (2, 4),
        dot: 0.125,
        title: "size of a message".to_owned(),
        colours: vec![Rgba::hex(0x00_00_ff), Rgba::hex(0xff_00_00)],
        ends: ["8 B".to_owned(), "2 KiB".to_owned()],
    }
}

/// Compares with a file of the page, or writes it.
fn is_the_file(name: &str, bytes: &[u8]) {
    let file = format!("{}/../../web/src/scene/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("HEDDLE_BLESS").is_some() {
        std::fs::write(&file, bytes).expect("writable");
    }
    let known = std::fs::read(&file).expect("a committed file");
    assert!(known == bytes, "{name}: the wire form changed: HEDDLE_BLESS=1 writes the file anew, then mend the page");
}

#[test]
fn it_is_the_file_that_the_page_is_tested_with() {
    is_the_file("small.scene", &wire(&small()));
    is_the_file("small.space", &wire_space(&small_space()));
    is_the_file("small.activity", &wire_activity(&small_activity()));
    is_the_file("small.moving", &wire_moving(&small_moving()));
}

#[test]
fn an_axis_of_values_says_which_value_is_where() {
    let scale = Scale { upper: 1e9, lower: 250.0, spacing: Spacing::Logarithmic, top: 24.0, bottom: 60.5 };
    let mut scene = small();
    scene.y_axis.extent = Extent::Scaled(scale);
    let bytes = wire(&scene);
    let text = String::from_utf8_lossy(&bytes);
    for part in [
        r#""scale":{"#,
        r#""spacing":"log""#,
        r#""upper":1000000000.0"#,
        r#""lower":250.0"#,
        r#""top":24.0"#,
        r#""bottom":60.5"#,
        r#""kind":"value""#,
    ] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn arrays_are_aligned_and_as_long_as_said() {
    let bytes = wire(&small());
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
    assert_eq!((&bytes[..4], number(4), number(12)), (&b"HSCN"[..], 2, 0));
    let header: serde_json::Value = serde_json::from_slice(&bytes[16..16 + number(8)]).expect("JSON");
    let arrays = &bytes[16 + number(8)..];
    assert_eq!(number(8) % 8, 0);
    assert_eq!(header["x"]["from"], (1i64 << 55).to_string(), "64-bit numbers are text");
    let strength = &header["layers"][0]["strength"];
    let (at, length) = (strength["at"].as_u64().expect("a place"), strength["length"].as_u64().expect("a length"));
    assert_eq!(at % 8, 0);
    assert_eq!(arrays[at as usize..][..length as usize], [0, 64, 128, 192, 255, 1]);
}

#[test]
fn only_filled_cells_of_a_density_are_sent() {
    let bytes = wire(&small());
    let length = u32::from_le_bytes(bytes[8..12].try_into().expect("four bytes")) as usize;
    let header: serde_json::Value = serde_json::from_slice(&bytes[16..16 + length]).expect("JSON");
    let layer = &header["layers"][5];
    let array = |name: &str| {
        let number = |key: &str| layer[name][key].as_u64().expect("a number") as usize;
        &bytes[16 + length + number("at")..][..number("length")]
    };
    assert_eq!((&layer["filled"], &layer["most"], &layer["map"]), (&3.into(), &300.into(), &"log".into()));
    assert_eq!(array("places"), [3, 0xc8, 1, 1]);
    assert_eq!(array("counts"), [0xac, 2, 1, 2]);
    // Red, green, blue, each as differences, in 64 steps.
    assert_eq!(array("colours"), [0, 215, 146, 113, 236, 12, 178, 78, 89]);
}

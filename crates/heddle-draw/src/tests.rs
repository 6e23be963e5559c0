//! Pictures are checked where a reader looks: at decoded pixels, at the text of the SVG, and at what is in the PDF.

use std::io::Cursor;

use heddle_model::{Ns, SpanRow};
use heddle_view::{
    Anchor, Axis, Band, ColourId, DiscMark, Extent, Ink, Label, Layer, LegendEntry, PolygonMark, Raster, Rect,
    RectMark, Rgba, Scene, SegmentMark, Size, Tick,
};

use super::{DrawError, png, svg, text_width};

mod figure;
mod pdf;
mod sample;
mod texts;

const WHITE: [u8; 4] = [255, 255, 255, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];
const RED: [u8; 4] = [255, 0, 0, 255];
const BLUE_ID: ColourId = ColourId(2);
const RED_ID: ColourId = ColourId(3);
/// Red, half opaque.
const GLASS_ID: ColourId = ColourId(4);

/// An empty picture: 200 by 100, the plot 100 by 50 at (40, 20).
fn empty() -> Scene {
    let palette = [0xff_ff_ff, 0x00_00_00, 0x00_00_ff, 0xff_00_00].map(Rgba::hex).into_iter();
    let palette = palette.chain([Rgba(255, 0, 0, 128), Rgba(255, 255, 255, 0)]).collect();
    let plot = Rect { x: 40.0, y: 20.0, width: 100.0, height: 50.0 };
    let ink = Ink { strong: ColourId(1), text: ColourId(1), faint: ColourId(1), line: ColourId(5), grid: ColourId(5) };
    Scene {
        legend_area: Rect { x: 150.0, y: 20.0, width: 50.0, height: 54.0 },
        ..Scene::empty(Size { width: 200, height: 100 }, plot, palette, ink)
    }
}

fn scene_of(layer: Layer) -> Scene {
    Scene { layers: vec![layer], ..empty() }
}

fn rect(x: f32, y: f32, width: f32, height: f32, colour: ColourId) -> RectMark {
    RectMark { rect: Rect { x, y, width, height }, colour, span: SpanRow(0) }
}

fn label(text: &str) -> Label {
    Label { at: (50.0, 40.0), text: text.to_owned(), size: 11.0, colour: ColourId(1), anchor: Anchor::Start }
}

/// A decoded picture.
struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<[u8; 4]>,
}

impl Picture {
    fn of(scene: &Scene, scale: f32) -> Picture {
        let bytes = png(scene, scale).unwrap();
        let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
        let mut data = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut data).unwrap();
        let pixels: Vec<[u8; 4]> = match info.color_type {
            png::ColorType::Rgb => data.chunks(3).map(|pixel| [pixel[0], pixel[1], pixel[2], 255]).collect(),
            png::ColorType::Rgba => data.chunks(4).map(|pixel| pixel.try_into().unwrap()).collect(),
            other => panic!("a PNG of {other:?}"),
        };
        Picture { width: info.width, height: info.height, pixels }
    }

    fn at(&self, x: u32, y: u32) -> [u8; 4] {
        self.pixels[(y * self.width + x) as usize]
    }

    /// Left, top, right and bottom (exclusive) of all that is not white, and how many pixels are not.
    fn painted(&self) -> Option<((u32, u32, u32, u32), usize)> {
        let all = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        let painted: Vec<(u32, u32)> = all.filter(|&(x, y)| self.at(x, y) != WHITE).collect();
        let left = painted.iter().map(|at| at.0).min()?;
        let right = painted.iter().map(|at| at.0).max()? + 1;
        let top = painted.iter().map(|at| at.1).min()?;
        let bottom = painted.iter().map(|at| at.1).max()? + 1;
        Some(((left, top, right, bottom), painted.len()))
    }
}

#[test]
fn the_same_scene_gives_the_same_bytes() {
    let scene = sample::scene();
    assert_eq!(png(&scene, 1.0).unwrap(), png(&scene, 1.0).unwrap());
    assert_eq!(png(&scene, 2.0).unwrap(), png(&scene, 2.0).unwrap());
    assert_eq!(svg(&scene).unwrap(), svg(&scene).unwrap());
}

#[test]
fn a_png_has_no_chunks_beside_the_picture() {
    let bytes = png(&sample::scene(), 1.0).unwrap();
    let mut kinds = Vec::new();
    let mut at = 8;
    while at < bytes.len() {
        let length = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        kinds.push(String::from_utf8(bytes[at + 4..at + 8].to_vec()).unwrap());
        at += length + 12;
    }
    kinds.dedup();
    assert_eq!(kinds, ["IHDR", "IDAT", "IEND"]);
}

#[test]
fn scale_multiplies_the_pixels() {
    let picture = Picture::of(&scene_of(Layer::Rects(vec![rect(50.0, 30.0, 10.0, 5.0, BLUE_ID)])), 2.0);
    assert_eq!((picture.width, picture.height), (400, 200));
    assert_eq!(picture.painted(), Some(((100, 60, 120, 70), 200)));
}

#[test]
fn the_thinnest_rects_can_be_seen() {
    for (x, width) in [(60.37, 0.01), (60.99, 0.0), (40.0, 0.01), (139.995, 0.005), (140.0, 0.0)] {
        let scene = scene_of(Layer::Rects(vec![rect(x, 30.0, width, 0.001, BLUE_ID)]));
        let picture = Picture::of(&scene, 1.0);
        let column = (x as u32).min(139);
        assert_eq!(picture.painted(), Some(((column, 30, column + 1, 31), 1)), "{width} wide at {x}");
        assert_eq!(picture.at(column, 30), BLUE);
        assert!(svg(&scene).unwrap().contains(&format!("d=\"M{column} 30h1v1h-1z\"")), "{width} wide at {x}");
    }
}

#[test]
fn neighbours_neither_overlap_nor_part() {
    let glass = |x: f32, width: f32| rect(x, 30.0, width, 1.0, GLASS_ID);
    let picture = Picture::of(&scene_of(Layer::Rects(vec![glass(50.0, 3.4), glass(53.4, 2.2), glass(55.6, 4.4)])), 1.0);
    let row: Vec<[u8; 4]> = (50..60).map(|x| picture.at(x, 30)).collect();
    assert_eq!(row, vec![[255, 127, 127, 255]; 10]);
}

#[test]
fn rects_are_clipped_to_the_plot() {
    let around = rect(0.0, 0.0, 1e9, 1e9, BLUE_ID);
    let picture = Picture::of(&scene_of(Layer::Rects(vec![around])), 1.0);
    assert_eq!(picture.painted(), Some(((40, 20, 140, 70), 5000)));
    let outside = [
        rect(0.0, 30.0, 40.0, 5.0, BLUE_ID),
        rect(140.0, 30.0, 5.0, 5.0, BLUE_ID),
        rect(50.0, 0.0, 5.0, 20.0, BLUE_ID),
        rect(50.0, 70.0, 5.0, 5.0, BLUE_ID),
        rect(f32::NAN, 30.0, 5.0, 5.0, BLUE_ID),
        rect(50.0, 30.0, f32::INFINITY, 5.0, BLUE_ID),
        rect(60.0, 30.0, -5.0, 5.0, BLUE_ID),
    ];
    let scene = scene_of(Layer::Rects(outside.to_vec()));
    assert_eq!(Picture::of(&scene, 1.0).painted(), None);
    assert!(!svg(&scene).unwrap().contains("#0000ff"));
}

#[test]
fn a_band_fills_what_lies_between_its_edges() {
    for samples in [100, 101] {
        let band = Band { upper: vec![30.0; samples], lower: vec![40.0; samples], colour: BLUE_ID };
        let scene = scene_of(Layer::Bands(vec![band]));
        assert_eq!(Picture::of(&scene, 1.0).painted(), Some(((40, 30, 140, 40), 1000)), "{samples} samples");
        assert!(svg(&scene).unwrap().contains("M40 30 140 30 140 40 40 40z"), "{samples} samples");
    }
    let slope: Vec<f32> = (0..=100).map(|column| 70.0 - column as f32 / 2.0).collect();
    let picture =
        Picture::of(&scene_of(Layer::Bands(vec![Band { upper: slope, lower: vec![70.0; 101], colour: BLUE_ID }])), 1.0);
    assert_eq!((picture.at(60, 58), picture.at(60, 62)), (WHITE, BLUE));
    assert_eq!((picture.at(120, 28), picture.at(120, 32)), (WHITE, BLUE));
}

#[test]
fn bands_on_one_another_leave_no_seam() {
    let edge: Vec<f32> = (0..=100).map(|column| 40.0 + (column as f32 / 9.0).sin() * 5.0).collect();
    let above = Band { upper: vec![25.0; 101], lower: edge.clone(), colour: BLUE_ID };
    let below = Band { upper: edge, lower: vec![60.0; 101], colour: RED_ID };
    for bands in [vec![above.clone(), below.clone()], vec![below, above]] {
        let picture = Picture::of(&scene_of(Layer::Bands(bands)), 1.0);
        let inside = (25..60).flat_map(|y| (40..140).map(move |x| (x, y)));
        // White shining through would have green in it: more than the rounding of edges leaves.
        let green = inside.map(|(x, y)| picture.at(x, y)[1]).max().unwrap();
        assert!(green < 4, "{green}");
    }
}

#[test]
fn a_band_parts_where_it_is_no_number() {
    let mut upper = vec![30.0; 101];
    upper[50..60].fill(f32::NAN);
    let picture =
        Picture::of(&scene_of(Layer::Bands(vec![Band { upper, lower: vec![40.0; 101], colour: BLUE_ID }])), 1.0);
    assert_eq!((picture.at(85, 35), picture.at(95, 35), picture.at(105, 35)), (BLUE, WHITE, BLUE));
}

/// Eight cells, of which three are empty and one is half there.
fn cells() -> Raster {
    Raster {
        columns: 4,
        rows: 2,
        colours: [BLUE_ID, RED_ID, BLUE_ID, RED_ID].repeat(2),
        strength: vec![255, 255, 0, 128, 0, 255, 255, 0],
    }
}

#[test]
fn cells_of_a_raster_lie_where_they_should() {
    let scene = scene_of(Layer::Raster(cells()));
    for scale in [1, 2] {
        let picture = Picture::of(&scene, scale as f32);
        let corners = |column: u32, row: u32| {
            let (x, y) = (scale * (40 + column * 25), scale * (20 + row * 25));
            let (far_x, far_y) = (x + scale * 25 - 1, y + scale * 25 - 1);
            [picture.at(x, y), picture.at(far_x, y), picture.at(x, far_y), picture.at(far_x, far_y)]
        };
        let pink = [255, 127, 127, 255];
        let wanted = [[BLUE, RED, WHITE, pink], [WHITE, RED, BLUE, WHITE]];
        for (row, cells) in (0..).zip(wanted) {
            for (column, cell) in (0..).zip(cells) {
                assert_eq!(corners(column, row), [cell; 4], "column {column}, row {row}, scale {scale}");
            }
        }
        let (edges, _) = picture.painted().unwrap();
        assert_eq!(edges, (40 * scale, 20 * scale, 140 * scale, 70 * scale));
    }
    assert!(svg(&scene).unwrap().contains("image-rendering:pixelated\" href=\"data:image/png;base64,iVBOR"));
}

#[test]
fn a_raster_without_all_its_cells_is_not_drawn() {
    let raster = Raster { columns: u32::MAX, rows: u32::MAX, colours: vec![BLUE_ID; 4], strength: vec![255; 4] };
    let scene = scene_of(Layer::Raster(raster));
    assert_eq!(Picture::of(&scene, 1.0).painted(), None);
    assert!(!svg(&scene).unwrap().contains("<image"));
}

#[test]
fn segments_stay_in_the_plot_and_straight_ones_are_crisp() {
    let segment = |from, to| SegmentMark { from, to, width: 1.0, colour: BLUE_ID };
    let picture = Picture::of(&scene_of(Layer::Segments(vec![segment((-1e30, 45.0), (1e30, 45.0))])), 1.0);
    assert_eq!(picture.painted(), Some(((40, 45, 140, 46), 100)));
    let picture = Picture::of(&scene_of(Layer::Segments(vec![segment((60.0, 33.0), (60.0, 33.0))])), 1.0);
    assert_eq!(picture.painted(), Some(((60, 33, 61, 34), 1)));
    let scene = scene_of(Layer::Segments(vec![segment((-1e6, -1e6), (1e6, 1e6)), segment((0.0, 95.0), (180.0, 5.0))]));
    let (edges, _) = Picture::of(&scene, 1.0).painted().unwrap();
    assert_eq!((edges.0, edges.2), (40, 140));
    assert!(edges.1 >= 20 && edges.3 <= 70, "{edges:?}");
}

#[test]
fn discs_are_round_and_stay_in_the_plot() {
    let disc = |at, radius| DiscMark { at, radius, colour: BLUE_ID };
    let picture = Picture::of(&scene_of(Layer::Discs(vec![disc((90.0, 45.0), 10.0)])), 1.0);
    let (edges, count) = picture.painted().unwrap();
    assert_eq!(edges, (80, 35, 100, 55));
    let round = std::f64::consts::PI * 100.0;
    assert!((round * 0.97..round * 1.2).contains(&(count as f64)), "with half covered pixels {count}");
    let outside = vec![disc((40.0, 45.0), 10.0), disc((f32::NAN, 45.0), 10.0), disc((90.0, 45.0), -1.0)];
    let (edges, _) = Picture::of(&scene_of(Layer::Discs(outside)), 1.0).painted().unwrap();
    assert_eq!(edges, (40, 35, 50, 55));
}

#[test]
fn svg_keeps_who_covers_whom() {
    let [below, above] = [rect(50.0, 30.0, 20.0, 5.0, BLUE_ID), rect(60.0, 30.0, 20.0, 5.0, RED_ID)];
    let again = rect(75.0, 30.0, 20.0, 5.0, BLUE_ID);
    let elsewhere = rect(50.0, 40.0, 20.0, 5.0, RED_ID);
    let drawn = svg(&scene_of(Layer::Rects(vec![below, above, again, elsewhere]))).unwrap();
    let paths: Vec<&str> = drawn.lines().filter(|line| line.contains("ff0000") || line.contains("0000ff")).collect();
    assert_eq!(
        paths,
        [
            "<path fill=\"#0000ff\" d=\"M50 30h20v5h-20z\"/>",
            "<path fill=\"#ff0000\" d=\"M60 30h20v5h-20zM50 40h20v5h-20z\"/>",
            "<path fill=\"#0000ff\" d=\"M75 30h20v5h-20z\"/>",
        ]
    );
}

#[test]
fn hostile_text_is_harmless() {
    let hostile = "</text><script a=\"1\" b='2'>&amp;\u{0}\u{1b}[31m\u{202e}\u{ffff}\n";
    let escaped = "&lt;/text&gt;&lt;script a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;amp;[31m ";
    let mut scene = empty();
    scene.size = Size { width: 2000, height: 200 };
    scene.legend_area.width = 1000.0;
    scene.title = hostile.to_owned();
    scene.labels.push(label(hostile));
    scene.notes.push(hostile.to_owned());
    scene.legend.push(LegendEntry { colour: BLUE_ID, name: hostile.to_owned(), value: hostile.to_owned() });
    for axis in [&mut scene.x_axis, &mut scene.y_axis] {
        axis.title = hostile.to_owned();
        axis.ticks = vec![Tick { at: 50.0, label: hostile.to_owned() }];
    }
    let drawn = svg(&scene).unwrap();
    assert!(drawn.matches(escaped).count() >= 6, "{drawn}");
    assert!(!drawn.contains("<script"));
    assert!(drawn.chars().all(|character| character == '\n' || !character.is_control()));
    assert_eq!(drawn.matches("<text").count(), drawn.matches("</text>\n").count());
    png(&scene, 1.0).unwrap();
}

#[test]
fn numbers_that_are_none_do_no_harm() {
    let mut scene = sample::scene();
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN] {
        scene.plot.width = value;
        scene.legend_area.height = value;
        scene.labels.push(Label { at: (value, 30.0), size: value, ..label("x") });
        scene.labels.push(Label { size: value, ..label("x") });
        scene.x_axis.ticks.push(Tick { at: value, label: "x".to_owned() });
        scene.layers.push(Layer::Segments(vec![SegmentMark {
            from: (value, 50.0),
            to: (60.0, value),
            width: value,
            colour: ColourId(u16::MAX),
        }]));
        scene.layers.push(Layer::Bands(vec![Band { upper: vec![value; 9], lower: vec![50.0], colour: BLUE_ID }]));
        png(&scene, 1.0).unwrap();
        let drawn = svg(&scene).unwrap();
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"));
        let drawn = pdf::File::of(&scene).content();
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"));
    }
}

#[test]
fn a_full_legend_says_how_many_more() {
    let entry = |number: u32| LegendEntry { colour: BLUE_ID, name: format!("f{number}"), value: String::new() };
    let mut scene = empty();
    scene.legend_area.width = 120.0;
    scene.legend = (0..3).map(entry).collect();
    let drawn = svg(&scene).unwrap();
    assert!(drawn.contains(">f2</text>") && !drawn.contains("more"));
    scene.legend = (0..10).map(entry).collect();
    let drawn = svg(&scene).unwrap();
    assert!(drawn.contains(">f1</text>") && !drawn.contains(">f2</text>"));
    assert!(drawn.contains(">… and 8 more</text>"));
}

#[test]
fn long_names_make_room_for_their_numbers() {
    let mut scene = empty();
    scene.legend_area.width = 100.0;
    let name = "a_function_with_a_long_name".to_owned();
    scene.legend.push(LegendEntry { colour: BLUE_ID, name, value: "12.5".to_owned() });
    let drawn = svg(&scene).unwrap();
    let cut = drawn.lines().find(|line| line.contains('…')).unwrap();
    let cut = cut.split(['>', '<']).nth(2).unwrap();
    assert!(cut.starts_with("a_f") && text_width(cut, 12.0) + text_width("12.5", 12.0) + 24.0 <= 100.0, "{cut}");
    assert!(drawn.contains(">12.5</text>"));
}

#[test]
fn labels_of_ticks_do_not_run_into_each_other() {
    let mut scene = empty();
    scene.x_axis.ticks =
        (0..=50).map(|tick| Tick { at: 40.0 + tick as f32 * 2.0, label: format!("{tick} s") }).collect();
    scene.y_axis.ticks = (0..=50).map(|tick| Tick { at: 20.0 + tick as f32, label: format!("r{tick}") }).collect();
    let drawn = svg(&scene).unwrap();
    let seconds = drawn.matches(" s</text>").count();
    assert!((3..=5).contains(&seconds), "{seconds} labels in 100 pixels");
    assert_eq!(drawn.matches(">r").count(), 5);
}

#[test]
fn text_is_drawn_where_it_stands() {
    let mut scene = empty();
    scene.labels.push(label("Heddle"));
    let ((left, top, right, bottom), _) = Picture::of(&scene, 1.0).painted().unwrap();
    assert!(
        (50..=52).contains(&left) && (40..=41).contains(&bottom) && (31..=33).contains(&top),
        "{left} {top} {bottom}"
    );
    assert!((right as f32 - 50.0 - text_width("Heddle", 11.0)).abs() < 2.0);
}

#[test]
fn longer_text_is_wider() {
    assert!(text_width("", 11.0).abs() < f32::EPSILON);
    let mut last = 0.0;
    for length in 1..40 {
        let width = text_width(&"MPI_Allreduce ".repeat(length), 11.0);
        assert!(width > last);
        last = width;
    }
    assert!((text_width("MPI", 22.0) - 2.0 * text_width("MPI", 11.0)).abs() < 1e-3);
    // The advance widths of DejaVu Sans: 1303 of 2048 units for each digit.
    assert!((text_width("2048", 11.0) - 4.0 * 1303.0 / 2048.0 * 11.0).abs() < 1e-3);
}

#[test]
fn sizes_that_are_none_are_refused() {
    let mut scene = empty();
    for (width, height) in [(0, 100), (100, 0), (16_385, 10), (10, 16_385)] {
        scene.size = Size { width, height };
        let error = png(&scene, 1.0).unwrap_err();
        assert!(matches!(error, DrawError::Size { .. }), "{error}");
    }
    scene.size = Size { width: 9000, height: 10 };
    png(&scene, 1.0).unwrap();
    for scale in [2.0, 0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(png(&scene, scale), Err(DrawError::Size { .. })), "scale {scale}");
    }
}

#[test]
fn polygons_cover_those_before_them_and_stay_in_the_plot() {
    let square = |left: f32, top: f32, side: f32, colour: ColourId| PolygonMark {
        corners: vec![(left, top), (left + side, top), (left + side, top + side), (left, top + side)],
        colour,
    };
    let polygons = vec![
        square(50.0, 25.0, 20.0, BLUE_ID),
        square(60.0, 30.0, 20.0, RED_ID),
        square(65.0, 35.0, 20.0, RED_ID),
        square(100.0, 60.0, 60.0, BLUE_ID),
        square(52.0, 27.0, 4.0, GLASS_ID),
        // Nothing that could be drawn.
        PolygonMark { corners: vec![(f32::NAN, 0.0), (50.0, 30.0), (60.0, 40.0)], colour: RED_ID },
        PolygonMark { corners: vec![(50.0, 60.0), (60.0, 60.0)], colour: RED_ID },
    ];
    let scene = Scene { polygons, ..empty() };
    let picture = Picture::of(&scene, 1.0);
    assert_eq!([picture.at(51, 40), picture.at(62, 40), picture.at(70, 40), picture.at(83, 53)], [BLUE, RED, RED, RED]);
    assert_eq!([picture.at(110, 65), picture.at(110, 75), picture.at(145, 65)], [BLUE, WHITE, WHITE]);
    assert_eq!(picture.at(54, 29), [128, 0, 127, 255]);
    assert_eq!(picture.at(52, 62), WHITE);
    // Neighbours of one colour are one path.
    assert_eq!(svg(&scene).unwrap().matches("fill=\"#ff0000\" d=").count(), 1);
}

#[test]
fn a_picture_without_axes_has_no_frame() {
    let mut scene = empty();
    scene.ink.line = RED_ID;
    let bare = Picture::of(&scene, 1.0);
    assert_eq!(bare.at(39, 40), WHITE);
    scene.y_axis.title = "rank".to_owned();
    assert_eq!(Picture::of(&scene, 1.0).at(39, 40), RED);
}

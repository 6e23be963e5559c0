//! Figures on a page: measured in the files.

use std::sync::Arc;

use heddle_options::Given;
use heddle_view::{Emphasis, Framing, Theme, View, ViewRequest, Window};

use super::pdf::File;
use super::*;
use crate::{Figure, FigureOptions, Format};

/// A scene as views make them, with margins of a screen around the plot, a cell for each pixel and some of everything.
fn made(request: &ViewRequest) -> Scene {
    let Size { width, height } = request.size;
    let (across, down) = (width - 64 - 222, height - 34 - 68);
    let mut scene = empty();
    scene.size = request.size;
    scene.plot = Rect { x: 64.0, y: 34.0, width: across as f32, height: down as f32 };
    scene.legend_area = Rect { x: width as f32 - 206.0, y: 34.0, width: 190.0, height: down as f32 };
    scene.title = "A run".to_owned();
    let tick = |at: f32, label: &str| Tick { at, label: label.to_owned() };
    scene.x_axis.ticks = vec![tick(64.0, "0 ms"), tick(64.0 + across as f32, "250 ms")];
    scene.y_axis.ticks = vec![tick(34.0, "0"), tick(34.0 + down as f32, "16,383")];
    let entry = |name: &str| LegendEntry { colour: RED_ID, name: name.to_owned(), value: "12 %".to_owned() };
    scene.legend = ["compute", "MPI_Send", "MPI_Recv", "MPI_Waitall", "MPI_Allreduce"].map(entry).to_vec();
    scene.notes =
        vec!["Every row is several ranks and every column some microseconds, all of them in the average.".to_owned()];
    let cells = (across * down) as usize;
    let raster = Raster { columns: across, rows: down, colours: vec![BLUE_ID; cells], strength: vec![255; cells] };
    scene.layers = vec![Layer::Raster(raster)];
    scene
}

fn options(pairs: &[(&str, &str)]) -> FigureOptions {
    Given::by_hand(pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))).read().unwrap()
}

fn figure_as(pairs: &[(&str, &str)], format: Format) -> Figure {
    let request = ViewRequest {
        window: Window::default(),
        emphasis: Emphasis::default(),
        theme: Theme::Light,
        book: Arc::default(),
        framing: Framing::Figure,
        has_names: false,
        size: Size { width: 1600, height: 900 },
        options: Given::default(),
    };
    Figure::of(View::Timeline, &request, &options(pairs), format, 1.0, made).unwrap()
}

const COLUMN: [(&str, &str); 2] = [("width", "88mm"), ("height", "60mm")];

#[test]
fn a_page_is_as_large_as_asked_and_its_text_too() {
    for (size, expected) in [("8", "8"), ("7.5", "7.5"), ("10", "10")] {
        let pairs = [&COLUMN[..], &[("font-size", size)]].concat();
        let bytes = figure_as(&pairs, Format::Pdf).write(Format::Pdf).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let page = text.split("/MediaBox[").nth(1).unwrap().split(']').next().unwrap();
        let sides: Vec<f32> = page.split_whitespace().map(|side| side.parse().unwrap()).collect();
        assert!((sides[2] - 249.449).abs() < 0.01 && (sides[3] - 170.079).abs() < 0.01, "{sides:?}");
        // Embedded, and not the whole font.
        assert!(text.contains("+DejaVuSans") && text.contains("/FontFile2") && bytes.len() < 60_000, "{}", bytes.len());
        let content = File::parse(&bytes).content();
        let fonts: Vec<&str> = content.lines().filter(|line| line.ends_with(" Tf")).collect();
        assert!(fonts.len() > 5);
        assert!(fonts.iter().all(|line| line.split_whitespace().nth(1) == Some(expected)), "{fonts:?}");
        // What the page is scaled by, text is scaled back by.
        let number = |line: Option<&str>| line.and_then(|line| line.split_whitespace().next()?.parse::<f32>().ok());
        let by = number(content.lines().find(|line| line.ends_with(" cm"))).unwrap();
        let back = number(content.lines().find(|line| line.ends_with(" Tm"))).unwrap();
        assert!((by * back - 1.0).abs() < 1e-4, "{by} and {back}");
    }
}

#[test]
fn an_svg_has_its_size_in_millimetres_and_its_letters_with_it() {
    let drawn = String::from_utf8(figure_as(&COLUMN, Format::Svg).write(Format::Svg).unwrap()).unwrap();
    assert!(drawn.contains("width=\"88mm\" height=\"60mm\" viewBox=\"0 0 342.992 233.858\""), "{}", &drawn[..300]);
    assert_eq!(drawn.matches("@font-face").count(), 2);
    assert!(drawn.contains("src:url(data:font/ttf;base64,") && drawn.contains(">MPI_Allreduce</text>"));
    assert!(drawn.matches("font-size=").count() == drawn.matches("font-size=\"11\"").count());
}

#[test]
fn a_png_says_how_many_pixels_are_an_inch() {
    for (dpi, per_metre) in [(300u32, 11_811u32), (600, 23_622)] {
        let text = dpi.to_string();
        let pairs = [&COLUMN[..], &[("dpi", text.as_str())]].concat();
        let bytes = figure_as(&pairs, Format::Png).write(Format::Png).unwrap();
        let at = bytes.windows(4).position(|name| name == b"pHYs").unwrap();
        assert_eq!(bytes[at + 4..at + 8], per_metre.to_be_bytes());
        assert_eq!(bytes[at + 12], 1, "in metres");
        let reader = ::png::Decoder::new(Cursor::new(&bytes)).read_info().unwrap();
        let expected = |mm: f32| (mm / 25.4 * dpi as f32).round() as u32;
        assert_eq!((reader.info().width, reader.info().height), (expected(88.0), expected(60.0)));
    }
}

#[test]
fn what_is_left_out_gives_its_room_to_the_plot() {
    for size in [&COLUMN[..], &[]] {
        let plot = |more: &[(&str, &str)]| figure_as(&[size, more].concat(), Format::Pdf).scene().plot;
        let area = |plot: Rect| plot.width * plot.height;
        let (all, bare) = (plot(&[]), plot(&[("title", "0"), ("legend", "0"), ("notes", "0")]));
        for name in ["title", "legend", "notes"] {
            let without = plot(&[(name, "0")]);
            assert!(area(without) > area(all) * 1.01, "{name}: {all:?}, {without:?}");
            assert!(area(bare) > area(without), "{name}: {without:?}, {bare:?}");
        }
    }
}

#[test]
fn rasters_of_printed_figures_have_three_cells_a_pixel() {
    let cells = |format: Format, pairs: &[(&str, &str)]| {
        let figure = figure_as(pairs, format);
        let scene = figure.scene();
        let Layer::Raster(raster) = &scene.layers[0] else { panic!("a raster") };
        (raster.columns as f32 / scene.plot.width, raster.rows as f32 / scene.plot.height)
    };
    assert_eq!(cells(Format::Pdf, &COLUMN), (3.0, 3.0));
    assert_eq!(cells(Format::Svg, &[]), (3.0, 3.0));
    assert_eq!(cells(Format::Png, &[]), (1.0, 1.0));
}

#[test]
fn sizes_without_room_for_text_are_refused_in_words() {
    let request = |pairs: &[(&str, &str)]| {
        let made_of = |_: &ViewRequest| empty();
        let request = ViewRequest {
            window: Window::default(),
            emphasis: Emphasis::default(),
            theme: Theme::Light,
            book: Arc::default(),
            framing: Framing::Figure,
            has_names: false,
            size: Size { width: 800, height: 400 },
            options: Given::default(),
        };
        let figure = Figure::of(View::Timeline, &request, &options(pairs), Format::Pdf, 1.0, made_of);
        figure.map(drop).map_err(|error| error.to_string())
    };
    assert!(request(&[("width", "25mm"), ("font-size", "12")]).is_err_and(|why| why.contains("at least 62mm")));
    assert!(request(&[("height", "50mm")]).is_err_and(|why| why.contains("width")));
}

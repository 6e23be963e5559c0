//! A picture with everything in it, to look at: set `HEDDLE_DRAW_SAMPLE` and run the tests to find it in the temporary
//! folder.

use super::*;

const NAMES: [&str; 7] =
    ["computing", "MPI_Recv", "MPI_Reduce", "MPI_Bcast", "MPI_Allreduce", "hypre_BoomerAMGSolve_setup", "MPI_Barrier"];

fn ticks(labels: &[&str], from: f32, to: f32) -> Vec<Tick> {
    let step = (to - from) / (labels.len() - 1) as f32;
    (0..)
        .zip(labels)
        .map(|(index, label)| Tick { at: from + index as f32 * step, label: (*label).to_owned() })
        .collect()
}

/// A scene with every kind of layer, in the colours of the page.
pub(super) fn scene() -> Scene {
    let hex = [
        0xff_ff_ff, 0x1c_23_30, 0x56_60_72, 0x8b_94_a3, 0xdf_e2_e7, 0xec_ee_f1, 0xe9_ec_f0, 0x00_72_b2, 0xd5_5e_00,
        0x00_9e_73, 0xcc_79_a7, 0xe6_9f_00, 0x80_6b_c8, 0xc2_41_0c,
    ];
    let legend = (6..).zip(NAMES).map(|(colour, name)| LegendEntry {
        colour: ColourId(colour),
        name: name.to_owned(),
        value: format!("{:.1} %", 47.2 / f32::from(colour - 5)),
    });
    Scene {
        size: Size { width: 960, height: 480 },
        background: ColourId(0),
        palette: hex.map(Rgba::hex).to_vec(),
        title: "scalapack-16k.otf2 · Calls, 46–80 s".to_owned(),
        plot: Rect { x: 72.0, y: 36.0, width: 700.0, height: 380.0 },
        x_axis: Axis {
            title: "time".to_owned(),
            ticks: ticks(&["46 s", "50 s", "54 s", "58 s", "62 s", "66 s", "70 s", "74 s"], 72.0, 772.0),
            extent: Extent::Time(Ns(46_000_000_000), Ns(74_000_000_000)),
        },
        y_axis: Axis {
            title: "duration".to_owned(),
            ticks: ticks(&["10 s", "1 s", "100 ms", "10 ms", "1 ms", "100 µs", "10 µs"], 50.0, 410.0),
            extent: Extent::Values,
        },
        polygons: Vec::new(),
        layers: vec![raster(), bands(), rects(), segments()],
        beside: Vec::new(),
        labels: vec![
            Label {
                at: (676.0, 196.0),
                text: "p99".to_owned(),
                size: 11.0,
                colour: ColourId(2),
                anchor: Anchor::Middle,
            },
            Label { at: (300.0, 50.0), text: "LU".to_owned(), size: 11.0, colour: ColourId(2), anchor: Anchor::Start },
        ],
        legend: legend.collect(),
        colour_bar: None,
        legend_area: Rect { x: 792.0, y: 36.0, width: 156.0, height: 108.0 },
        notes: vec![
            "57,496,878 calls in the window, up to 6,152 in a pixel; opacity is their logarithm.".to_owned(),
            "Calls shorter than a pixel are drawn one pixel wide. ".repeat(5),
        ],
        ink: Ink { strong: ColourId(1), text: ColourId(2), faint: ColourId(3), line: ColourId(4), grid: ColourId(5) },
    }
}

fn raster() -> Layer {
    let (columns, rows) = (350u32, 190u32);
    let mut random = 1u32;
    let cells = (0..columns * rows).map(|index| {
        let (column, row) = (index % columns, index / columns);
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let cloud = [(70, ColourId(7)), (100, ColourId(8)), (175, ColourId(11))];
        let wave = ((column as f32 / 9.0).sin() * 4.0) as i32;
        let hit = cloud.iter().find(|(middle, _)| (row as i32 - middle - wave).abs() < 9 && column % 60 > 6);
        hit.map_or((ColourId(0), 0), |&(_, colour)| (colour, (random >> 24) as u8))
    });
    let (colours, strength) = cells.unzip();
    Layer::Raster(Raster { columns, rows, colours, strength })
}

fn bands() -> Layer {
    let edge = |height: f32, wave: f32| -> Vec<f32> {
        (0..=700).map(|column| height + (column as f32 / wave).sin() * 8.0).collect()
    };
    let edges = [edge(272.0, 30.0), edge(288.0, 23.0), edge(306.0, 41.0), vec![330.0; 701]];
    let bands = (9..).zip(edges.windows(2)).map(|(colour, pair)| Band {
        upper: pair[0].clone(),
        lower: pair[1].clone(),
        colour: ColourId(colour),
    });
    Layer::Bands(bands.collect())
}

fn rects() -> Layer {
    let mark = |index: u16| {
        let (row, column) = (f32::from(index % 3), f32::from(index / 3));
        let width = if index.is_multiple_of(5) { 0.02 } else { 11.0 };
        rect(80.0 + column * 13.7, 70.0 + row * 14.0, width, 12.0, ColourId(6 + index % 7))
    };
    Layer::Rects((0..150).map(mark).collect())
}

fn segments() -> Layer {
    let line = |from, to, width, colour| SegmentMark { from, to, width, colour: ColourId(colour) };
    let mut lines = vec![line((72.0, 200.0), (772.0, 200.0), 1.0, 13), line((296.0, 36.0), (296.0, 416.0), 1.0, 3)];
    let arch = |step: f32| (520.0 - (step / 10.0).cos() * 90.0, 200.0 - (step / 10.0).sin() * 70.0);
    lines.extend((0..31).map(|step| line(arch(step as f32), arch(step as f32 + 1.0), 1.5, 1)));
    lines.extend(
        (0..20).map(|step| line((100.0 + step as f32 * 8.0, 112.0), (130.0 + step as f32 * 9.0, 150.0), 1.0, 3)),
    );
    Layer::Segments(lines)
}

#[test]
fn a_sample_to_look_at() {
    if std::env::var_os("HEDDLE_DRAW_SAMPLE").is_some() {
        let folder = std::env::temp_dir();
        std::fs::write(folder.join("draw-sample.png"), png(&scene(), 1.0).unwrap()).unwrap();
        std::fs::write(folder.join("draw-sample-2x.png"), png(&scene(), 2.0).unwrap()).unwrap();
        std::fs::write(folder.join("draw-sample.svg"), svg(&scene()).unwrap()).unwrap();
        std::fs::write(folder.join("draw-sample.pdf"), crate::pdf(&scene()).unwrap()).unwrap();
    }
}

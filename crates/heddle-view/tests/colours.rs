//! Colours as numbers: whether functions that are found together can be told apart, by usual eyes and by those without red,
//! green or blue cones, and whether lines are seen on them.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::path::Path;

use heddle_model::{Paradigm, RegionId};
use heddle_simulate::{
    HaloOptions, Machine, MergeTree, MergeTreeOptions, Multigrid, MultigridOptions, Program, Scalapack,
    ScalapackOptions, Train, TrainOptions, halo, simulate,
};
use heddle_store::{ImportOptions, NoProgress, Store, StorePlace, open_or_import, store_simulation};
use heddle_view::{ColourBook, Colours, Rgba, Theme, regions_by_time};

/// How eyes mix red, green and blue light: usual ones, then without one kind of cone (Machado, Oliveira, Fernandes 2009).
const EYES: [(&str, [[f64; 3]; 3]); 4] = [
    ("usual", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [[0.152_286, 1.052_583, -0.204_868], [0.114_503, 0.786_281, 0.099_216], [-0.003_882, -0.048_116, 1.051_998]],
    ),
    (
        "deuteranopia",
        [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]],
    ),
    (
        "tritanopia",
        [[1.255_528, -0.076_749, -0.178_779], [-0.078_411, 0.930_809, 0.147_602], [0.004_733, 0.691_367, 0.303_900]],
    ),
];

fn light(Rgba(red, green, blue, _): Rgba) -> [f64; 3] {
    [red, green, blue].map(|value| {
        let value = f64::from(value) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    })
}

fn times(matrix: &[[f64; 3]; 3], by: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(by).map(|(a, b)| a * b).sum())
}

/// Ottosson's perceptual space.
fn oklab(light: [f64; 3]) -> [f64; 3] {
    const TO_CONES: [[f64; 3]; 3] = [
        [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
        [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
        [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
    ];
    const TO_LAB: [[f64; 3]; 3] = [
        [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
        [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
        [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
    ];
    times(&TO_LAB, times(&TO_CONES, light).map(f64::cbrt))
}

/// The least distance of two colours to any eye, and to which.
fn distance(a: Rgba, b: Rgba) -> (f64, &'static str) {
    EYES.iter()
        .map(|(name, eye)| {
            let seen = |colour: Rgba| oklab(times(eye, light(colour)).map(|value| value.clamp(0.0, 1.0)));
            (seen(a).iter().zip(seen(b)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt(), *name)
        })
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .unwrap()
}

/// The contrast of two colours by the rule of WCAG, 1 to 21.
fn contrast(a: Rgba, b: Rgba) -> f64 {
    let luminance = |colour: Rgba| light(colour).iter().zip([0.2126, 0.7152, 0.0722]).map(|(a, b)| a * b).sum::<f64>();
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    a.max(b) / a.min(b)
}

fn over(Rgba(red, green, blue, alpha): Rgba, beneath: Rgba) -> Rgba {
    let mix = |above: u8, below: u8| {
        let share = f64::from(alpha) / 255.0;
        (f64::from(above) * share + f64::from(below) * (1.0 - share)).round() as u8
    };
    Rgba(mix(red, beneath.0), mix(green, beneath.1), mix(blue, beneath.2), 255)
}

/// The demos' programs, smaller, and the sample traces where they are.
fn traces() -> Vec<(tempfile::TempDir, Store)> {
    let mut made = Vec::new();
    let mut add = |name: &str, source: &dyn heddle_model::Source| {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(format!("{name}.heddle"));
        made.push((store_simulation(source, name, &path, 1 << 28, &NoProgress).unwrap(), directory));
    };
    let machine = Machine::default();
    add("halo", &halo(&HaloOptions { ranks: 16, iterations: 5, ..HaloOptions::default() }, &machine).unwrap());
    let programs: [(&str, Box<dyn Program>); 4] = [
        ("train", Box::new(Train::new(&TrainOptions { ranks: 8, ..TrainOptions::default() }).unwrap())),
        (
            "merge-tree",
            Box::new(MergeTree::new(&MergeTreeOptions { ranks: 16, ..MergeTreeOptions::default() }).unwrap()),
        ),
        (
            "multigrid",
            Box::new(Multigrid::new(&MultigridOptions { ranks: 16, ..MultigridOptions::default() }).unwrap()),
        ),
        (
            "scalapack",
            Box::new(Scalapack::new(&ScalapackOptions { ranks: 16, ..ScalapackOptions::default() }).unwrap()),
        ),
    ];
    for (name, program) in programs {
        add(name, &simulate(program, &machine).unwrap());
    }
    let samples = [
        "clog2/eig_r64.clog2",
        "clog2/features_r4.clog2",
        "kineto/nccl-2ranks-rank0.json.gz",
        "kineto/rccl-8ranks-rank0-mi300-resnet.json.gz",
        "kineto/h100-bert-memory-instants.json.gz",
        "otf2/eztrace-mergetree-32",
        "otf2/eztrace-halo2d-16",
        "otf2/scorep-mi300-metrics-32",
        "paraver/lulesh-8ranks-2iterations.prv",
        "simgrid/grid3d-torus444.trace.gz",
    ];
    let mut stores: Vec<(tempfile::TempDir, Store)> = made.into_iter().map(|(store, folder)| (folder, store)).collect();
    let Some(root) = std::env::var_os("HEDDLE_TRACES") else {
        println!("HEDDLE_TRACES is not set; only simulated traces were looked at");
        return stores;
    };
    for sample in samples {
        let directory = tempfile::tempdir().unwrap();
        let place = StorePlace::Under(directory.path().to_owned());
        let options = ImportOptions { place, memory: 1 << 28, force: false };
        let path = Path::new(&root).join(sample);
        let path = std::fs::read_dir(&path)
            .ok()
            .and_then(|mut files| {
                files.find_map(|file| {
                    Some(file.ok()?.path()).filter(|path| path.extension().is_some_and(|end| end == "otf2"))
                })
            })
            .unwrap_or(path);
        stores.push((directory, open_or_import(&path, &options, &NoProgress).unwrap().store));
    }
    stores
}

/// Functions that take most time: colours of more cannot all be kept in mind.
const MOST: usize = 10;
/// The least distance of two of them, and of two functions of MPI; before there were fixed colours for these, `MPI_Irecv`
/// and `MPI_Waitall` had one of 0.026.
const LEAST: f64 = 0.034;
const LEAST_MPI: f64 = 0.05;

#[test]
fn functions_that_are_found_together_can_be_told_apart_by_all_eyes() {
    for (_directory, store) in traces() {
        for theme in [Theme::Light, Theme::Dark] {
            let colours = Colours::of(&store, &ColourBook::default(), theme);
            let regions: Vec<RegionId> = regions_by_time(&store)
                .into_iter()
                .map(|region| RegionId(region as u32))
                // Waiting for work is one thing whatever it is called; what the recorder chose is its business.
                .filter(|region| store.regions.paradigm_of(*region) != Paradigm::Idle)
                .filter(|region| store.regions.colour.get(u64::from(region.0)) == u32::MAX)
                .filter(|region| store.regions.exclusive.get(u64::from(region.0)) > 0)
                .take(MOST)
                .collect();
            let name = |region: RegionId| store.regions.name.get(u64::from(region.0));
            for (at, a) in regions.iter().enumerate() {
                for b in &regions[at + 1..] {
                    let (distance, eye) = distance(colours.rgba(*a), colours.rgba(*b));
                    let are_mpi = [*a, *b].iter().all(|region| name(*region).starts_with("MPI_"));
                    assert!(
                        distance >= if are_mpi { LEAST_MPI } else { LEAST },
                        "{}: {} and {}: {distance:.3} ({eye}, {theme:?})",
                        store.name(),
                        name(*a),
                        name(*b)
                    );
                }
            }
        }
    }
}

#[test]
fn functions_have_the_same_colour_in_traces_of_one_program_whatever_takes_more_time() {
    let colours = |options: MergeTreeOptions| {
        let directory = tempfile::tempdir().unwrap();
        let source = simulate(MergeTree::new(&options).unwrap(), &Machine::default()).unwrap();
        let store =
            store_simulation(&source, "tree", &directory.path().join("x.heddle"), 1 << 28, &NoProgress).unwrap();
        let of = Colours::of(&store, &ColourBook::default(), Theme::Light);
        let used = (0..store.regions.len()).filter(|region| store.regions.count.get(*region) > 0);
        used.map(|region| (store.regions.name.get(region).to_owned(), of.rgba(RegionId(region as u32))))
            .collect::<std::collections::BTreeMap<String, Rgba>>()
    };
    let few = colours(MergeTreeOptions { ranks: 16, ..MergeTreeOptions::default() });
    let many = colours(MergeTreeOptions { ranks: 256, ..MergeTreeOptions::default() });
    assert!(few.len() > 3, "{few:?}");
    assert_eq!(few, many);
}

#[test]
fn lines_of_messages_are_seen_on_every_function() {
    for (_directory, store) in traces() {
        for theme in [Theme::Light, Theme::Dark] {
            let colours = Colours::of(&store, &ColourBook::default(), theme);
            let palette = colours.palette();
            let line = palette[usize::from(colours.message().0)];
            let rim = palette[usize::from(colours.message_rim().0)];
            for region in 0..store.regions.len() as u32 {
                let beneath = colours.rgba(RegionId(region));
                let seen = contrast(over(line, over(rim, beneath)), over(rim, beneath));
                assert!(seen >= 3.0, "{seen:.1} on {beneath:?} ({theme:?})");
            }
        }
    }
}

#[test]
fn what_communicates_stands_out_of_the_dark_panel() {
    for (_directory, store) in traces() {
        let colours = Colours::of(&store, &ColourBook::default(), Theme::Dark);
        let panel = colours.palette()[usize::from(colours.background().0)];
        for region in (0..store.regions.len() as u32).map(RegionId).filter(|id| store.regions.communicates(*id)) {
            let seen = contrast(colours.rgba(region), panel);
            let name = store.regions.name.get(u64::from(region.0));
            assert!(seen >= 2.3, "{}: {name} has {seen:.1}:1", store.name());
        }
    }
}

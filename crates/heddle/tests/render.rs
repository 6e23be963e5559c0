//! `heddle render`: figures without a screen.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::path::Path;
use std::process::{Command, Output};

fn heddle(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heddle"))
        .current_dir(directory)
        .env("HEDDLE_STORE", directory.join("stores"))
        .args(arguments)
        .output()
        .unwrap()
}

fn simulated() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let made = heddle(directory.path(), &["simulate", "halo", "--ranks", "12", "--iterations", "6", "-o", "x.otf2"]);
    assert!(made.status.success());
    directory
}

#[test]
fn the_same_command_gives_the_same_bytes() {
    let directory = simulated();
    let beginnings = [("png", "\u{89}PNG"), ("svg", "<svg"), ("pdf", "%PDF-1.")];
    for (view, (ending, beginning)) in
        ["activity", "calls", "timeline"].iter().flat_map(|view| beginnings.map(|kind| (*view, kind)))
    {
        let draw = |name: &str| {
            let figure = format!("{name}.{ending}");
            let drawn = heddle(directory.path(), &["render", view, "x.otf2", "-o", &figure, "--size", "800x400"]);
            assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
            assert!(drawn.stdout.is_empty());
            std::fs::read(directory.path().join(figure)).unwrap()
        };
        let (first, second) = (draw("a"), draw("b"));
        assert!(first == second, "{view}.{ending}");
        assert!(first.iter().map(|&byte| char::from(byte)).take(beginning.chars().count()).eq(beginning.chars()));
    }
}

#[test]
fn windows_and_ranks_change_the_picture() {
    let directory = simulated();
    let draw = |name: &str, more: &[&str]| {
        let arguments = [&["render", "timeline", "x.otf2", "-o", name], more].concat();
        let drawn = heddle(directory.path(), &arguments);
        assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
        std::fs::read_to_string(directory.path().join(name)).unwrap()
    };
    let whole = draw("whole.svg", &[]);
    let window = draw("window.svg", &["--time", "1ms:2ms"]);
    let some = draw("some.svg", &["--ranks", "3-5"]);
    assert!(whole.contains("12 locations") && some.contains("3 locations"));
    assert!(window.contains("1.1 ms") && !whole.contains("1.1 ms"));
    assert_ne!(draw("dark.svg", &["--theme", "dark"]), whole);
}

#[test]
fn calls_are_drawn_as_asked() {
    let directory = simulated();
    let draw = |more: &[&str]| {
        let drawn = heddle(directory.path(), &[&["render", "calls", "x.otf2", "-o", "calls.svg"], more].concat());
        assert!(drawn.status.success(), "{more:?}: {}", String::from_utf8_lossy(&drawn.stderr));
        std::fs::read_to_string(directory.path().join("calls.svg")).unwrap()
    };
    let whole = draw(&[]);
    assert!(whole.contains("each a point at its end") && whole.contains(">100 µs<"), "{whole}");
    let options: [&[&str]; 12] = [
        &["--style", "points-start"],
        &["--style", "lines"],
        &["--style", "arches"],
        &["--y", "bytes"],
        &["--y", "rank"],
        &["--scale", "linear"],
        &["--opacity", "linear"],
        &["--opacity", "alpha"],
        &["--omin", "0.9"],
        &["--durations", "20us:"],
        &["--highlight", "MPI_Waitall"],
        &["--hide", "MPI_Waitall"],
    ];
    let mut pictures: Vec<String> = options.iter().map(|more| draw(more)).collect();
    pictures.push(whole);
    for (at, picture) in pictures.iter().enumerate() {
        assert!(!pictures[..at].contains(picture), "option {at} changes nothing");
    }
    assert_eq!(draw(&["--communicator", "0"]), draw(&["--communicator", "0", "--scale", "log"]));
}

/// As many paths of calls as there are calls, and no picture of them.
#[test]
fn calls_of_a_printed_figure_are_shapes() {
    let directory = simulated();
    let draw = |more: &[&str]| {
        let begin = ["render", "calls", "x.otf2", "-o", "calls.svg", "--width", "88mm"];
        let drawn = heddle(directory.path(), &[&begin[..], more].concat());
        assert!(drawn.status.success(), "{more:?}: {}", String::from_utf8_lossy(&drawn.stderr));
        std::fs::read_to_string(directory.path().join("calls.svg")).unwrap()
    };
    let shapes = |svg: &str| svg.matches("<path").count();
    for style in ["lines", "arches", "points-start", "points-end"] {
        let (all, few) = (draw(&["--style", style]), draw(&["--style", style, "--ranks", "0-2"]));
        assert!(!all.contains("<image"), "{style}");
        assert!(all.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"88mm\""), "{style}");
        assert!(shapes(&few) > 50 && shapes(&all) > 2 * shapes(&few), "{style}: {} of {}", shapes(&few), shapes(&all));
    }
    assert!(draw(&["--opacity", "linear"]).contains("<image"));
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let directory = simulated();
    for (arguments, word) in [
        (&["x.otf2", "-o", "a.gif"][..], ".png, .svg or .pdf"),
        (&["x.otf2", "-o", "a.png", "--ranks", "100-"], "12 ranks"),
        (&["x.otf2", "-o", "a.png", "--ranks", "5-3"], "0-15,100,200-"),
        (&["x.otf2", "-o", "a.png", "--time", "100s:200s"], "the run lasts"),
        (&["x.otf2", "-o", "a.png", "--time", "5"], "FROM:TO"),
        (&["x.otf2", "-o", "a.png", "--size", "5x5"], "1600x900"),
        (&["x.otf2", "-o", "a.pdf", "--width", "88"], "88mm"),
        (&["x.otf2", "-o", "a.pdf", "--width", "3ft"], "mm, cm, in, pt or px"),
        (&["x.otf2", "-o", "a.pdf", "--width", "30mm", "--font-size", "20"], "at least 103mm"),
        (&["x.otf2", "-o", "a.pdf", "--width", "88mm", "--font-size", "99"], "4 to 24"),
        (&["x.otf2", "-o", "a.pdf", "--width", "88mm", "--size", "800x400"], "cannot be used with"),
        (&["x.otf2", "-o", "a.png", "--width", "88mm", "--resolution", "2"], "cannot be used with"),
        (&["x.otf2", "-o", "a.pdf", "--height", "88mm"], "--width"),
        (&["x.otf2", "-o", "a.pdf", "--font-size", "8"], "--width"),
        (&["x.otf2", "-o", "a.pdf", "--width", "88mm", "--dpi", "300"], "only a PNG has pixels"),
    ] {
        let refused = heddle(directory.path(), &[&["render", "timeline"], arguments].concat());
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(word), "{arguments:?}: {said}");
    }
    for (arguments, word) in [
        (&["render", "timeline", "x.otf2", "-o", "a.png", "--style", "lines"][..], "unexpected argument '--style'"),
        (&["render", "activity", "x.otf2", "-o", "a.png", "--scale", "log"], "unexpected argument '--scale'"),
        (&["render", "calls", "x.otf2", "-o", "a.png", "--style", "dots"], "points-end, points-start, lines, arches"),
        (&["render", "calls", "x.otf2", "-o", "a.png", "--y", "size"], "duration, bytes, rank"),
        (&["render", "calls", "x.otf2", "-o", "a.png", "--scale", "5"], "log, linear"),
        (&["render", "calls", "x.otf2", "-o", "a.png", "--opacity", "dark"], "log, linear, alpha"),
        (&["render", "calls", "x.otf2", "-o", "a.png", "--omin", "2"], "from 0 to 1"),
        (&["render", "calls", "x.otf2", "-o", "a.png", "--durations", "5"], "FROM:TO"),
        (&["render", "calls", "x.otf2", "-o", "a.png", "--communicator", "9"], "heddle info"),
        (&["render", "calls", "x.otf2", "-o", "a.png", "--resolution", "5"], "1..=4"),
        (&["render", "calls", "x.otf2", "-o", "a.png", "--y", "counter:x"], "it has none"),
        (&["render", "sundial", "x.otf2", "-o", "a.png"], "sundial"),
        (&["render", "activity", "x.otf2", "-o", "a.png", "--select", "it"], "phase:N, ranks:SPEC"),
        (&["render", "activity", "x.otf2", "-o", "a.png", "--select", "latest"], "no logical time"),
        (&["render", "calls", "x.otf2", "-o", "a.png", "--highlight", "MPI_Nothing"], "no function `MPI_Nothing`"),
    ] {
        let refused = heddle(directory.path(), arguments);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(word), "{arguments:?}: {said}");
    }
    let missing = heddle(directory.path(), &["render", "activity", "gone.otf2", "-o", "a.png"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(!directory.path().join("a.png").exists());
}

#[test]
fn a_figure_replaces_what_is_there_and_goes_where_it_is_sent() {
    use std::os::unix::fs::PermissionsExt;
    let directory = simulated();
    let path = |name: &str| directory.path().join(name);
    let draw = |name: &str| {
        let drawn = heddle(directory.path(), &["render", "activity", "x.otf2", "-o", name, "--size", "400x300"]);
        assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
    };
    draw("plain.png");
    let expected = std::fs::read(path("plain.png")).unwrap();
    // A link stays one, and a private file private.
    std::fs::write(path("private.png"), "old").unwrap();
    std::fs::set_permissions(path("private.png"), PermissionsExt::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink("private.png", path("link.png")).unwrap();
    draw("link.png");
    assert!(path("link.png").is_symlink());
    assert_eq!(std::fs::read(path("private.png")).unwrap(), expected);
    assert_eq!(std::fs::metadata(path("private.png")).unwrap().permissions().mode() & 0o777, 0o600);
    // A pipe is written into.
    assert!(Command::new("mkfifo").arg(path("pipe.png")).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = path("pipe.png");
        move || std::fs::read(pipe).unwrap()
    });
    draw("pipe.png");
    assert_eq!(reader.join().unwrap(), expected);
    // A folder is not a figure, and standard output has no ending that says which kind.
    std::fs::create_dir(path("folder.png")).unwrap();
    for (name, words) in [("folder.png", "directory"), ("-", "must end in .png"), ("/dev/stdout", "must end in .png")] {
        let refused = heddle(directory.path(), &["render", "activity", "x.otf2", "-o", name]);
        assert!(String::from_utf8_lossy(&refused.stderr).contains(words), "{refused:?}");
    }
    let table = heddle(directory.path(), &["export", "x.otf2", "--table", "messages", "-o", "-"]);
    assert!(
        table.status.success() && table.stdout.starts_with(b"send_rank,"),
        "{}",
        String::from_utf8_lossy(&table.stderr)
    );
    let same = heddle(directory.path(), &["export", "x.otf2", "--table", "messages", "-o", "/dev/stdout"]);
    assert_eq!(same.stdout, table.stdout);
}

#[test]
fn frames_are_numbered_files_or_one_picture_that_moves() {
    let directory = simulated();
    let machine = ["--topology", "3x2x2", "--size", "400x300"];
    let draw = |view: &str, more: &[&str]| {
        heddle(directory.path(), &[&["render", view, "x.otf2"], &machine[..], more].concat())
    };
    let bytes = |name: &str| std::fs::read(directory.path().join(name)).unwrap();
    for view in ["torus", "torus3d"] {
        let drawn = draw(view, &["--frames", "7", "-o", view]);
        assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
        assert_eq!(std::fs::read_dir(directory.path().join(view)).unwrap().count(), 7);
        let frames: Vec<Vec<u8>> = (1..=7).map(|at| bytes(&format!("{view}/frame-{at:04}.png"))).collect();
        assert!(frames.windows(2).any(|pair| pair[0] != pair[1]), "nothing moves in {view}");
    }
    let drawn = draw("torus", &["--frames", "7", "--fps", "12", "-o", "moves.png"]);
    assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
    let one = bytes("moves.png");
    let chunk = one.windows(4).position(|name| name == b"acTL").expect("an animation");
    assert_eq!(one[chunk + 4..chunk + 12], [0, 0, 0, 7, 0, 0, 0, 0], "seven frames, again and again");
    assert_eq!(one.windows(4).filter(|name| name == b"fcTL").count(), 7);

    let refused = |view: &str, more: &[&str], words: &str| {
        let drawn = draw(view, more);
        let said = String::from_utf8_lossy(&drawn.stderr).into_owned();
        assert!(!drawn.status.success() && said.contains(words), "{said}");
    };
    refused("torus", &["--frames", "3", "-o", "moves.svg"], "name a directory");
    refused("torus", &["--frames", "3", "-o", "x.otf2"], "name a directory");
    refused("minimaps", &["--frames", "3", "-o", "out"], "nothing moves in `heddle render minimaps`");
    refused("torus", &["--frames", "1", "-o", "out"], "--frames");
}

#[test]
fn a_moment_shows_messages_on_their_way_and_what_links_do_then() {
    let directory = simulated();
    let draw = |name: &str, more: &[&str]| {
        let arguments =
            [&["render", "torus", "x.otf2", "--topology", "3x2x2", "--motion", "dots", "-o", name], more].concat();
        let drawn = heddle(directory.path(), &arguments);
        assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
        std::fs::read_to_string(directory.path().join(name)).unwrap()
    };
    let (now, sum) = (draw("now.svg", &[]), draw("sum.svg", &["--activity", "sum"]));
    assert!(now.contains("in flight.") && now.contains(" per ") && sum.contains("so far"));
    // At the end of the window, the sum is what the picture of the window shows: its scale ends alike.
    let sizes = draw("size.svg", &["--colour-messages", "size"]);
    assert!(now.contains("wait of a message") && sizes.contains("size of a message"));
}

//! A PDF is taken apart again: every object must be where the file says, and the page must say what the scene says.

use std::collections::BTreeMap;

use ab_glyph::{Font, FontRef, GlyphId};
use miniz_oxide::inflate::decompress_to_vec_zlib;

use super::*;
use crate::pdf;

/// A file, checked and taken apart.
pub(super) struct File {
    /// By number, without the `obj` around them.
    objects: BTreeMap<usize, Vec<u8>>,
}

/// One character for each byte, whatever it is. Offsets of the file are not places in this text.
fn text_of(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// The number that begins a text.
fn number(text: &str) -> usize {
    text.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

/// What stands behind the last `key`.
fn behind<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.rfind(key).map(|at| text[at + key.len()..].trim_start())
}

impl File {
    pub(super) fn of(scene: &Scene) -> File {
        File::parse(&pdf(scene).unwrap())
    }

    pub(super) fn parse(bytes: &[u8]) -> File {
        let text = text_of(bytes);
        assert!(bytes.starts_with(b"%PDF-1.") && text.trim_end().ends_with("%%EOF"));
        let table = number(behind(&text, "startxref").unwrap());
        let tail = text_of(&bytes[table..]);
        let count = number(tail.strip_prefix("xref\n0 ").unwrap());
        assert_eq!(number(behind(&tail, "/Size ").unwrap()), count);
        let first = tail.find(&format!("{count}\n")).unwrap() + count.to_string().len() + 1;
        let entries: Vec<&str> = (0..count).map(|index| &tail[first + index * 20..][..20]).collect();
        assert!(entries[0].starts_with("0000000000 65535 f"), "{}", entries[0]);
        let mut objects = BTreeMap::new();
        for (index, entry) in entries.iter().enumerate().skip(1) {
            assert_eq!(&entry[10..18], " 00000 n", "object {index}");
            let object = &bytes[entry[..10].parse::<usize>().unwrap()..];
            let object = object.strip_prefix(format!("{index} 0 obj\n").as_bytes()).unwrap();
            objects.insert(index, object[..object_length(object)].to_vec());
        }
        let file = File { objects };
        for text in file.objects.keys().map(|&index| file.dictionary(index)).chain([tail]) {
            for before in text.split(" 0 R").take(text.matches(" 0 R").count()) {
                let target = before.rsplit(|character: char| !character.is_ascii_digit()).next().unwrap();
                assert!(file.objects.contains_key(&number(target)), "{target} in {text}");
            }
        }
        file
    }

    /// An object without the bytes of its stream.
    fn dictionary(&self, index: usize) -> String {
        let text = text_of(&self.objects[&index]);
        text.split(">>\nstream\n").next().unwrap().to_owned()
    }

    fn stream(&self, index: usize) -> Vec<u8> {
        let object = &self.objects[&index];
        let start = object.windows(10).position(|window| window == b">>\nstream\n").unwrap() + 10;
        assert!(self.dictionary(index).contains("/Filter/FlateDecode"));
        decompress_to_vec_zlib(&object[start..object.len() - b"\nendstream".len()]).unwrap()
    }

    fn page(&self) -> String {
        let mut pages =
            self.objects.keys().map(|&index| self.dictionary(index)).filter(|text| text.contains("/Type/Page/"));
        pages.next().unwrap()
    }

    pub(super) fn content(&self) -> String {
        text_of(&self.stream(number(behind(&self.page(), "/Contents ").unwrap())))
    }

    /// Characters of a font of the page, by their codes.
    fn characters(&self, font: &str) -> BTreeMap<u16, String> {
        let font = self.dictionary(number(behind(&self.page(), &format!("/{font} ")).unwrap()));
        let map = text_of(&self.stream(number(behind(&font, "/ToUnicode ").unwrap())));
        let map = map.split_once("endcodespacerange").unwrap().1;
        let pairs = map.lines().filter_map(|line| line.strip_prefix('<')?.strip_suffix('>')?.split_once("> <"));
        let unit = |digits: &[u8]| u16::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap();
        let pairs = pairs.map(|(code, units)| {
            let units: Vec<u16> = units.as_bytes().chunks(4).map(unit).collect();
            (unit(code.as_bytes()), String::from_utf16(&units).unwrap())
        });
        pairs.collect()
    }

    /// What the page says, in the order in which it is drawn.
    fn texts(&self) -> Vec<String> {
        let content = self.content();
        let mut maps: BTreeMap<&str, BTreeMap<u16, String>> = BTreeMap::new();
        let mut texts = Vec::new();
        for block in content.split("BT\n").skip(1) {
            let (font, rest) = block.strip_prefix('/').unwrap().split_once(' ').unwrap();
            let map = maps.entry(font).or_insert_with(|| self.characters(font));
            let shown = rest.split_once(" Tm\n").unwrap().1;
            let codes = shown_bytes(&shown[..shown.find("Tj\nET").unwrap()]);
            let codes = codes.chunks(2).map(|code| u16::from_be_bytes(code.try_into().unwrap()));
            texts.push(codes.map(|code| map.get(&code).map_or("\u{0}", String::as_str)).collect());
        }
        texts
    }

    /// Width, height, and the samples of the image or mask with this number.
    fn samples(&self, index: usize) -> (usize, usize, Vec<u8>) {
        let dictionary = self.dictionary(index);
        let (width, height) = ["/Width ", "/Height "].map(|key| number(behind(&dictionary, key).unwrap())).into();
        let mut rows: Vec<Vec<u8>> = Vec::new();
        for row in self.stream(index).chunks(width + 1) {
            let like = if row[0] == 2 { rows.last().unwrap().clone() } else { vec![0; width] };
            rows.push(row[1..].iter().zip(like).map(|(&sample, above)| sample.wrapping_add(above)).collect());
        }
        assert_eq!(rows.len(), height);
        (width, height, rows.concat())
    }
}

/// How many bytes an object has. That of a stream is in its dictionary.
fn object_length(object: &[u8]) -> usize {
    let find = |what: &[u8]| object.windows(what.len()).position(|window| window == what);
    let end = find(b"\nendobj\n").unwrap();
    let Some(start) = find(b">>\nstream\n").filter(|&start| start < end) else { return end };
    let length = number(behind(&text_of(&object[..start]), "/Length ").unwrap());
    let end = start + b">>\nstream\n".len() + length;
    assert!(object[end..].starts_with(b"\nendstream\nendobj\n"));
    end + b"\nendstream".len()
}

/// The bytes of a string, in angle brackets or in parentheses.
fn shown_bytes(text: &str) -> Vec<u8> {
    let text = text.trim_end();
    if let Some(digits) = text.strip_prefix('<').and_then(|text| text.strip_suffix('>')) {
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        return digits.as_bytes().chunks(2).map(byte).collect();
    }
    let inner = text.strip_prefix('(').unwrap().strip_suffix(')').unwrap().as_bytes();
    let mut bytes = Vec::new();
    let mut at = 0;
    while let Some(&byte) = inner.get(at) {
        at += 1;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let escaped = inner[at];
        if escaped.is_ascii_digit() {
            bytes.push(u8::from_str_radix(std::str::from_utf8(&inner[at..at + 3]).unwrap(), 8).unwrap());
            at += 3;
            continue;
        }
        at += 1;
        bytes.push(match escaped {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' => 8,
            b'f' => 12,
            other => other,
        });
    }
    bytes
}

/// What the SVG of a scene says, in its order.
fn svg_texts(scene: &Scene) -> Vec<String> {
    let drawn = svg(scene).unwrap();
    let texts = drawn.lines().filter_map(|line| line.strip_prefix("<text")?.strip_suffix("</text>")?.split_once('>'));
    let signs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    let plain = |text: &str| signs.iter().fold(text.to_owned(), |text, (escape, sign)| text.replace(escape, sign));
    texts.map(|(_, text)| plain(text)).collect()
}

#[test]
fn the_same_scene_gives_the_same_pdf() {
    assert!(pdf(&sample::scene()).unwrap() == pdf(&sample::scene()).unwrap());
}

#[test]
fn a_pdf_has_no_date_and_no_identity() {
    let text = text_of(&pdf(&sample::scene()).unwrap());
    assert!(!text.contains("Date") && !text.contains("/ID"));
}

#[test]
fn a_pdf_says_what_the_svg_says() {
    let scene = sample::scene();
    let file = File::of(&scene);
    assert_eq!(file.texts(), svg_texts(&scene));
    assert!(file.texts().len() > 20);
    // A pixel is three quarters of a point.
    assert!(file.page().contains("/MediaBox[0 0 720 360]"), "{}", file.page());
}

#[test]
fn an_empty_scene_is_a_page() {
    let mut scene = empty();
    let file = File::of(&scene);
    assert!(file.texts().is_empty());
    assert_eq!(file.content(), "0.75 0 0 -0.75 0 75 cm\n1 1 1 rg\n0 0 200 100 re\nf\nq\n40 20 100 50 re\nW\nn\nQ");
    scene.palette.clear();
    scene.plot = Rect { x: 0.0, y: 0.0, width: 0.0, height: 0.0 };
    File::of(&scene);
}

/// Labels that do not lie on each other, in columns.
fn apart(mut labels: Vec<Label>) -> Vec<Label> {
    for (place, label) in labels.iter_mut().enumerate() {
        label.at = (10.0 + (place / 700) as f32 * 660.0, 120.0 + (place % 700) as f32 * 20.0);
        label.anchor = Anchor::Start;
    }
    labels
}

#[test]
fn text_survives_whatever_it_is() {
    let hostile = [
        "(un)balanced) \\ ( <</Type>> endstream endobj %%EOF",
        "漢字 🦀 \u{10ffff} \u{e000}",
        "a\u{a0}b c Ω\u{2126} µ\u{3bc} e\u{301}\u{302}",
        "\u{0}\u{7}\u{1b}[31mred\u{85}\r\n\u{202e}",
        "ﷺ ﬁ ſ",
    ];
    let mut scene = empty();
    scene.size = Size { width: 2000, height: 400 };
    scene.title = hostile.join(" ");
    scene.labels = apart(hostile.map(label).to_vec());
    let file = File::of(&scene);
    let texts = file.texts();
    assert_eq!(texts, svg_texts(&scene));
    assert_eq!(texts[2], hostile[1]);
    assert_eq!(texts[4], "[31mred  ");
}

#[test]
fn more_characters_than_codes_do_no_harm() {
    let mut scene = empty();
    scene.size = Size { width: 2000, height: 16_000 };
    let all: Vec<char> = ('\u{3400}'..='\u{18000}').collect();
    scene.labels = apart(all.chunks(50).map(|some| label(&some.iter().collect::<String>())).collect());
    assert!(all.len() > 70_000);
    let file = File::of(&scene);
    let (texts, wanted) = (file.texts(), svg_texts(&scene));
    assert_eq!(texts[..1300], wanted[..1300]);
    assert!(texts.last().unwrap().chars().all(|character| character == '\u{0}'));
}

#[test]
fn widths_are_those_of_the_layout() {
    let mut scene = empty();
    scene.labels.push(label("0i"));
    let file = File::of(&scene);
    let widths = file
        .objects
        .keys()
        .map(|&index| file.dictionary(index))
        .find_map(|text| behind(&text, "/W[").map(|widths| widths.split(']').next().unwrap().to_owned()));
    // 1303 and 569 of 2048 units.
    assert_eq!(widths.unwrap(), "1[636.2 277.8");
}

#[test]
fn characters_have_their_glyphs() {
    let mut scene = empty();
    scene.size.width = 2000;
    scene.title = "Title é 漢 Ω\u{2126}".to_owned();
    scene.labels.push(label("Heddle 1234 é 漢字 Ω\u{2126}"));
    let file = File::of(&scene);
    for (name, whole) in [("f0", dejavu::sans::regular()), ("f1", dejavu::sans::bold())] {
        let at = |text: &str, key: &str| number(behind(text, key).unwrap());
        let cid_font = file.dictionary(at(&file.page(), &format!("/{name} ")));
        let cid_font = file.dictionary(at(&cid_font, "/DescendantFonts["));
        let glyphs = file.stream(at(&cid_font, "/CIDToGIDMap "));
        let subset = file.stream(at(&file.dictionary(at(&cid_font, "/FontDescriptor ")), "/FontFile2 "));
        assert!(subset.len() < whole.len() / 20);
        let (subset, whole) = (FontRef::try_from_slice(&subset).unwrap(), FontRef::try_from_slice(whole).unwrap());
        let characters = file.characters(name);
        assert!(characters.len() > 8);
        for (code, character) in characters {
            let place = usize::from(code) * 2;
            let glyph = GlyphId(u16::from_be_bytes([glyphs[place], glyphs[place + 1]]));
            let wanted = whole.glyph_id(character.chars().next().unwrap());
            let outlines = [subset.outline(glyph), whole.outline(wanted)].map(|outline| format!("{outline:?}"));
            assert_eq!(outlines[0], outlines[1], "{character} in {name}");
        }
    }
}

#[test]
fn the_pdf_keeps_who_covers_whom() {
    let [below, above] = [rect(50.0, 30.0, 20.0, 5.0, BLUE_ID), rect(60.0, 30.0, 20.0, 5.0, RED_ID)];
    let again = rect(75.0, 30.0, 20.0, 5.0, BLUE_ID);
    let elsewhere = rect(50.123, 40.0, 20.0, 5.0, RED_ID);
    let content = File::of(&scene_of(Layer::Rects(vec![below, above, again, elsewhere]))).content();
    let wanted =
        "0 0 1 rg\n50 30 20 5 re\nf\n1 0 0 rg\n60 30 20 5 re\n50.12 40 20 5 re\nf\n0 0 1 rg\n75 30 20 5 re\nf\nQ";
    assert!(content.ends_with(wanted), "{content}");
}

#[test]
fn what_shines_through_is_drawn_one_by_one() {
    let segment = |from, to| SegmentMark { from, to, width: 2.0, colour: GLASS_ID };
    let mut scene =
        scene_of(Layer::Rects(vec![rect(50.0, 30.0, 9.0, 5.0, GLASS_ID), rect(55.0, 30.0, 9.0, 5.0, GLASS_ID)]));
    scene.layers.push(Layer::Segments(vec![segment((50.0, 30.0), (60.0, 40.0)), segment((60.0, 30.0), (50.0, 40.0))]));
    scene.layers.push(Layer::Rects(vec![rect(50.0, 30.0, 9.0, 5.0, BLUE_ID)]));
    let file = File::of(&scene);
    let content = file.content();
    let glass = "/a128 gs\n1 0 0 rg\n50 30 9 5 re\nf\n55 30 9 5 re\nf\n";
    let lines = "1 0 0 RG\n2 w\n0 J\n50 30 m\n60 40 l\nS\n60 30 m\n50 40 l\nS\n";
    let solid = "/a255 gs\n0 0 1 rg\n50 30 9 5 re\nf\n";
    assert!(content.contains(&[glass, lines, solid].concat()), "{content}");
    assert!(file.page().contains("/a128<</Type/ExtGState/ca 0.502/CA 0.502>>"), "{}", file.page());
}

#[test]
fn colours_of_the_plot_end_with_it() {
    let mut scene =
        scene_of(Layer::Rects(vec![rect(50.0, 30.0, 9.0, 5.0, BLUE_ID), rect(70.0, 30.0, 9.0, 5.0, GLASS_ID)]));
    scene.legend.push(LegendEntry { colour: GLASS_ID, name: String::new(), value: String::new() });
    let content = File::of(&scene).content();
    // Leaving the plot brings back the white of the background.
    assert!(content.ends_with("Q\n/a128 gs\n1 0 0 rg\n150 24 10 10 re\nf"), "{content}");
}

#[test]
fn cells_have_their_colours_and_opacities() {
    let file = File::of(&scene_of(Layer::Raster(cells())));
    assert!(file.content().contains("q\n100 0 0 -50 40 70 cm\n/i0 Do\nQ"), "{}", file.content());
    let image = number(behind(&file.page(), "/i0 ").unwrap());
    let dictionary = file.dictionary(image);
    assert!(
        dictionary.contains("/Interpolate false") && dictionary.contains("/Indexed/DeviceRGB 1<0000FFFF0000>"),
        "{dictionary}"
    );
    let (width, height, colours) = file.samples(image);
    let (_, _, opacities) = file.samples(number(behind(&dictionary, "/SMask ").unwrap()));
    // Three samples for each pixel.
    assert_eq!((width, height), (300, 150));
    let cell = |samples: &[u8], column: usize, row: usize| {
        let all = (0..75).flat_map(|y| (0..75).map(move |x| (row * 75 + y) * width + column * 75 + x));
        let mut all: Vec<u8> = all.map(|at| samples[at]).collect();
        all.dedup();
        all
    };
    let wanted = [[Some((0, 255)), Some((1, 255)), None, Some((1, 128))], [None, Some((1, 255)), Some((0, 255)), None]];
    for (row, cells) in wanted.iter().enumerate() {
        for (column, wanted) in cells.iter().enumerate() {
            let opacity = wanted.map_or(0, |(_, opacity)| opacity);
            assert_eq!(cell(&opacities, column, row), [opacity], "column {column}, row {row}");
            if let Some((colour, _)) = *wanted {
                assert_eq!(cell(&colours, column, row), [colour], "column {column}, row {row}");
            }
        }
    }
}

#[test]
fn a_raster_of_many_colours_keeps_them() {
    let mut scene = empty();
    scene.palette.extend((0..1000u32).map(|colour| Rgba::hex(colour * 7919)));
    let colours = (6..1006).map(ColourId).collect();
    scene.layers.push(Layer::Raster(Raster { columns: 100, rows: 10, colours, strength: vec![255; 1000] }));
    let file = File::of(&scene);
    let image = number(behind(&file.page(), "/i0 ").unwrap());
    let dictionary = file.dictionary(image);
    assert!(dictionary.contains("/ColorSpace/DeviceRGB") && !dictionary.contains("/SMask"), "{dictionary}");
    let rows = file.stream(image);
    assert_eq!(rows.len(), 150 * (1 + 3 * 300));
    let hundredth = 100 * 7919u32;
    assert_eq!(rows[15 * 901 + 1..][..3], hundredth.to_be_bytes()[1..]);
}

#[test]
fn files_grow_with_the_scene_and_not_with_the_page() {
    let one = Raster { columns: 1, rows: 1, colours: vec![BLUE_ID], strength: vec![200] };
    let mut scene = scene_of(Layer::Raster(one));
    scene.size = Size { width: 16_384, height: 16_384 };
    scene.plot = Rect { x: 0.0, y: 0.0, width: 16_384.0, height: 16_384.0 };
    let file = pdf(&scene).unwrap();
    File::parse(&file);
    assert!(file.len() < 3000, "{} bytes", file.len());
    assert!(File::parse(&file).texts().is_empty());

    let mut random = 1u32;
    let mut next = |most: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as f32 / (1 << 24) as f32 * most as f32
    };
    let rects =
        (0..50_000).map(|index| rect(40.0 + next(1000), 20.0 + next(800), next(9), 3.0, ColourId(2 + index % 2)));
    let mut scene = scene_of(Layer::Rects(rects.collect()));
    scene.size = Size { width: 1200, height: 900 };
    scene.plot = Rect { x: 40.0, y: 20.0, width: 1000.0, height: 800.0 };
    let file = pdf(&scene).unwrap();
    File::parse(&file);
    assert!(file.len() < 50_000 * 10, "{} bytes", file.len());
}

#[test]
fn pages_that_are_none_are_refused() {
    let mut scene = empty();
    for (width, height) in [(0, 100), (100, 0), (16_385, 10), (10, 16_385)] {
        scene.size = Size { width, height };
        assert!(matches!(pdf(&scene), Err(DrawError::Size { .. })));
    }
}

#[test]
fn far_away_is_not_too_far() {
    let mut scene = empty();
    scene.labels.push(Label { at: (f32::MAX, f32::MIN), ..label("x") });
    let content = File::of(&scene).content();
    assert!(content.contains("-1.3333334 1000000 -1000000 Tm"), "{content}");
}

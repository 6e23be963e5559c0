//! Packed files against plain vectors.

use proptest::prelude::*;

use super::block::{Encoded, PackedBlock};
use super::*;
use crate::map::damaged;

const MISSING: u64 = i64::MIN as u64;

fn field(name: &str) -> Field {
    Field { name: name.to_owned(), kind: "i64", is_nullable: true, missing: MISSING, relative_to: None }
}

/// A column, and a second one that is relative to it.
fn fields() -> [Field; 2] {
    [field("start"), Field { relative_to: Some(Relative::Column(0)), ..field("end") }]
}

/// Writes a file of one column, in chunks.
fn write(path: &std::path::Path, values: &[u64], patches: &[(u64, u64)]) {
    let mut writer = PackedWriter::create(path, vec![field("x")]).unwrap();
    for chunk in values.chunks(CHUNK_ROWS) {
        writer.append(&[&chunk.to_vec()], chunk.len()).unwrap();
    }
    writer.patch("x", patches).unwrap();
    assert_eq!(writer.finish().unwrap(), values.len() as u64);
}

fn read(path: &std::path::Path) -> Vec<u64> {
    let file = PackedFile::open(path, &[field("x")]).unwrap();
    let column = PackedColumn::of(&file, 0).unwrap();
    read_column(&file, &column)
}

/// Row by row and block by block, which must be the same.
fn read_column(file: &PackedFile, column: &PackedColumn) -> Vec<u64> {
    let one_by_one: Vec<u64> = (0..file.rows()).map(|row| column.get(row)).collect();
    let mut by_block = Vec::new();
    for block in 0..file.rows().div_ceil(BLOCK_ROWS as u64) {
        let rows = (file.rows() as usize - by_block.len()).min(BLOCK_ROWS);
        let mut values = vec![0; rows];
        column.unpack(block, &mut values);
        by_block.append(&mut values);
    }
    assert_eq!(by_block, one_by_one);
    // A few at a time, from anywhere in a block on.
    for (first, count) in (0..one_by_one.len()).step_by(37).zip((1..=FEW).cycle()) {
        let end = (first + count).min(first.next_multiple_of(BLOCK_ROWS).max(first + 1)).min(one_by_one.len());
        let mut values = vec![0; end - first];
        column.read_few(first as u64, &mut values);
        assert_eq!(values, one_by_one[first..end]);
    }
    one_by_one
}

/// Columns as there are: rising times, ids that repeat, anything at all; some values missing.
fn columns() -> impl Strategy<Value = Vec<u64>> {
    let times = (0..u64::from(u32::MAX), prop::collection::vec(0..5000u64, 0..700)).prop_map(|(start, steps)| {
        steps.iter().scan(start, |time, step| Some(std::mem::replace(time, *time + step))).collect::<Vec<u64>>()
    });
    let few = prop::collection::vec(0..5u64, 0..700);
    let anything = prop::collection::vec(any::<u64>(), 0..300);
    let bits = (0..=64u32).prop_flat_map(|bits| {
        prop::collection::vec((0..=u64::MAX).prop_map(move |x| x.checked_shr(64 - bits).unwrap_or(0)), 1..600)
    });
    // Neighbours with a few far off, above or below them.
    let strays =
        (prop::collection::vec(1000..1300u64, 1..600), prop::collection::vec((0..600usize, any::<u64>()), 0..25));
    let strays = strays.prop_map(|(mut values, strays)| {
        let length = values.len();
        for (row, stray) in strays {
            values[row % length] = if stray % 3 == 0 { stray % 1000 } else { stray };
        }
        values
    });
    let values = prop_oneof![times, few, anything, bits, strays];
    (values, 0..4u8).prop_flat_map(|(values, missing)| {
        let length = values.len();
        (Just(values), prop::collection::vec(0..100u8, length)).prop_map(move |(values, chance)| {
            let is_missing = |chance: u8| missing > 1 && chance < missing * 30;
            values.iter().zip(&chance).map(|(v, chance)| if is_missing(*chance) { MISSING } else { *v }).collect()
        })
    })
}

proptest! {
    #[test]
    fn what_was_packed_is_read_again(values in columns()) {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.packed");
        write(&path, &values, &[]);
        prop_assert_eq!(read(&path), values);
    }

    #[test]
    fn patched_values_are_read_and_no_others_change(
        values in columns(),
        patches in prop::collection::btree_map(0..700u64, any::<u64>(), 0..20),
    ) {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.packed");
        let patches: Vec<(u64, u64)> = patches.into_iter().filter(|(row, _)| *row < values.len() as u64).collect();
        write(&path, &values, &patches);
        let mut expected = values;
        for (row, value) in &patches {
            expected[*row as usize] = *value;
        }
        prop_assert_eq!(read(&path), expected);
    }

    #[test]
    fn relative_columns_are_read_again_and_patched(
        starts in columns(),
        distances in columns(),
        patches in prop::collection::btree_map(0..700u64, any::<u64>(), 0..20),
    ) {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.packed");
        let rows = starts.len().min(distances.len());
        let starts = &starts[..rows];
        // What lies near and what has nothing to do with the other column.
        let mut ends: Vec<u64> = starts.iter().zip(&distances).map(|(start, distance)| {
            if *distance == MISSING || distance % 5 == 0 { *distance } else { start.wrapping_add(*distance) }
        }).collect();
        let patches: Vec<(u64, u64)> = patches.into_iter().filter(|(row, _)| *row < rows as u64).collect();
        let mut writer = PackedWriter::create(&path, fields().to_vec()).unwrap();
        writer.append(&[&starts.to_vec(), &ends], rows).unwrap();
        writer.patch("end", &patches).unwrap();
        writer.finish().unwrap();
        for (row, value) in &patches {
            ends[*row as usize] = *value;
        }
        let file = PackedFile::open(&path, &fields()).unwrap();
        for (column, expected) in [starts, &ends].into_iter().enumerate() {
            let column = PackedColumn::of(&file, column).unwrap();
            prop_assert_eq!(&read_column(&file, &column), expected);
        }
        let differences: Vec<u64> = starts.iter().zip(&ends).map(|(start, end)| {
            if *end == MISSING { MISSING } else { end.wrapping_sub(*start) }
        }).collect();
        let column = PackedColumn::of(&file, 1).unwrap().differences();
        prop_assert_eq!(read_column(&file, &column), differences);
    }

    #[test]
    fn columns_relative_to_another_table_are_read_again(
        there in columns(),
        rows in prop::collection::vec(prop_oneof![0..700u64, Just(u64::MAX)], 0..700),
        distances in columns(),
    ) {
        let place = tempfile::tempdir().unwrap();
        write(&place.path().join("there.packed"), &there, &[]);
        let path = place.path().join("here.packed");
        let count = rows.len().min(distances.len());
        let rows = &rows[..count];
        let values: Vec<u64> = rows.iter().zip(&distances).map(|(row, distance)| {
            there.get(*row as usize).map_or(*distance, |there| there.wrapping_add(*distance))
        }).collect();
        let through = Relative::Through { row: 1, table: "there", fields: || vec![field("x")], column: 0 };
        let fields = [Field { relative_to: Some(through), ..field("value") }, field("row")];
        let mut writer = PackedWriter::create(&path, fields.to_vec()).unwrap();
        writer.append(&[&values.clone(), &rows.to_vec()], count).unwrap();
        writer.finish().unwrap();
        let file = PackedFile::open(&path, &fields).unwrap();
        let column = PackedColumn::of(&file, 0).unwrap();
        prop_assert_eq!(read_column(&file, &column), values);
        // Without the other table, or with one that is not what it should be, nothing is read.
        std::fs::remove_file(place.path().join("there.packed")).unwrap();
        prop_assert!(PackedFile::open(&path, &fields).is_err());
    }

    #[test]
    fn a_damaged_file_is_refused_or_noted(
        values in prop::collection::vec(0..1_000_000u64, 1..2000),
        patch in any::<u64>(),
        at in any::<prop::sample::Index>(),
        bit in 0..8u8,
    ) {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.packed");
        write(&path, &values, &[(0, patch)]);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        std::fs::write(&path, &bytes).unwrap();
        let Ok(file) = PackedFile::open(&path, &[field("x")]) else { return Ok(()) };
        let column = PackedColumn::of(&file, 0).unwrap();
        let read: Vec<u64> = (0..file.rows()).map(|row| column.get(row)).collect();
        let mut expected = values;
        expected[0] = patch;
        // What nobody reads may be damaged: the block that was replaced.
        prop_assert!(damaged().contains(&path) || read == expected);
    }
}

#[test]
fn rows_of_several_chunks_stay_in_their_places() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("x.packed");
    let mut values: Vec<u64> = (0..2 * CHUNK_ROWS as u64 + 300).map(|row| row * row % 977 + row * 40).collect();
    let patches = [(3, MISSING), (CHUNK_ROWS as u64, 7), (2 * CHUNK_ROWS as u64 + 299, u64::MAX)];
    write(&path, &values, &patches);
    for (row, value) in &patches {
        values[*row as usize] = *value;
    }
    assert_eq!(read(&path), values);
}

#[test]
fn what_never_changes_and_what_counts_up_takes_no_bits() {
    let constant = Encoded::of(&[1 << 40; BLOCK_ROWS], MISSING, None);
    assert_eq!((constant.entry.width, constant.words.len()), (0, 1));
    let missing = Encoded::of(&[MISSING; BLOCK_ROWS], MISSING, None);
    assert_eq!((missing.entry.width, missing.words.len()), (0, 1));
    let counting: Vec<u64> = (0..BLOCK_ROWS as u64).map(|row| 5_000_000_000 + 3 * row).collect();
    let counting = Encoded::of(&counting, MISSING, None);
    assert_eq!((counting.entry.width, counting.words.len()), (0, 2));
}

#[test]
fn a_few_values_far_off_do_not_make_the_others_wide() {
    let near: Vec<u64> = (0..BLOCK_ROWS as u64).map(|row| 4000 + row * 37 % 128).collect();
    let width_with = |far: &[(usize, u64)]| {
        let mut values = near.clone();
        for (row, value) in far {
            values[*row] = *value;
        }
        let encoded = Encoded::of(&values, MISSING, None);
        (encoded.entry.width, encoded.entry.strays, encoded.words.len())
    };
    assert_eq!(width_with(&[]), (7, 0, 29));
    assert_eq!(width_with(&[(0, 1 << 40), (200, 9_000_000)]), (7, 2, 32));
    assert_eq!(width_with(&[(17, 3)]), (7, 1, 31));
    let many: Vec<(usize, u64)> = (0..20).map(|row| (row, 1 << 40)).collect();
    assert_eq!(width_with(&many).1, 0);
}

#[test]
fn ends_near_starts_that_are_anywhere_take_few_bits() {
    let starts: Vec<u64> = (0..BLOCK_ROWS as u64).map(|row| row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8).collect();
    let ends: Vec<u64> = starts.iter().zip(0..).map(|(start, row)| start + 100 + row % 8).collect();
    let relative = Encoded::of(&ends, MISSING, Some(&starts));
    assert!(relative.entry.is_relative);
    assert_eq!(relative.entry.width, 3);
    assert!(
        !Encoded::of(&starts, MISSING, Some(&ends.iter().map(|end| end * 7).collect::<Vec<_>>())).entry.is_relative
    );
}

#[test]
fn numbers_of_every_width_survive() {
    for width in 0..=64u32 {
        let most = u64::MAX.checked_shr(64 - width).unwrap_or(0);
        let values: Vec<u64> =
            (0..BLOCK_ROWS as u64).map(|row| row.wrapping_mul(0x9e37_79b9_7f4a_7c15) & most).collect();
        let mut encoded = Encoded::of(&values, MISSING, None);
        encoded.words.push(u64::MAX);
        let block = PackedBlock::new(encoded.entry, &encoded.words, BLOCK_ROWS, MISSING).unwrap();
        let mut read = vec![0; BLOCK_ROWS];
        block.unpack(&mut read);
        assert_eq!(read, values, "{width}");
        assert!((0..BLOCK_ROWS).all(|row| block.get(row) == values[row]), "{width}");
    }
}

#[test]
fn a_file_of_other_columns_or_cut_short_is_refused_in_words() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("x.packed");
    write(&path, &[1, 2, 3], &[]);
    let error = PackedFile::open(&path, &[field("y")]).unwrap_err().to_string();
    assert!(error.contains("x.packed") && error.contains("columns"), "{error}");
    let whole = std::fs::read(&path).unwrap();
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        PackedFile::open(&path, &[field("x")]).unwrap_err();
    }
}

/// What is read of a column whose blocks count as damaged unless `fits` says of all their rows that they do not.
fn zeroed(values: &[u64], zero: u64, fits: impl Fn(usize) -> bool) -> Vec<u64> {
    let mut expected = values.to_vec();
    for (block, values) in expected.chunks_mut(BLOCK_ROWS).enumerate() {
        if !(0..values.len()).all(|at| fits(block * BLOCK_ROWS + at)) {
            values.fill(zero);
        }
    }
    expected
}

proptest! {
    #[test]
    fn blocks_beyond_their_limits_read_as_missing_or_zero_and_are_noted(
        values in columns(), most in prop_oneof![0..400u64, any::<u64>()], may_miss in any::<bool>(), narrow in any::<bool>(),
    ) {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.packed");
        write(&path, &values, &[]);
        let file = PackedFile::open(&path, &[field("x")]).unwrap();
        let mut column = PackedColumn::of(&file, 0).unwrap();
        let mask = if narrow { 0xffff } else { u64::MAX };
        column.limit(Limits::below(most, mask, may_miss.then_some(MISSING)));
        let fits = |at: usize| values[at] & mask < most || (may_miss && values[at] & mask == MISSING);
        prop_assert_eq!(read_column(&file, &column), zeroed(&values, if may_miss { MISSING } else { 0 }, fits));
        prop_assert_eq!(damaged().contains(&path), !(0..values.len()).all(fits));
    }

    #[test]
    fn ends_before_their_starts_count_as_damage(starts in columns(), lengths in columns(), odd in any::<bool>()) {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.packed");
        let rows = starts.len().min(lengths.len());
        let most = heddle_model::Ns::MAX.0;
        let start = |at: usize| if odd { starts[at] as i64 } else { (starts[at] & most as u64) as i64 };
        let length = |at: usize| if odd { (lengths[at] as i64) >> 8 } else { (lengths[at] & 0xffff) as i64 };
        let starts: Vec<u64> = (0..rows).map(|at| start(at) as u64).collect();
        let ends: Vec<u64> = (0..rows).map(|at| start(at).wrapping_add(length(at)) as u64).collect();
        let mut writer = PackedWriter::create(&path, fields().to_vec()).unwrap();
        writer.append(&[&starts, &ends], rows).unwrap();
        writer.finish().unwrap();
        let file = PackedFile::open(&path, &fields()).unwrap();
        let mut column = PackedColumn::of(&file, 1).unwrap();
        column.limit(Limits::later_times());
        let fits = |at: usize| {
            let (start, end) = (starts[at] as i64, ends[at] as i64);
            (0..=most).contains(&start) && start <= end && end - start <= most
        };
        let (read, expected) = (read_column(&file, &column), zeroed(&ends, 0, fits));
        for (block, (read, expected)) in read.chunks(BLOCK_ROWS).zip(expected.chunks(BLOCK_ROWS)).enumerate() {
            let sound = (0..read.len()).all(|at| fits(block * BLOCK_ROWS + at));
            if sound {
                prop_assert_eq!(read, expected);
            }
            for end in read {
                prop_assert!((0..=2 * most).contains(&(*end as i64)), "{} in block {}", end, block);
            }
        }
    }
}

#[test]
fn a_file_cannot_claim_more_rows_than_it_has_words_for() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("x.packed");
    write(&path, &vec![7; 3 * CHUNK_ROWS], &[]);
    let bytes = std::fs::read(&path).unwrap();
    let mut words: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let end = words.len() - 3;
    let start = end - words[end] as usize / 8;
    // All chunks are the first one.
    words[start + 1] = words[start];
    words[start + 2] = words[start];
    words[end + 1] = xxhash_rust::xxh3::xxh3_64(bytemuck::cast_slice(&words[start..end]));
    std::fs::write(&path, bytemuck::cast_slice::<u64, u8>(&words)).unwrap();
    let refused = PackedFile::open(&path, &[field("x")]).unwrap_err().to_string();
    assert!(refused.contains("lie over each other"), "{refused}");
}

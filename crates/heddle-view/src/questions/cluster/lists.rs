//! Lists as people write them.

use crate::scene::ticks::grouped;

/// `5`, or `8,193–8,255`.
pub(super) fn range(first: u32, last: u32) -> String {
    let text = |number: u32| grouped(u64::from(number));
    if first == last { text(first) } else { format!("{}–{}", text(first), text(last)) }
}

/// `a, b and c`.
pub(super) fn joined(texts: &[String]) -> String {
    match texts {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

/// Numbers that follow each other, ascending.
pub(super) fn ranges(numbers: impl IntoIterator<Item = u32>) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some(last) if last.1.checked_add(1) == Some(number) => last.1 = number,
            _ => ranges.push((number, number)),
        }
    }
    ranges
}

/// Ranks that ascend, in at most so many pieces: `8,193–8,255, 8,321 and 45 more`.
pub(super) fn list(ranks: impl IntoIterator<Item = u32>, most: usize) -> String {
    // Two that follow each other are no stretch to a reader.
    let pieces: Vec<(u32, u32)> = ranges(ranks)
        .into_iter()
        .flat_map(
            |(first, last)| {
                if last == first + 1 { vec![(first, first), (last, last)] } else { vec![(first, last)] }
            },
        )
        .collect();
    // One more takes no more room than to say that there is one.
    let shown = if pieces.len() > most + 1 { most } else { pieces.len() };
    let mut texts: Vec<String> = pieces[..shown].iter().map(|(first, last)| range(*first, *last)).collect();
    let more: u64 = pieces[shown..].iter().map(|(first, last)| u64::from(last - first) + 1).sum();
    if more > 0 {
        texts.push(format!("{} more", grouped(more)));
    }
    joined(&texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_listed_as_people_do() {
        assert_eq!(list([5], 3), "5");
        assert_eq!(list([5, 6], 3), "5 and 6");
        assert_eq!(list([0, 1, 2, 7, 9, 10, 11], 3), "0–2, 7 and 9–11");
        assert_eq!(
            list((8_193..8_256).chain(8_321..8_384).chain([9_000, 9_002, 9_004]), 2),
            "8,193–8,255, 8,321–8,383 and 3 more"
        );
        assert_eq!(list([4, 12, 20, 28], 3), "4, 12, 20 and 28");
        assert_eq!(list([], 3), "");
    }
}

//! Lists of hosts as Slurm writes them: `n[0-15,20]`, `rack[1-2]n[01-16]`, `login,gpu7`.

use super::quote;

/// A part of a name: always the same, or any of these numbers.
enum Part<'a> {
    Text(&'a str),
    Numbers(Vec<Numbers>),
}

/// Numbers in a row, with so many digits at least.
struct Numbers {
    first: u64,
    last: u64,
    digits: usize,
}

/// The names of a list, in its order; the last brackets count fastest. They are counted before they are written out: `left` is
/// how many there may still be.
pub(super) fn expand(list: &str, left: &mut usize) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for item in items(list)? {
        let parts = parts(item)?;
        let of_part = |part: &Part<'_>| match part {
            Part::Text(_) => 1,
            Part::Numbers(ranges) => {
                ranges.iter().map(|range| range.last - range.first + 1).fold(0, u64::saturating_add)
            }
        };
        let count = parts.iter().map(of_part).fold(1, u64::saturating_mul);
        let count = usize::try_from(count).ok().filter(|count| count <= left);
        let count = count.ok_or_else(|| format!("{} are more names than Heddle reads of a machine", quote(item)))?;
        *left -= count;
        let mut made = vec![String::new()];
        for part in parts {
            made = match part {
                Part::Text(text) => made.into_iter().map(|name| name + text).collect(),
                Part::Numbers(ranges) => {
                    let numbers =
                        || ranges.iter().flat_map(|range| (range.first..=range.last).map(|n| (n, range.digits)));
                    let with = |name: String| {
                        numbers().map(move |(number, digits)| format!("{name}{number:0digits$}")).collect::<Vec<_>>()
                    };
                    made.into_iter().flat_map(with).collect()
                }
            };
        }
        names.append(&mut made);
    }
    Ok(names)
}

/// What stands between commas outside brackets.
fn items(list: &str) -> Result<Vec<&str>, String> {
    let (mut items, mut from, mut is_open) = (Vec::new(), 0, false);
    for (at, letter) in list.char_indices() {
        match letter {
            '[' if !is_open => is_open = true,
            ']' if is_open => is_open = false,
            '[' | ']' => return Err(format!("{} has brackets that do not match", quote(list))),
            ',' if !is_open => {
                items.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    if is_open {
        return Err(format!("{} has a [ that is not closed", quote(list)));
    }
    items.push(&list[from..]);
    Ok(items.into_iter().map(str::trim).filter(|item| !item.is_empty()).collect())
}

fn parts(item: &str) -> Result<Vec<Part<'_>>, String> {
    let mut parts = Vec::new();
    let mut rest = item;
    while let Some((text, after)) = rest.split_once('[') {
        let (inside, after) = after.split_once(']').unwrap_or((after, ""));
        let wrong = |range: &str| format!("{} in {} is no number or range, such as 0-15", quote(range), quote(item));
        let number = |text: &str, range: &str| -> Result<u64, String> {
            let is_number = (1..=18).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| is_number).ok_or_else(|| wrong(range))
        };
        let of_range = |range: &str| -> Result<Numbers, String> {
            let range = range.trim();
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let numbers = Numbers { first: number(first, range)?, last: number(last, range)?, digits: first.len() };
            if numbers.first > numbers.last {
                return Err(format!("{} in {} counts backwards", quote(range), quote(item)));
            }
            Ok(numbers)
        };
        let numbers: Vec<Numbers> = inside.split(',').map(of_range).collect::<Result<_, _>>()?;
        parts.push(Part::Text(text));
        parts.push(Part::Numbers(numbers));
        rest = after;
    }
    parts.push(Part::Text(rest));
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &str) -> Vec<String> {
        expand(list, &mut 1_000).unwrap()
    }

    #[test]
    fn ranges_are_written_out() {
        assert_eq!(names("tux[0-3,12,18-20]"), ["tux0", "tux1", "tux2", "tux3", "tux12", "tux18", "tux19", "tux20"]);
        assert_eq!(names("n[08-11]"), ["n08", "n09", "n10", "n11"]);
        assert_eq!(names("n[8-11]"), ["n8", "n9", "n10", "n11"]);
        assert_eq!(
            names("rack[1-2]n[01-02]x, login,,gpu7"),
            ["rack1n01x", "rack1n02x", "rack2n01x", "rack2n02x", "login", "gpu7"]
        );
        assert!(names("").is_empty());
    }

    #[test]
    fn what_is_no_list_or_too_long_is_refused() {
        for (list, words) in [
            ("n[0-999999999]", "`n[0-999999999]` are more names than Heddle reads"),
            ("n[0-99][0-99][0-99][0-99][0-99][0-99][0-99][0-99][0-99][0-99][0-99]", "are more names"),
            ("n[0-999999999999999999999]", "is no number or range"),
            ("n[0-3", "has a [ that is not closed"),
            ("n0-3]", "has brackets that do not match"),
            ("n[[0-3]]", "has brackets that do not match"),
            ("n[3-1]", "`3-1` in `n[3-1]` counts backwards"),
            ("n[]", "`` in `n[]` is no number or range"),
            ("n[a-c]", "`a-c` in `n[a-c]` is no number or range, such as 0-15"),
        ] {
            let error = expand(list, &mut 1_000).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
        let mut left = 5;
        assert!(expand("a[0-2]", &mut left).is_ok() && expand("b[0-2]", &mut left).is_err(), "of the whole file");
    }
}

//! Types of options: how a value is read from text, written to it, and described.

use heddle_model::{CommId, Ns};

use crate::{Kind, units};

/// Nothing lasts longer, and nothing counts more: numbers of the page are exact up to here.
const MOST: f64 = 9e15;
/// Names of functions and counters.
const LONGEST_TEXT: usize = 1_000;

/// Who wrote a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Written {
    /// A person: times need units, lest 4 be taken for milliseconds.
    ByHand,
    /// A program: bare numbers are nanoseconds.
    #[default]
    ByProgram,
}

/// A type that an option may have.
pub trait OptionValue: Sized + Clone + PartialEq {
    /// What values there are.
    fn kind() -> Kind;

    /// The value of a text, or what the text must be ("must be …").
    fn read(text: &str, written: Written) -> Result<Self, String>;

    /// The text of a value, such that a program reads it back.
    fn write(&self) -> String;
}

impl OptionValue for bool {
    fn kind() -> Kind {
        Kind::Switch
    }

    fn read(text: &str, _written: Written) -> Result<bool, String> {
        match text {
            "1" => Ok(true),
            "0" => Ok(false),
            _ => Err("must be 1 or 0".to_owned()),
        }
    }

    fn write(&self) -> String {
        u8::from(*self).to_string()
    }
}

/// Values that are words: the type lists them.
pub trait Words: Copy + PartialEq + 'static {
    /// All of them, by their names everywhere.
    const WORDS: &'static [(&'static str, Self)];

    /// The name of a value.
    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, value)| *value == self).map_or("", |(word, _)| word)
    }
}

impl<T: Words> OptionValue for T {
    fn kind() -> Kind {
        Kind::Word(T::WORDS.iter().map(|(word, _)| *word).collect())
    }

    fn read(text: &str, _written: Written) -> Result<T, String> {
        let found = T::WORDS.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        found.ok_or_else(|| {
            let words: Vec<&str> = T::WORDS.iter().map(|(word, _)| *word).filter(|word| !word.is_empty()).collect();
            format!("must be one of {}", words.join(", "))
        })
    }

    fn write(&self) -> String {
        self.word().to_owned()
    }
}

/// A share of a whole, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(pub f32);

impl OptionValue for Share {
    fn kind() -> Kind {
        Kind::Number { is_whole: false, least: 0.0, most: 1.0 }
    }

    fn read(text: &str, _written: Written) -> Result<Share, String> {
        let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
        share.map(Share).ok_or_else(|| "must be a number from 0 to 1".to_owned())
    }

    fn write(&self) -> String {
        self.0.to_string()
    }
}

/// A whole number between two others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Count<const LEAST: u32, const MOST: u32>(pub u32);

impl<const LEAST: u32, const MOST: u32> OptionValue for Count<LEAST, MOST> {
    fn kind() -> Kind {
        Kind::Number { is_whole: true, least: f64::from(LEAST), most: f64::from(MOST) }
    }

    fn read(text: &str, _written: Written) -> Result<Self, String> {
        let count = text.parse().ok().filter(|count| (LEAST..=MOST).contains(count));
        count.map(Count).ok_or_else(|| format!("must be a whole number from {LEAST} to {MOST}"))
    }

    fn write(&self) -> String {
        self.0.to_string()
    }
}

impl OptionValue for Option<(Ns, Ns)> {
    fn kind() -> Kind {
        Kind::Range { is_whole: true, least: 0.0, most: MOST, value_name: "A:B" }
    }

    fn read(text: &str, written: Written) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(None);
        }
        let expected = format!("must be FROM:TO in nanoseconds, from 0 to {}", Ns::MAX.0);
        let (from, to) = match written {
            Written::ByHand => units::ends(text, "10us:2ms", units::time)?,
            Written::ByProgram => {
                units::ends(text, "10:2000", |word| word.parse::<i64>().map_err(|_| expected.clone()))?
            }
        };
        let (from, to) = (from.unwrap_or(0), to.unwrap_or(Ns::MAX.0));
        match (from, to) {
            (from, to) if from < 0 || to > Ns::MAX.0 => Err(expected),
            (from, to) if from > to => Err("must begin before it ends".to_owned()),
            (from, to) => Ok(Some((Ns(from), Ns(to)))),
        }
    }

    fn write(&self) -> String {
        self.map_or_else(String::new, |(from, to)| range_text(from.0, to.0, Ns::MAX.0))
    }
}

/// A moment of the run, or none.
impl OptionValue for Option<Ns> {
    fn kind() -> Kind {
        Kind::Text { longest: 24, value_name: "TIME" }
    }

    fn read(text: &str, written: Written) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(None);
        }
        let expected = || format!("must be nanoseconds, from 0 to {}", Ns::MAX.0);
        let at = match written {
            Written::ByHand => units::time(text)?,
            Written::ByProgram => text.parse::<i64>().map_err(|_| expected())?,
        };
        if (0..=Ns::MAX.0).contains(&at) { Ok(Some(Ns(at))) } else { Err(expected()) }
    }

    fn write(&self) -> String {
        self.map_or_else(String::new, |at| at.0.to_string())
    }
}

/// Bytes.
impl OptionValue for Option<(u64, u64)> {
    fn kind() -> Kind {
        Kind::Range { is_whole: true, least: 0.0, most: MOST, value_name: "A:B" }
    }

    fn read(text: &str, written: Written) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(None);
        }
        let (from, to) = match written {
            Written::ByHand => units::ends(text, "1K:64K", units::bytes)?,
            Written::ByProgram => {
                units::ends(text, "1024:65536", |word| word.parse().map_err(|_| "must be FROM:TO in bytes".to_owned()))?
            }
        };
        let (from, to) = (from.unwrap_or(0), to.unwrap_or(u64::MAX));
        if from <= to { Ok(Some((from, to))) } else { Err("must begin before it ends".to_owned()) }
    }

    fn write(&self) -> String {
        self.map_or_else(String::new, |(from, to)| range_text(from, to, u64::MAX))
    }
}

/// `FROM:TO`; an end that is open stays open.
fn range_text<T: Copy + PartialEq + std::fmt::Display>(from: T, to: T, open: T) -> String {
    if to == open { format!("{from}:") } else { format!("{from}:{to}") }
}

/// Values from one to another: times, or plain numbers of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueRange {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Whether it was written with units of time; then both are nanoseconds.
    pub has_units: bool,
}

impl OptionValue for Option<ValueRange> {
    fn kind() -> Kind {
        Kind::Range { is_whole: false, least: -1e18, most: 1e18, value_name: "LO:HI" }
    }

    fn read(text: &str, _written: Written) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(None);
        }
        let wrong = || "must be LO:HI, the first below the second, for instance 0:4ms".to_owned();
        let has_units = text.ends_with('s');
        let end = |word: &str| {
            let bare = word.parse::<f64>().map_err(|_| wrong());
            if has_units { units::time(word).map(|ns| ns as f64) } else { bare }
        };
        let (Some(low), Some(high)) = units::ends(text, "0:4ms", end)? else { return Err(wrong()) };
        let is_range = low < high && low.is_finite() && high.is_finite();
        if is_range { Ok(Some(ValueRange { low, high, has_units })) } else { Err(wrong()) }
    }

    fn write(&self) -> String {
        self.map_or_else(String::new, |range| format!("{}:{}", range.low, range.high))
    }
}

impl OptionValue for Option<CommId> {
    fn kind() -> Kind {
        Kind::Id
    }

    fn read(text: &str, _written: Written) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(|id| Some(CommId(id))).map_err(|_| "must be the number of a communicator".to_owned())
    }

    fn write(&self) -> String {
        self.map_or_else(String::new, |id| id.0.to_string())
    }
}

/// A name of the trace.
impl OptionValue for String {
    fn kind() -> Kind {
        Kind::Text { longest: LONGEST_TEXT, value_name: "NAME" }
    }

    fn read(text: &str, _written: Written) -> Result<String, String> {
        if text.len() > LONGEST_TEXT {
            return Err(format!("must have at most {LONGEST_TEXT} bytes"));
        }
        Ok(text.to_owned())
    }

    fn write(&self) -> String {
        self.clone()
    }
}

/// A name of the trace, or none.
impl OptionValue for Option<String> {
    fn kind() -> Kind {
        String::kind()
    }

    fn read(text: &str, written: Written) -> Result<Self, String> {
        String::read(text, written).map(|text| (!text.is_empty()).then_some(text))
    }

    fn write(&self) -> String {
        self.clone().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads<T: OptionValue + std::fmt::Debug>(text: &str, value: &T) {
        assert_eq!(T::read(text, Written::ByProgram).as_ref(), Ok(value), "{text}");
        assert_eq!(T::read(&value.write(), Written::ByProgram).as_ref(), Ok(value), "written as {}", value.write());
    }

    #[test]
    fn what_is_written_is_read_back() {
        reads("1", &true);
        reads("0.25", &Share(0.25));
        reads("10:2000", &Some((Ns(10), Ns(2000))));
        reads("10:", &Some((Ns(10), Ns::MAX)));
        reads(":7", &Some((0u64, 7u64)));
        reads("-0.5:3e9", &Some(ValueRange { low: -0.5, high: 3e9, has_units: false }));
        reads("3", &Some(CommId(3)));
        reads("1500", &Some(Ns(1_500)));
        reads("", &None::<Ns>);
        reads("", &None::<CommId>);
        reads("MPI_Send", &Some("MPI_Send".to_owned()));
    }

    #[test]
    fn people_write_units() {
        assert_eq!(<Option<(Ns, Ns)>>::read("10us:2ms", Written::ByHand), Ok(Some((Ns(10_000), Ns(2_000_000)))));
        assert!(<Option<(Ns, Ns)>>::read("1:2", Written::ByHand).is_err());
        assert_eq!(<Option<Ns>>::read("4ms", Written::ByHand), Ok(Some(Ns(4_000_000))));
        assert!(<Option<Ns>>::read("4", Written::ByHand).is_err());
        assert_eq!(<Option<(u64, u64)>>::read("1K:", Written::ByHand), Ok(Some((1024, u64::MAX))));
        let range = <Option<ValueRange>>::read("0:4ms", Written::ByHand);
        assert_eq!(range, Ok(Some(ValueRange { low: 0.0, high: 4e6, has_units: true })));
    }

    #[test]
    fn what_cannot_be_is_refused_without_being_repeated() {
        let refused = [
            bool::read("<b>", Written::ByProgram).err(),
            Share::read("nan", Written::ByProgram).err(),
            Share::read("<b>", Written::ByProgram).err(),
            <Option<(Ns, Ns)>>::read("<b>:5", Written::ByProgram).err(),
            <Option<(Ns, Ns)>>::read("6:5", Written::ByProgram).err(),
            <Option<(Ns, Ns)>>::read("-1:5", Written::ByProgram).err(),
            <Option<(u64, u64)>>::read("<b>:5", Written::ByProgram).err(),
            <Option<(u64, u64)>>::read("7:5", Written::ByProgram).err(),
            <Option<ValueRange>>::read("4:4", Written::ByProgram).err(),
            <Option<ValueRange>>::read("nan:4", Written::ByProgram).err(),
            <Option<CommId>>::read("<b>", Written::ByProgram).err(),
            <Option<Ns>>::read("<b>", Written::ByProgram).err(),
            <Option<Ns>>::read("-1", Written::ByProgram).err(),
            String::read(&"x".repeat(1001), Written::ByProgram).err(),
        ];
        for why in refused {
            let why = why.expect("refused");
            assert!(why.starts_with("must ") && !why.contains("<b>"), "{why}");
        }
    }
}

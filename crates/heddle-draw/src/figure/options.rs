//! How a figure is made for a page: its size there, the size of its text, and what stands around the plot. Declared once for the
//! command line and the page.

use heddle_options::{Kind, OptionValue, Written, options};

options! {
    /// A figure on a page.
    pub struct FigureOptions {
        /// Width on the page, for instance 88mm, 3.5in, 9cm, 250pt or 400px (of 1/96 in); the file has exactly that size
        "width" ("Width") width: Length = Length::NONE,
        /// Height on the page; by default what suits the view
        "height" ("Height") height: Length = Length::NONE,
        /// Size of text on the page, in points
        "font-size" ("Text in points") font_size: FontSize = FontSize(8.0),
        /// Pixels per inch of a PNG
        "dpi" ("Pixels per inch") dpi: Dpi = heddle_options::Count(300),
        /// Write the title above the plot
        "title" ("Title") title: bool = true,
        /// Say what colours mean
        "legend" ("Legend") legend: bool = true,
        /// Say below the plot what was summarised
        "notes" ("Notes") notes: bool = true,
    }
}

/// Pixels per inch.
pub type Dpi = heddle_options::Count<50, 2400>;

/// A length on a page, or none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Length {
    /// As it was written.
    text: String,
    points: f32,
}

/// Units of length, and how many points they are.
const UNITS: [(&str, f64); 5] = [("mm", 72.0 / 25.4), ("cm", 720.0 / 25.4), ("in", 72.0), ("pt", 1.0), ("px", 0.75)];

/// The least and the largest length, in points: 2 cm and 2 m.
const LENGTHS: (f64, f64) = (56.6, 5_670.0);

impl Length {
    /// None.
    pub const NONE: Length = Length { text: String::new(), points: 0.0 };

    /// In points, if there is one.
    pub fn points(&self) -> Option<f32> {
        (self.points > 0.0).then_some(self.points)
    }
}

impl OptionValue for Length {
    fn kind() -> Kind {
        Kind::Text { longest: 16, value_name: "LENGTH" }
    }

    fn read(text: &str, _written: Written) -> Result<Length, String> {
        if text.is_empty() {
            return Ok(Length::NONE);
        }
        let (digits, unit) = text.split_at(text.trim_end_matches(char::is_alphabetic).len());
        let number: Option<f64> = digits.trim().parse().ok().filter(|number: &f64| number.is_finite());
        let points = match (number, UNITS.iter().find(|(name, _)| *name == unit)) {
            (Some(number), Some((_, points))) => number * points,
            (Some(_), None) if unit.is_empty() => {
                return Err(format!("must have a unit: {digits}mm, {digits}in, {digits}cm, {digits}pt or {digits}px"));
            }
            (Some(_), None) => return Err("must be in mm, cm, in, pt or px".to_owned()),
            (None, _) => return Err("must be a length, for instance 88mm or 3.5in".to_owned()),
        };
        if !(LENGTHS.0..=LENGTHS.1).contains(&points) {
            return Err("must be from 20mm to 2000mm".to_owned());
        }
        Ok(Length { text: text.to_owned(), points: points as f32 })
    }

    fn write(&self) -> String {
        self.text.clone()
    }
}

/// The size of a font in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FontSize(pub f32);

/// The least and the largest size of text.
const SIZES: (f32, f32) = (4.0, 24.0);

impl OptionValue for FontSize {
    fn kind() -> Kind {
        Kind::Number { is_whole: false, least: f64::from(SIZES.0), most: f64::from(SIZES.1) }
    }

    fn read(text: &str, _written: Written) -> Result<FontSize, String> {
        let size = text.trim_end_matches("pt").parse().ok().filter(|size| (SIZES.0..=SIZES.1).contains(size));
        size.map(FontSize).ok_or_else(|| format!("must be a number of points from {} to {}", SIZES.0, SIZES.1))
    }

    fn write(&self) -> String {
        self.0.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_units() {
        let points = |text: &str| Length::read(text, Written::ByHand).map(|length| length.points);
        for (text, expected) in
            [("88mm", 249.449), ("3.5in", 252.0), ("8.8cm", 249.449), ("250pt", 250.0), ("400px", 300.0)]
        {
            assert!((points(text).unwrap_or(0.0) - expected).abs() < 0.001, "{text}");
        }
        for (text, why) in [
            ("88", "88mm"),
            ("88ft", "mm, cm, in"),
            ("wide", "88mm"),
            ("1mm", "20mm"),
            ("9in9", "88mm"),
            ("-5cm", "20mm"),
            ("1e99mm", "20mm"),
            ("nanmm", "88mm"),
        ] {
            assert!(points(text).is_err_and(|error| error.contains(why)), "{text}: {:?}", points(text));
        }
        let length = Length::read("88mm", Written::ByProgram);
        assert_eq!(length.map(|length| length.write()), Ok("88mm".to_owned()));
    }

    #[test]
    fn text_has_a_size_that_can_be_read() {
        let size = |text: &str| FontSize::read(text, Written::ByHand).map(|size| size.0);
        assert_eq!((size("8"), size("7.5pt")), (Ok(8.0), Ok(7.5)));
        assert!(size("0").is_err() && size("200").is_err() && size("NaN").is_err() && size("big").is_err());
    }
}

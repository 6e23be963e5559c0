//! The parameters of a request: read with limits, and with errors that say what is expected.

use std::str::FromStr;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use heddle_model::{Ns, RegionId};
use heddle_options::{Given, OptionSpec};
use heddle_store::Store;
use heddle_view::{
    AnalysisKind, Emphasis, Framing, Pointed, RankSet, Rect, Selection, Size, SolidId, Theme, View, ViewRequest, Window,
};

use crate::error::Refusal;

/// Width and height of a scene.
const SIDES: std::ops::RangeInclusive<u32> = 16..=8192;
/// Pixels of a scene: a screen of 8192 by 4608.
const MOST_PIXELS: u32 = 8192 * 4608;
/// Regions in a list.
const MOST_REGIONS: usize = 2_000;
/// Characters of a filter of ranks.
const LONGEST_RANKS: usize = 8_000;
/// Entries of a list that are sent at once.
const MOST_LISTED: usize = 1_000;
/// Characters to search for.
const LONGEST_TEXT: usize = 200;

/// What varies in a path. One that is no text names nothing.
#[derive(Debug)]
pub(crate) struct Ids<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Ids<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Ids<T>, Refusal> {
        let path = Path::from_request_parts(parts, state).await;
        path.map(|Path(ids)| Ids(ids)).map_err(|_| Refusal::missing("There is nothing here."))
    }
}

/// The part of an address after the question mark.
#[derive(Debug)]
pub(crate) struct Query {
    pairs: Vec<(String, String)>,
    /// Options that hold where the question does not say otherwise.
    usual: Given,
}

impl Query {
    pub(crate) fn parse(text: &str) -> Result<Query, Refusal> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for (name, value) in form_urlencoded::parse(text.as_bytes()) {
            if pairs.iter().any(|(before, _)| *before == name) {
                return Err(Refusal::wrong("a parameter is given twice"));
            }
            pairs.push((name.into_owned(), value.into_owned()));
        }
        Ok(Query { pairs, usual: Given::default() })
    }

    /// The same with options that hold where it does not say otherwise.
    pub(crate) fn with_usual(self, usual: &Given) -> Query {
        Query { usual: usual.clone(), ..self }
    }

    /// A parameter, if it is there; an empty one counts as not given.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.pairs
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// A parameter that must be there and be understood.
    fn needed<T: FromStr>(&self, name: &str, expected: &str) -> Result<T, Refusal> {
        let wrong = || Refusal::wrong(format!("`{name}` must be {expected}"));
        self.get(name).ok_or_else(wrong)?.parse().map_err(|_| wrong())
    }

    /// `FROM:TO`, both of a kind.
    fn ends<T: FromStr>(&self, name: &str) -> Option<(T, T)> {
        let (from, to) = self.get(name)?.split_once(':')?;
        Some((from.parse().ok()?, to.parse().ok()?))
    }

    /// `FROM:TO`, the first below the second.
    fn range<T: FromStr + PartialOrd>(&self, name: &str, expected: &str) -> Result<Option<(T, T)>, Refusal> {
        if self.get(name).is_none() {
            return Ok(None);
        }
        let ends = self.ends(name).filter(|(from, to)| from < to);
        ends.map(Some)
            .ok_or_else(|| Refusal::wrong(format!("`{name}` must be FROM:TO, {expected}, the first below the second")))
    }

    fn time(&self) -> Result<Option<(Ns, Ns)>, Refusal> {
        let expected = "nanoseconds from 0";
        match self.range::<i64>("time", expected)? {
            Some((from, to)) if from < 0 || to > Ns::MAX.0 => {
                Err(Refusal::wrong(format!("`time` must be FROM:TO, {expected} to {}", Ns::MAX.0)))
            }
            Some((from, to)) => Ok(Some((Ns(from), Ns(to)))),
            None => Ok(None),
        }
    }

    fn ranks(&self) -> Result<Option<RankSet>, Refusal> {
        let Some(text) = self.get("ranks") else { return Ok(None) };
        if text.len() > LONGEST_RANKS {
            return Err(Refusal::wrong(format!("`ranks` must have at most {LONGEST_RANKS} characters")));
        }
        let ranks = text.parse();
        ranks.map(Some).map_err(|_| Refusal::wrong("`ranks` must be a list of ranks, for instance 0-15,100,200-"))
    }

    fn regions(&self, name: &str) -> Result<Vec<RegionId>, Refusal> {
        let Some(text) = self.get(name) else { return Ok(Vec::new()) };
        let wrong = || Refusal::wrong(format!("`{name}` must be numbers of regions, at most {MOST_REGIONS}: 3,17,4"));
        let ids = text.split(',').map(|id| id.parse().map(RegionId)).take(MOST_REGIONS + 1);
        let ids: Vec<RegionId> = ids.collect::<Result<_, _>>().map_err(|_| wrong())?;
        if ids.len() > MOST_REGIONS { Err(wrong()) } else { Ok(ids) }
    }

    /// Light or dark.
    pub(crate) fn theme(&self) -> Result<Theme, Refusal> {
        match self.get("theme") {
            None | Some("light") => Ok(Theme::Light),
            Some("dark") => Ok(Theme::Dark),
            Some(_) => Err(Refusal::wrong("`theme` must be light or dark")),
        }
    }

    fn framing(&self) -> Result<Framing, Refusal> {
        match self.get("frame") {
            None | Some("pane") => Ok(Framing::Pane),
            Some("wide") => Ok(Framing::Wide),
            Some("tree") => Ok(Framing::Tree),
            Some("nodes") => Ok(Framing::Nodes),
            Some("strip") => Ok(Framing::Strip),
            Some("figure") => Ok(Framing::Figure),
            Some(_) => Err(Refusal::wrong("`frame` must be pane, wide, tree, nodes, strip or figure")),
        }
    }

    fn size(&self) -> Result<Size, Refusal> {
        let expected = format!("pixels, from {} to {}", SIDES.start(), SIDES.end());
        let side = |name| match self.needed::<u32>(name, &expected)? {
            side if SIDES.contains(&side) => Ok(side),
            _ => Err(Refusal::wrong(format!("`{name}` must be {expected}"))),
        };
        let (width, height) = (side("width")?, side("height")?);
        if width * height > MOST_PIXELS {
            return Err(Refusal::wrong(format!("`width` times `height` must be at most {MOST_PIXELS} pixels")));
        }
        Ok(Size { width, height })
    }

    /// A window of steps.
    fn steps(&self) -> Result<Option<(f64, f64)>, Refusal> {
        match self.range::<f64>("steps", "numbers of steps")? {
            Some((from, to)) if !from.is_finite() || !to.is_finite() => {
                Err(Refusal::wrong("`steps` must be FROM:TO, two numbers"))
            }
            steps => Ok(steps),
        }
    }

    /// Which part of the trace.
    pub(crate) fn window(&self) -> Result<Window, Refusal> {
        Ok(Window {
            time: self.time()?,
            ranks: self.ranks()?,
            rows: self.range("rows", "rows from 0")?,
            columns: self.range("columns", "columns from 0")?,
            across: self.range("across", "places from 0")?,
            down: self.range("down", "places from 0")?,
            steps: self.steps()?,
            main_only: self.flag("main", false)?,
            arranged: None,
            tall: None,
        })
    }

    /// The options among these that were given, each with a value that it can have.
    pub(crate) fn options(&self, specs: &[OptionSpec]) -> Result<Given, Refusal> {
        let is_option = |name: &str| specs.iter().any(|spec| spec.name == name);
        let given = Given::by_program(self.pairs.iter().filter(|(name, _)| is_option(name)).cloned());
        let given = given.or(&self.usual, is_option);
        given.check(specs)?;
        Ok(given)
    }

    /// The question to a view.
    pub(crate) fn view_request(&self, view: View) -> Result<ViewRequest, Refusal> {
        Ok(ViewRequest { size: self.size()?, ..self.view_request_in_words(view)? })
    }

    /// The same without a size: for an answer in words.
    pub(crate) fn view_request_in_words(&self, view: View) -> Result<ViewRequest, Refusal> {
        // Options of analyses also say what a selected phase or event is, in views that show neither.
        let analyses = AnalysisKind::ALL.into_iter().flat_map(AnalysisKind::options);
        let specs: Vec<OptionSpec> = view.options().into_iter().chain(analyses).collect();
        Ok(ViewRequest {
            window: self.window()?,
            emphasis: Emphasis {
                highlighted: self.regions("highlight")?,
                hidden: self.regions("hide")?,
                selected: self.get("select").map(|_| self.selection()).transpose()?,
            },
            theme: self.theme()?,
            book: Arc::default(),
            framing: self.framing()?,
            has_names: self.flag("names", false)?,
            size: Size { width: 1, height: 1 },
            options: self.options(&specs)?,
        })
    }

    /// What is selected; it must be given.
    pub(crate) fn selection(&self) -> Result<Selection, Refusal> {
        let text = self.get("select").unwrap_or("");
        if text.len() > LONGEST_RANKS {
            return Err(Refusal::wrong(format!("`select` must have at most {LONGEST_RANKS} bytes")));
        }
        text.parse().map_err(|error| Refusal::wrong(format!("`select`: {error}")))
    }

    /// Which part of a list: from where on, and how many.
    pub(crate) fn page(&self) -> Result<(usize, usize), Refusal> {
        let number = |name: &str, usual: usize, most: usize| match self.get(name) {
            None => Ok(usual),
            Some(text) => text
                .parse()
                .ok()
                .filter(|number| *number <= most)
                .ok_or_else(|| Refusal::wrong(format!("`{name}` must be a number up to {most}"))),
        };
        Ok((number("from", 0, u32::MAX as usize)?, number("count", 100, MOST_LISTED)?))
    }

    /// A place in the picture.
    pub(crate) fn point(&self) -> Result<(f32, f32), Refusal> {
        let coordinate = |name| match self.needed::<f32>(name, "a number of pixels")? {
            number if number.is_finite() => Ok(number),
            _ => Err(Refusal::wrong(format!("`{name}` must be a number of pixels"))),
        };
        Ok((coordinate("at_x")?, coordinate("at_y")?))
    }

    /// A solid of a picture in space.
    pub(crate) fn solid(&self) -> Result<SolidId, Refusal> {
        self.needed("solid", "node:NUMBER, link:NUMBER or rank:NUMBER")
    }

    /// What one points at in space: a solid, or a rectangle of the picture.
    pub(crate) fn pointed(&self) -> Result<Pointed, Refusal> {
        if self.get("solid").is_some() {
            return self.solid().map(Pointed::Solid);
        }
        if self.get("at_x").is_some() {
            return self.point().map(Pointed::At);
        }
        let wrong = || {
            Refusal::wrong(
                "`area` must be LEFT:TOP:WIDTH:HEIGHT in pixels, unless `solid`, or `at_x` and `at_y`, are given",
            )
        };
        let sides = self.get("area").ok_or_else(wrong)?.split(':').map(|side| side.parse::<f32>().ok());
        let sides: Vec<f32> = sides.collect::<Option<_>>().ok_or_else(wrong)?;
        match sides[..] {
            [x, y, width, height] if sides.iter().all(|side| side.is_finite()) && width >= 0.0 && height >= 0.0 => {
                Ok(Pointed::Area(Rect { x, y, width, height }))
            }
            _ => Err(wrong()),
        }
    }

    /// A region that the trace has.
    pub(crate) fn region(&self, store: &Store) -> Result<RegionId, Refusal> {
        let region: u32 = self.needed("region", "the number of a region")?;
        if u64::from(region) >= store.regions.len() {
            return Err(Refusal::missing(format!("there is no region {region} in this trace")));
        }
        Ok(RegionId(region))
    }

    /// A moment; the beginning if none is given.
    pub(crate) fn moment(&self) -> Result<Ns, Refusal> {
        if self.get("after").is_none() {
            return Ok(Ns(0));
        }
        let moment: i64 = self.needed("after", "nanoseconds")?;
        Ok(Ns(moment.clamp(-1, Ns::MAX.0)))
    }

    /// A row of a table.
    pub(crate) fn row(&self) -> Result<u64, Refusal> {
        self.needed("row", "the number of a row")
    }

    /// A word out of a few.
    pub(crate) fn word<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<T, Refusal> {
        let given = self.get(name);
        let found = words.iter().find(|(word, _)| Some(*word) == given).map(|(_, meaning)| *meaning);
        found.ok_or_else(|| {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            Refusal::wrong(format!("`{name}` must be one of {}", words.join(", ")))
        })
    }

    /// `1` or `0`.
    fn flag(&self, name: &str, usual: bool) -> Result<bool, Refusal> {
        self.word_or(name, &[("1", true), ("0", false)], usual)
    }

    /// The same, if it is given.
    fn word_or<T: Copy>(&self, name: &str, words: &[(&str, T)], usual: T) -> Result<T, Refusal> {
        if self.get(name).is_none() { Ok(usual) } else { self.word(name, words) }
    }

    /// What to search for.
    pub(crate) fn text(&self) -> Result<&str, Refusal> {
        match self.get("q").unwrap_or("") {
            text if text.len() <= LONGEST_TEXT => Ok(text),
            _ => Err(Refusal::wrong(format!("`q` must have at most {LONGEST_TEXT} bytes"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use heddle_options::Share;
    use heddle_view::{CallStyle, CallsOptions, HeightScale};

    use super::*;

    fn query(text: &str) -> Query {
        Query::parse(text).unwrap()
    }

    #[test]
    fn windows_are_read() {
        let window = query("time=5:10&ranks=0-3%2C7").window().unwrap();
        assert_eq!(window.time, Some((Ns(5), Ns(10))));
        assert_eq!(window.ranks.unwrap().to_string(), "0-3,7");
        assert_eq!(query("time=&ranks=").window().unwrap(), Window::default());
        for wrong in
            ["time=5", "time=10:5", "time=5:5", "time=-1:5", "time=0:99999999999999999999", "time=a:b", "ranks=x"]
        {
            assert!(query(wrong).window().is_err(), "{wrong}");
        }
        assert!(query(&format!("ranks={}1", "1,".repeat(5_000))).window().is_err());
    }

    #[test]
    fn sizes_have_limits() {
        assert_eq!(query("width=16&height=8192").size(), Ok(Size { width: 16, height: 8192 }));
        for wrong in [
            "",
            "width=100",
            "width=100&height=15",
            "width=100&height=8193",
            "width=-5&height=100",
            "width=1e3&height=100",
            "width=8192&height=8192",
        ] {
            let refusal = query(wrong).size().unwrap_err();
            assert!(refusal.message.contains("pixels"), "{wrong}: {}", refusal.message);
        }
    }

    #[test]
    fn lists_words_and_points_are_checked() {
        assert_eq!(query("hide=3,1").regions("hide").unwrap(), [RegionId(3), RegionId(1)]);
        for wrong in ["hide=3,", "hide=a", "hide=-1", "hide=4294967296"] {
            assert!(query(wrong).regions("hide").is_err(), "{wrong}");
        }
        assert!(query(&format!("hide=1{}", ",1".repeat(MOST_REGIONS - 1))).regions("hide").is_ok());
        assert!(query(&format!("hide=1{}", ",1".repeat(MOST_REGIONS))).regions("hide").is_err());
        assert_eq!(query("at_x=1.5&at_y=-2").point(), Ok((1.5, -2.0)));
        for wrong in ["at_x=1", "at_x=nan&at_y=1", "at_x=inf&at_y=1", "at_x=&at_y=1"] {
            assert!(query(wrong).point().is_err(), "{wrong}");
        }
        assert!(query("theme=blue").theme().is_err() && query("frame=x").framing().is_err());
        assert!(Query::parse("width=1&width=2").is_err());
        assert!(query(&format!("q={}", "x".repeat(201))).text().is_err());
        let refusal = query("direction=up").word("direction", &[("next", 1), ("previous", 2)]).unwrap_err();
        assert_eq!(refusal.message, "`direction` must be one of next, previous");
    }

    #[test]
    fn options_of_a_view_are_read_and_others_passed_over() {
        let size = "width=100&height=100";
        let all =
            "style=arches&y=bytes&scale=linear&opacity=linear&omin=0.5&durations=10:2000&bytes=1:64&communicator=3";
        let calls: CallsOptions = query(&format!("{size}&{all}")).view_request(View::Calls).unwrap().options.checked();
        assert_eq!((calls.style, calls.scale, calls.least), (CallStyle::Arches, HeightScale::Linear, Share(0.5)));
        assert_eq!((calls.durations, calls.bytes), (Some((Ns(10), Ns(2000))), Some((1, 64))));
        let other = query(&format!("{size}&style=dots")).view_request(View::Activity).unwrap();
        assert_eq!(other.options, Given::default());
        for wrong in [
            "style=dots",
            "y=x",
            "scale=2",
            "opacity=0.5",
            "omin=2",
            "omin=nan",
            "durations=5",
            "bytes=-1:5",
            "communicator=a",
            "leap-merge=yes",
            "select=nothing",
        ] {
            assert!(query(&format!("{size}&{wrong}")).view_request(View::Calls).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_was_sent_is_not_sent_back() {
        for sent in [
            "time=<b>",
            "ranks=<b>",
            "hide=<b>",
            "theme=<b>",
            "frame=<b>",
            "at_x=<b>&at_y=<b>",
            "width=<b>&height=<b>",
            "style=<b>&width=100&height=100",
            "select=<b>",
        ] {
            let query = query(sent);
            let told = [
                query.window().err(),
                query.regions("hide").err(),
                query.theme().err(),
                query.framing().err(),
                query.point().err(),
                query.size().err(),
                query.view_request(View::Calls).err(),
                query.selection().err(),
            ];
            assert!(told.into_iter().flatten().all(|refusal| !refusal.message.contains("<b>")), "{sent}");
        }
    }
}

//! A picture as a file for a paper: what `heddle render` writes, of the size of the pane or of a size on a page.

use axum::http::{HeaderValue, header};
use axum::response::Response;

use heddle_draw::{Figure, FigureOptions, Format};
use heddle_options::{Given, Options};
use heddle_view::{Trace, ViewRequest};

use super::Body;
use super::scene::made;
use crate::asked::{Asked, view};
use crate::error::Refusal;

/// Pixels of a PNG for each pixel of the page: twice as fine, for print.
const FINE: f32 = 2.0;
/// What stands before the names of the options of figures: a picture has a width in pixels too.
const PAPER: &str = "paper-";

pub(super) async fn figure(asked: Asked) -> Result<Response, Refusal> {
    let (name, ending) = asked.part("file").rsplit_once('.').unwrap_or_default();
    let view = view(name)?;
    let format =
        Format::of_ending(ending).ok_or_else(|| Refusal::missing("A figure is VIEW.png, VIEW.svg or VIEW.pdf."))?;
    let options = paper(&asked)?;
    let (kind, ending) = kind_of(format);
    let make = move |trace: Trace<'_>, request: &ViewRequest| {
        let largest = request.size.width.max(request.size.height);
        let scale = if largest as f32 * FINE > 8192.0 { 1.0 } else { FINE };
        Figure::of(view, request, &options, format, scale, |request| view.scene(trace.clone(), request))
    };
    made(asked, view, make, move |asked, figure| {
        let figure = figure.as_ref().map_err(|error| Refusal::wrong(error.to_string()))?;
        let bytes = figure.write(format).map_err(|error| Refusal::wrong(error.to_string()))?;
        // Not compressed: PNG and PDF are, and an SVG goes to a file once.
        let mut response = Body { bytes, kind }.answer(false)?;
        // Id and view are words of our own: nothing in them needs quoting.
        let disposition = format!("attachment; filename=\"{}-{}.{ending}\"", asked.id, view.name());
        if let Ok(value) = HeaderValue::from_str(&disposition) {
            response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
        }
        Ok(response)
    })
    .await
}

/// The size on a page that is asked for, and what stands around the plot. Lengths are as people write them: `88mm`.
fn paper(asked: &Asked) -> Result<FigureOptions, Refusal> {
    let said = FigureOptions::specs().into_iter().filter_map(|spec| {
        let text = asked.query.get(&format!("{PAPER}{}", spec.name))?;
        Some((spec.name.to_owned(), text.to_owned()))
    });
    let given = Given::by_program(said);
    given.check(&FigureOptions::specs())?;
    Ok(given.read()?)
}

fn kind_of(format: Format) -> (&'static str, &'static str) {
    match format {
        Format::Png => ("image/png", "png"),
        Format::Svg => ("image/svg+xml", "svg"),
        Format::Pdf => ("application/pdf", "pdf"),
    }
}

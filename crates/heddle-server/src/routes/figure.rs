//! A picture as a file for a paper: what `heddle render` writes.

use axum::http::{HeaderValue, header};
use axum::response::Response;

use heddle_view::Scene;

use super::Body;
use super::scene::drawn;
use crate::asked::{Asked, view};
use crate::error::Refusal;

/// Pixels of a PNG for each pixel of the page: twice as fine, for print.
const FINE: f32 = 2.0;

#[derive(Clone, Copy)]
enum Format {
    Png,
    Svg,
    Pdf,
}

pub(super) async fn figure(asked: Asked) -> Result<Response, Refusal> {
    let (name, ending) = asked.part("file").rsplit_once('.').unwrap_or_default();
    let view = view(name)?;
    let format = match ending {
        "png" => Format::Png,
        "svg" => Format::Svg,
        "pdf" => Format::Pdf,
        _ => return Err(Refusal::missing("A figure is VIEW.png, VIEW.svg or VIEW.pdf.")),
    };
    drawn(asked, view, move |asked, scene| {
        // Not compressed: PNG and PDF are, and an SVG goes to a file once.
        let mut response = file(scene, format)?.answer(false)?;
        // Id and view are words of our own: nothing in them needs quoting.
        let disposition = format!("attachment; filename=\"{}-{}.{}\"", asked.id, view.name(), format.ending());
        if let Ok(value) = HeaderValue::from_str(&disposition) {
            response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
        }
        Ok(response)
    })
    .await
}

impl Format {
    fn ending(self) -> &'static str {
        match self {
            Format::Png => "png",
            Format::Svg => "svg",
            Format::Pdf => "pdf",
        }
    }
}

fn file(scene: &Scene, format: Format) -> Result<Body, Refusal> {
    let wrong = |error: heddle_draw::DrawError| Refusal::wrong(error.to_string());
    match format {
        Format::Png => {
            let largest = scene.size.width.max(scene.size.height);
            let scale = if largest as f32 * FINE > 8192.0 { 1.0 } else { FINE };
            let bytes = heddle_draw::png(scene, scale).map_err(wrong)?;
            Ok(Body { bytes, kind: "image/png" })
        }
        Format::Svg => {
            let bytes = heddle_draw::svg(scene).map_err(wrong)?.into_bytes();
            Ok(Body { bytes, kind: "image/svg+xml" })
        }
        Format::Pdf => Ok(Body { bytes: heddle_draw::pdf(scene).map_err(wrong)?, kind: "application/pdf" }),
    }
}

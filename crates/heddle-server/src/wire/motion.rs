//! Messages in motion as bytes: what links do over a window, and the ways of messages from a moment on.

use serde_json::json;

use heddle_view::{MotionActivity, Moving, PlaneMarks, Shares};

use super::{Arrays, packed};

/// The first bytes: of activity, and of messages.
const ACTIVITY: [u8; 4] = *b"HACT";
const MOVING: [u8; 4] = *b"HMOV";
/// Raised when a page that knows the old form would misread the new one.
const VERSION: u32 = 1;

/// The bytes of what links and elements do.
pub(crate) fn wire_activity(activity: &MotionActivity) -> Vec<u8> {
    let mut arrays = Arrays::default();
    let header = json!({
        "from": activity.window.0.0.to_string(),
        "to": activity.window.1.0.to_string(),
        "bins": activity.bins,
        "fade": activity.fade,
        "messages": activity.messages,
        "most_in_flight": activity.most_in_flight,
        "in_flight": arrays.numbers(activity.in_flight.iter().map(|count| u32::try_from(*count).unwrap_or(u32::MAX))),
        "links": shares(&activity.cables, &mut arrays),
        "nodes": shares(&activity.elements, &mut arrays),
        "blocks": shares(&activity.blocks, &mut arrays),
        "marks": activity.marks.as_ref().map(|marks| plane_marks(marks, &mut arrays)),
        "notes": activity.notes,
    });
    packed(ACTIVITY, VERSION, &header, &arrays)
}

fn shares(shares: &Shares, arrays: &mut Arrays) -> serde_json::Value {
    json!({
        "count": shares.count,
        "values": arrays.bytes(&shares.values),
        "largest": shares.largest,
        "sum": shares.sum.0,
        "sum_text": shares.sum.1,
    })
}

/// Ends of cables, middles of elements, and which each of them is.
fn plane_marks(marks: &PlaneMarks, arrays: &mut Arrays) -> serde_json::Value {
    json!({
        "links": marks.cables.len(),
        "link_id": arrays.numbers(marks.cables.iter().map(|(id, _)| *id)),
        "link_at": arrays.floats(marks.cables.iter().flat_map(|(_, ends)| *ends)),
        "nodes": marks.elements.len(),
        "node_id": arrays.numbers(marks.elements.iter().map(|(id, _)| *id)),
        "node_at": arrays.floats(marks.elements.iter().flat_map(|(_, at)| *at)),
        "sizes": marks.sizes,
    })
}

/// The bytes of messages. Times are shares of the stretch from the first moment on, in nanoseconds after it: exact enough for a
/// picture, and before it where a message was sent earlier.
pub(crate) fn wire_moving(moving: &Moving) -> Vec<u8> {
    let mut arrays = Arrays::default();
    let messages = &moving.messages;
    let after = |at: heddle_model::Ns| at.since(moving.from) as f64;
    let header = json!({
        "from": moving.from.0.to_string(),
        "until": moving.until.0.to_string(),
        "in_flight": moving.in_flight,
        "note": moving.note,
        "selected": moving.selected,
        "selected_way": [moving.selected_way.0, moving.selected_way.1],
        "dot": moving.dot,
        "title": moving.title,
        "colours": moving.colours.iter().map(|c| format!("#{:02x}{:02x}{:02x}ff", c.0, c.1, c.2)).collect::<Vec<_>>(),
        "ends": moving.ends,
        "count": messages.len(),
        "row": arrays.doubles(messages.iter().map(|message| message.row as f64)),
        "start": arrays.doubles(messages.iter().map(|message| after(message.start))),
        "end": arrays.doubles(messages.iter().map(|message| after(message.end))),
        "share": arrays.floats(messages.iter().map(|message| message.share)),
        "first": arrays.numbers(messages.iter().map(|message| message.first)),
        "points": arrays.numbers(messages.iter().map(|message| message.points)),
        "all_points": moving.points.len(),
        "place": arrays.floats(moving.points.iter().flatten().copied()),
    });
    packed(MOVING, VERSION, &header, &arrays)
}

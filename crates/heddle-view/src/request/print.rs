//! What a picture that is printed asks of views. Whoever makes a figure sets it; no command line, question or link does.

use heddle_options::options;

options! {
    /// How a picture is drawn for print.
    pub struct PrintOptions {
        /// Draw marks as shapes where they are few enough, instead of counting them on a grid
        "shapes" shapes: bool = false,
    }
}

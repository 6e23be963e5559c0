//! The macro that declares a group of options, and what every group can do.

use crate::{OptionError, OptionSpec, Written};

/// A group of options: a struct made by [`options!`](crate::options!).
pub trait Options: Clone + Default + PartialEq {
    /// What each of them is, in the order of their declaration.
    fn specs() -> Vec<OptionSpec>;

    /// Takes over the value of one option; `None` if the group has no option of that name.
    fn set(&mut self, name: &str, text: &str, written: Written) -> Option<Result<(), OptionError>>;

    /// Names and texts of those that differ from the default, as in a link.
    fn given(&self) -> Vec<(&'static str, String)>;
}

/// Declares a group of options. Each is one entry: its help as a doc comment, its name everywhere, the field, its type
/// (an [`OptionValue`](crate::OptionValue)) and its default. A few words in brackets behind the name are what a control
/// of the page says instead of it.
#[macro_export]
macro_rules! options {
    (
        $(#[$meta:meta])*
        $vis:vis struct $group:ident {
            $( $(#[doc = $help:literal])+ $name:literal $(($title:literal))? $field:ident : $type:ty = $default:expr, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $group {
            $( $(#[doc = $help])+ $vis $field: $type, )*
        }

        impl Default for $group {
            fn default() -> Self {
                $group { $( $field: $default, )* }
            }
        }

        impl $crate::Options for $group {
            fn specs() -> Vec<$crate::OptionSpec> {
                let default = <$group as Default>::default();
                vec![ $( $crate::OptionSpec::new($name, concat!("", $($title)?), concat!($($help),+), &default.$field), )* ]
            }

            fn set(
                &mut self,
                name: &str,
                text: &str,
                written: $crate::Written,
            ) -> Option<Result<(), $crate::OptionError>> {
                match name {
                    $( $name => Some(
                        <$type as $crate::OptionValue>::read(text, written)
                            .map(|value| self.$field = value)
                            .map_err(|why| $crate::OptionError { name: $name.to_owned(), why }),
                    ), )*
                    _ => None,
                }
            }

            fn given(&self) -> Vec<(&'static str, String)> {
                let default = <$group as Default>::default();
                let mut given = Vec::new();
                $( if self.$field != default.$field {
                    given.push(($name, $crate::OptionValue::write(&self.$field)));
                } )*
                given
            }
        }
    };
}

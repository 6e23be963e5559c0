//! Random secrets, and their comparison in constant time.

use std::fmt;

use subtle::ConstantTimeEq;

use crate::ServerError;

/// Bytes of randomness in a secret: 192 bits.
const LENGTH: usize = 24;

/// A random secret in hexadecimal.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    /// A fresh one, from the system.
    pub(crate) fn random() -> Result<Secret, ServerError> {
        let mut bytes = [0; LENGTH];
        getrandom::fill(&mut bytes).map_err(ServerError::Random)?;
        let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
        Ok(Secret(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()))
    }

    /// Whether somebody knows it. How long this takes says nothing about the secret.
    pub(crate) fn is(&self, guess: &str) -> bool {
        self.0.as_bytes().ct_eq(guess.as_bytes()).into()
    }

    /// The secret itself, for those who may have it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

/// A secret that gets into a message by mistake stays one.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_long_different_and_compared_whole() {
        let (one, other) = (Secret::random().unwrap(), Secret::random().unwrap());
        assert_eq!(one.reveal().len(), 2 * LENGTH);
        assert_ne!(one.reveal(), other.reveal());
        assert!(one.is(one.reveal()) && !one.is(other.reveal()));
        assert!(!one.is("") && !one.is(&one.reveal()[1..]) && !one.is(&format!("{}0", one.reveal())));
        assert_eq!(format!("{one:?}"), "Secret");
    }
}

//! Thrift's compact protocol, in which Parquet writes what it says about itself: read into a tree that is never larger than
//! the bytes can justify.

/// A value. Which number is which field is up to whoever reads it.
#[derive(Debug, Default)]
pub(super) enum Value {
    /// Of a kind that nothing here needs.
    #[default]
    Else,
    Whole(i64),
    Bytes(Box<[u8]>),
    List(Vec<Value>),
    Struct(Vec<(i16, Value)>),
}

impl Value {
    /// A field of a struct.
    pub(super) fn field(&self, number: i16) -> Option<&Value> {
        let Value::Struct(fields) = self else { return None };
        fields.iter().find(|(of, _)| *of == number).map(|(_, value)| value)
    }

    pub(super) fn whole(&self, number: i16) -> Option<i64> {
        match self.field(number) {
            Some(Value::Whole(value)) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn bytes(&self, number: i16) -> Option<&[u8]> {
        match self.field(number) {
            Some(Value::Bytes(bytes)) => Some(bytes),
            _ => None,
        }
    }

    pub(super) fn list(&self, number: i16) -> &[Value] {
        match self.field(number) {
            Some(Value::List(list)) => list,
            _ => &[],
        }
    }
}

/// Structs in structs beyond this are not Parquet's.
const DEEPEST: u32 = 16;

/// Reads a struct; `None` if the bytes are none. What was read is taken off `bytes`.
pub(super) fn read_struct(bytes: &mut &[u8]) -> Option<Value> {
    structure(bytes, 0)
}

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

/// A number of seven bits a byte, the least first.
pub(super) fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let next = byte(bytes)?;
        value |= u64::from(next & 0x7f) << shift;
        if next < 0x80 {
            return Some(value);
        }
    }
    None
}

fn zigzag(bytes: &mut &[u8]) -> Option<i64> {
    let value = varint(bytes)?;
    Some((value >> 1) as i64 ^ -((value & 1) as i64))
}

fn structure(bytes: &mut &[u8], depth: u32) -> Option<Value> {
    if depth > DEEPEST {
        return None;
    }
    let mut fields = Vec::new();
    let mut number = 0i16;
    loop {
        let head = byte(bytes)?;
        if head == 0 {
            return Some(Value::Struct(fields));
        }
        number = match head >> 4 {
            0 => zigzag(bytes)? as i16,
            step => number.checked_add(i16::from(step))?,
        };
        // Truth is written in the kind.
        let value = match head & 0xf {
            1 => Value::Whole(1),
            2 => Value::Whole(0),
            kind => value(bytes, kind, depth)?,
        };
        fields.push((number, value));
    }
}

fn value(bytes: &mut &[u8], kind: u8, depth: u32) -> Option<Value> {
    Some(match kind {
        1 | 2 => Value::Whole(i64::from(byte(bytes)? == 1)),
        3 => Value::Whole(i64::from(byte(bytes)? as i8)),
        4..=6 => Value::Whole(zigzag(bytes)?),
        7 => {
            *bytes = bytes.get(8..)?;
            Value::Else
        }
        8 => {
            let length = usize::try_from(varint(bytes)?).ok()?;
            let (text, rest) = bytes.split_at_checked(length)?;
            *bytes = rest;
            Value::Bytes(text.into())
        }
        9 | 10 => {
            let head = byte(bytes)?;
            let count = if head >> 4 == 15 { varint(bytes)? } else { u64::from(head >> 4) };
            // Every element has a byte at least, so this ends.
            let mut list = Vec::new();
            for _ in 0..count {
                list.push(value(bytes, head & 0xf, depth + 1)?);
            }
            Value::List(list)
        }
        11 => {
            let count = varint(bytes)?;
            let kinds = if count > 0 { byte(bytes)? } else { 0 };
            for _ in 0..count {
                value(bytes, kinds >> 4, depth + 1)?;
                value(bytes, kinds & 0xf, depth + 1)?;
            }
            Value::Else
        }
        12 => structure(bytes, depth + 1)?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_are_read_and_lies_are_not_believed() {
        // Field 1 is -3, field 2 the text "ab", field 3 a list of 7 and 8, field 4 true, field 20 a struct.
        let bytes = [0x15, 5, 0x18, 2, b'a', b'b', 0x19, 0x25, 14, 16, 0x11, 0x0c, 40, 0x15, 2, 0, 0, 9];
        let mut rest = &bytes[..];
        let read = read_struct(&mut rest).unwrap();
        assert_eq!(rest, [9]);
        assert_eq!((read.whole(1), read.bytes(2), read.whole(4)), (Some(-3), Some(&b"ab"[..]), Some(1)));
        assert!(matches!(read.list(3), [Value::Whole(7), Value::Whole(8)]));
        assert_eq!(read.field(20).unwrap().whole(1), Some(1));
        // A text and a list of 2^60, structs without end.
        for lie in [
            &[0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f][..],
            &[0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 0x0f, 1],
            &[0x1c; 100],
        ] {
            assert!(read_struct(&mut &*lie).is_none());
        }
    }
}

//! The walk over a value: where lines break and how deep they stand.

use std::fmt::{self, Display};
use std::io::{self, Write};

use serde::ser::{self, Serialize};

use super::scalar;

/// Columns after which a list in brackets goes on in the next line.
const WIDTH: usize = 100;

/// What stands before a value on its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lead {
    /// Nothing.
    Start,
    /// A key and its colon.
    Colon,
    /// The dash of an item.
    Dash,
}

/// Where a value stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// In lines; what is inside the value stands `indent` spaces from the left.
    Block { indent: usize, lead: Lead },
    /// Between brackets.
    Flow { indent: usize },
}

/// Writes `value` with the end of its last line.
pub(super) fn write<W: Write, T: Serialize + ?Sized>(writer: W, value: &T, place: Place) -> io::Result<()> {
    let mut out = Columns { out: writer, column: 0 };
    match value.serialize(Serializer { out: &mut out, place }) {
        Ok(()) => Ok(()),
        Err(Error::Io(error)) => Err(error),
        Err(Error::Other(message)) => Err(io::Error::other(message)),
    }
}

/// A writer that knows its column, in bytes; that is enough to fold by.
struct Columns<W> {
    out: W,
    column: usize,
}

impl<W: Write> Write for Columns<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        let written = bytes.get(..n).unwrap_or(bytes);
        self.column = match written.iter().rposition(|&b| b == b'\n') {
            Some(at) => n - at - 1,
            None => self.column + n,
        };
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[derive(Debug)]
pub(super) enum Error {
    Io(io::Error),
    Other(String),
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Other(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

impl ser::Error for Error {
    fn custom<T: Display>(message: T) -> Self {
        Self::Other(message.to_string())
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

struct Serializer<'w, W> {
    out: &'w mut Columns<W>,
    place: Place,
}

impl<'w, W: Write> Serializer<'w, W> {
    /// A value on the line that was begun.
    fn line(self, text: impl Display) -> Result<(), Error> {
        self.framed(|out| write!(out, "{text}"))
    }

    fn framed(self, write: impl FnOnce(&mut Columns<W>) -> io::Result<()>) -> Result<(), Error> {
        match self.place {
            Place::Flow { .. } => write(self.out)?,
            Place::Block { lead, .. } => {
                if lead != Lead::Start {
                    self.out.write_all(b" ")?;
                }
                write(self.out)?;
                self.out.write_all(b"\n")?;
            }
        }
        Ok(())
    }

    fn compound(self) -> Compound<'w, W> {
        Compound { out: self.out, place: self.place, style: None, key: String::new() }
    }
}

macro_rules! plain {
    ($($name:ident: $ty:ty),*) => {
        $(fn $name(self, v: $ty) -> Result<(), Error> {
            self.line(v)
        })*
    };
}

/// What serde offers and our documents do not use.
macro_rules! unused {
    ($($name:ident($($ty:ty),*) -> $ok:ty;)*) => {
        $(fn $name(self, $(_: $ty),*) -> Result<$ok, Error> {
            Err(ser::Error::custom("not a shape of our documents"))
        })*
    };
}

impl<'w, W: Write> ser::Serializer for Serializer<'w, W> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'w, W>;
    type SerializeTuple = Compound<'w, W>;
    type SerializeTupleStruct = Compound<'w, W>;
    type SerializeTupleVariant = ser::Impossible<(), Error>;
    type SerializeMap = Compound<'w, W>;
    type SerializeStruct = Compound<'w, W>;
    type SerializeStructVariant = ser::Impossible<(), Error>;

    plain! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_u128: u128
    }

    fn serialize_f32(self, v: f32) -> Result<(), Error> {
        self.line(scalar::float(format!("{v:?}")))
    }

    fn serialize_f64(self, v: f64) -> Result<(), Error> {
        self.line(scalar::float(format!("{v:?}")))
    }

    fn serialize_char(self, v: char) -> Result<(), Error> {
        self.serialize_str(v.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        let place = self.place;
        self.framed(|out| match place {
            _ if scalar::is_word(text) => out.write_all(text.as_bytes()),
            Place::Block { indent, lead } if lead != Lead::Start && scalar::is_block(text) => {
                scalar::write_block(out, text, indent)
            }
            _ => scalar::write_quoted(out, text),
        })
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.line("null")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.line("null")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.line("null")
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, v: &T) -> Result<(), Error> {
        v.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let mut map = self.compound();
        ser::SerializeMap::serialize_entry(&mut map, variant, value)?;
        ser::SerializeMap::end(map)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'w, W>, Error> {
        Ok(self.compound())
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'w, W>, Error> {
        Ok(self.compound())
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Compound<'w, W>, Error> {
        Ok(self.compound())
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'w, W>, Error> {
        Ok(self.compound())
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Compound<'w, W>, Error> {
        Ok(self.compound())
    }

    unused! {
        serialize_bytes(&[u8]) -> ();
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> ser::Impossible<(), Error>;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> ser::Impossible<(), Error>;
    }
}

/// A list or a mapping being written; which of the two forms it takes is known at its first item.
pub(super) struct Compound<'w, W> {
    out: &'w mut Columns<W>,
    place: Place,
    style: Option<Style>,
    key: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Lines,
    Brackets,
}

impl<W: Write> Compound<'_, W> {
    const fn indent(&self) -> usize {
        match self.place {
            Place::Block { indent, .. } | Place::Flow { indent } => indent,
        }
    }

    /// Writes what stands before an item; the place of the item's value.
    fn before(&mut self, open: &str, brackets: impl FnOnce() -> bool) -> Result<Place, Error> {
        let indent = self.indent();
        let first = self.style.is_none();
        let style = match (self.style, self.place) {
            (Some(style), _) => style,
            (None, Place::Flow { .. }) => Style::Brackets,
            (None, Place::Block { .. }) if brackets() => Style::Brackets,
            (None, Place::Block { .. }) => Style::Lines,
        };
        self.style = Some(style);
        match (style, self.place, first) {
            (Style::Brackets, Place::Block { lead: Lead::Colon | Lead::Dash, .. }, true) => {
                write!(self.out, " {open}")?;
            }
            (Style::Brackets, _, true) => self.out.write_all(open.as_bytes())?,
            (Style::Brackets, _, false) if self.out.column >= WIDTH => {
                // The lines of a list must stand deeper than what it belongs to.
                let indent = indent.max(1);
                write!(self.out, ",\n{:indent$}", "")?;
            }
            (Style::Brackets, _, false) => self.out.write_all(b", ")?,
            (Style::Lines, Place::Block { lead: Lead::Dash, .. }, true) => self.out.write_all(b" ")?,
            (Style::Lines, Place::Block { lead: Lead::Colon, .. }, true) => {
                write!(self.out, "\n{:indent$}", "")?;
            }
            (Style::Lines, _, _) => write!(self.out, "{:indent$}", "")?,
        }
        Ok(match style {
            Style::Brackets => Place::Flow { indent },
            Style::Lines => Place::Block { indent: indent + 2, lead: Lead::Dash },
        })
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let place = self.before("[", || value.serialize(Probe).is_ok())?;
        if matches!(place, Place::Block { .. }) {
            self.out.write_all(b"-")?;
        }
        value.serialize(Serializer { out: &mut *self.out, place })
    }

    fn entry<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), Error> {
        let place = match self.before("{", || false)? {
            Place::Block { indent, .. } => Place::Block { indent, lead: Lead::Colon },
            flow @ Place::Flow { .. } => flow,
        };
        if scalar::is_word(key) {
            self.out.write_all(key.as_bytes())?;
        } else {
            scalar::write_quoted(&mut *self.out, key)?;
        }
        self.out.write_all(if matches!(place, Place::Flow { .. }) { b": " } else { b":" })?;
        value.serialize(Serializer { out: &mut *self.out, place })
    }

    fn close(self, empty: &str, close: &str) -> Result<(), Error> {
        match self.style {
            None => Serializer { out: self.out, place: self.place }.line(empty),
            Some(Style::Lines) => Ok(()),
            Some(Style::Brackets) => {
                self.out.write_all(close.as_bytes())?;
                if matches!(self.place, Place::Block { .. }) {
                    self.out.write_all(b"\n")?;
                }
                Ok(())
            }
        }
    }
}

macro_rules! list {
    ($($name:ident::$method:ident),*) => {
        $(impl<W: Write> ser::$name for Compound<'_, W> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.item(value)
            }

            fn end(self) -> Result<(), Error> {
                self.close("[]", "]")
            }
        })*
    };
}

list!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field
);

impl<W: Write> ser::SerializeMap for Compound<'_, W> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        // Keys are texts or numbers, as in JSON.
        self.key = match serde_json::to_value(key).map_err(<Error as ser::Error>::custom)? {
            serde_json::Value::String(text) => text,
            number => number.to_string(),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let key = std::mem::take(&mut self.key);
        self.entry(&key, value)
    }

    fn end(self) -> Result<(), Error> {
        self.close("{}", "}")
    }
}

impl<W: Write> ser::SerializeStruct for Compound<'_, W> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.entry(key, value)
    }

    fn end(self) -> Result<(), Error> {
        self.close("{}", "}")
    }
}

/// Tells values that are no lists or mappings: those serialise without an error.
struct Probe;

macro_rules! probe {
    ($($name:ident: $ty:ty),*) => {
        $(fn $name(self, _: $ty) -> Result<(), Error> {
            Ok(())
        })*
    };
}

impl ser::Serializer for Probe {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = ser::Impossible<(), Error>;
    type SerializeTuple = ser::Impossible<(), Error>;
    type SerializeTupleStruct = ser::Impossible<(), Error>;
    type SerializeTupleVariant = ser::Impossible<(), Error>;
    type SerializeMap = ser::Impossible<(), Error>;
    type SerializeStruct = ser::Impossible<(), Error>;
    type SerializeStructVariant = ser::Impossible<(), Error>;

    probe! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_u128: u128, serialize_f32: f32, serialize_f64: f64, serialize_char: char, serialize_str: &str,
        serialize_bytes: &[u8], serialize_unit_struct: &'static str
    }

    fn serialize_none(self) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_unit(self) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, v: &T) -> Result<(), Error> {
        v.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Error> {
        Err(ser::Error::custom(""))
    }

    unused! {
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }
}

//! Reading `.npy` files: the header of one, and where its elements are.
//!
//! Versions 1, 2 and 3. The header is a literal of Python, of which exactly the form that NumPy writes is taken: a dict with
//! the keys `descr`, `fortran_order` and `shape`, each once. Nothing is evaluated.

use std::fmt;
use std::io;

use ggufkit_format::layout::{SizeError, tensor_bytes};
use ggufkit_format::spec::TensorType;
use ggufkit_format::{Endian, ReadAt, Span, shorten};

use super::MAX_DIMS;
use crate::file::read_full;

/// Longest header that is read. NumPy's own are of some 100 bytes, and it reads none over 10,000 unasked.
const MAX_HEADER: u32 = 64 << 10;

/// An array of a file: what a tensor needs to be made of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// Type of the elements.
    pub tensor_type: TensorType,
    /// Their byte order.
    pub endian: Endian,
    /// Dimensions in GGUF's order, the row length first: NumPy's shape turned round.
    pub dims: Vec<u64>,
    /// Where the elements are.
    pub data: Span,
}

/// Why a file is no array that can become a tensor.
#[derive(Debug)]
#[non_exhaustive]
pub enum ArrayError {
    /// It cannot be read.
    Io(io::Error),
    /// It does not begin as an `.npy` file does.
    NotNpy,
    /// A version of the format that is not known.
    Version(u8, u8),
    /// The header is longer than any that NumPy writes, or than the file.
    HeaderLength(u32),
    /// The header is not what NumPy writes.
    Header {
        /// Position in the file.
        at: u64,
        /// What should be there.
        expected: &'static str,
    },
    /// GGUF has no type for the elements.
    NoType(String),
    /// The columns are stored one after the other: such data would have to be put in another order.
    FortranOrder,
    /// More dimensions than NumPy can hold.
    TooManyDims(usize),
    /// The shape gives no size.
    Size(SizeError),
    /// The file is longer or shorter than header and shape say.
    Length {
        /// Bytes that the elements take.
        needed: u64,
        /// Bytes behind the header.
        there: u64,
    },
}

impl fmt::Display for ArrayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::NotNpy => f.write_str("not an .npy file: it does not begin with \\x93NUMPY"),
            Self::Version(major, minor) => {
                write!(f, "version {major}.{minor} of .npy is not read; 1.0, 2.0 and 3.0 are")
            }
            Self::HeaderLength(len) => {
                write!(f, "a header of {len} bytes: longer than the file, or than {MAX_HEADER}")
            }
            Self::Header { at, expected } => write!(f, "the header has no {expected} at {at:#x}"),
            Self::NoType(descr) => {
                write!(f, "no tensor type for the elements '{}'", shorten(descr.as_bytes(), 40))?;
                f.write_str(": f2, f4, f8, i1, i2, i4 and i8 have one")
            }
            Self::FortranOrder => f.write_str(
                "the array is in Fortran order; numpy.ascontiguousarray puts it in the order of C",
            ),
            Self::TooManyDims(count) => write!(f, "{count} dimensions, NumPy holds {MAX_DIMS} at most"),
            Self::Size(error) => error.fmt(f),
            Self::Length { needed, there } => {
                write!(f, "the shape asks for {needed} bytes of elements, and {there} follow the header")
            }
        }
    }
}

impl std::error::Error for ArrayError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Size(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for ArrayError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads the header of an `.npy` file whose length is known.
///
/// ```
/// # use ggufkit_io::npy;
/// # use ggufkit_format::{Span, spec::TensorType};
/// let mut file = npy::header("<f4", &[4, 3])?;
/// file.extend([0; 48]);
/// # let file = ggufkit_testkit::sources::Memory::new(file);
/// let array = npy::read(&file)?;
/// assert_eq!((array.tensor_type, &array.dims[..]), (TensorType::F32, &[4, 3][..]));
/// assert_eq!(array.data, Span::new(128, 48));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// See [`ArrayError`].
pub fn read<S>(source: &S) -> Result<Array, ArrayError>
where
    S: ReadAt<Error = io::Error> + ?Sized,
{
    let size = source.size().ok_or_else(|| io::Error::from(io::ErrorKind::NotSeekable))?;
    let mut start = [0; 12];
    let read = read_full(source, &mut start, 0)?;
    let [magic @ .., major, minor, a, b, c, d] = start;
    if read < 10 || magic != *b"\x93NUMPY" {
        return Err(ArrayError::NotNpy);
    }
    let (len, at) = match (major, minor) {
        (1, 0) => (u32::from(u16::from_le_bytes([a, b])), 10),
        (2 | 3, 0) if read == 12 => (u32::from_le_bytes([a, b, c, d]), 12),
        (2 | 3, 0) => return Err(ArrayError::NotNpy),
        _ => return Err(ArrayError::Version(major, minor)),
    };
    let begin = u64::from(len).saturating_add(at);
    if len > MAX_HEADER || begin > size {
        return Err(ArrayError::HeaderLength(len));
    }
    let mut text = vec![0; usize::try_from(len).unwrap_or(0)];
    if read_full(source, &mut text, at)? < text.len() {
        return Err(ArrayError::HeaderLength(len));
    }
    let header = Words { text: &text, at: 0, base: at }.header()?;
    let (tensor_type, endian) =
        element(&header.descr).ok_or_else(|| ArrayError::NoType(header.descr.clone()))?;
    if header.shape.len() > MAX_DIMS {
        return Err(ArrayError::TooManyDims(header.shape.len()));
    }
    // Of one dimension there is one order.
    if header.fortran && header.shape.len() > 1 {
        return Err(ArrayError::FortranOrder);
    }
    let dims: Vec<u64> = header.shape.into_iter().rev().collect();
    let needed = tensor_bytes(tensor_type, &dims).map_err(ArrayError::Size)?;
    let there = size.saturating_sub(begin);
    if needed != there {
        return Err(ArrayError::Length { needed, there });
    }
    Ok(Array { tensor_type, endian, dims, data: Span::new(begin, needed) })
}

/// The type of elements by NumPy's name of it.
fn element(descr: &str) -> Option<(TensorType, Endian)> {
    let (order, name) = descr.split_at_checked(1)?;
    let ty = match name {
        "f2" => TensorType::F16,
        "f4" => TensorType::F32,
        "f8" => TensorType::F64,
        "i1" => TensorType::I8,
        "i2" => TensorType::I16,
        "i4" => TensorType::I32,
        "i8" => TensorType::I64,
        _ => return None,
    };
    match order {
        "<" => Some((ty, Endian::Little)),
        ">" => Some((ty, Endian::Big)),
        // A single byte has no order.
        "|" if ty == TensorType::I8 => Some((ty, Endian::Little)),
        _ => None,
    }
}

struct Header {
    descr: String,
    fortran: bool,
    shape: Vec<u64>,
}

/// The text of a header, read word by word.
struct Words<'a> {
    text: &'a [u8],
    at: usize,
    base: u64,
}

impl Words<'_> {
    fn expected<T>(&self, expected: &'static str) -> Result<T, ArrayError> {
        Err(ArrayError::Header { at: self.base.saturating_add(self.at as u64), expected })
    }

    fn peek(&mut self) -> Option<u8> {
        while matches!(self.text.get(self.at), Some(b' ' | b'\n')) {
            self.at = self.at.saturating_add(1);
        }
        self.text.get(self.at).copied()
    }

    /// Passes over a byte where it is next.
    fn take(&mut self, byte: u8) -> bool {
        let is = self.peek() == Some(byte);
        self.at = self.at.saturating_add(usize::from(is));
        is
    }

    fn header(mut self) -> Result<Header, ArrayError> {
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        if !self.take(b'{') {
            return self.expected("{");
        }
        while !self.take(b'}') {
            let key = self.string()?;
            if !self.take(b':') {
                return self.expected(":");
            }
            let again = match key.as_str() {
                "descr" => {
                    // A list of fields is a structure, which no tensor holds.
                    if self.peek() == Some(b'[') {
                        return Err(ArrayError::NoType("a structure".to_owned()));
                    }
                    let value = self.string()?;
                    descr.replace(value).is_some()
                }
                "fortran_order" => {
                    let value = self.truth()?;
                    fortran.replace(value).is_some()
                }
                "shape" => {
                    let value = self.tuple()?;
                    shape.replace(value).is_some()
                }
                _ => return self.expected("descr, fortran_order or shape"),
            };
            if again {
                return self.expected("key that is not there already");
            }
            if !self.take(b',') && self.peek() != Some(b'}') {
                return self.expected(", or }");
            }
        }
        if self.peek().is_some() {
            return self.expected("end");
        }
        match (descr, fortran, shape) {
            (Some(descr), Some(fortran), Some(shape)) => Ok(Header { descr, fortran, shape }),
            _ => self.expected("descr, fortran_order and shape"),
        }
    }

    fn string(&mut self) -> Result<String, ArrayError> {
        let Some(quote @ (b'\'' | b'"')) = self.peek() else { return self.expected("text in quotes") };
        let inside = self.text.get(self.at.saturating_add(1)..).unwrap_or_default();
        let end = inside.iter().position(|&byte| byte == quote || byte == b'\\');
        match end.and_then(|end| inside.split_at_checked(end)) {
            Some((text, [byte, ..])) if *byte == quote && text.is_ascii() => {
                self.at = self.at.saturating_add(text.len()).saturating_add(2);
                Ok(String::from_utf8_lossy(text).into_owned())
            }
            _ => self.expected("text in quotes"),
        }
    }

    fn truth(&mut self) -> Result<bool, ArrayError> {
        self.peek();
        let rest = self.text.get(self.at..).unwrap_or_default();
        for (word, truth) in [("True", true), ("False", false)] {
            if rest.starts_with(word.as_bytes()) {
                self.at = self.at.saturating_add(word.len());
                return Ok(truth);
            }
        }
        self.expected("True or False")
    }

    fn tuple(&mut self) -> Result<Vec<u64>, ArrayError> {
        let mut numbers = Vec::new();
        if !self.take(b'(') {
            return self.expected("(");
        }
        while !self.take(b')') {
            numbers.push(self.number()?);
            // One number in brackets is no tuple without a comma.
            let comma = self.take(b',');
            if !comma && (numbers.len() == 1 || self.peek() != Some(b')')) {
                return self.expected(", or )");
            }
        }
        Ok(numbers)
    }

    fn number(&mut self) -> Result<u64, ArrayError> {
        self.peek();
        let rest = self.text.get(self.at..).unwrap_or_default();
        let len = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let digits = rest.get(..len).and_then(|digits| std::str::from_utf8(digits).ok());
        let Some(number) = digits.and_then(|digits| digits.parse().ok()) else {
            return self.expected("whole number");
        };
        self.at = self.at.saturating_add(len);
        // Python 2 wrote long numbers so.
        if self.text.get(self.at) == Some(&b'L') {
            self.at = self.at.saturating_add(1);
        }
        Ok(number)
    }
}

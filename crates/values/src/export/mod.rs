//! Tensors as files of other programs: plain bytes, NumPy's `.npy` and `.npz`, safetensors.
//!
//! A [`Chosen`] is a tensor or some of its rows; [`plan`] says what a file of them is made of, to the byte, before anything of
//! the data is read. Bytes that stay as they are are copied from the file; values that are decoded come as a stream, a few
//! hundred thousand at a time, and so does all that is in an archive, whose checksums follow from it.
//!
//! **Types.** Without a float to decode to every tensor keeps its own, and is refused where the format has none. With one,
//! floats and types of blocks become that; integers stay.
//!
//! **Shapes** are turned round: GGUF names the fastest dimension first, the others last. Some rows of a tensor have two
//! dimensions.
//!
//! **Byte order.** Safetensors files are little-endian, and so are decoded values; plain bytes and arrays keep the order of
//! the file, which arrays name.

mod error;

use std::collections::VecDeque;
use std::io::{self, Cursor, Read};
use std::num::NonZeroUsize;
use std::ops::Range;

use ggufkit_format::exchange::Exchange;
use ggufkit_format::spec::TensorType;
use ggufkit_format::{Endian, Plan, ReadAt, Span, Tensor};
use ggufkit_io::npy::{self, Bf16, NpyError};
use ggufkit_io::npz::Archive;
use ggufkit_io::safetensors::{self, Entry};
use ggufkit_io::{DataError, Parts, SpanRead, TensorReader};

use crate::{Decoded, Float, NoValues, Weights};

pub use error::ExportError;

/// What a file is to be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// The bytes of one tensor.
    Raw,
    /// One array of NumPy.
    Npy,
    /// Arrays of NumPy by their names, in an archive.
    Npz,
    /// A safetensors file.
    Safetensors,
}

/// The type that a tensor of type `own` has in a file whose floats are `to`: integers stay what they are.
#[must_use]
pub fn written_type(own: TensorType, to: Option<Float>) -> TensorType {
    match own {
        TensorType::I8 | TensorType::I16 | TensorType::I32 | TensorType::I64 => own,
        _ => to.map_or(own, Float::tensor_type),
    }
}

/// A tensor that is to be put into a file, or some of its rows.
#[derive(Debug)]
pub struct Chosen<'s, S: ?Sized> {
    source: &'s S,
    /// Where the source begins in that of the plan; `None` where its bytes come in order only, and become a stream.
    start: Option<u64>,
    name: Box<[u8]>,
    tensor_type: TensorType,
    dims: Vec<u64>,
    span: Span,
    endian: Endian,
    elements: Range<u64>,
    weights: Result<Weights<'s, S>, NoValues>,
}

impl<'s, S: ReadAt<Error = io::Error> + ?Sized> Chosen<'s, S> {
    /// A tensor of `reader`'s file, or these rows of it, counted over all dimensions but the first. `start` is where the
    /// file begins in the source that the plan will be carried out with; `None` for one that cannot be among its files, as a
    /// pipe, which is read in order.
    ///
    /// # Errors
    /// [`DataError`]: the data is not in the file, there are no such rows, the rows of the type are not known.
    pub fn of(
        source: &'s S,
        reader: &TensorReader<'_, S>,
        tensor: &Tensor,
        rows: Option<Range<u64>>,
        start: Option<u64>,
    ) -> Result<Self, DataError> {
        let view = reader.view();
        let whole = view.index().dims(tensor);
        let weights = Weights::of(source, reader, tensor);
        let (dims, span, elements) = match rows {
            None => {
                let elements = weights.as_ref().map_or(0, Weights::elements);
                (whole.to_vec(), reader.extent(tensor)?.span, 0..elements)
            }
            Some(rows) => {
                let row = whole.first().copied().unwrap_or(1);
                let span = reader.row_span(tensor, rows.clone())?;
                // Of a tensor whose size was computed.
                let elements = rows.start.saturating_mul(row)..rows.end.saturating_mul(row);
                (vec![row, rows.end.saturating_sub(rows.start)], span, elements)
            }
        };
        let (name, endian) = (view.name(tensor).0.into(), view.index().header().endian);
        let tensor_type = tensor.tensor_type;
        Ok(Self { source, start, name, tensor_type, dims, span, endian, elements, weights })
    }

    /// The tensor's name.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Its type in the file.
    #[must_use]
    pub fn tensor_type(&self) -> TensorType {
        self.tensor_type
    }

    /// Its dimensions, or those of the chosen rows, in GGUF's order.
    #[must_use]
    pub fn dims(&self) -> &[u64] {
        &self.dims
    }

    /// Where the bytes are in the source of the plan, if its files hold them.
    #[must_use]
    pub fn place(&self) -> Option<Span> {
        self.start.map(|start| Span::new(start.saturating_add(self.span.start), self.span.len))
    }

    /// Bytes of it in its file.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.span.len
    }

    /// The byte order of its file.
    #[must_use]
    pub fn endian(&self) -> Endian {
        self.endian
    }

    /// The float that it is decoded to; `None` where its bytes stay.
    fn decoded(&self, to: Option<Float>) -> Option<Float> {
        to.filter(|_| self.type_as(to) != self.tensor_type)
    }

    /// The type that it has in a file whose floats are `to`.
    #[must_use]
    pub fn type_as(&self, to: Option<Float>) -> TensorType {
        written_type(self.tensor_type, to)
    }

    /// Bytes of its data in such a file.
    #[must_use]
    pub fn bytes_as(&self, to: Option<Float>) -> u64 {
        let values = self.elements.end.saturating_sub(self.elements.start);
        self.decoded(to).map_or(self.span.len, |to| values.saturating_mul(to.bytes()))
    }

    /// How its bytes come into the other byte order.
    fn turned(&self) -> Result<Option<Exchange>, ExportError> {
        let ty = self.tensor_type;
        match self.endian {
            Endian::Little => Ok(None),
            Endian::Big => Exchange::of(ty)
                .map(Some)
                .ok_or_else(|| ExportError::Values(NoValues::NoByteOrder { name: self.name.clone(), ty })),
        }
    }
}

impl<S: ReadAt<Error = io::Error> + Sync + ?Sized> Chosen<'_, S> {
    /// Its bytes in a file whose floats are `to`, read from beginning to end.
    fn stream(
        &self,
        to: Option<Float>,
        threads: NonZeroUsize,
    ) -> Result<Box<dyn Read + Send + '_>, ExportError> {
        let Some(to) = self.decoded(to) else {
            return Ok(Box::new(SpanRead::new(self.source, self.span)));
        };
        match &self.weights {
            Ok(weights) => Ok(Box::new(Decoded::new(weights, self.elements.clone(), to, threads))),
            Err(error) => Err(ExportError::Undecoded(error.to_string())),
        }
    }
}

/// A file that is yet to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Export {
    /// What it is made of.
    pub plan: Plan,
    /// What of the source is to be brought into the other byte order, by [`ggufkit_io::Turned`].
    pub turned: Vec<(Span, Exchange)>,
}

/// Plans a file of these tensors. What is decoded or put into an archive becomes a stream among `parts`, behind the files that
/// they hold already: a plan is carried out once.
///
/// # Errors
/// See [`ExportError`].
pub fn plan<'p, S>(
    form: Form,
    to: Option<Float>,
    chosen: &'p [Chosen<'_, S>],
    threads: NonZeroUsize,
    parts: &mut Parts<'p>,
) -> Result<Export, ExportError>
where
    S: ReadAt<Error = io::Error> + Sync + ?Sized,
{
    match form {
        Form::Raw | Form::Npy => {
            let [one] = chosen else { return Err(ExportError::OneTensor { count: chosen.len() }) };
            let head = if form == Form::Npy { npy_head(one, to)? } else { Vec::new() };
            // Bytes by themselves say nothing of their order: those of floats that were asked for are all of one.
            let little = form == Form::Raw && to.is_some();
            lay(&head, &[one], to, little, threads, parts)
        }
        Form::Npz => npz(chosen, to, threads, parts),
        Form::Safetensors => {
            let entry = |one: &'p Chosen<'_, S>| Entry {
                name: &one.name,
                tensor_type: one.type_as(to),
                dims: &one.dims,
            };
            let layout = safetensors::layout(&chosen.iter().map(entry).collect::<Vec<_>>())?;
            let order: Vec<_> = layout.order.iter().filter_map(|at| chosen.get(*at)).collect();
            lay(&layout.head, &order, to, true, threads, parts)
        }
    }
}

/// A head, and behind it the tensors without gaps.
fn lay<'p, S>(
    head: &[u8],
    order: &[&'p Chosen<'_, S>],
    to: Option<Float>,
    little: bool,
    threads: NonZeroUsize,
    parts: &mut Parts<'p>,
) -> Result<Export, ExportError>
where
    S: ReadAt<Error = io::Error> + Sync + ?Sized,
{
    let mut streams = Vec::new();
    let mut streamed = 0_u64;
    for one in order.iter().filter(|one| one.place().is_none() || one.decoded(to).is_some()) {
        streams.push(one.stream(to, threads)?);
        streamed = streamed.saturating_add(one.bytes_as(to));
    }
    // One for all: what was read ahead of a stream is kept.
    let mut stream = match streams.is_empty() {
        true => Span::default(),
        false => parts.stream(Chain(streams.into()), streamed).map_err(ExportError::Io)?,
    };
    let (mut plan, mut turned) = (Plan::new(), Vec::new());
    plan.literal(head)?;
    for one in order {
        let decoded = one.decoded(to).is_some();
        let span = match one.place().filter(|_| !decoded) {
            Some(place) => place,
            None => {
                let span = Span::new(stream.start, one.bytes_as(to));
                stream = Span::between(span.end(), stream.end());
                span
            }
        };
        plan.copy(span)?;
        if little && !decoded {
            turned.extend(one.turned()?.map(|exchange| (span, exchange)));
        }
    }
    Ok(Export { plan, turned })
}

/// Streams one after the other, each let go when it has ended.
struct Chain<'a>(VecDeque<Box<dyn Read + Send + 'a>>);

impl Read for Chain<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while let Some(first) = self.0.front_mut().filter(|_| !buf.is_empty()) {
            match first.read(buf)? {
                0 => self.0.pop_front(),
                read => return Ok(read),
            };
        }
        Ok(0)
    }
}

fn npz<'p, S>(
    chosen: &'p [Chosen<'_, S>],
    to: Option<Float>,
    threads: NonZeroUsize,
    parts: &mut Parts<'p>,
) -> Result<Export, ExportError>
where
    S: ReadAt<Error = io::Error> + Sync + ?Sized,
{
    let mut archive = Archive::new();
    for one in chosen {
        let head = npy_head(one, to)?;
        let len = (head.len() as u64).saturating_add(one.bytes_as(to));
        archive.add(&one.name, len, Cursor::new(head).chain(one.stream(to, threads)?))?;
    }
    let len = archive.len()?;
    let stream = parts.stream(archive.into_read(), len).map_err(ExportError::Io)?;
    let mut plan = Plan::new();
    plan.copy(stream)?;
    Ok(Export { plan, turned: Vec::new() })
}

/// What stands before the elements of an array.
fn npy_head<S: ReadAt<Error = io::Error> + ?Sized>(
    one: &Chosen<'_, S>,
    to: Option<Float>,
) -> Result<Vec<u8>, ExportError> {
    let endian = if one.decoded(to).is_some() { Endian::Little } else { one.endian };
    let tensor_type = one.type_as(to);
    let none = || NpyError::NoType { name: one.name.clone(), tensor_type };
    let descr = npy::descr(tensor_type, endian, Bf16::Refuse).ok_or_else(none)?;
    Ok(npy::header(descr, &one.dims)?)
}

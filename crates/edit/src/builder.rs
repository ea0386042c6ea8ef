//! New files: key-values and tensors, laid out in the canonical form.
//!
//! A [`Builder`] holds what a file is to say; [`Builder::plan`] tells its exact bytes before any is written. Tensor data is
//! not held unless it is given as bytes: a plan names where it is copied from.
//!
//! **What is written.** The canonical form that llama.cpp and gguf-py write: key-values and tensors in the order in which they
//! were given, each tensor at the sum of the padded sizes before it, zeros as padding, also after the head and after the last
//! tensor. The same builder makes the same bytes, always.
//!
//! **Byte order.** In a big-endian file the head is written big-endian, and data is taken as it is to stand there: its
//! numbers big-endian too. Data in the other order is turned by [`ggufkit_io::Turned`] around the source, with the
//! [`Exchange`](ggufkit_format::exchange::Exchange) of its type.
//!
//! **What is refused.** What no reader could make sense of: two keys or two tensors of one name, rows that no whole number of
//! blocks fills, data of another length than type and shape give, arrays whose elements are of several types. All else,
//! like a name that is too long for llama.cpp, is for the rules of `ggufkit_check` to judge: see [`Builder::plan_zeros`].

mod error;
mod from;

pub use error::BuilderError;
pub use from::ArrayElement;

use std::borrow::Cow;
use std::collections::HashSet;

use ggufkit_format::encode::Encoder;
use ggufkit_format::spec::{TensorType, ValueType};
use ggufkit_format::{Endian, Limits, Plan, Scalar, Span, layout};

use crate::document::ALIGNMENT;
use crate::value::NewValue;

/// Where a new tensor's data comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Data<'a> {
    /// These bytes. They become part of the plan.
    Bytes(Cow<'a, [u8]>),
    /// The bytes at this place of the source that the plan will be carried out with: a file, several of them
    /// ([`ggufkit_io::Joined`]), or files, memory and streams ([`ggufkit_io::Parts`]).
    Source(Span),
    /// As many zeros as type and shape ask for.
    Zeros,
}

impl From<Span> for Data<'_> {
    fn from(span: Span) -> Self {
        Self::Source(span)
    }
}

impl From<Vec<u8>> for Data<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes.into())
    }
}

impl<'a> From<&'a [u8]> for Data<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes.into())
    }
}

#[derive(Clone, Debug)]
struct Tensor<'a> {
    name: Vec<u8>,
    dims: Vec<u64>,
    ty: TensorType,
    data: Data<'a>,
}

/// What stands where data belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fill {
    Data,
    Zeros,
    Nothing,
}

/// A file that is to be made.
///
/// ```
/// use ggufkit_edit::{Builder, Data};
/// use ggufkit_format::spec::TensorType;
///
/// let mut file = Builder::new();
/// file.set("general.architecture", "llama").set("llama.block_count", 1_u32).set("general.tags", ["a", "b"]);
/// file.tensor("output_norm.weight", &[2], TensorType::F32, [0, 0, 128, 63, 0, 0, 0, 64].to_vec());
/// file.tensor("output.weight", &[2, 4], TensorType::F32, Data::Zeros);
/// let plan = file.plan()?;
/// assert_eq!(plan.len() % 32, 0);
/// # Ok::<(), ggufkit_edit::BuilderError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builder<'a> {
    version: u32,
    endian: Endian,
    kvs: Vec<(Vec<u8>, NewValue)>,
    tensors: Vec<Tensor<'a>>,
}

impl Default for Builder<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> Builder<'a> {
    /// A file without key-values and tensors: version 3, little-endian.
    #[must_use]
    pub const fn new() -> Self {
        Self { version: 3, endian: Endian::Little, kvs: Vec::new(), tensors: Vec::new() }
    }

    /// The version: 3, or 2, which has no big-endian form.
    pub fn version(&mut self, version: u32) -> &mut Self {
        self.version = version;
        self
    }

    /// The byte order. Data is taken as it is to stand in the file; see the [module](self).
    pub fn endian(&mut self, endian: Endian) -> &mut Self {
        self.endian = endian;
        self
    }

    /// Adds a key-value behind the others. A key that is there already is found by [`Builder::plan`].
    pub fn set(&mut self, key: impl AsRef<[u8]>, value: impl Into<NewValue>) -> &mut Self {
        self.kvs.push((key.as_ref().to_vec(), value.into()));
        self
    }

    /// Adds `general.alignment`, to which the data is laid out. The same as setting that key.
    pub fn align(&mut self, alignment: u32) -> &mut Self {
        self.set(ALIGNMENT, alignment)
    }

    /// Adds a tensor behind the others. `dims` is in the order of the format: the row length first. Shapes of NumPy,
    /// PyTorch and safetensors are the other way round.
    pub fn tensor(
        &mut self,
        name: impl AsRef<[u8]>,
        dims: &[u64],
        ty: TensorType,
        data: impl Into<Data<'a>>,
    ) -> &mut Self {
        let tensor = Tensor { name: name.as_ref().to_vec(), dims: dims.to_vec(), ty, data: data.into() };
        self.tensors.push(tensor);
        self
    }

    /// The alignment that the key-values declare: that of the first `general.alignment` that is a positive integer, or 32.
    #[must_use]
    pub fn alignment(&self) -> u64 {
        let declared = self.kvs.iter().filter(|(key, _)| key == ALIGNMENT);
        layout::declared_alignment(declared.filter_map(|(_, value)| Self::alignment_of(value)))
    }

    /// The number that a value is; 0 for one below.
    fn alignment_of(value: &NewValue) -> Option<u64> {
        match value {
            NewValue::Scalar(Scalar::Bool(_) | Scalar::F32(_) | Scalar::F64(_)) => None,
            NewValue::Scalar(scalar) => Some(scalar.as_u64().unwrap_or(0)),
            _ => None,
        }
    }

    /// What the file will be made of.
    ///
    /// # Errors
    /// See [`BuilderError`].
    pub fn plan(&self) -> Result<Plan, BuilderError> {
        self.lay(Fill::Data)
    }

    /// The same file without its data: it ends where the data would begin. Readers of heads take it, loaders do not.
    ///
    /// # Errors
    /// See [`BuilderError`].
    pub fn plan_head(&self) -> Result<Plan, BuilderError> {
        self.lay(Fill::Nothing)
    }

    /// The same file with zeros in the place of all data: for looking at it before its data is there, with
    /// [`preview::Head`](crate::preview::Head).
    ///
    /// # Errors
    /// See [`BuilderError`].
    pub fn plan_zeros(&self) -> Result<Plan, BuilderError> {
        self.lay(Fill::Zeros)
    }

    /// Where each tensor's data will begin, counted from the beginning of the data section.
    ///
    /// # Errors
    /// See [`BuilderError`].
    pub fn offsets(&self) -> Result<Vec<u64>, BuilderError> {
        let mut packer = layout::Packer::new(self.alignment());
        let place = |tensor| Ok(packer.put(size(tensor)?).ok_or(ggufkit_format::PlanError::TooLong)?);
        self.tensors.iter().map(place).collect()
    }

    fn lay(&self, fill: Fill) -> Result<Plan, BuilderError> {
        let alignment = self.alignment();
        let head = self.head()?;
        let mut plan = Plan::new();
        plan.literal(&head)?;
        plan.zeros(layout::padding(plan.len(), alignment))?;
        for tensor in self.tensors.iter().filter(|_| fill != Fill::Nothing) {
            match &tensor.data {
                Data::Bytes(bytes) if fill == Fill::Data => plan.literal(bytes)?,
                Data::Source(span) if fill == Fill::Data => plan.copy(*span)?,
                _ => plan.zeros(size(tensor)?)?,
            }
            plan.zeros(layout::padding(plan.len(), alignment))?;
        }
        Ok(plan)
    }

    /// The head, once all of it is known to make sense.
    fn head(&self) -> Result<Vec<u8>, BuilderError> {
        let encoder = Encoder::new(self.version, self.endian)?;
        let mut out = Vec::new();
        encoder.header(&mut out, self.tensors.len() as u64, self.kvs.len() as u64);
        let mut seen = HashSet::new();
        let declared = self.kvs.iter().find(|(key, _)| key == ALIGNMENT).map(|(_, value)| value);
        let is_positive = |value: &NewValue| Self::alignment_of(value).is_some_and(|number| number > 0);
        let is_number = |value: &NewValue| Self::alignment_of(value).is_some();
        if declared.is_some_and(|value| !is_positive(value) && (is_number(value) || !self.tensors.is_empty()))
        {
            return Err(BuilderError::Alignment);
        }
        for (key, value) in &self.kvs {
            if !seen.insert(key) {
                return Err(BuilderError::DuplicateKey(key.clone()));
            }
            is_whole(key, value)?;
            encoder.string(&mut out, key);
            encoder.value_type(&mut out, value.value_type());
            value.encode(&encoder, &mut out)?;
        }
        let mut seen = HashSet::new();
        for (tensor, offset) in self.tensors.iter().zip(self.offsets()?) {
            if !seen.insert(&tensor.name) {
                return Err(BuilderError::DuplicateName(tensor.name.clone()));
            }
            let needed = size(tensor)?;
            let given = match &tensor.data {
                Data::Bytes(bytes) => bytes.len() as u64,
                Data::Source(span) => span.len,
                Data::Zeros => needed,
            };
            if given != needed {
                return Err(BuilderError::DataLength { name: tensor.name.clone(), needed, given });
            }
            encoder.tensor(&mut out, &tensor.name, &tensor.dims, tensor.ty, offset)?;
        }
        Ok(out)
    }
}

fn size(tensor: &Tensor<'_>) -> Result<u64, BuilderError> {
    layout::tensor_bytes(tensor.ty, &tensor.dims)
        .map_err(|error| BuilderError::Size { name: tensor.name.clone(), error })
}

/// Whether the elements of all arrays in a value are of the types that these name, no deeper than readers follow.
fn is_whole(key: &[u8], value: &NewValue) -> Result<(), BuilderError> {
    let deepest = Limits::default().max_depth;
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        let NewValue::Array(element, items) = value else { continue };
        if depth >= deepest {
            return Err(BuilderError::TooDeep { key: key.to_vec(), limit: deepest });
        }
        if !element.is_known() {
            return Err(BuilderError::ElementType { key: key.to_vec(), ty: *element });
        }
        if let Some(at) = items.iter().position(|item| item.value_type() != *element) {
            return Err(BuilderError::Element { key: key.to_vec(), at: at as u64, ty: *element });
        }
        if *element == ValueType::ARRAY {
            open.extend(items.iter().map(|item| (item, depth + 1)));
        }
    }
    Ok(())
}

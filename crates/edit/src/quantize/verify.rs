//! Whether what was written is what was to be written, and how far its weights are from those that were read.

use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use ggufkit_format::{Index, Options, View, shorten};
use ggufkit_io::{
    ByteJob, DataError, DynSource, FileSource, HeadBuffer, TensorReader, compare_bytes, map_many,
};
use ggufkit_values::compare::{Difference, Pair, compare};
use ggufkit_values::importance::Weighted;
use ggufkit_values::{Memory, Weights};

use super::WeightError;
use super::convert::odd;
use super::plan::{Quantization, Supply, Target};
use crate::shards::Member;

/// Values that a thread looks at; a multiple of every block.
const LOOK: u64 = 1 << 20;

/// A tensor that was measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Its place in [`Quantization::tensors`].
    pub tensor: usize,
    /// How far its values are from those that were read; none for one whose bytes are the same.
    pub difference: Option<Difference>,
    /// The same with each value times the root of its column's importance, for one that was encoded by importance: what that
    /// makes small.
    pub weighted: Option<Difference>,
}

/// Why a file that was written is not what was to be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum VerifyError {
    /// It cannot be read.
    Io(PathBuf, io::Error),
    /// It is no such file.
    Head(PathBuf, String),
    /// A tensor is not there, or is another.
    Tensor {
        /// The file.
        path: PathBuf,
        /// The tensor.
        name: Vec<u8>,
        /// What is wrong.
        why: String,
    },
}

impl VerifyError {
    /// The file that it is about.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Io(path, _) | Self::Head(path, _) | Self::Tensor { path, .. } => path,
        }
    }
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(_, error) => write!(f, "cannot be read again: {error}"),
            Self::Head(_, why) => write!(f, "is not what was written: {why}"),
            Self::Tensor { name, why, .. } => {
                write!(f, "is not what was written: {}: {why}", shorten(name, 80))
            }
        }
    }
}

impl std::error::Error for VerifyError {}

/// A file that was written.
struct Written<'s> {
    source: &'s FileSource,
    index: Index,
    head: Vec<u8>,
}

impl<'s> Written<'s> {
    fn read(source: &'s FileSource) -> Result<Self, VerifyError> {
        let path = source.path();
        let failed = |error| VerifyError::Io(path.to_owned(), error);
        let mut buffer = HeadBuffer::new();
        let outcome = buffer.read(source, Options::new()).map_err(failed)?;
        let index =
            outcome.into_result().map_err(|error| VerifyError::Head(path.to_owned(), error.to_string()))?;
        Ok(Self { source, index, head: buffer.into_bytes() })
    }

    fn view(&self) -> View<'_> {
        View::new(&self.index, &self.head)
    }
}

impl<'a> Quantization<'a> {
    /// Looks at the weights that are copied as they are: whether all of them are finite. Those that are converted are looked at
    /// while they are. `progress` is told bytes.
    ///
    /// # Errors
    /// A [`WeightError`] in it, or the system's.
    pub fn look(
        &self,
        members: &[Member<'a>],
        files: &[&'a FileSource],
        threads: NonZeroUsize,
        progress: &(dyn Fn(u64) + Sync),
    ) -> io::Result<()> {
        for target in self.tensors.iter().filter(|target| !target.is_converted()) {
            let (Some(member), Some(source)) = (members.get(target.place.0), files.get(target.place.0))
            else {
                continue;
            };
            let Some(tensor) = member.view.index().tensors().get(target.place.1) else { continue };
            let reader = TensorReader::new(*source, member.view);
            // What has no values cannot be looked at, and is copied all the same.
            let Ok(weights) = Weights::of(*source, &reader, tensor) else { continue };
            let pieces = weights.elements().div_ceil(LOOK);
            let found = map_many(usize::try_from(pieces).unwrap_or(usize::MAX), threads, &|number| {
                let start = (number as u64).saturating_mul(LOOK);
                let mut memory = Memory::default();
                let mut stretches = weights.stretches(start..start.saturating_add(LOOK), &mut memory);
                while let Some(stretch) = stretches.next_stretch() {
                    let stretch = stretch?;
                    progress(stretch.blocks.len() as u64);
                    if let Some(odd) = odd(stretch.values) {
                        let element = stretch.at.saturating_add(odd as u64);
                        let value = stretch.values.get(odd).copied().unwrap_or(f32::NAN);
                        return Err(WeightError::at(&weights, element, value, None));
                    }
                }
                Ok(())
            });
            found.into_iter().collect::<io::Result<()>>()?;
        }
        Ok(())
    }

    /// Reads what was written, a file for each of [`Quantization::files`], and measures every tensor. `progress` is told bytes of
    /// both sides.
    ///
    /// # Errors
    /// See [`VerifyError`].
    pub fn verify(
        &self,
        members: &[Member<'a>],
        files: &[&'a FileSource],
        written: &[FileSource],
        threads: NonZeroUsize,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Vec<Measured>, VerifyError> {
        let mut measured = Vec::new();
        for (made, source) in self.files().iter().zip(written) {
            let path = source.path();
            let written = Written::read(source)?;
            let view = written.view();
            let reader = TensorReader::new(written.source, view);
            let own = self.tensors.get(made.tensors.clone()).unwrap_or_default();
            if view.tensors().count() != own.len() {
                let why = format!("{} tensors and not {}", view.tensors().count(), own.len());
                return Err(VerifyError::Head(path.to_owned(), why));
            }
            let mut pairs = Vec::new();
            let mut same = Vec::new();
            for ((at, target), (name, tensor)) in (made.tensors.start..).zip(own).zip(view.tensors()) {
                let wrong = |why: &str| VerifyError::Tensor {
                    path: path.to_owned(),
                    name: target.name.clone(),
                    why: why.to_owned(),
                };
                if name.0 != target.name
                    || tensor.tensor_type != target.to.0
                    || written.index.dims(tensor) != target.dims
                {
                    return Err(wrong("another name, type or shape"));
                }
                let data = |error: DataError| wrong(&error.reason().to_string());
                let extent = reader.extent(tensor).map_err(data)?.span;
                let (Some(member), Some(source)) = (members.get(target.place.0), files.get(target.place.0))
                else {
                    return Err(wrong("it is in none of the files"));
                };
                if !target.is_converted() {
                    same.push((at, *source, target.data.start.saturating_sub(member.start), extent));
                    continue;
                }
                let Some(first) = member.view.index().tensors().get(target.place.1) else {
                    return Err(wrong("it is in none of the files"));
                };
                let of = |error: ggufkit_values::NoValues| wrong(&error.why());
                let one =
                    Weights::of(*source, &TensorReader::new(*source, member.view), first).map_err(of)?;
                let two = Weights::of(written.source, &reader, tensor).map_err(of)?;
                pairs.push((at, one, two));
            }
            self.measure(&pairs, path, threads, progress, &mut measured)?;
            let jobs: Vec<ByteJob<'_, DynSource>> = same
                .iter()
                .map(|(_, source, start, extent)| ByteJob {
                    a: *source as &DynSource,
                    at_a: *start,
                    b: written.source as &DynSource,
                    at_b: extent.start,
                    len: extent.len,
                    block: 1,
                    turn: None,
                })
                .collect();
            for ((at, ..), found) in same.iter().zip(compare_bytes(&jobs, threads, progress)) {
                let found = found.map_err(|error| VerifyError::Io(path.to_owned(), error))?;
                if found.bytes > 0 {
                    let name = self.tensors.get(*at).map(|target| target.name.clone()).unwrap_or_default();
                    let why = format!("{} bytes differ", found.bytes);
                    return Err(VerifyError::Tensor { path: path.to_owned(), name, why });
                }
                measured.push(Measured { tensor: *at, difference: None, weighted: None });
            }
        }
        measured.sort_by_key(|one| one.tensor);
        Ok(measured)
    }

    fn measure(
        &self,
        pairs: &[(usize, Weights<'_, FileSource>, Weights<'_, FileSource>)],
        path: &Path,
        threads: NonZeroUsize,
        progress: &(dyn Fn(u64) + Sync),
        measured: &mut Vec<Measured>,
    ) -> Result<(), VerifyError> {
        let both: Vec<_> = pairs.iter().filter_map(|(_, one, two)| Pair::of(one, two).ok()).collect();
        if both.len() != pairs.len() {
            return Err(VerifyError::Head(
                path.to_owned(),
                "a tensor has another number of weights".to_owned(),
            ));
        }
        let mut wrong = None;
        compare(&both, threads, progress, &mut |number, result| {
            let Some((at, ..)) = pairs.get(number) else { return };
            let name =
                || self.tensors.get(*at).map(|target: &Target| target.name.clone()).unwrap_or_default();
            match result {
                Ok(found) if found.not_finite > 0 => {
                    let why = format!("{} weights are not finite", found.not_finite);
                    wrong.get_or_insert(VerifyError::Tensor { path: path.to_owned(), name: name(), why });
                }
                Ok(found) => {
                    measured.push(Measured { tensor: *at, difference: Some(found), weighted: None });
                }
                Err(error) => {
                    wrong.get_or_insert(VerifyError::Io(path.to_owned(), error));
                }
            }
        });
        if let Some(wrong) = wrong {
            return Err(wrong);
        }
        self.weigh(pairs, path, threads, progress, measured)
    }

    /// Measures once more what was encoded by importance.
    fn weigh(
        &self,
        pairs: &[(usize, Weights<'_, FileSource>, Weights<'_, FileSource>)],
        path: &Path,
        threads: NonZeroUsize,
        progress: &(dyn Fn(u64) + Sync),
        measured: &mut [Measured],
    ) -> Result<(), VerifyError> {
        let Some(importance) = self.source.importance() else { return Ok(()) };
        let mut places = Vec::new();
        let mut sides = Vec::new();
        for (at, one, two) in pairs {
            let Some(target) = self.tensors.get(*at).filter(|one| one.importance == Supply::There) else {
                continue;
            };
            let dim = |at: usize| target.dims.get(at).copied().unwrap_or(1);
            let weighted = |weights| Weighted::new(weights, importance, dim(1), dim(2));
            places.push(*at);
            sides.push([weighted(one), weighted(two)]);
        }
        let both: Vec<_> = sides.iter().filter_map(|[one, two]| Pair::of(one, two).ok()).collect();
        let mut wrong = None;
        compare(&both, threads, progress, &mut |number, result| match result {
            Ok(found) => {
                let own = measured.iter_mut().find(|one| Some(&one.tensor) == places.get(number));
                own.into_iter().for_each(|own| own.weighted = Some(found.clone()));
            }
            Err(error) => wrong = wrong.take().or(Some(error)),
        });
        wrong.map_or(Ok(()), |error| Err(VerifyError::Io(path.to_owned(), error)))
    }
}

//! Everything that is decided before a byte is written.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::ops::Range;

use ggufkit_format::encode::Encoder;
use ggufkit_format::exchange::Exchange;
use ggufkit_format::spec::{FileType, TensorType};
use ggufkit_format::{Endian, Plan, PlanError, Span, Tensor, layout};
use ggufkit_io::sink::Section;
use ggufkit_io::{FileSource, Joined, TensorReader};
use ggufkit_values::Weights;
use ggufkit_values::importance::{Extreme, ImportanceMatrix};
use ggufkit_values::mixture::{self, Choice, Facts, Mixture, Shape, Why, Wishes, needs_importance};

use super::convert::{Converted, Converting};
use super::error::{QuantizeError, Refusal};
use super::head::{Keys, LONGEST, New, Said, split_keys};
use crate::error::EditError;
use crate::shards::{
    Extra, Item, MAX_SHARDS, Member, Refusal as ShardRefusal, SPLIT_KEYS, ShardsError, Whole,
};

/// The order of tensors and keys in the new file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// As in the file that is read.
    #[default]
    Input,
    /// As `llama-quantize` writes them: tensors by layer and name, keys that are written anew at the end.
    Llama,
}

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Request<'a> {
    /// The mixture. Without one, and with a recipe, what this does not name keeps its type.
    pub mixture: Option<Mixture>,
    /// What is wished beside it.
    pub wishes: Wishes,
    /// The importance of columns.
    pub importance: Option<&'a ImportanceMatrix>,
    /// What the file shall say it is called, `quantize.imatrix.file`.
    pub importance_name: Vec<u8>,
    /// What is quantized already may be quantized once more.
    pub again: bool,
    /// As many files as there were, with the same tensors.
    pub keep_split: bool,
    /// The order of tensors and keys.
    pub order: Order,
    /// Keep keys that only later shards have.
    pub keep_extra: bool,
    /// Files that all this was read from, beside that of the importance: nothing is placed where one of them was changed meanwhile.
    pub beside: Vec<&'a FileSource>,
}

/// What importance there is for a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Supply {
    /// Its type does not look at any, or it is not converted.
    Unused,
    /// It is there.
    There,
    /// It would help, and is not there.
    Missing,
}

impl Supply {
    /// A short stable word.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Unused => "unused",
            Self::There => "there",
            Self::Missing => "missing",
        }
    }
}

/// A tensor as it will be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// Its name.
    pub name: Vec<u8>,
    /// Its dimensions.
    pub dims: Vec<u64>,
    /// The type that it has, and its bytes.
    pub from: (TensorType, u64),
    /// The type that it gets, and its bytes.
    pub to: (TensorType, u64),
    /// Why.
    pub why: Why,
    /// What importance there is for it.
    pub importance: Supply,
    /// Its data in the files that are read.
    pub(super) data: Span,
    /// Which file, and which tensor of it.
    pub(super) place: (usize, usize),
}

impl Target {
    /// Whether its bytes are made anew.
    #[must_use]
    pub fn is_converted(&self) -> bool {
        self.from.0 != self.to.0
    }
}

/// A file as it will be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// What it is made of.
    pub plan: Plan,
    /// Its tensors, by their places in [`Quantization::tensors`].
    pub tensors: Range<usize>,
    /// Where each tensor ends in it, and what it was made of.
    pub sections: Vec<Section>,
}

/// A model that is to be quantized, with everything decided.
#[derive(Debug)]
pub struct Quantization<'a> {
    pub(super) tensors: Vec<Target>,
    files: Vec<Made>,
    pub(super) source: Converting<'a>,
    file_type: Option<FileType>,
    keeps_file_type: bool,
    forgets_file_type: bool,
    importance_left: Vec<Vec<u8>>,
    notes: Vec<crate::shards::Note>,
    refusals: Vec<Refusal>,
    settings: String,
}

impl<'a> Quantization<'a> {
    /// Decides what becomes of the model in these files. `files` are those of `members`, in the same order.
    ///
    /// What stands in the way of tensors is told by [`Quantization::refusals`]: their sizes are known all the same.
    ///
    /// # Errors
    /// See [`QuantizeError`]: the files cannot be taken as one model, the importance cannot be read, a text is too long.
    pub fn of(
        members: &[Member<'a>],
        files: &[&'a FileSource],
        request: &Request<'a>,
        threads: NonZeroUsize,
    ) -> Result<Self, QuantizeError> {
        let extra = if request.keep_extra { Extra::Keep } else { Extra::Refuse };
        let whole = Whole::of(members, extra)?;
        let Some(first) = members.first() else { return Err(ShardsError::NoFiles.into()) };
        let big = first.view.index().header().endian == Endian::Big;
        let facts = Facts::of(&first.view);
        let importance = request.importance.filter(|importance| !importance.is_empty());
        let stated = first.view.get("general.file_type").and_then(|value| value.as_u64());
        let stated = stated.and_then(|number| u32::try_from(number).ok()).map(FileType);
        let wanted = request.mixture.map(|mixture| mixture.file_type);
        let recipe = request.wishes.recipe.as_ref().and_then(|recipe| recipe.file_type);

        let mut refusals = Vec::new();
        let mut targets = Self::targets(&whole, members, request, &facts, importance, &mut refusals);
        let sources: Vec<(&'a FileSource, Member<'a>)> =
            files.iter().copied().zip(members.iter().copied()).collect();
        for target in &mut targets {
            Self::judge(target, request, importance, big, &mut refusals)?;
        }
        if request.order == Order::Llama && !request.keep_split {
            let shapes: Vec<_> = targets.iter().map(shape).collect();
            let order = mixture::in_order(&shapes);
            drop(shapes);
            let mut slots: Vec<_> = targets.into_iter().map(Some).collect();
            targets = order.iter().filter_map(|at| slots.get_mut(*at).and_then(Option::take)).collect();
        }
        let mut converted = Vec::new();
        for target in targets.iter().filter(|target| target.is_converted()) {
            match convert(target, &sources, big) {
                Ok(one) => converted.push(one),
                Err(refusal) => refusals.push(refusal),
            }
        }
        // Each reason of a tensor is told once, and those of one kind together, in the order in which the first of a kind came.
        let mut seen = HashSet::new();
        refusals.retain(|refusal| seen.insert((refusal.name().to_vec(), refusal.code())));
        let mut kinds: Vec<&str> = Vec::new();
        for refusal in &refusals {
            if !kinds.contains(&refusal.code()) {
                kinds.push(refusal.code());
            }
        }
        refusals.sort_by_key(|refusal| kinds.iter().position(|kind| *kind == refusal.code()));
        let used = targets.iter().any(Target::is_converted);
        // Where nothing changes and nothing is what the mixture asks for, the file is not of that mixture.
        let is_mixed = |target: &Target| matches!(target.why, Why::Mixture | Why::Shape(_));
        let is_of_recipe = request.wishes.recipe.is_some();
        let keeps_file_type = wanted.is_some()
            && !used
            && !is_of_recipe
            && request.order == Order::Input
            && !targets.iter().any(is_mixed);
        let named = wanted.or(recipe).filter(|_| !request.wishes.copy && !keeps_file_type);
        let file_type = match named {
            // What the old file was called the new one is not.
            None if used => None,
            None => stated,
            wanted => wanted,
        };
        // What was given and looked at by no type has no part in the new weights; llama-quantize names it all the same.
        let is_told =
            request.order == Order::Llama || targets.iter().any(|target| target.importance == Supply::There);
        let mut said = Said::of(file_type);
        said.forget_file_type = file_type.is_none() && used;
        match importance {
            Some(importance) if is_told => say_importance(&mut said, importance, &request.importance_name),
            _ => said.forget_importance = used,
        }
        let mut beside = request.beside.clone();
        beside.extend(request.importance.map(ImportanceMatrix::source));
        let joined = Joined::new(files.iter().copied()).map_err(|_| EditError::Plan(PlanError::TooLong))?;
        let source = Converting::new(joined, converted, importance, beside, threads);
        let names: HashSet<&[u8]> = targets.iter().map(|target| target.name.as_slice()).collect();
        let left =
            importance.into_iter().flat_map(ImportanceMatrix::names).filter(|name| !names.contains(name));
        let importance_left = left.map(<[u8]>::to_vec).collect();
        let mut made = Self {
            settings: settings(&targets, &said, importance),
            importance_left,
            files: Vec::new(),
            source,
            file_type,
            keeps_file_type,
            forgets_file_type: file_type.is_none() && stated.is_some(),
            notes: whole.notes().to_vec(),
            tensors: targets,
            refusals,
        };
        made.lay(&whole, members, &said, request)?;
        Ok(made)
    }

    /// The tensors in the order of the files, each with its type.
    fn targets(
        whole: &Whole<'a>,
        members: &[Member<'a>],
        request: &Request<'a>,
        facts: &Facts,
        importance: Option<&ImportanceMatrix>,
        refusals: &mut Vec<Refusal>,
    ) -> Vec<Target> {
        let items = whole.tensors();
        let shapes: Vec<Shape<'_>> = items.iter().map(shape_of).collect();
        let choices = mixture::choose(request.mixture, facts, &request.wishes, importance.is_some(), &shapes);
        let places = members.iter().enumerate().flat_map(|(member, of)| {
            (0..of.view.index().tensors().len()).map(move |tensor| (member, tensor))
        });
        let mut names = HashSet::new();
        let mut targets = Vec::new();
        for ((item, choice), place) in items.iter().zip(choices).zip(places) {
            if !names.insert(item.name) {
                refusals.push(Refusal::NameTwice { name: item.name.to_vec() });
            }
            let Choice { tensor_type, why } = match choice {
                Ok(choice) => choice,
                Err(refusal) => {
                    refusals.push(Refusal::Shape(refusal));
                    Choice { tensor_type: item.tensor_type, why: Why::Kept }
                }
            };
            let sized = match layout::tensor_bytes(tensor_type, item.dims) {
                _ if tensor_type == item.tensor_type => Some(item.data.len),
                Ok(bytes) => Some(bytes),
                Err(error) => {
                    let why = error.to_string();
                    refusals.push(Refusal::NoValues { name: item.name.to_vec(), why });
                    None
                }
            };
            let (tensor_type, bytes) =
                sized.map_or((item.tensor_type, item.data.len), |bytes| (tensor_type, bytes));
            targets.push(Target {
                name: item.name.to_vec(),
                dims: item.dims.to_vec(),
                from: (item.tensor_type, item.data.len),
                to: (tensor_type, bytes),
                why,
                importance: Supply::Unused,
                data: item.data,
                place,
            });
        }
        targets
    }

    /// What there is of importance for a tensor, and what stands in its way.
    fn judge(
        target: &mut Target,
        request: &Request<'_>,
        importance: Option<&ImportanceMatrix>,
        big: bool,
        refusals: &mut Vec<Refusal>,
    ) -> Result<(), QuantizeError> {
        if !target.is_converted() {
            return Ok(());
        }
        let (from, to) = (target.from.0, target.to.0);
        let name = || target.name.clone();
        let is_quantized = from.info().is_some_and(|info| info.is_quantized());
        if is_quantized && !request.again {
            refusals.push(Refusal::Again { name: name(), from, to });
        }
        let is_integer = matches!(from, TensorType::I8 | TensorType::I16 | TensorType::I32 | TensorType::I64);
        if is_integer {
            let why = format!("{from} are integers, and no weights that could be written as {to}");
            refusals.push(Refusal::NoValues { name: name(), why });
        }
        if big && Exchange::of(to).is_none() {
            refusals.push(Refusal::ByteOrder { name: name(), to });
        }
        let uses = ggufkit_quant::codec(to).and_then(|codec| codec.importance());
        if !matches!(uses, Some(ggufkit_quant::Importance::Unused) | None) {
            target.importance = match importance {
                Some(importance) => Self::supply(target, importance, refusals)?,
                None => Supply::Missing,
            };
        }
        if target.importance != Supply::There && needs_importance(&target.name, to, request.mixture) {
            refusals.push(Refusal::NoImportance { name: target.name.clone(), to });
        }
        Ok(())
    }

    /// What there is of importance for a tensor whose type looks at it.
    fn supply(
        target: &Target,
        importance: &ImportanceMatrix,
        refusals: &mut Vec<Refusal>,
    ) -> Result<Supply, QuantizeError> {
        let Some(found) = importance.numbers_of(&target.name) else { return Ok(Supply::Missing) };
        let name = || target.name.clone();
        let row = target.dims.first().copied().unwrap_or(1);
        let matrices = target.dims.get(2).copied().unwrap_or(1);
        let needed = row.saturating_mul(matrices);
        // Of the embedding it is measured otherwise, and it is passed over there.
        if found != needed && target.name.ends_with(b"token_embd.weight") {
            return Ok(Supply::Missing);
        }
        if found != needed {
            refusals.push(Refusal::ImportanceLength { name: name(), found, needed });
            return Ok(Supply::Missing);
        }
        // One count is good for all of them.
        let counted =
            importance.matrices_of(&target.name).filter(|counted| *counted > 1 && *counted != matrices);
        if let Some(found) = counted {
            refusals.push(Refusal::ImportanceMatrices { name: name(), found, needed: matrices });
            return Ok(Supply::Missing);
        }
        let columns = usize::try_from(row).unwrap_or(usize::MAX);
        let Some((matrix, extreme)) = importance.extreme(&target.name, columns, matrices)? else {
            return Ok(Supply::There);
        };
        let matrix = (matrices > 1).then_some(matrix);
        refusals.push(match extreme {
            Extreme::Faint => Refusal::ImportanceFaint { name: name(), matrix },
            Extreme::Huge { column, number } => {
                Refusal::ImportanceHuge { name: name(), matrix, column, number }
            }
        });
        Ok(Supply::Missing)
    }

    /// Lays the files out.
    fn lay(
        &mut self,
        whole: &Whole<'a>,
        members: &[Member<'a>],
        said: &Said,
        request: &Request<'a>,
    ) -> Result<(), QuantizeError> {
        let encoder = whole.encoder();
        let split = request.keep_split && members.len() > 1;
        let total = self.tensors.len();
        let mut runs: Vec<Range<usize>> = Vec::new();
        if split {
            let mut at = 0;
            for member in 0..members.len() {
                let own = self.tensors.get(at..).unwrap_or_default();
                let end = at.saturating_add(own.iter().take_while(|target| target.place.0 == member).count());
                runs.push(at..end);
                at = end;
            }
        } else {
            runs.push(0..total);
        }
        let shards = runs.len() as u64;
        let count = u16::try_from(shards).ok().filter(|_| shards <= MAX_SHARDS);
        let count = count.ok_or(ShardsError::from(ShardRefusal::TooManyShards { shards }))?;
        let all = i32::try_from(total)
            .map_err(|_| ShardsError::from(ShardRefusal::TooManyTensors { tensors: total as u64 }))?;
        // Where the converted ones lie behind the files.
        let mut from = members.iter().fold(0_u64, |sum, member| sum.saturating_add(member.size));
        for (no, run) in (0..count).zip(runs) {
            let keys = if no == 0 {
                Keys::of(members, whole.key_values(), said, request.order, encoder)?
            } else {
                Keys::alone(whole.alignment_record())
            };
            let more = if split { split_keys(encoder, no, count, all)? } else { Vec::new() };
            let own = self.tensors.get(run.clone()).unwrap_or_default();
            let mut data = Vec::new();
            for target in own {
                if target.is_converted() {
                    data.push(Span::new(from, target.to.1));
                    from = from.saturating_add(target.to.1);
                } else {
                    data.push(target.data);
                }
            }
            let (plan, ends) = plan_file(
                whole,
                &keys,
                (&more, if split { SPLIT_KEYS.len() as u64 } else { 0 }),
                own,
                &data,
            )?;
            let sections = own.iter().zip(ends).map(|(target, end)| Section { end, from: target.data });
            self.files.push(Made { plan, tensors: run, sections: sections.collect() });
        }
        Ok(())
    }

    /// The tensors, in the order of the new files.
    #[must_use]
    pub fn tensors(&self) -> &[Target] {
        &self.tensors
    }

    /// What stands in the way: while there is something, nothing may be written.
    #[must_use]
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// The files that are made: one, or as many as there were.
    #[must_use]
    pub fn files(&self) -> &[Made] {
        &self.files
    }

    /// What the plans copy from.
    #[must_use]
    pub fn source(&self) -> &Converting<'a> {
        &self.source
    }

    /// What the new file says that it is.
    #[must_use]
    pub fn file_type(&self) -> Option<FileType> {
        self.file_type
    }

    /// Whether there is nothing in the files that the mixture is for, so that they are called what they were.
    #[must_use]
    pub fn keeps_file_type(&self) -> bool {
        self.keeps_file_type
    }

    /// Whether the file said what it is called as a whole, and nothing is said of the new one: neither a mixture nor the recipe
    /// has a name for it.
    #[must_use]
    pub fn forgets_file_type(&self) -> bool {
        self.forgets_file_type
    }

    /// Names that have importance, and no tensor.
    #[must_use]
    pub fn importance_left(&self) -> &[Vec<u8>] {
        &self.importance_left
    }

    /// What will be other than in the files, beside what was asked for.
    #[must_use]
    pub fn notes(&self) -> &[crate::shards::Note] {
        &self.notes
    }

    /// All that decides about the bytes, beside the inputs: two runs of the same settings and inputs make the same files.
    #[must_use]
    pub fn settings(&self) -> &[u8] {
        self.settings.as_bytes()
    }
}

fn shape_of<'i>(item: &Item<'i>) -> Shape<'i> {
    Shape { name: item.name, dims: item.dims, tensor_type: item.tensor_type }
}

fn shape(target: &Target) -> Shape<'_> {
    Shape { name: &target.name, dims: &target.dims, tensor_type: target.from.0 }
}

fn convert<'a>(
    target: &Target,
    sources: &[(&'a FileSource, Member<'a>)],
    big: bool,
) -> Result<Converted<'a>, Refusal> {
    let none = |why: String| Refusal::NoValues { name: target.name.clone(), why };
    let place = sources.get(target.place.0).and_then(|(source, member)| {
        let tensor: &'a Tensor = member.view.index().tensors().get(target.place.1)?;
        Some((*source, member.view, tensor))
    });
    let Some((source, view, tensor)) = place else {
        return Err(none("it is in none of the files".to_owned()));
    };
    let weights =
        Weights::of(source, &TensorReader::new(source, view), tensor).map_err(|error| none(error.why()))?;
    let codec = ggufkit_quant::codec(target.to.0).filter(|codec| codec.can_encode());
    let codec = codec.ok_or_else(|| none(format!("{} is not written, only read", target.to.0)))?;
    let turn = if big { Exchange::of(target.to.0) } else { None };
    let dim = |at: usize| target.dims.get(at).copied().unwrap_or(1);
    let importance = target.importance == Supply::There;
    Ok(Converted { weights, codec, turn, rows: dim(1), matrices: dim(2), importance, bytes: target.to.1 })
}

/// A file with these keys, `more` of them written out, and these tensors; and where each tensor ends.
fn plan_file(
    whole: &Whole<'_>,
    keys: &Keys,
    more: (&[u8], u64),
    tensors: &[Target],
    data: &[Span],
) -> Result<(Plan, Vec<u64>), EditError> {
    let encoder: &Encoder = whole.encoder();
    let alignment = whole.alignment();
    let mut plan = Plan::new();
    let mut bytes = Vec::new();
    encoder.header(&mut bytes, tensors.len() as u64, keys.count().saturating_add(more.1));
    plan.literal(&bytes)?;
    keys.write(&mut plan)?;
    plan.literal(more.0)?;
    let mut packer = layout::Packer::new(alignment);
    bytes.clear();
    for target in tensors {
        let offset = packer.put(target.to.1).ok_or(PlanError::TooLong)?;
        encoder.tensor(&mut bytes, &target.name, &target.dims, target.to.0, offset)?;
    }
    plan.literal(&bytes)?;
    plan.zeros(layout::padding(plan.len(), alignment))?;
    let mut ends = Vec::new();
    for span in data {
        plan.copy(*span)?;
        ends.push(plan.len());
        plan.zeros(layout::padding(plan.len(), alignment))?;
    }
    Ok((plan, ends))
}

/// A text for the metadata out of one that may be anything: it is UTF-8, which readers insist on, and no longer than
/// `llama-quantize` makes it.
fn cut(text: &[u8]) -> New {
    let mut text = String::from_utf8_lossy(text).into_owned();
    text.truncate(text.floor_char_boundary(LONGEST));
    New::Text(text.into_bytes())
}

/// What the file says of the importance that it was made with.
fn say_importance(said: &mut Said, importance: &ImportanceMatrix, name: &[u8]) {
    said.keys.push(("quantize.imatrix.file", cut(name)));
    let dataset = importance.datasets().first();
    said.keys.extend(dataset.map(|dataset| ("quantize.imatrix.dataset", cut(dataset))));
    let entries = u32::try_from(importance.len()).unwrap_or(u32::MAX);
    said.keys.push(("quantize.imatrix.entries_count", New::Number(entries)));
    said.keys
        .extend(importance.chunks().map(|chunks| ("quantize.imatrix.chunks_count", New::Number(chunks))));
}

/// All that decides about the bytes, as a text: also which codecs make them, so that an earlier program's are not mixed with those
/// of one that makes others.
fn settings(targets: &[Target], said: &Said, importance: Option<&ImportanceMatrix>) -> String {
    let mut text = format!("quantize {} {said:?} {}\n", ggufkit_quant::REVISION, importance.is_some());
    let mut names: HashMap<&[u8], u64> = HashMap::new();
    for target in targets {
        let again = names.entry(&target.name).or_default();
        let _ = writeln!(
            text,
            "{:?} {again} {:?} {:?} {}",
            target.name,
            target.from,
            target.to,
            target.importance.code()
        );
        *again = again.saturating_add(1);
    }
    text
}

//! What is open.

use std::io;
use std::sync::{Arc, OnceLock};

use ggufkit_format::spec::Lang;
use ggufkit_format::{ByteStr, Index, Payload, Span, View, shorten};
use ggufkit_inspect::{Model, Part};
use ggufkit_io::{Diagnosis, ShardProblem, ShardSet, read_full};

use super::check::Judgement;
use super::open::{ModelInput, Problem, Source, Watch, without_folder};
use super::query::Query;
use super::refusal::Refusal;
use super::steps::StepIndex;
use super::templates::Renderer;
use super::tokens::Vocabulary;

/// An open file.
pub(super) struct File {
    pub(super) label: Vec<u8>,
    pub(super) name: String,
    pub(super) file_name: Option<String>,
    pub(super) size: Option<u64>,
    pub(super) head: Vec<u8>,
    pub(super) index: Option<Index>,
    pub(super) error: Option<ggufkit_format::ParseError>,
    pub(super) diagnosis: Diagnosis,
    pub(super) source: Option<Arc<Source>>,
    pub(super) watch: Option<Arc<Watch>>,
    pub(super) problems: Vec<Problem>,
    /// Number of the model that it belongs to.
    pub(super) model: usize,
    pub(super) steps: OnceLock<StepIndex>,
}

impl File {
    /// The head, where at least the header was read.
    pub(super) fn view(&self) -> Option<View<'_>> {
        self.index.as_ref().map(|index| View::new(index, &self.head))
    }

    /// The file as the rooms below know it.
    pub(super) fn part(&self) -> Option<Part<'_>> {
        Some(Part {
            label: ByteStr(&self.label),
            file_name: self.file_name.as_deref(),
            size: self.size,
            view: self.view()?,
        })
    }

    /// The file's length; of a stream as far as it was read.
    pub(super) fn length(&self) -> u64 {
        let base = self.index.as_ref().map_or(0, |index| index.header().base);
        self.size.unwrap_or(base.saturating_add(self.head.len() as u64))
    }

    /// The file, to be read by position.
    pub(super) fn seekable(&self) -> Result<&Source, Refusal> {
        self.source.as_deref().ok_or_else(|| {
            Refusal::unsupported((
                "data is not read as it passes by: name a file",
                "流过的数据不能回读：请指定一个文件",
            ))
        })
    }

    /// Refuses what was read of a file that has been written to since it was opened: it is of no one state of it.
    pub(super) fn unchanged(&self) -> Result<(), Refusal> {
        match self.watch.as_ref().map(|watch| watch()) {
            None | Some(Ok(false)) => Ok(()),
            Some(Ok(true)) => Err(Refusal::new(
                super::refusal::Kind::Io,
                (
                    "the file has been changed since it was opened; open it again",
                    "文件打开后被修改过；请重新打开",
                ),
            )),
            Some(Err(error)) => Err(Refusal::io(&error)),
        }
    }

    /// Reads what is there of a span; what the head holds comes from memory.
    pub(super) fn read(&self, span: Span) -> Result<Vec<u8>, Refusal> {
        let base = self.index.as_ref().map_or(0, |index| index.header().base);
        if let Some(bytes) = span.slice(&self.head, base) {
            return Ok(bytes.to_vec());
        }
        let Some(source) = &self.source else {
            let have = base.saturating_add(self.head.len() as u64);
            let span = Span::between(span.start, span.end().min(have));
            return Ok(span.slice(&self.head, base).unwrap_or_default().to_vec());
        };
        let len = usize::try_from(span.len)
            .map_err(|_| Refusal::usage(("that is more than memory holds", "超出内存所能容纳的大小")))?;
        let mut bytes = vec![0; len];
        let read = read_full(&**source, &mut bytes, span.start).map_err(|error| Refusal::io(&error))?;
        bytes.truncate(read);
        Ok(bytes)
    }
}

/// A model that is open.
pub(super) struct Opened {
    pub(super) name: String,
    pub(super) files: Vec<usize>,
    pub(super) set: Option<ShardSet>,
    pub(super) set_problems: Vec<ShardProblem>,
    pub(super) problems: Vec<Problem>,
    pub(super) vocabulary: OnceLock<Vocabulary>,
    /// Judged once: nothing of it changes while the file stays as it is.
    pub(super) judged: OnceLock<Judgement>,
}

/// Open files, and whatever was computed from them once.
pub struct Session {
    pub(super) files: Vec<File>,
    pub(super) models: Vec<Opened>,
    pub(super) renderer: Option<Box<Renderer>>,
    pub(super) lang: Option<Lang>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("files", &self.files.len()).finish_non_exhaustive()
    }
}

impl Session {
    /// A session about these models.
    #[must_use]
    pub fn new(inputs: Vec<ModelInput>) -> Self {
        let mut session = Self { files: Vec::new(), models: Vec::new(), renderer: None, lang: None };
        for input in inputs {
            session.add(input);
        }
        session
    }

    /// With something that renders chat templates: a process with limits, which is none of this crate's business.
    #[must_use]
    pub fn with_renderer(mut self, renderer: Box<Renderer>) -> Self {
        self.renderer = Some(renderer);
        self
    }

    /// With a language that the page begins in; it follows the browser otherwise.
    #[must_use]
    pub fn with_lang(mut self, lang: Lang) -> Self {
        self.lang = Some(lang);
        self
    }

    fn add(&mut self, input: ModelInput) {
        let model = self.models.len();
        let first = self.files.len();
        for file in input.files {
            let problems = file.problems();
            let name = match &file.file_name {
                Some(name) => shorten(name.as_bytes(), 200),
                None => shorten(file.label.rsplit(|byte| *byte == b'/').next().unwrap_or_default(), 200),
            };
            self.files.push(File {
                label: file.label,
                name,
                file_name: file.file_name,
                size: file.size,
                head: file.head,
                index: file.outcome.index,
                error: file.outcome.error,
                diagnosis: file.diagnosis,
                source: file.source,
                watch: file.watch,
                problems,
                model,
                steps: OnceLock::new(),
            });
        }
        let name = match (&input.set, self.files.get(first)) {
            (Some(set), _) => shorten(set.prefix().as_bytes(), 200),
            (None, Some(file)) => file.name.clone(),
            (None, None) => String::new(),
        };
        let mut problems = input.problems;
        let file = input.set.as_ref().map(|set| set.given().to_owned()).unwrap_or_default();
        let said = |problem: &ShardProblem| without_folder(&problem.to_string(), &file);
        problems.extend(input.set_problems.iter().map(|problem| Problem::new("malformed", said(problem))));
        self.models.push(Opened {
            name,
            files: (first..self.files.len()).collect(),
            set: input.set,
            set_problems: input.set_problems,
            problems,
            vocabulary: OnceLock::new(),
            judged: OnceLock::new(),
        });
    }

    /// The number of models.
    #[must_use]
    pub fn models(&self) -> usize {
        self.models.len()
    }

    /// The number of files.
    #[must_use]
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Key-values of a model.
    pub(crate) fn key_values(&self, model: usize) -> u64 {
        self.sum(model, |view| view.index().kvs().len())
    }

    /// Tensors of a model.
    pub(crate) fn tensors(&self, model: usize) -> u64 {
        self.sum(model, |view| view.index().tensors().len())
    }

    fn sum(&self, model: usize, of: impl Fn(&View<'_>) -> usize) -> u64 {
        let files = self.models.get(model).map(|opened| opened.files.as_slice()).unwrap_or_default();
        let views = files.iter().filter_map(|number| self.files.get(*number)?.view());
        views.map(|view| of(&view) as u64).sum()
    }

    /// Tensors of a file.
    pub(crate) fn tensors_of(&self, file: usize) -> usize {
        self.files.get(file).and_then(File::view).map_or(0, |view| view.index().tensors().len())
    }

    /// Bytes of a tensor's data, 0 where that is not known.
    pub(crate) fn tensor_bytes(&self, file: usize, tensor: usize) -> u64 {
        let view = self.files.get(file).and_then(File::view);
        let found = view.and_then(|view| Some((view, view.index().tensors().get(tensor)?)));
        found.and_then(|(view, tensor)| view.index().data_span(tensor).ok()).map_or(0, |span| span.len)
    }

    /// Bytes of the data of all tensors, as far as these are known.
    #[must_use]
    pub fn data_bytes(&self) -> u64 {
        let tensors =
            (0..self.files()).flat_map(|file| (0..self.tensors_of(file)).map(move |tensor| (file, tensor)));
        tensors.map(|(file, tensor)| self.tensor_bytes(file, tensor)).fold(0, u64::saturating_add)
    }

    /// Tokens of a model's vocabulary.
    pub(crate) fn tokens(&self, model: usize) -> u64 {
        let Some(opened) = self.models.get(model) else { return 0 };
        let tokens =
            self.parts(opened).into_iter().find_map(|(_, part)| part.view.get("tokenizer.ggml.tokens"));
        tokens.and_then(|tokens| tokens.as_array()).map_or(0, |tokens| tokens.len())
    }

    /// Arrays of a file: the numbers of their key-values, and of their elements.
    pub(crate) fn arrays(&self, file: usize) -> Vec<(usize, u64)> {
        let view = self.files.get(file).and_then(File::view);
        let kvs = view.map(|view| view.index().kvs()).unwrap_or_default();
        let count = |(at, kv): (usize, &ggufkit_format::Kv)| match &kv.payload {
            Payload::Array(array) => Some((at, array.count)),
            _ => None,
        };
        kvs.iter().enumerate().filter_map(count).collect()
    }

    /// Length of a file.
    pub(crate) fn size(&self, file: usize) -> u64 {
        self.files.get(file).map_or(0, File::length)
    }

    /// Name of a file, harmless to show.
    pub(crate) fn name(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |file| file.name.as_str())
    }

    /// Does something with the first model, and its name.
    pub(crate) fn first_model<T>(&self, work: impl FnOnce(&Model<'_>, &str) -> T) -> Result<T, Refusal> {
        let opened =
            self.models.first().ok_or_else(|| Refusal::not_found(("nothing is open", "没有打开任何文件")))?;
        self.with_model(opened, |model, _| Ok(work(model, &opened.name)))
    }

    /// Words that a page about a model may want explained: the rules that it breaks, the types of its tensors.
    pub(crate) fn words(&self, model: usize) -> Vec<String> {
        let Some(opened) = self.models.get(model) else { return Vec::new() };
        let mut words = super::check::rules(self, model);
        let mut types: Vec<ggufkit_format::spec::TensorType> = self
            .parts(opened)
            .iter()
            .flat_map(|(_, part)| part.view.index().tensors().iter().map(|tensor| tensor.tensor_type))
            .collect();
        types.sort_unstable();
        types.dedup();
        words.extend(types.into_iter().filter_map(|ty| ty.name().map(str::to_owned)));
        words
    }

    /// The file that a question is about, with its number.
    pub(super) fn file(&self, query: &Query<'_>) -> Result<(usize, &File), Refusal> {
        let number: usize = query.number("file")?;
        let file = self
            .files
            .get(number)
            .ok_or_else(|| Refusal::not_found(("there is no file with this number", "没有这个编号的文件")))?;
        Ok((number, file))
    }

    /// The file that a question is about, with its head.
    pub(super) fn viewed(&self, query: &Query<'_>) -> Result<(usize, &File, View<'_>), Refusal> {
        let (number, file) = self.file(query)?;
        let view = file.view().ok_or_else(|| {
            Refusal::malformed(("the header of this file could not be read", "无法读取此文件的文件头"))
        })?;
        Ok((number, file, view))
    }

    /// The model with the number that the query has under `name`.
    pub(super) fn opened(&self, query: &Query<'_>, name: &str) -> Result<(usize, &Opened), Refusal> {
        let number: usize = query.number(name)?;
        let model = self.models.get(number);
        Ok((
            number,
            model.ok_or_else(|| {
                Refusal::not_found(("there is no model with this number", "没有这个编号的模型"))
            })?,
        ))
    }

    /// The files of a model whose headers could be read, each with its number in the session.
    pub(super) fn parts<'s>(&'s self, opened: &Opened) -> Vec<(usize, Part<'s>)> {
        let files = opened.files.iter();
        files.filter_map(|number| Some((*number, self.files.get(*number)?.part()?))).collect()
    }

    /// Does something with a model as the rooms below know it. The numbers are those of its files in the session.
    pub(super) fn with_model<T>(
        &self,
        opened: &Opened,
        work: impl FnOnce(&Model<'_>, &[usize]) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let (numbers, parts): (Vec<usize>, Vec<Part<'_>>) = self.parts(opened).into_iter().unzip();
        let model = Model::of_shards(&parts).ok_or_else(|| {
            Refusal::malformed(("no header of this model could be read", "此模型的文件头都无法读取"))
        })?;
        work(&model, &numbers)
    }

    /// Fills `buf` from a file.
    pub(super) fn read_exact(file: &File, buf: &mut [u8], offset: u64) -> io::Result<()> {
        match &file.source {
            Some(source) => ggufkit_io::read_exact_at(&**source, buf, offset),
            None => Err(io::ErrorKind::NotSeekable.into()),
        }
    }
}

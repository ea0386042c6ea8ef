//! What all rules ask for: the subject by its keys and names, computed once.

use std::cell::OnceCell;

use ggufkit_format::extents::{Extent, Extents};
use ggufkit_format::spec::{KeyInfo, keys};
use ggufkit_format::{Kv, KvPart, Tensor, TensorPart, Value, View};
use ggufkit_inspect::summary::{Kind, Survey};
use ggufkit_inspect::{Model, Part, Place};

use crate::data::DataScan;
use crate::finding::Label;
use crate::rules::layout::fate::Fates;
use crate::subject::{File, Subject};
use crate::template::Templates;
use crate::vocabulary::Vocabulary;

pub(crate) use crate::place::{Record, TensorAt, kv_label, shape_label, tensor_label};

/// The subject, with what several rules need to know about it.
pub(crate) struct Facts<'a> {
    subject: &'a Subject<'a>,
    model: Option<Model<'a>>,
    /// Numbers of the subject's files that are parts of the model.
    files: Vec<usize>,
    survey: OnceCell<Option<Survey<'a>>>,
    kind: OnceCell<Kind>,
    extents: OnceCell<Vec<Extents>>,
    fates: OnceCell<Vec<Option<Fates>>>,
    scan: Option<&'a DataScan>,
    known: OnceCell<Vec<(Record<'a>, &'static KeyInfo)>>,
    vocabulary: OnceCell<Option<Vocabulary<'a>>>,
    templates: OnceCell<Templates<'a>>,
}

impl<'a> Facts<'a> {
    pub(crate) fn new(subject: &'a Subject<'a>, parts: &'a [Part<'a>], scan: Option<&'a DataScan>) -> Self {
        let with_view = subject.files.iter().enumerate().filter(|(_, file)| file.view.is_some());
        Self {
            subject,
            model: Model::of_shards(parts),
            files: with_view.map(|(at, _)| at).collect(),
            survey: OnceCell::new(),
            kind: OnceCell::new(),
            extents: OnceCell::new(),
            fates: OnceCell::new(),
            scan,
            known: OnceCell::new(),
            vocabulary: OnceCell::new(),
            templates: OnceCell::new(),
        }
    }

    /// What is judged.
    pub(crate) fn subject(&self) -> &'a Subject<'a> {
        self.subject
    }

    /// What a pass over the data found, where there was one.
    pub(crate) fn scan(&self) -> Option<&'a DataScan> {
        self.scan
    }

    /// The files, those without a header too.
    pub(crate) fn files(&self) -> &'a [File<'a>] {
        self.subject.files
    }

    /// The files whose header could be read, with their numbers in the subject.
    pub(crate) fn views(&self) -> impl Iterator<Item = (usize, &'a File<'a>, View<'a>)> + use<'a> {
        let files = self.subject.files;
        files.iter().enumerate().filter_map(|(at, file)| Some((at, file, file.view?)))
    }

    /// The heads as a model; `None` when no header could be read.
    pub(crate) fn model(&self) -> Option<Model<'a>> {
        self.model
    }

    /// Whether every head was read to its end and no shard is missing: only then can anything be called absent.
    pub(crate) fn is_complete(&self) -> bool {
        let heads = |file: &File<'_>| file.view.is_some_and(|view| view.index().is_complete());
        let split = self.u64("split.count").is_some_and(|count| count > self.files.len() as u64);
        !split && self.files().iter().all(heads)
    }

    /// What sort of file it is.
    pub(crate) fn kind(&self) -> Kind {
        *self.kind.get_or_init(|| self.survey().map_or(Kind::Unknown, |survey| survey.kind().0))
    }

    /// Whether it says that it is a vocabulary and holds nothing else.
    pub(crate) fn is_vocabulary(&self) -> bool {
        self.str("general.type") == Some("vocab") && self.is_complete() && self.rows().next().is_none()
    }

    /// The key-values of all files, duplicates included.
    pub(crate) fn records(&self) -> impl Iterator<Item = Record<'a>> + use<'a> {
        self.views().flat_map(|(file, _, view)| {
            let kvs = view.index().kvs().iter().enumerate();
            kvs.map(move |(index, kv)| Record { file, view, index, kv })
        })
    }

    /// The key-values whose keys are known, with what is known.
    pub(crate) fn known(&self) -> &[(Record<'a>, &'static KeyInfo)] {
        self.known.get_or_init(|| {
            self.records().filter_map(|record| Some((record, keys::lookup(record.key().0)?))).collect()
        })
    }

    /// The tensors of all files.
    pub(crate) fn rows(&self) -> impl Iterator<Item = TensorAt<'a>> + use<'a> {
        self.views().flat_map(|(file, _, view)| {
            let tensors = view.index().tensors().iter().enumerate();
            tensors.map(move |(index, tensor)| TensorAt { file, view, index, tensor })
        })
    }

    /// The model, its names looked over once; `None` when no header could be read.
    pub(crate) fn survey(&self) -> Option<&Survey<'a>> {
        self.survey.get_or_init(|| Some(Survey::new(&self.model?))).as_ref()
    }

    /// The first key-value with this key.
    pub(crate) fn key(&self, key: impl AsRef<[u8]>) -> Option<Place<'a, Kv>> {
        #[cfg(test)]
        crate::testing::asked::note(key.as_ref());
        self.survey()?.keys().find(key.as_ref())
    }

    /// The value of the first key-value with this key.
    pub(crate) fn get(&self, key: impl AsRef<[u8]>) -> Option<Value<'a>> {
        self.key(key).map(|place| place.part.view.value(place.record))
    }

    /// The same, where it is a number from 0 up.
    pub(crate) fn u64(&self, key: impl AsRef<[u8]>) -> Option<u64> {
        self.get(key)?.as_u64()
    }

    /// The same, where it is text.
    pub(crate) fn str(&self, key: impl AsRef<[u8]>) -> Option<&'a str> {
        self.get(key)?.as_str()
    }

    /// `general.architecture`, where it is text.
    pub(crate) fn architecture(&self) -> Option<&'a str> {
        self.str("general.architecture")
    }

    /// The first key-value with the key `{arch}.{suffix}`.
    pub(crate) fn arch_key(&self, suffix: &str) -> Option<Place<'a, Kv>> {
        self.key(format!("{}.{suffix}", self.architecture()?))
    }

    /// The value of `{arch}.{suffix}`, where it is a number from 0 up.
    pub(crate) fn arch_u64(&self, suffix: &str) -> Option<u64> {
        self.u64(format!("{}.{suffix}", self.architecture()?))
    }

    /// The first tensor with this name.
    pub(crate) fn tensor(&self, name: impl AsRef<[u8]>) -> Option<Place<'a, Tensor>> {
        self.survey()?.tensors().find(name.as_ref())
    }

    /// Key-values whose key occurred before in their file, each behind the first one.
    pub(crate) fn duplicate_keys(&self) -> impl Iterator<Item = [Place<'a, Kv>; 2]> + '_ {
        self.survey().into_iter().flat_map(|survey| survey.keys().duplicates())
    }

    /// Tensors whose name occurred before in their file, each behind the first one.
    pub(crate) fn duplicate_tensors(&self) -> impl Iterator<Item = [Place<'a, Tensor>; 2]> + '_ {
        self.survey().into_iter().flat_map(|survey| survey.tensors().duplicates())
    }

    /// Where the tensors of a file lie, in the order of their offsets.
    pub(crate) fn extents(&self, file: usize) -> &[Extent] {
        let all = self.extents.get_or_init(|| {
            let of = |file: &File<'_>| file.view.map(|view| Extents::of(view.index())).unwrap_or_default();
            self.files().iter().map(of).collect()
        });
        all.get(file).map(Extents::as_slice).unwrap_or_default()
    }

    /// What becomes of the data of those tensors; `None` where the layout cannot be judged.
    pub(crate) fn fates(&self, file: usize) -> Option<&Fates> {
        let of = |(at, file)| Fates::of(file, self.extents(at));
        let all = self.fates.get_or_init(|| self.files().iter().enumerate().map(of).collect());
        all.get(file)?.as_ref()
    }

    /// The vocabulary, where `tokenizer.ggml.tokens` is an array of strings.
    pub(crate) fn vocabulary(&self) -> Option<&Vocabulary<'a>> {
        self.vocabulary.get_or_init(|| Vocabulary::new(self.key("tokenizer.ggml.tokens")?)).as_ref()
    }

    /// What is to be said about the chat templates.
    pub(crate) fn templates(&self) -> &Templates<'a> {
        self.templates.get_or_init(|| {
            // Of a head that was cut nothing can be called absent, so tokens are not looked up.
            let vocabulary =
                self.vocabulary().filter(|vocabulary| vocabulary.len() > 0 && self.is_complete());
            self.model().map(|model| Templates::new(&model, vocabulary)).unwrap_or_default()
        })
    }

    /// The same, where a rule has asked for it.
    pub(crate) fn templates_judged(&self) -> Option<&Templates<'a>> {
        self.templates.get()
    }

    /// The number in the subject of a file of the model.
    pub(crate) fn file_of(&self, part: usize) -> usize {
        self.files.get(part).copied().unwrap_or(part)
    }

    /// A label at a part of a key-value that was looked up.
    pub(crate) fn kv_label(&self, place: &Place<'a, Kv>, part: KvPart) -> Label {
        kv_label(self.file_of(place.file), &place.part.view, place.index, place.record, part)
    }

    /// A label at a part of a tensor that was looked up.
    pub(crate) fn tensor_label(&self, place: &Place<'a, Tensor>, part: TensorPart) -> Label {
        tensor_label(self.file_of(place.file), &place.part.view, place.index, place.record, part)
    }
}

/// A number with its unit: `1 byte`, `20 bytes`.
pub(crate) fn counted(n: u64, unit: &str) -> String {
    match n {
        1 => format!("1 {unit}"),
        n => format!("{n} {unit}s"),
    }
}

//! Operations: what a person asks for, by name, carried out on a [`Document`].
//!
//! Where a name is none of the file's, or a value none of its type, nothing of the document is to be used.

use std::fmt;

use ggufkit_format::encode::EncodeError;
use ggufkit_format::glob::Glob;
use ggufkit_format::spec::{FileType, KeyType, ValueType, keys};
use ggufkit_format::{ByteStr, Escaped, Scalar, Value};
use serde_json::Value as Json;

use crate::document::Document;
use crate::error::EditError;
use crate::value::{NewValue, ValueError};

/// A value as it was given.
#[derive(Clone, PartialEq, Debug)]
pub enum Given {
    /// As a person types it.
    Text(String),
    /// The bytes of a string, whatever they are.
    Bytes(Vec<u8>),
    /// As JSON.
    Json(Json),
}

/// Which element of an array is meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Element {
    /// The one at this position, from 0.
    At(u64),
    /// The one at the position of this token in the vocabulary.
    Token(Vec<u8>),
}

/// One thing to do.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Operation {
    /// Gives a key a value; adds it where it is not there. Its type is the one named, or that of the value it has, or the
    /// one that loaders want for it.
    Set {
        /// The key.
        key: Vec<u8>,
        /// The element of its array that is meant.
        element: Option<Element>,
        /// The type.
        ty: Option<KeyType>,
        /// The value.
        value: Given,
    },
    /// Puts a text into a list of texts, where it is not in it; the list is made where it is not there.
    List {
        /// The key of the list.
        key: Vec<u8>,
        /// The text.
        item: Vec<u8>,
    },
    /// Takes a text out of a list of texts, where it is in it, and with the last one the list.
    Unlist {
        /// The key of the list.
        key: Vec<u8>,
        /// The text.
        item: Vec<u8>,
    },
    /// Takes a key out, or all whose names a pattern matches.
    Unset(Vec<u8>),
    /// Takes out what there is of the keys that a pattern matches, but for some; that there is none is no error.
    Clear {
        /// The pattern.
        pattern: Vec<u8>,
        /// Keys that stay.
        except: Vec<Vec<u8>>,
    },
    /// Gives a key another name.
    Rename {
        /// The key.
        from: Vec<u8>,
        /// Its new name.
        to: Vec<u8>,
    },
    /// Moves a key before another one, or behind all.
    Move {
        /// The key.
        key: Vec<u8>,
        /// The one before which it is to stand.
        before: Option<Vec<u8>>,
    },
    /// Asks that a key has a value, or is not there, and stops where that is not so.
    Test {
        /// The key.
        key: Vec<u8>,
        /// The element of its array that is meant.
        element: Option<Element>,
        /// The type.
        ty: Option<KeyType>,
        /// The value.
        value: Option<Given>,
    },
    /// Gives a tensor another name.
    RenameTensor {
        /// The tensor.
        from: Vec<u8>,
        /// Its new name.
        to: Vec<u8>,
    },
    /// Takes a tensor out, or all whose names a pattern matches.
    DropTensor(Vec<u8>),
    /// Writes version 3.
    Upgrade,
    /// Moves a tensor before another one, or behind all; its data stands in the same order.
    MoveTensor {
        /// The tensor.
        name: Vec<u8>,
        /// The one before which it is to stand.
        before: Option<Vec<u8>>,
    },
}

/// What an operation did.
#[derive(Clone, PartialEq, Debug)]
pub struct Done {
    /// A stable word: `set`, `unset`, `rename`, `move`, `rename-tensor`, `drop-tensor`, `move-tensor`, `upgrade`.
    pub what: &'static str,
    /// The key or the tensor.
    pub name: Vec<u8>,
    /// The element of its array.
    pub element: Option<u64>,
    /// What was there.
    pub before: Option<Shown>,
    /// What is there now.
    pub after: Option<Shown>,
}

/// A value in so far as it is shown.
#[derive(Clone, PartialEq, Debug)]
pub enum Shown {
    /// A value of fixed size.
    Scalar(Scalar),
    /// A string, or a name.
    Text(Vec<u8>),
    /// An array: what it is one of, and of how many.
    Array(KeyType, u64),
}

/// Why an operation cannot be carried out.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum OperationError {
    /// There is no such key.
    NoKey(Vec<u8>),
    /// There is no such tensor.
    NoTensor(Vec<u8>),
    /// The vocabulary has no such token.
    NoToken(Vec<u8>),
    /// A key, a tensor or a token has this name more than once.
    Several {
        /// The name.
        name: Vec<u8>,
        /// How often.
        count: u64,
    },
    /// A key or a tensor with this name is there already.
    Taken(Vec<u8>),
    /// The key is new and not known, so somebody has to say what type it has.
    NoType(Vec<u8>),
    /// A value is none of its type.
    Value {
        /// The key.
        key: Vec<u8>,
        /// Why not.
        error: ValueError,
    },
    /// An array has no such element.
    NoElement {
        /// The key.
        key: Vec<u8>,
        /// The element.
        element: u64,
        /// Elements that it has; none where it is no array.
        len: Option<u64>,
    },
    /// A key has another value than it was asked to have.
    Differs(Vec<u8>),
    /// A pattern is none.
    Pattern(String),
    /// The alignment is no positive number of 32 bits.
    Alignment,
    /// The document cannot be changed so.
    Edit(EditError),
}

impl fmt::Display for OperationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |bytes: &[u8]| Escaped(bytes).to_string();
        match self {
            Self::NoKey(key) => write!(f, "there is no key {}", shown(key)),
            Self::NoTensor(name) => write!(f, "there is no tensor {}", shown(name)),
            Self::NoToken(text) => write!(f, "the vocabulary has no token {}", shown(text)),
            Self::Several { name, count } => {
                write!(f, "{} is there {count} times: which one is meant cannot be told", shown(name))
            }
            Self::Taken(name) => write!(f, "{} is there already", shown(name)),
            Self::NoType(key) => {
                write!(f, "{} is a key that is not known, so its type has to be said", shown(key))
            }
            Self::Value { key, error } => write!(f, "{}: {error}", shown(key)),
            Self::NoElement { key, element, len: Some(len) } => {
                write!(f, "{} has {len} elements, from [0] on, and no [{element}]", shown(key))
            }
            Self::NoElement { key, .. } => write!(f, "{} is no array", shown(key)),
            Self::Differs(key) => write!(f, "{} has another value than it was expected to have", shown(key)),
            Self::Pattern(error) => f.write_str(error),
            Self::Alignment => f.write_str("an alignment is a whole number from 1 to 4294967295"),
            Self::Edit(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OperationError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Value { error, .. } => Some(error),
            Self::Edit(error) => Some(error),
            _ => None,
        }
    }
}

impl From<EditError> for OperationError {
    fn from(error: EditError) -> Self {
        Self::Edit(error)
    }
}

impl From<EncodeError> for OperationError {
    fn from(error: EncodeError) -> Self {
        Self::Edit(error.into())
    }
}

impl Operation {
    /// Carries the operation out. The values are what was done: nothing, where all is so already.
    ///
    /// # Errors
    /// See [`OperationError`]; the document may then be changed in part.
    pub fn apply(&self, document: &mut Document<'_>) -> Result<Vec<Done>, OperationError> {
        match self {
            Self::Set { key, element: Some(element), value, ty } => {
                let element = place(document, element)?;
                set_element(document, key, element, *ty, value).map(|done| vec![done])
            }
            Self::Set { key, element: None, ty, value } => set(document, key, *ty, value),
            Self::Upgrade => {
                let before = document.view().index().header().version;
                let changed = document.rewrite() || before != 3;
                let shown = |version| Some(Shown::Scalar(Scalar::U32(version)));
                let (before, after) = (shown(before), shown(document.version()));
                let done = Done { what: "upgrade", name: b"version".to_vec(), element: None, before, after };
                Ok(changed.then_some(done).into_iter().collect())
            }
            Self::List { key, item } => list(document, key, item),
            Self::Unlist { key, item } => unlist(document, key, item),
            Self::Unset(pattern) => {
                let found = matching(document, pattern)?;
                if found.is_empty() {
                    return Err(OperationError::NoKey(pattern.clone()));
                }
                found.into_iter().map(|at| take_out(document, at)).collect()
            }
            Self::Clear { pattern, except } => {
                let mut found = matching(document, pattern)?;
                found.retain(|&at| !except.iter().any(|key| key == document.key(at)));
                found.into_iter().map(|at| take_out(document, at)).collect()
            }
            Self::Rename { from, to } => {
                let at = one(document, from)?;
                if from != to && !document.find(to).is_empty() {
                    return Err(OperationError::Taken(to.clone()));
                }
                let changed = document.set_key(at, to)?;
                let after = Some(Shown::Text(to.clone()));
                let done = Done { what: "rename", name: from.clone(), element: None, before: None, after };
                Ok(changed.then_some(done).into_iter().collect())
            }
            Self::Move { key, before } => {
                let at = one(document, key)?;
                let place = before.as_deref().map(|key| one(document, key)).transpose()?;
                let moved = document.move_kv(at, place)?;
                let after = before.clone().map(Shown::Text);
                let done = Done { what: "move", name: key.clone(), element: None, before: None, after };
                Ok(moved.then_some(done).into_iter().collect())
            }
            Self::Test { key, element: Some(element), value, .. } => {
                let element = place(document, element)?;
                test_element(document, key, element, value.as_ref()).map(|()| Vec::new())
            }
            Self::Test { key, element: None, ty, value } => {
                test(document, key, *ty, value.as_ref()).map(|()| Vec::new())
            }
            Self::RenameTensor { from, to } => {
                let at = one_tensor(document, from)?;
                if from != to && !document.find_tensors(to).is_empty() {
                    return Err(OperationError::Taken(to.clone()));
                }
                let changed = document.set_name(at, to)?;
                let after = Some(Shown::Text(to.clone()));
                let done =
                    Done { what: "rename-tensor", name: from.clone(), element: None, before: None, after };
                Ok(changed.then_some(done).into_iter().collect())
            }
            Self::MoveTensor { name, before } => {
                let at = one_tensor(document, name)?;
                let place = before.as_deref().map(|name| one_tensor(document, name)).transpose()?;
                let moved = place != Some(at) && document.move_tensor(at, place)?;
                let after = before.clone().map(Shown::Text);
                let done =
                    Done { what: "move-tensor", name: name.clone(), element: None, before: None, after };
                Ok(moved.then_some(done).into_iter().collect())
            }
            Self::DropTensor(pattern) => {
                let exact = document.find_tensors(pattern);
                let glob = glob(pattern)?;
                let all = 0..document.tensor_count();
                let found: Vec<u64> = match exact.is_empty() {
                    false => exact,
                    true => {
                        all.filter(|&at| document.has_tensor(at) && glob.matches(document.name(at))).collect()
                    }
                };
                if found.is_empty() {
                    return Err(OperationError::NoTensor(pattern.clone()));
                }
                let drop = |at: u64| {
                    let name = document.name(at).to_vec();
                    document.remove_tensor(at)?;
                    Ok(Done { what: "drop-tensor", name, element: None, before: None, after: None })
                };
                found.into_iter().map(drop).collect()
            }
        }
    }

    /// Whether the document has what the operation is about: of the files of a set, those that have it are changed.
    #[must_use]
    pub fn concerns(&self, document: &Document<'_>) -> bool {
        let has = |key: &[u8]| !document.find(key).is_empty();
        match self {
            Self::Set { key, .. }
            | Self::List { key, .. }
            | Self::Unlist { key, .. }
            | Self::Test { key, .. }
            | Self::Move { key, .. } => has(key),
            Self::Rename { from, .. } => has(from),
            Self::Unset(pattern) | Self::Clear { pattern, .. } => {
                matching(document, pattern).is_ok_and(|found| !found.is_empty())
            }
            Self::RenameTensor { from, .. } => !document.find_tensors(from).is_empty(),
            Self::Upgrade => true,
            Self::MoveTensor { name, .. } => !document.find_tensors(name).is_empty(),
            Self::DropTensor(pattern) => {
                let all = || 0..document.tensor_count();
                let some =
                    |glob: Glob| all().any(|at| document.has_tensor(at) && glob.matches(document.name(at)));
                !document.find_tensors(pattern).is_empty() || glob(pattern).is_ok_and(some)
            }
        }
    }

    /// Whether what the operation changes is of the vocabulary or the chat templates, which take time to judge.
    #[must_use]
    pub fn is_of_tokenizer(&self) -> bool {
        let of = |key: &[u8]| key.starts_with(b"tokenizer.") || key.contains(&b'*') || key.contains(&b'?');
        match self {
            Self::Set { key, .. }
            | Self::List { key, .. }
            | Self::Unlist { key, .. }
            | Self::Unset(key)
            | Self::Clear { pattern: key, .. }
            | Self::Move { key, .. } => of(key),
            Self::Rename { from, to } => of(from) || of(to),
            _ => false,
        }
    }
}

fn glob(pattern: &[u8]) -> Result<Glob, OperationError> {
    let text = String::from_utf8_lossy(pattern);
    Glob::new(&text).map_err(|error| OperationError::Pattern(format!("{}: {error}", Escaped(pattern))))
}

/// The keys that a text names: the one that is called so, or those that it matches as a pattern.
fn matching(document: &Document<'_>, pattern: &[u8]) -> Result<Vec<u64>, OperationError> {
    let exact = document.find(pattern);
    if !exact.is_empty() {
        return Ok(exact);
    }
    let glob = glob(pattern)?;
    Ok(document.kv_order().filter(|&at| glob.matches(document.key(at))).collect())
}

fn one(document: &Document<'_>, key: &[u8]) -> Result<u64, OperationError> {
    match document.find(key).as_slice() {
        [] => Err(OperationError::NoKey(key.to_vec())),
        [at] => Ok(*at),
        several => Err(OperationError::Several { name: key.to_vec(), count: several.len() as u64 }),
    }
}

fn one_tensor(document: &Document<'_>, name: &[u8]) -> Result<u64, OperationError> {
    match document.find_tensors(name).as_slice() {
        [] => Err(OperationError::NoTensor(name.to_vec())),
        [at] => Ok(*at),
        several => Err(OperationError::Several { name: name.to_vec(), count: several.len() as u64 }),
    }
}

/// The value that was given, of a type. A number may be given by its name, where it is one of a few that have names, and
/// the number of a token by the token.
fn value(
    document: &Document<'_>,
    key: &[u8],
    ty: KeyType,
    given: &Given,
) -> Result<NewValue, OperationError> {
    let made = match given {
        Given::Text(text) => NewValue::parse(text, ty),
        Given::Json(json) => NewValue::from_json(json, ty),
        Given::Bytes(bytes) if ty == KeyType::Scalar(ValueType::STRING) => {
            Ok(NewValue::String(bytes.clone()))
        }
        Given::Bytes(bytes) => NewValue::parse(&String::from_utf8_lossy(bytes), ty),
    };
    let error = match made {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let text: &[u8] = match given {
        Given::Text(text) => text.as_bytes(),
        Given::Bytes(bytes) => bytes,
        Given::Json(Json::String(text)) => text.as_bytes(),
        Given::Json(_) => &[],
    };
    let named = || {
        let info = keys::lookup(key)?;
        let alike = |name: &str| name.as_bytes().eq_ignore_ascii_case(text);
        let short = |name: &str| name.rsplit('_').next().is_some_and(alike);
        let found = info.values.iter().find(|choice| alike(choice.name));
        match found.or_else(|| info.values.iter().find(|choice| short(choice.name)))?.value {
            keys::Choice::Int(number) => Some(i128::from(number)),
            keys::Choice::Str(_) => None,
        }
    };
    let number = match (&error, ty) {
        (ValueError::Form { .. }, KeyType::Scalar(_)) if key == FILE_TYPE => {
            let name = String::from_utf8_lossy(text);
            FileType::from_name(&name).map(|ty| i128::from(ty.0))
        }
        (ValueError::Form { .. }, KeyType::Scalar(_)) if key.ends_with(b"_token_id") && !text.is_empty() => {
            Some(token(document, text)?.into())
        }
        (ValueError::Form { .. }, KeyType::Scalar(_)) => named(),
        _ => None,
    };
    let scalar = number.and_then(|number| Scalar::integer(ty.element(), number));
    scalar.map(NewValue::Scalar).ok_or_else(|| OperationError::Value { key: key.to_vec(), error })
}

const FILE_TYPE: &[u8] = b"general.file_type";
const TOKENS: &[u8] = b"tokenizer.ggml.tokens";

/// The position that is meant.
fn place(document: &Document<'_>, element: &Element) -> Result<u64, OperationError> {
    match element {
        Element::At(at) => Ok(*at),
        Element::Token(text) => token(document, text),
    }
}

/// The number of a token.
fn token(document: &Document<'_>, text: &[u8]) -> Result<u64, OperationError> {
    let at = one(document, TOKENS)?;
    let mut found =
        (0..document.array_len(at).unwrap_or(0)).filter(|&place| document.element_is_text(at, place, text));
    match (found.next(), found.count() as u64) {
        (None, _) => Err(OperationError::NoToken(text.to_vec())),
        (Some(only), 0) => Ok(only),
        (Some(_), more) => {
            Err(OperationError::Several { name: text.to_vec(), count: more.saturating_add(1) })
        }
    }
}

fn set(
    document: &mut Document<'_>,
    key: &[u8],
    ty: Option<KeyType>,
    given: &Given,
) -> Result<Vec<Done>, OperationError> {
    let there = match one(document, key) {
        Err(OperationError::NoKey(_)) => None,
        other => Some(other?),
    };
    let known = || keys::lookup(key).and_then(|info| info.types.first().copied());
    let ty = ty.or_else(|| there.and_then(|at| document.key_type(at))).or_else(known);
    let new = value(document, key, ty.ok_or_else(|| OperationError::NoType(key.to_vec()))?, given)?;
    if key == crate::document::ALIGNMENT {
        return set_alignment(document, there, &new);
    }
    let before = there.and_then(|at| document.shown(at));
    let (at, changed) = match there {
        Some(at) => (at, document.set_value(at, new)?),
        None => (document.add(key, new)?, true),
    };
    let done = Done { what: "set", name: key.to_vec(), element: None, before, after: document.shown(at) };
    Ok(changed.then_some(done).into_iter().collect())
}

fn take_out(document: &mut Document<'_>, at: u64) -> Result<Done, OperationError> {
    let (name, before) = (document.key(at).to_vec(), document.shown(at));
    document.remove(at)?;
    Ok(Done { what: "unset", name, element: None, before, after: None })
}

/// The number of a list's key, and its texts.
type Texts = (u64, Vec<Vec<u8>>);

/// The texts of a list; `None` where there is no such key.
fn texts(document: &Document<'_>, key: &[u8]) -> Result<Option<Texts>, OperationError> {
    let at = match one(document, key) {
        Err(OperationError::NoKey(_)) => return Ok(None),
        other => other?,
    };
    let is_list = document.key_type(at) == Some(KeyType::Array(ValueType::STRING));
    let len = document.array_len(at).filter(|_| is_list);
    let len = len.ok_or_else(|| OperationError::NoElement { key: key.to_vec(), element: 0, len: None })?;
    let text = |place| match document.shown_element(at, place) {
        Some(Shown::Text(text)) => Ok(text),
        _ => Err(EditError::Encode(EncodeError::Incomplete).into()),
    };
    (0..len).map(text).collect::<Result<_, OperationError>>().map(|texts| Some((at, texts)))
}

fn set_texts(
    document: &mut Document<'_>,
    key: &[u8],
    there: Option<u64>,
    texts: Vec<Vec<u8>>,
) -> Result<Vec<Done>, OperationError> {
    let new = NewValue::Array(ValueType::STRING, texts.into_iter().map(NewValue::String).collect());
    let before = there.and_then(|at| document.shown(at));
    let at = match there {
        Some(at) => document.set_value(at, new).map(|_| at)?,
        None => document.add(key, new)?,
    };
    Ok(vec![Done { what: "set", name: key.to_vec(), element: None, before, after: document.shown(at) }])
}

fn list(document: &mut Document<'_>, key: &[u8], item: &[u8]) -> Result<Vec<Done>, OperationError> {
    let (there, mut texts) =
        texts(document, key)?.map_or((None, Vec::new()), |(at, texts)| (Some(at), texts));
    if texts.iter().any(|text| text == item) {
        return Ok(Vec::new());
    }
    texts.push(item.to_vec());
    set_texts(document, key, there, texts)
}

fn unlist(document: &mut Document<'_>, key: &[u8], item: &[u8]) -> Result<Vec<Done>, OperationError> {
    let Some((at, mut texts)) = texts(document, key)? else { return Ok(Vec::new()) };
    let before = texts.len();
    texts.retain(|text| text != item);
    match texts.len() {
        left if left == before => Ok(Vec::new()),
        0 => take_out(document, at).map(|done| vec![done]),
        _ => set_texts(document, key, Some(at), texts),
    }
}

/// Another alignment moves the data.
fn set_alignment(
    document: &mut Document<'_>,
    there: Option<u64>,
    new: &NewValue,
) -> Result<Vec<Done>, OperationError> {
    let number = match new {
        NewValue::Scalar(scalar) => scalar.as_u64().and_then(|number| u32::try_from(number).ok()),
        _ => None,
    };
    let to = number.filter(|number| *number > 0).ok_or(OperationError::Alignment)?;
    let before = there.and_then(|at| document.shown(at));
    if there.is_some() && document.alignment() == u64::from(to) {
        return Ok(Vec::new());
    }
    let moves = document.alignment() != u64::from(to);
    document.set_alignment(to);
    if moves {
        document.relayout()?;
    }
    let after = Some(Shown::Scalar(Scalar::U32(to)));
    Ok(vec![Done { what: "set", name: crate::document::ALIGNMENT.to_vec(), element: None, before, after }])
}

fn set_element(
    document: &mut Document<'_>,
    key: &[u8],
    element: u64,
    ty: Option<KeyType>,
    given: &Given,
) -> Result<Done, OperationError> {
    let at = one(document, key)?;
    let of = match document.key_type(at) {
        Some(KeyType::Array(of)) => of,
        _ => return Err(OperationError::NoElement { key: key.to_vec(), element, len: None }),
    };
    let len = document.array_len(at);
    if len.is_none_or(|len| element >= len) {
        return Err(OperationError::NoElement { key: key.to_vec(), element, len });
    }
    let new = value(document, key, ty.unwrap_or(KeyType::Scalar(of)), given)?;
    let before = document.shown_element(at, element);
    let after = shown(&new);
    document.set_element(at, element, new)?;
    Ok(Done { what: "set", name: key.to_vec(), element: Some(element), before, after: Some(after) })
}

fn test(
    document: &Document<'_>,
    key: &[u8],
    ty: Option<KeyType>,
    expected: Option<&Given>,
) -> Result<(), OperationError> {
    let differs = || OperationError::Differs(key.to_vec());
    match (document.find(key).as_slice(), expected) {
        ([], None) => Ok(()),
        ([at], Some(given)) => {
            let is = document.key_type(*at).ok_or_else(differs)?;
            if ty.is_some_and(|ty| ty != is) {
                return Err(differs());
            }
            let new = value(document, key, is, given).map_err(|_| differs())?;
            if document.has_value(*at, new)? { Ok(()) } else { Err(differs()) }
        }
        _ => Err(differs()),
    }
}

fn test_element(
    document: &Document<'_>,
    key: &[u8],
    element: u64,
    expected: Option<&Given>,
) -> Result<(), OperationError> {
    let differs = || OperationError::Differs(key.to_vec());
    let at = one(document, key).map_err(|_| differs())?;
    let (Some(KeyType::Array(of)), Some(given)) = (document.key_type(at), expected) else {
        return Err(differs());
    };
    let new = value(document, key, KeyType::Scalar(of), given).map_err(|_| differs())?;
    // Bits and not numbers: what is no number equals nothing, itself neither.
    let same = match (document.shown_element(at, element), shown(&new)) {
        (Some(Shown::Scalar(Scalar::F32(is))), Shown::Scalar(Scalar::F32(new))) => {
            is.to_bits() == new.to_bits()
        }
        (Some(Shown::Scalar(Scalar::F64(is))), Shown::Scalar(Scalar::F64(new))) => {
            is.to_bits() == new.to_bits()
        }
        (Some(Shown::Array(..)), _) => false,
        (is, new) => is == Some(new),
    };
    if same { Ok(()) } else { Err(differs()) }
}

fn shown(value: &NewValue) -> Shown {
    match value {
        NewValue::Scalar(scalar) => Shown::Scalar(*scalar),
        NewValue::String(bytes) => Shown::Text(bytes.clone()),
        NewValue::Array(_, items) => Shown::Array(value.key_type(), items.len() as u64),
    }
}

impl Shown {
    pub(crate) fn of(value: Value<'_>) -> Self {
        match value {
            Value::Scalar(scalar) => Self::Scalar(scalar),
            Value::String(ByteStr(bytes)) => Self::Text(bytes.to_vec()),
            Value::Array(array) => Self::Array(KeyType::Array(array.element_type()), array.len()),
        }
    }

    pub(crate) fn new(value: &NewValue) -> Self {
        shown(value)
    }
}

//! Values as they were given, of the types that are asked for; and which element is meant.

use ggufkit_format::Scalar;
use ggufkit_format::spec::{FileType, KeyType, ValueType, keys};
use serde_json::Value as Json;

use super::metadata::one;
use super::{Element, Given, OperationError};
use crate::document::Document;
use crate::value::{NewValue, ValueError};

const FILE_TYPE: &[u8] = b"general.file_type";
const TOKENS: &[u8] = b"tokenizer.ggml.tokens";

/// The value that was given, of a type. A number may be given by its name, where it is one of a few that have names, and
/// the number of a token by the token.
pub(super) fn value(
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

/// The number of a token.
pub(super) fn token(document: &Document<'_>, text: &[u8]) -> Result<u64, OperationError> {
    let at = one(document, TOKENS)?;
    match document.find_text(at, text) {
        None => Err(OperationError::NoToken(text.to_vec())),
        Some((only, 1)) => Ok(only),
        Some((_, count)) => Err(OperationError::SeveralTokens { text: text.to_vec(), count }),
    }
}

/// The position that is meant, in an array of this length; it need not be one that the array has.
pub(super) fn position(
    document: &Document<'_>,
    key: &[u8],
    element: &Element,
    len: u64,
) -> Result<u64, OperationError> {
    match element {
        Element::At(at) => Ok(*at),
        Element::FromEnd(back) => len
            .checked_sub(*back)
            .filter(|_| *back > 0)
            .ok_or_else(|| OperationError::NoElement { key: key.to_vec(), element: len, len: Some(len) }),
        Element::Token(text) => token(document, text),
    }
}

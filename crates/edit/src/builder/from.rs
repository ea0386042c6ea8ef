//! From Rust's values to those of the format: each type has one counterpart, and a slice of it is an array.

use ggufkit_format::Scalar;
use ggufkit_format::spec::ValueType;

use crate::value::NewValue;

/// A Rust type whose values are elements of arrays.
pub trait ArrayElement: Into<NewValue> {
    /// The type of the elements.
    const TYPE: ValueType;
}

macro_rules! scalars {
    ($($ty:ty, $variant:ident, $id:ident;)*) => {$(
        impl From<$ty> for NewValue {
            fn from(value: $ty) -> Self {
                Self::Scalar(Scalar::$variant(value.into()))
            }
        }

        impl ArrayElement for $ty {
            const TYPE: ValueType = ValueType::$id;
        }
    )*};
}

scalars! {
    u8, U8, UINT8; i8, I8, INT8; u16, U16, UINT16; i16, I16, INT16;
    u32, U32, UINT32; i32, I32, INT32; u64, U64, UINT64; i64, I64, INT64;
    f32, F32, FLOAT32; f64, F64, FLOAT64; bool, Bool, BOOL;
}

impl From<Scalar> for NewValue {
    fn from(scalar: Scalar) -> Self {
        Self::Scalar(scalar)
    }
}

macro_rules! texts {
    ($($ty:ty),*) => {$(
        impl From<$ty> for NewValue {
            fn from(text: $ty) -> Self {
                Self::String(text.into())
            }
        }

        impl ArrayElement for $ty {
            const TYPE: ValueType = ValueType::STRING;
        }
    )*};
}

texts!(&str, String);

impl<T: ArrayElement> From<Vec<T>> for NewValue {
    fn from(items: Vec<T>) -> Self {
        Self::Array(T::TYPE, items.into_iter().map(Into::into).collect())
    }
}

impl<T: ArrayElement> ArrayElement for Vec<T> {
    const TYPE: ValueType = ValueType::ARRAY;
}

impl<T: ArrayElement, const N: usize> From<[T; N]> for NewValue {
    fn from(items: [T; N]) -> Self {
        Self::Array(T::TYPE, items.into_iter().map(Into::into).collect())
    }
}

impl<T: ArrayElement + Clone> From<&[T]> for NewValue {
    fn from(items: &[T]) -> Self {
        items.to_vec().into()
    }
}

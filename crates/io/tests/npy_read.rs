//! Arrays of NumPy as sources of tensors: what is taken, and what is not.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use ggufkit_format::spec::TensorType;
use ggufkit_format::{Endian, Span};
use ggufkit_io::npy::{self, Array, ArrayError};
use ggufkit_testkit::sources::Memory;

/// A file of this version with this header's text and so many bytes of elements.
fn file(version: u8, text: &str, elements: usize) -> Vec<u8> {
    let mut out = b"\x93NUMPY".to_vec();
    out.extend([version, 0]);
    match version {
        1 => out.extend((text.len() as u16).to_le_bytes()),
        _ => out.extend((text.len() as u32).to_le_bytes()),
    }
    out.extend(text.as_bytes());
    out.resize(out.len() + elements, 7);
    out
}

fn read(bytes: &[u8]) -> Result<Array, ArrayError> {
    npy::read(&Memory::new(bytes))
}

#[test]
fn what_is_written_is_read() {
    for (name, ty, width) in [
        ("f4", TensorType::F32, 4),
        ("f2", TensorType::F16, 2),
        ("f8", TensorType::F64, 8),
        ("i1", TensorType::I8, 1),
        ("i2", TensorType::I16, 2),
        ("i4", TensorType::I32, 4),
        ("i8", TensorType::I64, 8),
    ] {
        for (order, endian) in [("<", Endian::Little), (">", Endian::Big)] {
            for dims in [&[][..], &[5], &[4, 3], &[2, 1, 3, 2], &[3, 0]] {
                let mut bytes = npy::header(&format!("{order}{name}"), dims).unwrap();
                let start = bytes.len();
                let len = dims.iter().product::<u64>() * width;
                bytes.resize(start + len as usize, 1);
                let data = Span::new(start as u64, len);
                let wanted = Array { tensor_type: ty, endian, dims: dims.to_vec(), data };
                assert_eq!(read(&bytes).unwrap(), wanted);
            }
        }
    }
    let bytes = file(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }\n", 2);
    assert_eq!(read(&bytes).unwrap().tensor_type, TensorType::I8);
}

#[test]
fn all_versions_and_other_spellings_are_read() {
    for version in 1..=3 {
        let text = "{\"shape\":(3 , 4),'fortran_order' :False, 'descr': '>f4'}        \n";
        let array = read(&file(version, text, 48)).unwrap();
        assert_eq!((array.endian, &array.dims[..]), (Endian::Big, &[4, 3][..]));
    }
    let array = read(&file(1, "{'descr': '<i8', 'fortran_order': True, 'shape': (3L,), }", 24)).unwrap();
    assert_eq!(array.dims, [3], "one dimension has one order");
}

#[test]
fn all_else_is_refused_with_a_reason() {
    let good = "'fortran_order': False, 'shape': (2, 2), }";
    for (text, elements, told) in [
        (format!("{{'descr': '<f4', {good}"), 15, "asks for 16 bytes of elements, and 15"),
        (format!("{{'descr': '<f4', {good}"), 17, "asks for 16 bytes of elements, and 17"),
        (format!("{{'descr': '<u4', {good}"), 16, "no tensor type for the elements '<u4'"),
        (format!("{{'descr': '|f4', {good}"), 16, "no tensor type"),
        (format!("{{'descr': '=f4', {good}"), 16, "no tensor type"),
        (format!("{{'descr': '', {good}"), 16, "no tensor type"),
        (format!("{{'descr': '|O', {good}"), 16, "no tensor type"),
        (format!("{{'descr': [('a', '<f4')], {good}"), 16, "no tensor type"),
        ("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }".into(), 16, "Fortran order"),
        ("{'descr': '<f4', 'shape': (2, 2), }".into(), 16, "no descr, fortran_order and shape"),
        (format!("{{'descr': '<f4', 'descr': '<f4', {good}"), 16, "key that is not there already"),
        (format!("{{'descr': '<f4', 'more': 1, {good}"), 16, "no descr, fortran_order or shape"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (4), }".into(), 16, "no , or )"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }".into(), 16, "no whole number"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }".into(), 16, "whole"),
        (
            "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }".into(),
            16,
            "overflows 64 bits",
        ),
        (format!("{{'descr': '<f4', {good} x"), 16, "no end"),
        ("{'descr': '<f4'".into(), 16, "no , or }"),
        ("{'descr': '<f4\\'', ".into(), 16, "no text in quotes"),
        ("{'descr': __import__('os')".into(), 16, "no text in quotes"),
        (String::new(), 16, "no {"),
    ] {
        let error = read(&file(1, &text, elements)).unwrap_err().to_string();
        assert!(error.contains(told), "{text}: {error}");
    }
    let many = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}", "1, ".repeat(65));
    assert!(matches!(read(&file(1, &many, 4)), Err(ArrayError::TooManyDims(65))));
    let whole = file(1, &format!("{{'descr': '<f4', {good}"), 16);
    for len in 0..whole.len() {
        assert!(read(&whole[..len]).is_err(), "the first {len} bytes");
    }
    assert!(matches!(read(&file(4, "", 0)), Err(ArrayError::Version(4, 0))));
    let mut endless = file(2, "", 0);
    endless[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(matches!(read(&endless), Err(ArrayError::HeaderLength(u32::MAX))));
}

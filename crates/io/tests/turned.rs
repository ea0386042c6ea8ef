//! Data in the other byte order, read from any place in pieces of any length.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::io::Write as _;

use ggufkit_format::exchange::Exchange;
use ggufkit_format::spec::TensorType;
use ggufkit_format::{ReadAt as _, Span};
use ggufkit_io::{FileSource, Files as _, Turned};

#[test]
fn every_piece_is_a_piece_of_the_whole() {
    let bytes: Vec<u8> = (0..600_u32).map(|at| (at * 7) as u8).collect();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&bytes).unwrap();
    let source = FileSource::open(file.path()).unwrap();
    // Three blocks of q8_0, then ten of f32 at once behind them, then five of q6_K further on.
    let regions = [
        (Span::new(10, 3 * 34), TensorType::Q8_0),
        (Span::new(112, 10 * 4), TensorType::F32),
        (Span::new(160, 210 * 2), TensorType::Q6_K),
    ];
    let mut expected = bytes.clone();
    for (span, ty) in regions {
        let part = &mut expected[span.start as usize..span.end() as usize];
        match ty {
            TensorType::F32 => part.chunks_mut(4).for_each(<[u8]>::reverse),
            TensorType::Q8_0 => part.chunks_mut(34).for_each(|block| block[..2].reverse()),
            _ => part.chunks_mut(210).for_each(|block| block[208..].reverse()),
        }
    }
    let rules = regions.map(|(span, ty)| (span, Exchange::of(ty).unwrap())).to_vec();
    let turned = Turned::new(&source, rules.clone()).unwrap();
    for at in 0..600 {
        for len in [1, 2, 3, 5, 34, 67, 210, 600] {
            let mut piece = vec![0; len];
            let read = turned.read_at(&mut piece, at as u64).unwrap();
            assert!(read > 0);
            assert_eq!(piece[..read], expected[at..at + read], "{len} at {at}");
        }
        // What the system may copy from the file is the same there.
        if let Some((0, plain)) = turned.locate(Span::between(at as u64, 600)) {
            let (from, to) = (plain.start as usize, plain.end() as usize);
            assert_eq!(bytes[from..to], expected[from..to]);
        }
    }
    assert_eq!(turned.read_at(&mut [0], 600).unwrap(), 0);
    // Half a block, and what overlaps, is no row of blocks.
    let half = vec![(Span::new(0, 35), rules[0].1.clone())];
    assert!(Turned::new(&source, half).is_err());
    let twice = vec![rules[0].clone(), (Span::new(44, 34), rules[0].1.clone())];
    assert!(Turned::new(&source, twice).is_err());
}

//! Random numbers from a seed, a checksum, and the random documents of test-gguf.cpp.

use ggufkit_format::Endian;

use crate::builder::BLOCKS;
use crate::{Builder, Kind, Tensor, Value};

/// A small generator (SplitMix64): the same numbers for the same seed, everywhere.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The generator of this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next_u64() % n
    }

    /// An index of a slice of this length, which is not 0.
    pub fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).expect("an index")
    }

    /// `len` bytes.
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next_u64().to_le_bytes()[0]).collect()
    }
}

/// A linear congruential generator: numbers that a program in any language makes again in a line, as the oracles do.
#[derive(Clone, Debug)]
pub struct Congruential(u32);

impl Congruential {
    /// The generator of this seed.
    #[must_use]
    pub const fn new(seed: u32) -> Self {
        Self(seed)
    }

    /// The next number, the lowest byte first.
    pub fn next_bytes(&mut self) -> [u8; 4] {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0.to_le_bytes()
    }
}

/// The checksum FNV-1a, which a program in any language makes in a line, too.
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A random value of this kind, its bytes random too. Arrays hold up to 20 elements and no arrays.
pub fn value(rng: &mut Rng, kind: Kind) -> Value {
    let bits = rng.next_u64();
    let [a, b, c, d, ..] = bits.to_le_bytes();
    match kind {
        Kind::U8 => Value::U8(a),
        Kind::I8 => Value::I8(i8::from_le_bytes([a])),
        Kind::U16 => Value::U16(u16::from_le_bytes([a, b])),
        Kind::F16 => Value::F16(u16::from_le_bytes([a, b])),
        Kind::I16 => Value::I16(i16::from_le_bytes([a, b])),
        Kind::U32 => Value::U32(u32::from_le_bytes([a, b, c, d])),
        Kind::I32 => Value::I32(i32::from_le_bytes([a, b, c, d])),
        Kind::F32 => Value::F32(f32::from_le_bytes([a, b, c, d])),
        Kind::Bool => Value::Bool(a & 1),
        Kind::U64 => Value::U64(bits),
        Kind::I64 => Value::I64(i64::from_le_bytes(bits.to_le_bytes())),
        Kind::F64 => Value::F64(f64::from_bits(bits)),
        Kind::String => {
            let len = rng.index(20);
            Value::String(rng.bytes(len))
        }
        Kind::Array => {
            let element = *[Kind::U16, Kind::String, Kind::F64, Kind::Bool].get(rng.index(4)).expect("four");
            array(rng, element)
        }
    }
}

/// An array of up to 20 random elements, none of them an array.
pub fn array(rng: &mut Rng, element: Kind) -> Value {
    let len = rng.below(20);
    Value::Array(element, (0..len).map(|_| value(rng, element)).collect())
}

/// The key-values of test-gguf.cpp: about 100, keys `my_key_<i>`, of all types, no array in an array.
#[must_use]
pub fn key_values(rng: &mut Rng, mut document: Builder) -> Builder {
    for i in 0..100 {
        let kind = Kind::ALL[rng.index(13)];
        let element = Kind::ALL[rng.index(13)];
        let value = match (kind, element) {
            (Kind::Array, Kind::Array) => continue,
            (Kind::Array, element) => array(rng, element),
            (kind, _) => value(rng, kind),
        };
        document = document.kv(format!("my_key_{i}"), value);
    }
    document
}

/// The tensors of test-gguf.cpp: about 100, names `my_tensor_<i>`, of any type that has a size; rows of 1 to 10 blocks
/// and up to four dimensions. The sizes stay under 64 KiB each.
#[must_use]
pub fn tensors(rng: &mut Rng, mut document: Builder) -> Builder {
    for i in 0..100 {
        let block = BLOCKS[rng.index(BLOCKS.len())];
        if block.elems == 0 {
            continue;
        }
        let mut dims = vec![block.elems * (1 + rng.below(10))];
        for _ in 1..=rng.below(4) {
            dims.push(1 + rng.below(3));
        }
        document = document.tensor(Tensor::new(format!("my_tensor_{i}"), block.id, &dims));
    }
    document
}

/// A whole document of test-gguf.cpp, in this byte order.
#[must_use]
pub fn document(seed: u64, endian: Endian) -> Builder {
    let mut rng = Rng::new(seed);
    let document = key_values(&mut rng, Builder::new().endian(endian));
    tensors(&mut rng, document)
}

use ggufkit_format::spec::{TENSOR_TYPES, TensorType};

use super::*;

#[test]
fn every_bit_of_a_block_has_one_purpose() {
    for info in TENSOR_TYPES.iter().filter(|i| !i.is_removed()) {
        let mut owners = vec![0_u32; info.block_bytes as usize * 8];
        for cell in cells(info) {
            assert!(cell.low + cell.width <= 8, "{}", info.name);
            for bit in cell.low..=cell.high() {
                owners[cell.byte as usize * 8 + usize::from(bit)] += 1;
            }
        }
        let odd = owners.iter().position(|&n| n != 1);
        assert_eq!(odd, None, "{}: bit {odd:?}", info.name);
    }
}

#[test]
fn the_bits_of_a_number_follow_each_other_from_zero() {
    for info in TENSOR_TYPES.iter().filter(|i| !i.is_removed()) {
        let mut cells = cells(info);
        cells.sort_by_key(|c| (c.sym, c.index, c.shift));
        for pair in cells.chunk_by(|a, b| (a.sym, a.index) == (b.sym, b.index)) {
            let mut next = 0;
            for cell in pair {
                assert_eq!(cell.shift, next, "{} {:?}[{}]", info.name, cell.sym, cell.index);
                next += cell.width;
            }
        }
    }
}

#[test]
fn groups_divide_a_block_evenly() {
    for info in TENSOR_TYPES.iter().filter(|i| i.is_quantized()) {
        let cells = cells(info);
        for sym in [Sym::Quant, Sym::Index, Sym::Pattern, Sym::Sign, Sym::Scale, Sym::Min, Sym::Delta] {
            let n = super::count(&cells, sym);
            assert!(n == 0 || info.block_elems % n == 0, "{} {sym:?}: {n}", info.name);
        }
    }
}

#[test]
fn every_example_is_worked_to_its_end() {
    for info in TENSOR_TYPES.iter().filter(|i| !i.is_removed()) {
        let Example { block, element } = example(info).unwrap();
        let worked = work(info, &block, element).unwrap();
        assert!(worked.value.is_some(), "{}: {worked:?}", info.name);
        assert!(work(info, &block, info.block_elems).is_none());
    }
}

#[test]
fn worked_values_are_those_of_other_decoders() {
    let golden = include_str!("../../tests/data/blocks.tsv");
    let mut seen = Vec::new();
    for line in golden.lines().filter(|line| !line.starts_with('#')) {
        let [name, hex, values] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let info = TensorType::from_name(name).unwrap().info().unwrap();
        let Example { block, element } = example(info).unwrap();
        assert_eq!(hex, block.iter().map(|b| format!("{b:02x}")).collect::<String>(), "{name}");
        let values: Vec<f32> = values.split(' ').map(|v| v.parse().unwrap()).collect();
        assert_eq!(values.len(), info.block_elems as usize);
        let mut compared = Vec::new();
        for (e, expected) in values.iter().enumerate() {
            let worked = work(info, &block, e as u32).unwrap();
            // The rows of the codebooks that no example needs are not kept.
            if let Some(value) = worked.value {
                assert_eq!(value, *expected, "{name} element {e}: {worked:?}");
                compared.push(e as u32);
            }
        }
        assert!(compared.contains(&element), "{name}");
        seen.push(info.ty);
    }
    // No other decoder at hand knows Q2_0, and the two compute-only types have none.
    let left: Vec<_> = TENSOR_TYPES.iter().filter(|i| !i.is_removed() && !seen.contains(&i.ty)).collect();
    assert_eq!(left.iter().map(|i| i.name).collect::<Vec<_>>(), ["Q8_1", "Q8_K", "Q2_0"]);
}

#[test]
fn big_endian_blocks_are_brought_into_order_by_their_units() {
    let mut block: Vec<u8> = (0..24).collect();
    to_little_endian(TensorType::Q5_1, Endian::Big, &mut block);
    assert_eq!(block[..10], [1, 0, 3, 2, 7, 6, 5, 4, 8, 9]);
    to_little_endian(TensorType::Q5_1, Endian::Little, &mut block);
    assert_eq!(block[..2], [1, 0]);
}

#[test]
fn members_are_read_as_numbers() {
    use ggufkit_format::Scalar;
    let info = TensorType::Q4_K.info().unwrap();
    let Example { block, .. } = example(info).unwrap();
    let read = readings(info, &block);
    let names: Vec<(&str, Vec<&str>)> =
        read.iter().map(|r| (r.part.name, r.numbers.iter().map(|n| n.sym.name()).collect())).collect();
    assert_eq!(
        names,
        [("d", vec!["d"]), ("dmin", vec!["dmin"]), ("scales", vec!["scale", "min"]), ("qs", vec!["q"])]
    );
    assert_eq!(read[0].numbers[0].values, [Scalar::F32(0.5)]);
    assert_eq!(read[2].numbers[0].values.len(), 8);
    assert_eq!(read[3].numbers[0].values.len(), 256);
    // A block that the file cuts short loses what is gone, and nothing else.
    let cut = readings(info, &block[..3]);
    assert_eq!(cut[0].numbers[0].values.len(), 1);
    assert!(cut[1].numbers[0].values.is_empty());
    for info in TENSOR_TYPES.iter().filter(|i| !i.is_removed()) {
        let Example { block, .. } = example(info).unwrap();
        let read = readings(info, &block);
        assert!(read.iter().any(|r| !r.numbers.is_empty()), "{}", info.name);
    }
}

/// What numbers without a leading 1 are, by IEEE 754.
#[test]
fn zeros_and_what_is_not_finite_are_worked_too() {
    // Zeros, the smallest number, the largest one without a leading 1, the infinite ones.
    let f32s = [0_u32, 0x8000_0000, 1, 0x807f_ffff, 0x7f80_0000, 0xff80_0000];
    let of = |ty: TensorType, bytes: &[u8]| work(ty.info().unwrap(), bytes, 0).unwrap().value.unwrap();
    for bits in f32s {
        assert_eq!(of(TensorType::F32, &bits.to_le_bytes()).to_bits(), bits, "{bits:#x}");
    }
    assert!(of(TensorType::F32, &0x7fc0_0000_u32.to_le_bytes()).is_nan());
    assert_eq!(of(TensorType::F16, &1_u16.to_le_bytes()), 2.0_f32.powi(-24));
    assert_eq!(of(TensorType::BF16, &0x8001_u16.to_le_bytes()), f32::from_bits(0x8001_0000));
    assert_eq!(of(TensorType::F64, &0_u64.to_le_bytes()), 0.0);
}

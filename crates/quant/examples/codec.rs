//! A codec on a pipe, for the oracle: blocks or floats (binary32, little-endian) come in, the other goes out.
//!
//! ```text
//! codec list
//! codec decode TYPE                             blocks to floats
//! codec encode TYPE ROW [IMPORTANCE_FILE]       floats to blocks; ROW values make a row
//! ```

use std::error::Error;
use std::io::{Read, Write};

use ggufkit_format::spec::TensorType;
use ggufkit_quant::{Codec, Importance, codec, codecs};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let out = match arguments.as_slice() {
        ["list"] => codecs().map(line).collect::<String>().into_bytes(),
        ["decode", ty] => decode(find(ty)?)?,
        ["encode", ty, row] => encode(find(ty)?, row.parse()?, None)?,
        ["encode", ty, row, weights] => {
            let weights = floats(&std::fs::read(weights)?);
            encode(find(ty)?, row.parse()?, Some(&weights))?
        }
        _ => return Err("usage: codec list | decode TYPE | encode TYPE ROW [IMPORTANCE_FILE]".into()),
    };
    std::io::stdout().write_all(&out)?;
    Ok(())
}

/// Name, id, values and bytes of a block, and how it is encoded.
fn line(codec: &Codec) -> String {
    let encode = match codec.importance() {
        None => "none",
        Some(Importance::Unused) => "unused",
        Some(Importance::Optional) => "optional",
        Some(Importance::Required) => "required",
    };
    let ty = codec.tensor_type();
    format!("{ty} {} {} {} {encode}\n", ty.0, codec.block_elements(), codec.block_bytes())
}

fn find(name: &str) -> Result<&'static Codec, String> {
    TensorType::from_name(name).and_then(codec).ok_or_else(|| format!("{name} has no codec"))
}

fn input() -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

fn decode(codec: &Codec) -> Result<Vec<u8>, Box<dyn Error>> {
    let bytes = input()?;
    let mut values = vec![0.0; bytes.len() / codec.block_bytes() * codec.block_elements()];
    codec.decode(&bytes, &mut values)?;
    Ok(values.iter().flat_map(|value| value.to_le_bytes()).collect())
}

fn encode(codec: &Codec, row: usize, importance: Option<&[f32]>) -> Result<Vec<u8>, Box<dyn Error>> {
    let values = floats(&input()?);
    let mut blocks = vec![0; values.len() / codec.block_elements() * codec.block_bytes()];
    codec.encode(&values, row, importance, &mut blocks)?;
    Ok(blocks)
}

//! Readers by other people, each in the way its documentation shows and, where that is not its best, in its best way.

use std::{
    fs::File,
    io::{BufReader, Cursor, Read},
    path::Path,
};

use candle_core::quantized::gguf_file::Content;
use gguf_rs::{ByteOrder, GGUFContainer, GGUFModel};
use ggus::{GGuf, GGufMetaMapExt};

use crate::{ARCHITECTURE, Found, map, timing::Case};

/// Open the file, read all of its head.
pub fn parse(path: &Path) -> Vec<Case<'_, Found>> {
    vec![
        Case::new("ggus, mapping", move || {
            let bytes = map(path)?;
            let file = GGuf::new(&bytes).map_err(|e| format!("{e}"))?;
            Ok(Found::of(file.meta_kvs.len(), file.tensors.len()))
        }),
        Case::new("candle-core, mapping", move || {
            candle(&mut Cursor::new(&map(path)?[..])).map(counted_candle)
        }),
        Case::new("candle-core, BufReader", move || {
            candle(&mut BufReader::new(open(path)?)).map(counted_candle)
        }),
        Case::new("gguf-rs, its own open (unbuffered)", move || gguf_rs(path).map(counted_gguf_rs)),
        Case::new("gguf-rs, behind a BufReader", move || {
            let mut reader = BufReader::with_capacity(1 << 16, open(path)?);
            let mut magic = [0; 4]; // the container begins after it
            reader.read_exact(&mut magic).map_err(|e| e.to_string())?;
            let mut container = GGUFContainer::new(ByteOrder::LE, Box::new(reader), u64::MAX);
            container.decode().map(counted_gguf_rs).map_err(|e| e.to_string())
        }),
    ]
}

/// Open the file, get one string. None of these stops early: each reads the whole head first.
pub fn lookup(path: &Path) -> Vec<Case<'_, Found>> {
    vec![
        Case::new("ggus, mapping", move || {
            let bytes = map(path)?;
            let file = GGuf::new(&bytes).map_err(|e| format!("{e}"))?;
            let name = file.general_architecture().map_err(|e| format!("{e:?}"))?;
            Ok(Found::text(name))
        }),
        Case::new("candle-core, mapping", move || {
            candle(&mut Cursor::new(&map(path)?[..])).and_then(|c| architecture(&c))
        }),
        Case::new("candle-core, BufReader", move || {
            candle(&mut BufReader::new(open(path)?)).and_then(|c| architecture(&c))
        }),
        Case::new("gguf-rs, its own open (unbuffered)", move || {
            gguf_rs(path).map(|model| Found::text(&model.model_family()))
        }),
    ]
}

/// candle's documented way: a buffered file.
pub fn candle_buffered(path: &Path) -> Result<Found, String> {
    candle(&mut BufReader::new(open(path)?)).map(counted_candle)
}

fn open(path: &Path) -> Result<File, String> {
    File::open(path).map_err(|e| e.to_string())
}

fn candle<R: Read + std::io::Seek>(reader: &mut R) -> Result<Content, String> {
    Content::read(reader).map_err(|e| e.to_string())
}

fn counted_candle(content: Content) -> Found {
    Found::of(content.metadata.len(), content.tensor_infos.len())
}

fn architecture(content: &Content) -> Result<Found, String> {
    let value = content.metadata.get(ARCHITECTURE).ok_or("absent")?;
    value.to_string().map(|text| Found::text(text)).map_err(|e| e.to_string())
}

fn gguf_rs(path: &Path) -> Result<GGUFModel, String> {
    let path = path.to_str().ok_or("path is not UTF-8")?;
    // Without a size of its own this keeps only three elements of each array, which is not the same work.
    gguf_rs::get_gguf_container_array_size(path, u64::MAX)
        .and_then(|mut c| c.decode())
        .map_err(|e| e.to_string())
}

fn counted_gguf_rs(model: GGUFModel) -> Found {
    Found::of(model.metadata().len(), model.tensors().len())
}

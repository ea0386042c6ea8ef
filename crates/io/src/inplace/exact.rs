//! What of a change has to be written: not what stands there anyway.

use std::io;

use ggufkit_format::{InPlace, Piece, Span};

use super::SECTOR;
use crate::file::{FileSource, read_full};

/// The same change, without the writes of what will stand there anyway once the bytes are moved: whole sectors, and bytes at both ends.
///
/// # Errors
/// The source's.
pub fn exact(how: &InPlace, source: &FileSource) -> io::Result<InPlace> {
    let mut out: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut old = Vec::new();
    // Bytes at the end of the last write that stand there already.
    let mut spare = 0;
    let trim = |out: &mut Vec<(u64, Vec<u8>)>, spare: &mut usize| {
        if let Some((_, last)) = out.last_mut() {
            last.truncate(last.len().saturating_sub(std::mem::take(spare)));
        }
    };
    for (mut at, bytes) in writes(how, &mut |span| read(source, span))? {
        let mut bytes = bytes.as_slice();
        while !bytes.is_empty() {
            // Up to the next sector, within which the bytes have all moved alike or not.
            let left = SECTOR.saturating_sub(at % SECTOR) as usize;
            let (now, rest) = bytes.split_at(left.min(bytes.len()));
            old.clear();
            if let Some(stood) = how.shift.map_or(Some(at), |shift| shift.old_position(at)) {
                old.resize(now.len(), 0);
                let there = read_full(source, &mut old, stood)?;
                old.truncate(there);
            }
            let alike =
                |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| pairs.take_while(|(a, b)| a == b).count();
            let before = alike(&mut now.iter().zip(&old));
            let behind = match old.len() == now.len() {
                true => alike(&mut now.iter().rev().zip(old.iter().rev())),
                false => 0,
            };
            match out.last_mut() {
                _ if before == now.len() => trim(&mut out, &mut spare),
                Some((start, last)) if start.saturating_add(last.len() as u64) == at => {
                    last.extend_from_slice(now);
                    spare = behind;
                }
                _ => {
                    trim(&mut out, &mut spare);
                    out.push((
                        at.saturating_add(before as u64),
                        now.get(before..).unwrap_or_default().to_vec(),
                    ));
                    spare = behind;
                }
            }
            at = at.saturating_add(now.len() as u64);
            bytes = rest;
        }
    }
    trim(&mut out, &mut spare);
    let writes = out.into_iter().map(|(at, bytes)| (at, Piece::Literal(bytes))).collect();
    Ok(InPlace::new(how.shift, writes, how.len, ggufkit_format::ReadAt::size(source).unwrap_or(u64::MAX)))
}

/// What is written, as bytes out of what `read` gives; neighbours are one.
pub(super) fn writes(
    how: &InPlace,
    read: &mut dyn FnMut(Span) -> io::Result<Vec<u8>>,
) -> io::Result<Vec<(u64, Vec<u8>)>> {
    let mut out: Vec<(u64, Vec<u8>)> = Vec::new();
    for (at, piece) in &how.writes {
        let bytes = match piece {
            Piece::Literal(bytes) => bytes.clone(),
            Piece::Zeros(n) => vec![0; usize::try_from(*n).map_err(io::Error::other)?],
            Piece::Copy(span) => read(*span)?,
        };
        match out.last_mut() {
            Some((start, last)) if start.saturating_add(last.len() as u64) == *at => last.extend(bytes),
            _ => out.push((*at, bytes)),
        }
    }
    Ok(out)
}

fn read(source: &FileSource, span: Span) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(span.len).map_err(io::Error::other)?];
    match read_full(source, &mut bytes, span.start)? == bytes.len() {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

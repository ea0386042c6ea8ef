//! Judging: heads beside readers that merely read them, folders, and the values of the weights beside the bare read.

use std::{
    cell::RefCell,
    fs::File,
    num::NonZeroUsize,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use ggufkit::{
    check::{Options as CheckOptions, Source, Subject, check, scan_data},
    format::{ByteStr, Options, ReadAt as _, View},
    io::{FileSource, HeadBuffer, diagnose},
};
use ggus::GGuf;

use crate::{Found, map, peers, timing::Case};

/// Reads as much at once as the judge does.
const BUFFER: usize = 256 << 10;

/// Opens a file, reads its head, judges it by every rule.
fn judge(path: &Path, buffer: &mut HeadBuffer, threads: Option<NonZeroUsize>) -> Result<Found, String> {
    let io = |error: std::io::Error| error.to_string();
    let source = FileSource::open(path).map_err(io)?;
    let outcome = buffer.read(&source, Options::new()).map_err(io)?;
    let diagnosis = diagnose(&source, Options::new(), &outcome, buffer.bytes()).map_err(io)?;
    let index = outcome.index.as_ref().ok_or("no header")?;
    let file = ggufkit::check::File {
        label: ByteStr(path.as_os_str().as_encoded_bytes()),
        file_name: path.file_name().and_then(|name| name.to_str()),
        size: source.size(),
        view: Some(View::new(index, buffer.bytes())),
        error: outcome.error.as_ref(),
        diagnosis: &diagnosis,
        source: Some(&source as &Source),
    };
    let subject = Subject::single(&file);
    let scan = threads.map(|threads| scan_data(&subject, threads, &|_| ()));
    let report = check(&subject, &CheckOptions::default(), scan.as_ref());
    std::hint::black_box(&report);
    Ok(Found::of(index.kvs().len(), index.tensors().len()))
}

/// One head: judged by us, and merely read by candle in its documented way.
pub fn one(path: &Path) -> Vec<Case<'_, Found>> {
    let mut buffer = HeadBuffer::new();
    vec![
        Case::new("ggufkit, open and judge", move || judge(path, &mut buffer, None)),
        Case::new("candle-core, BufReader (reads only)", move || peers::candle_buffered(path)),
    ]
}

/// The files of a folder, one after the other.
pub fn folder(files: &[PathBuf]) -> Vec<Case<'_, Found>> {
    let mut buffer = HeadBuffer::new();
    let sum = |found: Result<Vec<Found>, String>| {
        found.map(|all| all.iter().fold(Found::default(), |a, b| Found::of(a.kv + b.kv, a.tensors + b.tensors)))
    };
    vec![
        Case::new("ggus, mapping (parses only)", move || {
            sum(files
                .iter()
                .map(|path| {
                    let bytes = map(path)?;
                    let file = GGuf::new(&bytes).map_err(|e| format!("{e}"))?;
                    Ok(Found::of(file.meta_kvs.len(), file.tensors.len()))
                })
                .collect())
        }),
        Case::new("ggufkit, open and judge", move || {
            sum(files.iter().map(|path| judge(path, &mut buffer, None)).collect())
        }),
    ]
}

/// The whole file read by some threads into a buffer each, and the same with every value judged.
pub fn data(path: &Path, threads: NonZeroUsize) -> Vec<Case<'_, Found>> {
    let mut buffer = HeadBuffer::new();
    vec![
        Case::new("limit: pread into a reused buffer", move || {
            read_all(path, threads).map(|()| Found::default())
        }),
        Case::new("ggufkit, every value judged", move || {
            judge(path, &mut buffer, Some(threads)).map(|_| Found::default())
        }),
    ]
}

thread_local! {
    static MEMORY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

fn read_all(path: &Path, threads: NonZeroUsize) -> Result<(), String> {
    let file = File::open(path).map_err(|e| e.to_string())?;
    let next = AtomicU64::new(0);
    let work = || {
        MEMORY.with_borrow_mut(|memory| {
            memory.resize(BUFFER, 0);
            loop {
                let at = next.fetch_add(BUFFER as u64, Ordering::Relaxed);
                match file.read_at(memory, at) {
                    Ok(0) => return Ok(()),
                    Ok(_) => std::hint::black_box(memory.as_slice()),
                    Err(error) => return Err(error.to_string()),
                };
            }
        })
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.get()).map(|_| scope.spawn(work)).collect();
        let mine = work();
        others.into_iter().map(|other| other.join().map_err(|_| "a thread died".to_owned())?).collect::<Result<(), _>>()?;
        mine
    })
}

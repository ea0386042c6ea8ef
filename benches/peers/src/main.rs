//! Readers of GGUF files side by side, ours and others', with the machine's limits above them.
//!
//! `peers [--rounds N] [--slice MS] FILE...` prints three tables for each file: reading the whole head, reading one key,
//! and judging. A folder gives one table over all its files; `--data FILE` one of judging every value. The numbers to quote
//! are the ratios; see `../README.md`.

mod judge;
mod limits;
mod ours;
mod peers;
mod timing;

use std::{
    fs::File,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use limits::{Text, Walked, find_string, read_front, walk};
use memmap2::Mmap;
use timing::{Case, Effort, Outcome, measure};

/// The key that the look-up asks for: it is among the first in every real file.
pub const ARCHITECTURE: &str = "general.architecture";
/// The row that all others are a multiple of.
const UNIT: &str = "limit: walk, warm";
const UNIT_LOOKUP: &str = "limit: open, read 4 KiB, find";

/// What a reader got out of a file. Rows are only comparable if this is the same for all of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    pub kv: usize,
    pub tensors: usize,
    pub text: Option<String>,
}

impl Found {
    pub fn of(kv: usize, tensors: usize) -> Self {
        Self { kv, tensors, text: None }
    }

    pub fn text(value: &str) -> Self {
        Self { text: Some(value.to_owned()), ..Self::default() }
    }
}

/// Maps a file that nobody changes meanwhile.
pub fn map(path: &Path) -> Result<Mmap, String> {
    let file = File::open(path).map_err(|e| e.to_string())?;
    // SAFETY: the files of a benchmark belong to it; nothing truncates or writes them while it runs.
    unsafe { Mmap::map(&file) }.map_err(|e| e.to_string())
}

fn parse_cases<'a>(path: &'a Path, bytes: &'a Mmap, head_end: usize) -> Vec<Case<'a, Found>> {
    let found = |walked: Walked| Ok(walked.found);
    let (mut front, mut again) = (vec![0; head_end], vec![0; head_end]);
    let mut cases = vec![
        Case::new("limit: open, read the head, buffer warm", move || {
            read_front(path, &mut front).map(|_| Found::default())
        }),
        Case::new(UNIT, move || found(walk(bytes, Text::Skip))),
        Case::new("limit: walk and validate text, warm", move || found(walk(bytes, Text::Validate))),
        Case::new("limit: open, read, walk, validate", move || {
            read_front(path, &mut again)?;
            found(walk(&again, Text::Validate))
        }),
        Case::new("limit: open, map, walk, validate", move || found(walk(&map(path)?[..], Text::Validate))),
    ];
    cases.extend(ours::parse(path));
    cases.extend(peers::parse(path));
    cases
}

fn lookup_cases(path: &Path) -> Vec<Case<'_, Found>> {
    let mut cases = vec![Case::new(UNIT_LOOKUP, move || {
        let mut page = [0; 4096];
        let filled = read_front(path, &mut page)?;
        find_string(&page[..filled], ARCHITECTURE.as_bytes())
            .map(|text| Found::text(&text))
            .ok_or_else(|| "absent".to_owned())
    })];
    cases.extend(ours::lookup(path));
    cases.extend(peers::lookup(path));
    cases
}

fn print(title: &str, unit: &str, rows: &[Outcome<Found>]) {
    let measured = |row: &Outcome<Found>| row.result.as_ref().ok().map(|m| (m.cpu, m.answer.clone()));
    let Some((base, expected)) = rows.iter().find(|row| row.name == unit).and_then(measured) else {
        println!("{title}: the limit itself could not be measured");
        return;
    };
    println!("{title}");
    println!("  {:<42} {:>12} {:>12} {:>8} {:>7}", "", "CPU us", "wall us", "ratio", "n");
    for row in rows {
        match &row.result {
            Ok(m) => {
                let ratio = m.cpu.as_secs_f64() / base.as_secs_f64();
                let us = |d: Duration| d.as_secs_f64() * 1e6;
                // A read alone has nothing to show; everybody else has to have found the same.
                let note = if m.answer == expected || m.answer == Found::default() {
                    ""
                } else {
                    "  found something else"
                };
                println!(
                    "  {:<42} {:>12.1} {:>12.1} {ratio:>8.2} {:>7}{note}",
                    row.name,
                    us(m.cpu),
                    us(m.wall),
                    m.samples
                );
            }
            Err(reason) => println!("  {:<42} not measured: {reason}", row.name),
        }
    }
}

fn report(path: &Path, effort: Effort) -> Result<(), String> {
    let bytes = map(path)?;
    if bytes.get(..4) != Some(b"GGUF") || !matches!(bytes.get(4..8), Some([2 | 3, 0, 0, 0])) {
        return Err("not a little-endian GGUF file of version 2 or 3".to_owned());
    }
    let Walked { found, head_end } = walk(&bytes, Text::Skip);
    println!(
        "{}: head of {head_end} bytes, {} key-values, {} tensors",
        path.display(),
        found.kv,
        found.tensors
    );
    print(" whole head", UNIT, &measure(parse_cases(path, &bytes, head_end), effort));
    print(" one key", UNIT_LOOKUP, &measure(lookup_cases(path), effort));
    let judged = judge::one(path);
    let unit = judged[0].name;
    print(" judging", unit, &measure(judged, effort));
    Ok(())
}

fn report_folder(path: &Path, effort: Effort) -> Result<(), String> {
    let entries = std::fs::read_dir(path).map_err(|e| e.to_string())?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "gguf"))
        .collect();
    files.sort();
    println!("{}: {} files", path.display(), files.len());
    let cases = judge::folder(&files);
    let unit = cases[0].name;
    print(" judging each", unit, &measure(cases, effort));
    Ok(())
}

fn report_data(path: &Path, effort: Effort) -> Result<(), String> {
    let size = std::fs::metadata(path).map_err(|e| e.to_string())?.len();
    for threads in [1, 2] {
        println!("{}: {size} bytes, {threads} threads", path.display());
        let rows = measure(judge::data(path, NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN)), effort);
        // Several threads work: what counts is the time on the wall.
        let wall = |row: &Outcome<Found>| row.result.as_ref().ok().map(|m| m.wall.as_secs_f64());
        let base = rows.first().and_then(wall).unwrap_or(f64::NAN);
        for row in &rows {
            match (&row.result, wall(row)) {
                (Ok(m), Some(seconds)) => println!(
                    "  {:<42} {:>8.3} s wall {:>8.2} GB/s, {:.2} of the limit's speed, n = {}",
                    row.name,
                    seconds,
                    size as f64 / seconds / 1e9,
                    base / seconds,
                    m.samples
                ),
                (Err(reason), _) => println!("  {:<42} not measured: {reason}", row.name),
                (Ok(_), None) => {}
            }
        }
    }
    Ok(())
}

fn arguments() -> Result<(Effort, Vec<(PathBuf, bool)>), String> {
    let mut effort = Effort { rounds: 7, slice: Duration::from_millis(50) };
    let mut files = Vec::new();
    let mut data = false;
    let mut words = std::env::args_os().skip(1);
    while let Some(word) = words.next() {
        let mut number = || -> Result<u32, String> {
            let text = words.next().ok_or("a number is missing")?;
            text.to_str()
                .and_then(|t| t.parse().ok())
                .ok_or_else(|| format!("{} is not a number", text.display()))
        };
        match word.to_str() {
            Some("--rounds") => effort.rounds = number()?.max(1) as usize,
            Some("--slice") => effort.slice = Duration::from_millis(number()?.into()),
            Some("--data") => data = true,
            _ => files.push((PathBuf::from(word), std::mem::take(&mut data))),
        }
    }
    if files.is_empty() {
        Err("usage: peers [--rounds N] [--slice MS] [FILE | FOLDER | --data FILE]...".to_owned())
    } else {
        Ok((effort, files))
    }
}

fn main() -> ExitCode {
    let (effort, files) = match arguments() {
        Ok(read) => read,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    for (path, data) in files {
        let done = match data {
            true => report_data(&path, effort),
            false if path.is_dir() => report_folder(&path, effort),
            false => report(&path, effort),
        };
        if let Err(message) = done {
            eprintln!("{}: {message}", path.display());
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

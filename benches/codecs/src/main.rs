//! The values of every tensor type, read and written: ours, others', and the machine's limits.
//!
//! `codecs decode|encode|threads|passes [--symbols PATH] [--library NAME=PATH]... [--elements N] [--rounds N] [TYPE...]`; see `../README.md`.

#[cfg(feature = "candle")]
mod candle;
#[cfg(not(feature = "candle"))]
mod candle {
    pub fn codec(_: ggufkit_format::spec::TensorType) -> Option<(fn(&[u8], &mut [f32]), fn(&[f32], &mut [u8]))> {
        None
    }
}
mod foreign;
mod memory;
mod passes;
mod timing;

use std::num::NonZeroUsize;
use std::process::ExitCode;

use foreign::Foreign;
use ggufkit_format::spec::TensorType;
use ggufkit_quant::{Codec, codecs};
use memory::Pages;
use timing::{Case, Clock, Taken, measure};

/// Values of a row.
const ROW: usize = 4096;
/// Rows whose bytes are compared.
const ALIKE: usize = 4;
/// Values that are made one by one; inputs are these again and again.
const SAMPLE: usize = 1 << 17;

struct Run {
    libraries: Vec<Foreign>,
    elements: usize,
    rounds: usize,
    types: Vec<&'static Codec>,
}

/// Numbers like weights: sums of four even ones, some rows wider than others.
fn weights(count: usize) -> Vec<f32> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    (0..count).map(|at| (next() + next() + next() + next()) * 0.02 * (1 + at / ROW % 3) as f32).collect()
}

/// Blocks of values like weights where the type is written, else of any bytes with which scales are finite.
fn blocks(codec: &Codec, elements: usize) -> Pages<u8> {
    let bytes = |elements: usize| elements / codec.block_elements() * codec.block_bytes();
    let sample = SAMPLE.min(elements);
    let mut one = vec![0; bytes(sample)];
    let importance = vec![1.0; ROW];
    let row = ROW.min(sample);
    if codec.encode(&weights(sample), row, Some(&importance[..row]), &mut one).is_err() {
        let mut state = 1_u32;
        one.fill_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8 & 0xbf
        });
        if codec.tensor_type() == TensorType::Q8_K {
            // Weights have scales of about one size; floats of any bytes have not.
            for block in one.chunks_mut(codec.block_bytes()) {
                block[..4].copy_from_slice(&0.01_f32.to_le_bytes());
            }
        }
    }
    let mut all = Pages::new(bytes(elements), 0_u8);
    for part in all.chunks_mut(one.len()) {
        part.copy_from_slice(&one[..part.len()]);
    }
    all
}

fn same(ours: &[f32], theirs: &[f32]) -> bool {
    ours.iter().zip(theirs).all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()))
}

/// Gigabytes of floats a second, by the median.
fn speed(taken: &Taken, elements: usize) -> f64 {
    (elements * 4) as f64 / taken.median.as_secs_f64() / 1e9
}

/// A row: the limits, ours, the others, then ours by the fastest other, and by each of the limits.
fn row(label: &str, ty: &str, taken: &[Taken], elements: usize, odd: &[String]) {
    let of = |name: &str| taken.iter().find(|taken| taken.name == name).map(|taken| speed(taken, elements));
    let ours = of("ours").unwrap_or(0.0);
    let others = taken.iter().filter(|taken| !["ours", "memset", "memcpy"].contains(&taken.name.as_str()));
    let fastest = others.clone().map(|taken| speed(taken, elements)).fold(0.0, f64::max);
    print!("{label:<8}{ty:<9}{ours:>8.2}");
    for taken in taken.iter().filter(|taken| taken.name != "ours") {
        let speed = speed(taken, elements);
        print!("  {} {speed:.2}{}", taken.name, if odd.contains(&taken.name) { "*" } else { "" });
    }
    if fastest > 0.0 {
        print!("  | x{:.2} fastest", ours / fastest);
    }
    for other in others.filter(|taken| taken.name != "candle") {
        print!(" x{:.2} {}", ours / speed(other, elements), other.name);
    }
    if let Some(memset) = of("memset") {
        print!(" x{:.2} memset", ours / memset);
    }
    println!();
}

fn decode(run: &Run) {
    let mut out = Pages::new(run.elements, 0.0_f32);
    let mut other = Pages::new(run.elements, 0.0_f32);
    for codec in &run.types {
        let (ty, input) = (codec.tensor_type(), blocks(codec, run.elements));
        let input: &[u8] = &input;
        let mut odd = Vec::new();
        let _ = codec.decode(input, &mut out);
        let foreign: Vec<_> =
            run.libraries.iter().filter_map(|library| Some((&library.name, library.decoder(ty)?))).collect();
        for (name, decoder) in &foreign {
            decoder(input, &mut other);
            if !same(&out, &other) {
                odd.push((*name).clone());
            }
        }
        let out = &std::cell::RefCell::new(&mut out);
        let mut cases = vec![
            Case::new("memset", || {
                let out: &mut [f32] = &mut out.borrow_mut();
                std::hint::black_box(out).fill(std::hint::black_box(0.0));
            }),
            Case::new("memcpy", || {
                out.borrow_mut().copy_from_slice(std::hint::black_box(&other));
            }),
            Case::new("ours", || {
                let _ = codec.decode(input, &mut out.borrow_mut());
            }),
        ];
        for (name, decoder) in &foreign {
            cases.push(Case::new(*name, || decoder(input, &mut out.borrow_mut())));
        }
        if let Some((decoder, _)) = candle::codec(ty) {
            cases.push(Case::new("candle", move || decoder(input, &mut out.borrow_mut())));
        }
        row("decode", &ty.to_string(), &measure(cases, run.rounds, Clock::Cpu), run.elements, &odd);
    }
}

fn encode(run: &Run) {
    for codec in run.types.iter().filter(|codec| codec.can_encode()) {
        let ty = codec.tensor_type();
        // What takes seconds for a megabyte is measured with fewer.
        let fewer = (run.elements / 16).max(ROW * ALIKE);
        let elements = if codec.block_elements() < 64 { run.elements } else { fewer };
        let sample = weights(SAMPLE.min(elements));
        let mut values = Pages::new(elements, 0.0_f32);
        for part in values.chunks_mut(sample.len()) {
            part.copy_from_slice(&sample[..part.len()]);
        }
        let bytes = elements / codec.block_elements() * codec.block_bytes();
        let (mut out, mut other) = (Pages::new(bytes, 0_u8), Pages::new(bytes, 0_u8));
        let columns: Vec<f32> = (0..ROW).map(|at| 0.5 + (at as f32 * 0.37).sin().powi(2)).collect();
        for (label, importance) in [("encode", None), ("guided", Some(&columns[..]))] {
            let pointless = importance.is_some() && codec.importance() == Some(ggufkit_quant::Importance::Unused);
            if pointless || (importance.is_none() && codec.needs_importance()) {
                continue;
            }
            let values: &[f32] = &values;
            let _ = codec.encode(values, ROW, importance, &mut out);
            let mut odd = Vec::new();
            let foreign: Vec<_> =
                run.libraries.iter().filter_map(|library| Some((&library.name, library.encoder(ty)?))).collect();
            for (name, encoder) in &foreign {
                encoder(&values[..ROW * ALIKE], ROW, importance, &mut other);
                let bytes = ROW * ALIKE / codec.block_elements() * codec.block_bytes();
                if out[..bytes] != other[..bytes] {
                    odd.push((*name).clone());
                }
            }
            let out = &std::cell::RefCell::new(&mut out);
            let mut cases = vec![Case::new("ours", || {
                let _ = codec.encode(values, ROW, importance, &mut out.borrow_mut());
            })];
            for (name, encoder) in &foreign {
                cases.push(Case::new(*name, || encoder(values, ROW, importance, &mut out.borrow_mut())));
            }
            if let (Some((_, encoder)), None) = (candle::codec(ty), importance) {
                cases.push(Case::new("candle", move || encoder(values, &mut out.borrow_mut())));
            }
            row(label, &ty.to_string(), &measure(cases, run.rounds, Clock::Cpu), elements, &odd);
        }
    }
}

/// The same work by one thread and by two.
fn threads(run: &Run) {
    for codec in run.types.iter().filter(|codec| codec.can_encode()) {
        let elements = if codec.block_elements() < 64 { run.elements } else { run.elements / 16 };
        let sample = weights(SAMPLE.min(elements));
        let values: Vec<f32> = sample.iter().copied().cycle().take(elements).collect();
        let importance = codec.needs_importance().then(|| vec![1.0; ROW]);
        let mut out = vec![0; elements / codec.block_elements() * codec.block_bytes()];
        let out = std::cell::RefCell::new(&mut out);
        let by = |threads: usize| {
            let out: &mut [u8] = &mut out.borrow_mut();
            let parts = values.chunks(elements / threads).zip(out.chunks_mut(out.len() / threads));
            std::thread::scope(|scope| {
                for (values, out) in parts {
                    scope.spawn(|| codec.encode(values, ROW, importance.as_deref(), out));
                }
            });
        };
        let taken = measure(vec![Case::new("one", || by(1)), Case::new("two", || by(2))], run.rounds, Clock::Wall);
        if let [one, two] = &taken[..] {
            println!(
                "threads {:<9} one {:.2} two {:.2}  x{:.2}, best x{:.2}",
                codec.tensor_type().to_string(),
                speed(one, elements),
                speed(two, elements),
                one.median.as_secs_f64() / two.median.as_secs_f64(),
                one.best.as_secs_f64() / two.best.as_secs_f64()
            );
        }
    }
}

fn all_passes(run: &Run) -> Result<(), String> {
    let most = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let mut out = Pages::new(run.elements, 0.0_f32);
    for codec in &run.types {
        let input = blocks(codec, run.elements);
        for threads in [NonZeroUsize::MIN, most] {
            let taken = passes::passes(codec, &input, &mut out, threads, run.rounds)?;
            print!("passes  {:<9}{threads} threads", codec.tensor_type().to_string());
            for taken in &taken {
                print!("  {} {:.2}", taken.name, speed(taken, run.elements));
            }
            if let [decode, stats, full, compare, stretches, both] = &taken[..] {
                let times = |a: &Taken, b: &Taken| b.median.as_secs_f64() / a.median.as_secs_f64();
                println!(
                    "  | of decoding: stats x{:.2}, full x{:.2}, compare x{:.2}; of stretches: x{:.2}, x{:.2}, x{:.2}",
                    times(decode, stats),
                    times(decode, full),
                    // Two sides are decoded.
                    times(decode, compare) / 2.0,
                    times(stretches, stats),
                    times(stretches, full),
                    times(both, compare)
                );
            }
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("codecs: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<(), String> {
    let mut run = Run { libraries: Vec::new(), elements: 1 << 26, rounds: 7, types: Vec::new() };
    let mut command = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--library" => run.libraries.push(Foreign::open(&value()?)?),
            // Names that a library leaves to the program that loads it: libgguf's to Python.
            "--symbols" => foreign::symbols(&value()?)?,
            "--elements" => run.elements = value()?.parse().map_err(|_| "not a number")?,
            "--rounds" => run.rounds = value()?.parse().map_err(|_| "not a number")?,
            _ if command.is_none() => command = Some(argument),
            name => {
                let ty = TensorType::from_name(name).and_then(ggufkit_quant::codec);
                run.types.push(ty.ok_or(format!("{name} is no type with values"))?);
            }
        }
    }
    if run.types.is_empty() {
        run.types = codecs().collect();
    }
    match command.as_deref() {
        Some("decode") => decode(&run),
        Some("encode") => encode(&run),
        Some("threads") => threads(&run),
        Some("passes") => all_passes(&run)?,
        _ => return Err("say decode, encode, threads or passes".into()),
    }
    Ok(())
}

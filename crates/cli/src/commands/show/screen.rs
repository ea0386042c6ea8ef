//! The screen: rows of facts, the bar, the notes.

use std::io::{self, Write as _};

use ggufkit::inspect::summary::{Figure, Kind, MadeBy, Notice, Projector, Quantization, Summary};
use ggufkit::inspect::tensors::Sizing;
use ggufkit::inspect::units;

use super::bar;
use super::matrices::Matrices;
use super::rows::{Row, counted, quoted, read_of, words, wrap};
use crate::frame::Document;
use crate::out::{self, Ink, Out};

/// Types that the quantization row names.
const MAX_TYPES: usize = 6;

/// Special tokens that are named.
const MAX_SPECIAL: usize = 8;

/// Templates, datasets, missing names that a row names.
const MAX_NAMED: usize = 4;

/// Notes that are printed; the rest is counted.
const MAX_NOTES: usize = 12;

/// Prints what is known of a file.
pub(super) fn print(
    out: &mut Out,
    document: &Document<'_>,
    summary: &Summary<'_>,
    missing: u64,
    matrices: Option<&Matrices>,
) -> io::Result<()> {
    let title = out.paint(Ink::Head, document.label);
    writeln!(out, "{title}")?;
    let complete = summary.file.complete;
    if !complete {
        let mut row = Row::new(out, "read in part");
        row.add(
            Some(Ink::Bad),
            "the head could not be read to its end; what follows is what came before that",
        )?;
        row.end()?;
    }
    if let Some(name) = &summary.name {
        let mut row = Row::new(out, "name");
        row.add(Some(Ink::Text), &out::fit(name.as_bytes(), 200))?;
        row.end()?;
    }
    kind(out, summary)?;
    parameters(out, summary)?;
    if let Some(quantization) = &summary.quantization {
        quantized(out, quantization)?;
    }
    if let Some(made) = &summary.importance {
        importance(out, made)?;
    }
    shape(out, summary)?;
    tokenizer(out, summary)?;
    templates(out, summary)?;
    companions(out, summary, matrices)?;
    file(out, summary)?;
    bar::print(out, &summary.areas, missing)?;
    notes(out, &summary.notices)
}

fn kind(out: &mut Out, summary: &Summary<'_>) -> io::Result<()> {
    let mut row = Row::new(out, "kind");
    if summary.kind == Kind::Unknown && !summary.file.complete {
        row.add(Some(Ink::Faint), "not known from what was read")?;
    } else {
        row.add(Some(Ink::Text), summary.kind.words())?;
        row.add(Some(Ink::Faint), &format!("({})", summary.kind_reason))?;
    }
    row.end()?;
    let mut row = Row::new(out, "architecture");
    match (&summary.architecture, summary.architecture_known) {
        (Some(name), known) => {
            let name = match name.as_bytes() {
                [] => "\"\" (empty)".to_owned(),
                name => out::fit(name, 64),
            };
            row.add(Some(Ink::Text), &name)?;
            if known == Some(false) {
                row.add(Some(Ink::Warn), "(not one that llama.cpp knows)")?;
            }
        }
        (None, _) if summary.file.complete => row.add(Some(Ink::Warn), "absent (no general.architecture)")?,
        (None, _) => row.add(Some(Ink::Faint), "not read")?,
    }
    if let Some(label) = &summary.size_label {
        row.plain(&format!("size {}", out::fit(label.as_bytes(), 24)))?;
    }
    if let Some(license) = &summary.license {
        row.plain(&format!("license {}", out::fit(license.as_bytes(), 40)))?;
    }
    row.end()
}

fn parameters(out: &mut Out, summary: &Summary<'_>) -> io::Result<()> {
    let mut row = Row::new(out, "parameters");
    if summary.file.tensors == 0 {
        // Of a head that was read in part nothing can be called absent.
        if summary.file.complete {
            row.plain("none: there is no tensor")?;
        }
        return row.end();
    }
    match summary.parameters.total {
        Some(n) if n < 1000 => row.add(Some(Ink::Number), &n.to_string())?,
        Some(n) => {
            row.add(Some(Ink::Number), &units::parameters(n))?;
            row.plain(&format!("({})", units::count(n)))?;
        }
        None => row.add(Some(Ink::Warn), "not countable: the sum does not fit in 64 bits")?,
    }
    if let Some(active) = summary.parameters.active {
        let active = format!("active per token {} ({})", units::parameters(active), units::count(active));
        row.plain(&active)?;
    }
    row.end()
}

/// What the types were chosen and the weights encoded by.
fn importance(out: &mut Out, made: &MadeBy<'_>) -> io::Result<()> {
    let mut row = Row::new(out, "importance");
    for path in [&made.file, &made.dataset].into_iter().flatten() {
        // Of a path the end tells which file it was.
        let name = path.as_bytes().rsplit(|byte| b"/\\".contains(byte)).find(|name| !name.is_empty());
        row.add(Some(Ink::Text), &out::fit(name.unwrap_or_default(), 60))?;
    }
    row.figure("tensors", made.entries_count.as_ref())?;
    row.figure("chunks", made.chunks_count.as_ref())?;
    row.end()
}

fn quantized(out: &mut Out, quantization: &Quantization) -> io::Result<()> {
    let mut row = Row::new(out, "quantization");
    let mut bound = "";
    for share in quantization.mix.iter().take(MAX_TYPES) {
        let part = bar::percent(share.share);
        let part = match share.size_known {
            Sizing::Exact => part,
            Sizing::Inferred => {
                bound = "≤";
                format!("≤{part}")
            }
            Sizing::Unknown => "of unknown size".to_owned(),
        };
        row.add(Some(Ink::Type), &format!("{} {part}", share.name))?;
    }
    let more = quantization.mix.len().saturating_sub(MAX_TYPES) + quantization.more_types;
    if more > 0 {
        row.plain(&format!("and {more} more types"))?;
    }
    if let Some(bits) = quantization.bits_per_weight {
        row.add(Some(Ink::Number), &format!("{bound}{bits:.2} bits per weight"))?;
    }
    row.end()?;
    let mut row = Row::new(out, "file type");
    match (&quantization.stated, quantization.agrees) {
        (Some(stated), agrees) => {
            row.add(Some(Ink::Type), &stated.name)?;
            match agrees {
                Some(true) => row.add(Some(Ink::Good), "agrees with the tensors")?,
                Some(false) => row.add(Some(Ink::Warn), "disagrees with the tensors")?,
                None => {}
            }
        }
        (None, _) => row.add(Some(Ink::Faint), "absent")?,
    }
    let told = |name: &String| {
        let stated = quantization.stated.as_ref().map(|stated| &stated.name);
        stated == Some(name) || quantization.dominant.as_ref() == Some(name)
    };
    if let Some(recipe) = quantization.resembles.as_ref().filter(|name| !told(name)) {
        row.plain(&format!("the mix is like that of {recipe}"))?;
    }
    row.end()
}

fn shape(out: &mut Out, summary: &Summary<'_>) -> io::Result<()> {
    let figures = &summary.figures;
    let mut row = Row::new(out, "shape");
    row.figure("context", figures.context_length.as_ref())?;
    row.figure("layers", figures.layers.as_ref())?;
    row.figure("embedding", figures.embedding_length.as_ref())?;
    row.figure("heads", figures.heads.as_ref())?;
    row.figure("kv heads", figures.kv_heads.as_ref())?;
    row.figure("head size", figures.key_length.as_ref())?;
    row.figure("feed-forward", figures.feed_forward_length.as_ref())?;
    row.figure("window", figures.sliding_window.as_ref())?;
    row.figure("experts", figures.experts.as_ref())?;
    row.figure("experts used", figures.experts_used.as_ref())?;
    row.figure("experts shared", figures.experts_shared.as_ref())?;
    row.end()
}

fn tokenizer(out: &mut Out, summary: &Summary<'_>) -> io::Result<()> {
    let mut row = Row::new(out, "vocabulary");
    let Some(tokenizer) = &summary.tokenizer else {
        row.figure("size", summary.figures.vocab_size.as_ref())?;
        return row.end();
    };
    match tokenizer.tokens {
        Some(1) => row.plain("1 token")?,
        Some(n) => row.plain(&format!("{} tokens", units::count(n)))?,
        None if summary.file.complete => row.add(Some(Ink::Faint), "no tokens")?,
        None => {}
    }
    let model = tokenizer.model.map(|model| out::fit(model.as_bytes(), 32));
    let pre = tokenizer.pre.map(|pre| out::fit(pre.as_bytes(), 32));
    match (model, pre) {
        (Some(model), Some(pre)) => row.add(Some(Ink::Text), &format!("{model} / {pre}"))?,
        (Some(model), None) => row.add(Some(Ink::Text), &model)?,
        (None, Some(pre)) => row.add(Some(Ink::Text), &format!("pre-tokenizer {pre}"))?,
        (None, None) => {}
    }
    if let Some(merges) = tokenizer.merges {
        row.plain(&format!("{} merges", units::count(merges)))?;
    }
    for token in tokenizer.special.iter().take(MAX_SPECIAL) {
        let id = match &token.id {
            Figure::One(id) => id.to_string(),
            other => words(other),
        };
        let text = match &token.text {
            Some(text) => format!("{} {id} {}", token.name, quoted(text, 24)),
            None => format!("{} {id}", token.name),
        };
        row.add((token.in_vocabulary == Some(false)).then_some(Ink::Warn), &text)?;
    }
    let more = tokenizer.special.len().saturating_sub(MAX_SPECIAL);
    if more > 0 {
        row.add(Some(Ink::Faint), &format!("and {more} more"))?;
    }
    row.end()
}

fn templates(out: &mut Out, summary: &Summary<'_>) -> io::Result<()> {
    let Some(templates) = &summary.chat_templates else { return Ok(()) };
    let mut row = Row::new(out, "chat template");
    match templates.default {
        Some(bytes) => row.plain(&format!("{} bytes", units::count(bytes)))?,
        None => row.add(Some(Ink::Faint), "no default one")?,
    }
    for template in templates.named.iter().take(MAX_NAMED) {
        let name = quoted(&template.name, 32);
        match template.bytes {
            Some(bytes) => row.plain(&format!("{name} {} bytes", units::count(bytes)))?,
            None => row.add(Some(Ink::Warn), &format!("{name} is no string"))?,
        }
    }
    let more = templates.named_count.saturating_sub(templates.named.len().min(MAX_NAMED) as u64);
    if more > 0 {
        row.plain(&format!("and {} more", units::count(more)))?;
    }
    for name in templates.missing.iter().take(MAX_NAMED) {
        row.add(Some(Ink::Warn), &format!("{} is listed but missing", quoted(name, 32)))?;
    }
    row.end()
}

fn companions(out: &mut Out, summary: &Summary<'_>, matrices: Option<&Matrices>) -> io::Result<()> {
    if let Some(adapter) = &summary.adapter {
        let mut row = Row::new(out, "adapter");
        if let Some(ty) = &adapter.adapter_type {
            row.add(Some(Ink::Text), &format!("type {}", out::fit(ty.as_bytes(), 32)))?;
        }
        row.figure("rank", adapter.rank.as_ref())?;
        match &adapter.alpha {
            Some(alpha) => row.plain(&format!("alpha {}", alpha.text()))?,
            None => row.add(Some(Ink::Faint), "no alpha")?,
        }
        row.plain(&counted(adapter.pairs, "pair of tensors", "pairs of tensors"))?;
        if adapter.unpaired > 0 {
            row.add(
                Some(Ink::Warn),
                &format!("{} tensors without their pair", units::count(adapter.unpaired)),
            )?;
        }
        for (name, text) in [("task", adapter.task_name), ("prefix", adapter.prompt_prefix)] {
            if let Some(text) = text {
                row.plain(&format!("{name} {}", quoted(&text, 40)))?;
            }
        }
        if let Some(n) = adapter.invocation_tokens {
            row.plain(&format!("invoked by {} tokens", units::count(n)))?;
        }
        row.end()?;
    }
    for sense in &summary.projectors {
        projector(out, sense)?;
    }
    if let Some(imatrix) = &summary.imatrix {
        let mut row = Row::new(out, "imatrix");
        row.plain(&format!("{} entries", units::count(imatrix.entries)))?;
        row.figure("chunks", imatrix.chunk_count.as_ref())?;
        row.figure("of tokens", imatrix.chunk_size.as_ref())?;
        if let Some(matrices) = matrices {
            row.plain(&counted(matrices.all, "matrix", "matrices"))?;
            let (word, never) = (units::count(matrices.never_called), matrices.never_called > 0);
            let ink = if never { Ink::Warn } else { Ink::Faint };
            let text = if never { format!("{word} never called") } else { "all of them called".to_owned() };
            row.add(Some(ink), &text)?;
        }
        row.end()?;
        let mut row = Row::new(out, "datasets");
        for dataset in imatrix.datasets.iter().take(MAX_NAMED) {
            row.add(Some(Ink::Text), &quoted(dataset, 60))?;
        }
        let all = imatrix.datasets_count.unwrap_or(0);
        let more = all.saturating_sub(imatrix.datasets.len().min(MAX_NAMED) as u64);
        if more > 0 {
            row.plain(&format!("and {} more", units::count(more)))?;
        }
        if imatrix.datasets_count.is_none() {
            row.add(Some(Ink::Faint), "absent")?;
        }
        row.end()?;
    }
    if let Some(vector) = &summary.control_vector {
        let mut row = Row::new(out, "vector");
        row.plain(&format!("{} directions", units::count(vector.directions)))?;
        row.figure("layers", vector.layers.as_ref())?;
        if let Some(hint) = &vector.model_hint {
            row.plain(&format!("for {}", quoted(hint, 40)))?;
        }
        row.end()?;
    }
    Ok(())
}

fn projector(out: &mut Out, sense: &Projector<'_>) -> io::Result<()> {
    let label = match sense.modality {
        "vision" => "vision",
        "audio" => "audio",
        "gen.audio" => "audio output",
        _ => "projector",
    };
    let mut row = Row::new(out, label);
    match &sense.projector_type {
        Some(ty) => row.add(Some(Ink::Text), &format!("projector {}", out::fit(ty.as_bytes(), 40)))?,
        None => row.add(Some(Ink::Warn), "projector type absent")?,
    }
    row.figure("layers", sense.layers.as_ref())?;
    row.figure("embedding", sense.embedding_length.as_ref())?;
    row.figure("projects to", sense.projection_dim.as_ref())?;
    row.figure("image", sense.image_size.as_ref())?;
    row.figure("patch", sense.patch_size.as_ref())?;
    row.figure("mel bins", sense.mel_bins.as_ref())?;
    row.end()
}

fn file(out: &mut Out, summary: &Summary<'_>) -> io::Result<()> {
    let file = &summary.file;
    if let Some(shards) = &summary.shards {
        let mut row = Row::new(out, "shards");
        match (&shards.count, &shards.no) {
            (Some(Figure::One(count)), Some(Figure::One(no))) if shards.files == 1 => {
                // Names count from 1, the key from 0.
                row.plain(&format!("number {} of {count}", no.saturating_add(1)))?;
            }
            (Some(Figure::One(count)), _) => row.plain(&format!("{} of {count} files", shards.files))?,
            _ => row.plain(&format!("{} files", shards.files))?,
        }
        row.figure("tensors in all", shards.tensors.as_ref())?;
        if shards.missing_count > 0 {
            row.add(Some(Ink::Bad), &format!("{} missing", units::count(shards.missing_count)))?;
        }
        row.end()?;
    }
    let mut row = Row::new(out, "file");
    match file.size {
        Some(size) if size < 1024 => row.add(Some(Ink::Number), &units::bytes(size))?,
        Some(size) => {
            row.add(Some(Ink::Number), &units::bytes(size))?;
            row.plain(&format!("({} bytes)", units::count(size)))?;
        }
        None => row.add(Some(Ink::Faint), "size unknown (a stream)")?,
    }
    row.plain(&format!("GGUF {}", file.version))?;
    row.plain(&format!("{}-endian", file.endian))?;
    if let Some(dialect) = &file.dialect {
        row.add(Some(Ink::Warn), &format!("layout {dialect}"))?;
    }
    let alignment = format!("alignment {}", units::count(file.alignment));
    row.plain(&alignment)?;
    row.end()?;
    let mut row = Row::new(out, "contents");
    row.plain(&read_of(file.key_values, file.key_values_declared, "key-value", "key-values"))?;
    row.plain(&read_of(file.tensors, file.tensors_declared, "tensor", "tensors"))?;
    row.plain(&format!("head {}", units::bytes(file.head_size)))?;
    if let Some(at) = file.data_offset.filter(|_| file.tensors > 0) {
        row.plain(&format!("data at {at:#x}"))?;
    }
    row.end()
}

fn notes(out: &mut Out, notices: &[Notice<'_>]) -> io::Result<()> {
    for notice in notices.iter().take(MAX_NOTES) {
        let mut text = notice.message.clone();
        let place = place(notice);
        match (notice.count, place.is_empty()) {
            (0 | 1, true) => {}
            (0 | 1, false) => text.push_str(&format!(" ({place})")),
            (n, true) => text.push_str(&format!(" ({} times)", units::count(n))),
            (n, false) => text.push_str(&format!(" ({} times, first {place})", units::count(n))),
        }
        note(out, Ink::Warn, "note", &text)?;
        if let Some(help) = &notice.help {
            note(out, Ink::Faint, "help", help)?;
        }
    }
    let more = notices.len().saturating_sub(MAX_NOTES);
    if more > 0 {
        note(out, Ink::Warn, "note", &format!("{more} more sorts of oddities; --json lists them"))?;
    }
    Ok(())
}

/// Where a notice is about, as far as its message does not say.
fn place(notice: &Notice<'_>) -> String {
    let mut words = Vec::new();
    if let Some(path) = &notice.path {
        words.push(path.clone());
        words.extend(notice.name.as_ref().map(|name| quoted(name, 64)));
        words.extend(notice.offset.map(|at| format!("at {at:#x}")));
        words.extend(notice.file.map(|file| format!("in {}", file.display())));
    }
    words.join(" ")
}

fn note(out: &mut Out, ink: Ink, word: &'static str, text: &str) -> io::Result<()> {
    let room = out.width().saturating_sub(8).max(24);
    for (at, line) in wrap(text, room).iter().enumerate() {
        if at == 0 {
            let word = out.paint(ink, format!("{word}:"));
            writeln!(out, "  {word} {line}")?;
        } else {
            writeln!(out, "        {line}")?;
        }
    }
    Ok(())
}

//! From arguments to a session: every input is opened and its head read before anything is answered.

use std::io;
use std::path::Path;
use std::sync::Arc;

use ggufkit::format::Options;
use ggufkit::format::{ReadAt as _, View};
use ggufkit::io::{HeadBuffer, Input, ShardPart, ShardSet, diagnose, diagnose_stream, inplace};
use ggufkit_viewer::answer::{FileInput, ModelInput, Problem, Rendering, Session, without_folder};

use crate::args::{InputArgs, ReadArgs};
use crate::failure::{Failed, Failure};
use crate::out::{Ink, Out};
use crate::{frame, json};

/// The session of what was named, and whether all of it could be read, which is told where it could not; `None` where nothing of
/// it can be opened.
///
/// # Errors
/// The output's.
pub(crate) fn session(
    out: &mut Out,
    inputs: &InputArgs,
    read: &ReadArgs,
) -> io::Result<(Option<Session>, bool)> {
    let expansion = match frame::expand(&inputs.files, &inputs.how.expand()) {
        Ok(expansion) => expansion,
        Err(error) => {
            frame::report(out, &[frame::no_input(error, &inputs.files, &inputs.how)])?;
            return Ok((None, false));
        }
    };
    if !frame::prepare(out, &expansion.inputs)? {
        return Ok((None, false));
    }
    for skipped in &expansion.skipped {
        out.message(Ink::Warn, "skipped", &skipped.to_string())?;
    }
    let (mut models, mut good) = (Vec::new(), true);
    for input in expansion.inputs {
        let (model, failures) = model(input, read.options());
        frame::report(out, &failures)?;
        good &= failures.is_empty();
        if !model.files.is_empty() {
            models.push(model);
        }
    }
    let render = |what: &Rendering<'_>| {
        crate::commands::template::prompt(&what.template, what.messages, what.generate, &what.model)
    };
    Ok(((!models.is_empty()).then(|| Session::new(models).with_renderer(Box::new(render))), good))
}

/// Opens the files of one input, and says what cannot be opened or read.
fn model(input: Input, options: Options) -> (ModelInput, Vec<Failed>) {
    let mut model = ModelInput::default();
    let mut failures = Vec::new();
    let (paths, set): (Vec<Option<&Path>>, Option<&ShardSet>) = match &input {
        Input::Stdin => (vec![None], None),
        Input::File(path) => (vec![Some(path.as_path())], None),
        Input::Set(set) => (set.present().map(Some).collect(), Some(set)),
    };
    let mut opened = Vec::new();
    for path in paths {
        let shown = path.unwrap_or(Path::new("-"));
        match file(path, options) {
            Ok(file) => {
                if let Some(error) = &file.outcome.error {
                    let failure =
                        Failure::of_parse(error.clone(), file.outcome.index.as_ref(), &file.diagnosis);
                    failures.push(Failed { path: shown.to_owned(), failure });
                }
                opened.push(shown.to_owned());
                model.files.push(file);
            }
            Err(error) => {
                let failed = Failed { path: shown.to_owned(), failure: Failure::Io(error) };
                model.problems.push(Problem::new("io", without_folder(&failed.to_string(), shown)));
                failures.push(failed);
            }
        }
    }
    if let Some(set) = set {
        let part = |(path, file): (&std::path::PathBuf, &FileInput)| {
            file.outcome.index.as_ref().map(|index| (path.clone(), index.clone(), file.head.clone()))
        };
        // Small: heads, of files that are read already.
        let heads: Vec<_> = opened.iter().zip(&model.files).filter_map(part).collect();
        let parts: Vec<ShardPart<'_>> = heads
            .iter()
            .map(|(path, index, head)| ShardPart { path, view: View::new(index, head) })
            .collect();
        model.set_problems = set.check(&parts);
        model.set = Some(set.clone());
    }
    (model, failures)
}

fn file(path: Option<&Path>, options: Options) -> io::Result<FileInput> {
    let mut buffer = HeadBuffer::new();
    let Some(path) = path else {
        let outcome = buffer.read_stream(&mut io::stdin().lock(), options)?;
        let diagnosis = diagnose_stream(options, &outcome, buffer.bytes());
        return Ok(FileInput {
            label: b"-".to_vec(),
            file_name: None,
            size: None,
            head: buffer.into_bytes(),
            outcome,
            diagnosis,
            source: None,
            watch: None,
        });
    };
    let stamp = inplace::Stamp::of(path).ok();
    let source = frame::source(path)?;
    let outcome = buffer.read(&source, options)?;
    frame::settled(path, stamp)?;
    let diagnosis = diagnose(&source, options, &outcome, buffer.bytes())?;
    let source = Arc::new(source);
    let watched = Arc::clone(&source);
    Ok(FileInput {
        label: json::bytes_of(path).0.to_vec(),
        file_name: path.file_name().and_then(|name| name.to_str()).map(str::to_owned),
        size: source.size(),
        head: buffer.into_bytes(),
        outcome,
        diagnosis,
        source: Some(source),
        watch: Some(Arc::new(move || watched.is_changed())),
    })
}

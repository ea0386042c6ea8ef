//! Whether llama.cpp takes a file that is planned, where it takes the file that there is.

use std::io;

use ggufkit_check::{Answer, File, Loader, Subject, Verdict, loaders, loaders_but_vocabulary};
use ggufkit_format::{ByteStr, Options, ReadAt, View};
use ggufkit_io::{HeadBuffer, diagnose};

use crate::operation::Operation;

/// Whether an operation can change what a loader does with the file. A name, a licence or a room does not, and a quarter of
/// a million tokens are not looked at for it.
#[must_use]
pub fn concerns(operation: &Operation) -> bool {
    let of = |key: &[u8]| {
        let pattern = key.iter().any(|byte| matches!(byte, b'*' | b'?' | b'['));
        pattern
            || !key.starts_with(b"general.")
            || key == b"general.architecture"
            || key == b"general.alignment"
    };
    match operation {
        Operation::Set { key, .. } | Operation::Unset(key) | Operation::Clear { pattern: key, .. } => of(key),
        Operation::List { key, .. } | Operation::Unlist { key, .. } => of(key),
        Operation::Rename { from, to } => of(from) || of(to),
        Operation::Move { .. } | Operation::Test { .. } => false,
        _ => true,
    }
}

/// Why llama.cpp refuses the second of two files, where it is not known to refuse the first. `vocabulary`: whether what
/// changes is of the vocabulary, too.
///
/// # Errors
/// A source's.
pub fn lost(
    before: &(dyn ReadAt<Error = io::Error> + Send + Sync + '_),
    after: &(dyn ReadAt<Error = io::Error> + Send + Sync + '_),
    label: &[u8],
    file_name: Option<&str>,
    vocabulary: bool,
) -> io::Result<Option<Answer>> {
    let answer =
        answer(after, label, file_name, vocabulary)?.filter(|answer| answer.verdict == Verdict::Rejects);
    let Some(answer) = answer else { return Ok(None) };
    let was = self::answer(before, label, file_name, vocabulary)?;
    Ok(was.is_some_and(|was| was.verdict != Verdict::Rejects).then_some(answer))
}

fn answer(
    source: &(dyn ReadAt<Error = io::Error> + Send + Sync + '_),
    label: &[u8],
    file_name: Option<&str>,
    vocabulary: bool,
) -> io::Result<Option<Answer>> {
    let options = Options::new().with_size(source.size());
    let mut buffer = HeadBuffer::new();
    let read = buffer.read(source, options)?;
    let diagnosis = diagnose(source, options, &read, buffer.bytes())?;
    let file = File {
        label: ByteStr(label),
        file_name,
        size: source.size(),
        view: read.index.as_ref().map(|index| View::new(index, buffer.bytes())),
        error: read.error.as_ref(),
        diagnosis: &diagnosis,
        source: None,
    };
    let subject = Subject::single(&file);
    let answers = if vocabulary { loaders(&subject) } else { loaders_but_vocabulary(&subject) };
    Ok(answers.into_iter().find(|answer| answer.loader == Loader::LlamaCpp))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_loader_reads_is_asked_about_and_what_it_does_not_is_not() {
        let unset = |key: &str| concerns(&Operation::Unset(key.into()));
        assert!(
            ["general.architecture", "general.*", "llama.block_count", "tokenizer.ggml.tokens"]
                .map(unset)
                .iter()
                .all(|is| *is)
        );
        assert!(!["general.name", "general.url"].map(unset).iter().any(|is| *is));
        assert!(concerns(&Operation::DropTensor(b"a".to_vec())));
        assert!(!concerns(&Operation::Move { key: b"llama.a".to_vec(), before: None }));
    }
}

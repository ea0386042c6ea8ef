//! The bytes of one writing, piece by piece: how far it is, who is told, and which way each piece goes.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ggufkit_format::{Piece, ReadAt, Span};

use super::ahead;
use super::copy::{self, Stopped};
use super::{BUFFER, Progress, SHARED, SMALL, SinkError, Stage, WINDOW, Watch};
use crate::file::{FileSource, read_full};
use crate::identity::FileId;
use crate::joined::Files;
use crate::platform::{self, Copying};

/// Bytes that are copied between two calls of the progress.
const STEP: u64 = 64 << 20;

/// Bytes between two copies that follow each other closely.
const CLOSE: u64 = 4 << 10;

/// A file of the source once more, with a cursor of its own: the last one that was asked for.
#[derive(Default)]
pub(super) struct Direct(Option<(usize, Option<File>)>);

impl Direct {
    /// The file with this number, where that is sure to be the same file and can be copied from.
    pub(super) fn of<S: Files + ?Sized>(&mut self, source: &S, number: usize) -> Option<&File> {
        if self.0.as_ref().is_none_or(|(last, _)| *last != number) {
            self.0 = Some((number, source.file_at(number).and_then(Self::open)));
        }
        self.0.as_ref().and_then(|(_, file)| file.as_ref())
    }

    fn open(source: &FileSource) -> Option<File> {
        source.size()?;
        let file = FileSource::open(source.path()).ok()?;
        (FileId::of(source).ok()? == FileId::of(&file).ok()?).then(|| file.into_file())
    }
}

/// The state of one writing.
pub(super) struct Work<'a, 'b> {
    watch: &'a mut Watch<'b>,
    /// Bytes of the file.
    done: u64,
    /// Bytes of the files before it.
    before: u64,
    /// The bytes that were done when the watch was last told.
    told: Option<u64>,
    /// Bytes of all files.
    pub(super) total: u64,
    pub(super) target: PathBuf,
    buffer: Vec<u8>,
    /// Bytes of the source that were read together with a small copy, and what they are.
    window: Vec<u8>,
    there: Span,
    /// Where the last small copy ended.
    last: u64,
}

impl<'a, 'b> Work<'a, 'b> {
    pub(super) fn new(total: u64, watch: &'a mut Watch<'b>) -> Self {
        Self {
            watch,
            done: 0,
            before: 0,
            told: None,
            total,
            target: PathBuf::from("-"),
            buffer: Vec::new(),
            window: Vec::new(),
            there: Span::default(),
            last: 0,
        }
    }

    /// Begins another file.
    pub(super) fn begin(&mut self, target: &Path) {
        self.before = self.before.saturating_add(self.done);
        self.done = 0;
        self.target = target.to_owned();
    }

    /// So many bytes of the file are there already.
    pub(super) fn skip_to(&mut self, done: u64) {
        self.done = done;
    }

    pub(super) fn tell(&mut self, stage: Stage) -> Result<(), SinkError> {
        let done = self.before.saturating_add(self.done);
        // Of a million small pieces few are worth a word.
        if stage == Stage::Write {
            if self.told.is_some_and(|told| done.saturating_sub(told) < BUFFER) {
                return Ok(());
            }
            self.told = Some(done);
        }
        (self.watch)(Progress { stage, done, total: self.total }).map_err(SinkError::Stopped)
    }

    pub(super) fn failed(&self, source: io::Error) -> SinkError {
        SinkError::Write { path: self.target.clone(), doing: "write", source }
    }

    fn write<W: Write>(&mut self, bytes: &[u8], to: &mut W) -> Result<(), SinkError> {
        to.write_all(bytes).map_err(|error| self.failed(error))?;
        self.done = self.done.saturating_add(bytes.len() as u64);
        Ok(())
    }

    pub(super) fn piece<S, W>(&mut self, piece: &Piece, source: &S, to: &mut W) -> Result<(), SinkError>
    where
        S: ReadAt<Error = io::Error> + ?Sized,
        W: Write,
    {
        match piece {
            Piece::Literal(bytes) => {
                self.tell(Stage::Write)?;
                self.write(bytes, to)
            }
            Piece::Zeros(n) => self.chunks(Span::new(0, *n), to, &mut |buffer, _| {
                buffer.fill(0);
                Ok(buffer.len())
            }),
            Piece::Copy(span) if span.len < SMALL => {
                self.tell(Stage::Write)?;
                self.look_ahead(*span, source)?;
                let window = std::mem::take(&mut self.window);
                let bytes = span.slice(&window, self.there.start).unwrap_or_default();
                let written = self.write(bytes, to);
                self.window = window;
                written
            }
            Piece::Copy(span) => self.chunks(*span, to, &mut |buffer, at| read_full(source, buffer, at)),
        }
    }

    /// Writes the bytes of a span, while the next ones are read.
    pub(super) fn ahead<S, W>(&mut self, span: Span, source: &S, to: &mut W) -> Result<(), SinkError>
    where
        S: ReadAt<Error = io::Error> + Sync + ?Sized,
        W: Write,
    {
        if span.len <= BUFFER {
            return self.piece(&Piece::Copy(span), source, to);
        }
        self.tell(Stage::Write)?;
        let (mut at, mut result) = (span.start, Ok(()));
        let is_read = ahead::read(source, span, &mut |chunk, want| {
            result = self.chunk(span, &mut at, chunk, want, to);
            result.is_ok()
        });
        if is_read { result } else { self.piece(&Piece::Copy(span), source, to) }
    }

    /// Writes a chunk of a span that was read.
    fn chunk<W: Write>(
        &mut self,
        span: Span,
        at: &mut u64,
        chunk: io::Result<&[u8]>,
        want: usize,
        to: &mut W,
    ) -> Result<(), SinkError> {
        let chunk = chunk.map_err(|source| SinkError::Read { span, source })?;
        if chunk.len() < want {
            let read = at.saturating_sub(span.start).saturating_add(chunk.len() as u64);
            return Err(SinkError::Ended { span, read });
        }
        self.write(chunk, to)?;
        *at = at.saturating_add(want as u64);
        self.tell(Stage::Write)
    }

    /// Makes the window hold a small span: with what follows it, where the last one ended closely before.
    fn look_ahead<S>(&mut self, span: Span, source: &S) -> Result<(), SinkError>
    where
        S: ReadAt<Error = io::Error> + ?Sized,
    {
        let close = span.start.checked_sub(self.last).is_some_and(|gap| gap <= CLOSE);
        self.last = span.end();
        if span.start >= self.there.start && span.end() <= self.there.end() {
            return Ok(());
        }
        self.window.resize(WINDOW, 0);
        let exact = span.len as usize;
        // What lies behind the span is not needed yet, so an error there is none yet.
        let wants = [WINDOW, exact];
        let mut result = Ok(0);
        for want in wants.into_iter().skip(usize::from(!close)) {
            result = read_full(source, self.window.get_mut(..want).unwrap_or_default(), span.start);
            if result.is_ok() {
                break;
            }
        }
        let read = result.map_err(|source| SinkError::Read { span, source })?;
        self.there = Span::new(span.start, read as u64);
        if read < exact {
            self.there = Span::default();
            return Err(SinkError::Ended { span, read: read as u64 });
        }
        Ok(())
    }

    /// Writes so many bytes as the span has, filled in by `fill`, a buffer at a time.
    fn chunks<W: Write>(
        &mut self,
        span: Span,
        to: &mut W,
        fill: &mut dyn FnMut(&mut [u8], u64) -> io::Result<usize>,
    ) -> Result<(), SinkError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut at = span.start;
        while at < span.end() {
            self.tell(Stage::Write)?;
            let want = span.end().saturating_sub(at).min(BUFFER) as usize;
            if buffer.len() < want {
                buffer.resize(want, 0);
            }
            let chunk = buffer.get_mut(..want).unwrap_or_default();
            let read = fill(chunk, at).map_err(|source| SinkError::Read { span, source })?;
            if read < want {
                let read = at.saturating_sub(span.start).saturating_add(read as u64);
                return Err(SinkError::Ended { span, read });
            }
            self.write(chunk, to)?;
            at = at.saturating_add(want as u64);
        }
        self.buffer = buffer;
        Ok(())
    }

    /// Copies a span between files, in the way that costs least where the target is.
    pub(super) fn hand_over(&mut self, from: &File, to: &File, span: Span) -> Result<(), SinkError> {
        match platform::copying(to) {
            Copying::Shares if span.start.abs_diff(self.done).is_multiple_of(SHARED) => {
                self.by_the_system(from, to, span)
            }
            Copying::Shares | Copying::Local => self.by_threads(from, to, span),
            Copying::Unknown => self.by_the_system(from, to, span),
        }
    }

    fn by_the_system(&mut self, mut from: &File, mut to: &File, span: Span) -> Result<(), SinkError> {
        from.seek(SeekFrom::Start(span.start)).map_err(|source| SinkError::Read { span, source })?;
        let mut at = span.start;
        while at < span.end() {
            self.tell(Stage::Write)?;
            let mut want = span.end().saturating_sub(at).min(STEP);
            // File systems that share blocks do so where they begin at multiples of a block in both files.
            if let Some(past @ 1..) =
                at.checked_rem(SHARED).filter(|_| at.abs_diff(self.done).is_multiple_of(SHARED))
            {
                want = want.min(SHARED.saturating_sub(past));
            }
            // Of both sides it is the target that fails, as a rule: a full disk.
            let copied = io::copy(&mut from.take(want), &mut to).map_err(|error| self.failed(error))?;
            at = at.saturating_add(copied);
            self.done = self.done.saturating_add(copied);
            if copied < want {
                return Err(SinkError::Ended { span, read: at.saturating_sub(span.start) });
            }
        }
        Ok(())
    }

    fn by_threads(&mut self, from: &File, mut to: &File, span: Span) -> Result<(), SinkError> {
        let mut at = span.start;
        while at < span.end() {
            self.tell(Stage::Write)?;
            let here = Span::new(at, span.end().saturating_sub(at).min(STEP));
            copy::stretch(from, to, here, self.done).map_err(|stopped| match stopped {
                Stopped::Read(source) => SinkError::Read { span, source },
                Stopped::Write(source) => self.failed(source),
                Stopped::Ended(end) => SinkError::Ended { span, read: end.saturating_sub(span.start) },
            })?;
            at = here.end();
            self.done = self.done.saturating_add(here.len);
        }
        // What follows is written behind it, and writing by position has moved no cursor, or any.
        to.seek(SeekFrom::Start(self.done)).map_err(|error| self.failed(error))?;
        Ok(())
    }
}

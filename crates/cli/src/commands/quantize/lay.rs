//! The files that will be made: where they will stand, and what is in their way there.

use std::io;
use std::path::{Path, PathBuf};

use ggufkit::edit::quantize::Quantization;
use ggufkit::format::naming::shard_name;
use ggufkit::io::sink::{self, Output, Resume, Section, SinkError};
use ggufkit::io::{FileSource, obstacles};

use super::super::shards::{Answer, Made, names_folder, shown};
use super::super::split::stem;
use super::given::Given;
use super::kept::{self, Kept};
use super::{Args, Done};
use crate::failure::Failure;
use crate::input::is_stream;

impl Args {
    /// The files that will be made, and what stands in their way. The values are what is to be said of what is kept, before
    /// anything is written.
    pub(super) fn lay_out(
        &self,
        answer: &mut Answer,
        made: &Quantization<'_>,
        given: &Given,
        sources: &[&FileSource],
        done: &mut Done,
    ) -> Vec<String> {
        let count = u32::try_from(made.files().len()).unwrap_or(u32::MAX);
        let mut before = 0_u64;
        let mut kept = Kept::default();
        let mut links = Vec::new();
        if let Some(failure) = self.no_folder() {
            answer.fail(&answer.given.clone(), failure);
        }
        for (no, file) in (1..).zip(made.files()) {
            let path = match self.output.as_deref() {
                Some(output) if self.keep_split => self.member(answer, output, no, count),
                Some(output) => output.to_owned(),
                None => PathBuf::from("OUT"),
            };
            let own = made.tensors().get(file.tensors.clone()).unwrap_or_default();
            let tensors = own.iter().map(|target| target.name.clone()).collect();
            let left = if self.output.is_some() { sink::left_of(&path) } else { sink::Left::default() };
            kept.add(&path, &left);
            let left = if self.resume { left } else { sink::Left::default() };
            // Another file at this name is nothing that was left.
            let placed = Some(left.bytes).filter(|bytes| left.is_placed && *bytes == file.plan.len());
            let there = left.kept.as_ref().map(|kept| kept.bytes).or(placed).unwrap_or(0);
            done.left = done.left.saturating_add(there);
            let needed = before.saturating_add(file.plan.len().saturating_sub(there));
            let may_be_there = self.force || left.is_placed;
            let inputs = sources.iter().copied().chain(given.sources());
            if self.output.is_some()
                && answer.failed.is_empty()
                && let Err(error) = obstacles::of_new(&path, needed, may_be_there, false, inputs)
            {
                answer.fail_to_write(error);
            }
            before = needed;
            if self.force
                && let Ok(to) = path.read_link()
            {
                let (path, to) = (shown(&path), shown(&to));
                links.push(format!("{path} is a link: it is replaced itself, and {to} stays as it is"));
            }
            answer.made.push(Made { path, plan: file.plan.clone(), tensors, done: false });
        }
        // What is not done is not said to be done.
        if answer.is_good() {
            done.notes.extend(links);
            done.notes.extend(self.other_ending());
        }
        if self.resume {
            kept.begin(answer)
        } else {
            kept.other(|| self.left_by_other(answer, made, given, true).is_ok())
        }
    }

    /// The folder of the files, where it is not there.
    fn no_folder(&self) -> Option<Failure> {
        let output = self.output.as_deref()?;
        let is_named = self.keep_split && names_folder(output);
        let folder = if is_named { output } else { output.parent()? };
        if folder.as_os_str().is_empty() || folder.symlink_metadata().is_ok() {
            return None;
        }
        let folder = shown(folder);
        let message = format!("there is no folder {folder}");
        Some(Failure::Usage { code: "no-folder", message, help: Some(format!("mkdir -p {folder}")) })
    }

    /// A name by which no program knows the file for what it is.
    fn other_ending(&self) -> Option<String> {
        let output = self.output.as_deref().filter(|_| !self.keep_split)?;
        let is_gguf = output.extension().is_some_and(|end| end.eq_ignore_ascii_case("gguf"));
        (!is_gguf && !is_stream(output))
            .then(|| format!("{} does not end in .gguf, by which programs look for models", shown(output)))
    }

    /// What the settings are called in what is kept.
    pub(super) fn called(&self) -> &str {
        self.mixture.as_deref().unwrap_or("recipe")
    }

    /// What was left by another run, which stands in the way.
    pub(super) fn look(&self, answer: &mut Answer, made: &Quantization<'_>, given: &Given) {
        if let Err(error) = self.left_by_other(answer, made, given, self.force) {
            self.fail_to_write(answer, error);
        }
    }

    fn left_by_other(
        &self,
        answer: &Answer,
        made: &Quantization<'_>,
        given: &Given,
        replace: bool,
    ) -> Result<(), SinkError> {
        let sections: Vec<&[Section]> = made.files().iter().map(|file| file.sections.as_slice()).collect();
        let beside: Vec<&FileSource> = given.sources().collect();
        let resume =
            Resume { settings: made.settings(), name: self.called(), beside: &beside, sections: &sections };
        let outputs: Vec<_> =
            answer.made.iter().map(|made| Output { plan: &made.plan, target: &made.path }).collect();
        sink::look(&outputs, made.source(), &resume, replace)
    }

    /// What went wrong with the files that were to be written.
    pub(super) fn fail_to_write(&self, answer: &mut Answer, error: SinkError) {
        match error {
            SinkError::LeftByOther(left) => {
                let failure = kept::left_by_other(&left, self.called());
                answer.fail(&answer.given.clone(), failure);
            }
            SinkError::Ended { .. } => {
                let ended = io::Error::new(io::ErrorKind::UnexpectedEof, "the file has become shorter");
                answer.fail(&answer.given.clone(), Failure::Io(ended));
            }
            other => answer.fail_to_write(other),
        }
    }

    /// A file of those that have the same prefix.
    fn member(&self, answer: &Answer, output: &Path, no: u32, count: u32) -> PathBuf {
        let own = |path: &Path| stem(path.file_name().unwrap_or_default());
        let prefix = if names_folder(output) {
            output.join(answer.members.first().map(|path| own(path)).unwrap_or_default())
        } else {
            output.with_file_name(own(output))
        };
        let mut path = prefix.into_os_string();
        path.push(if count > 1 { shard_name("", no, count) } else { ".gguf".to_owned() });
        path.into()
    }
}

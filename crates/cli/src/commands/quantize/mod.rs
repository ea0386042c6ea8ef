//! `gguf quantize`: a model in types of fewer bits.

mod given;
mod kept;
mod lay;
mod notes;
mod say;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use ggufkit::edit::quantize::{Measured, Order, Quantization, QuantizeError, Request, Supply, WeightError};
use ggufkit::edit::shards::Member;
use ggufkit::format::spec::TensorType;
use ggufkit::io::sink::{self, Output, Resume, Section, SinkError, Terms};
use ggufkit::io::{FileId, FileSource};
use ggufkit::values::mixture::Rule;

use self::given::Given;
use self::kept::Kept;
use super::progress::Bar;
use super::shards::{Answer, Model, Reason, Wanted, names_folder, shown};
use crate::args::{ReadArgs, ThreadArgs};
use crate::failure::Failure;
use crate::out::{Ink, Out};
use crate::platform::{self, Interrupt};
use crate::{FAILED, frame};

/// Quantize a model: its tensors in types of fewer bits, by the mixtures of llama.cpp
///
/// TYPE is a mixture, as llama-quantize knows it: Q4_K_M, Q8_0, IQ4_XS, F16 and so on, or its number; COPY changes no type. Which
/// tensor gets which type follows from the mixture, the architecture and the shapes, as in llama-quantize; --tensor-type and
/// other options say otherwise, and --recipe takes all of it from a text that `gguf recipe` made of another model. The file
/// appears when it is whole. Then it is read again, and each tensor's error is told; where that fails the file stays, and the exit
/// status is 2. With --imatrix the plain error is as a rule larger than without: columns that count little are given up for others. So it
/// is told weighted by importance, too. Memory is needed for a few rows, whatever the size of the model.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf quantize model-f16.gguf Q4_K_M -o model-q4.gguf\n  gguf quantize model-f16.gguf Q4_K_M --dry-run\n  \
    gguf quantize model-f16.gguf IQ3_XXS --imatrix imatrix.gguf -o model-iq3.gguf\n  \
    gguf quantize model-f16.gguf Q4_K_M --tensor-type 'ffn_down=Q6_K' -o mixed.gguf\n  \
    gguf quantize big-00001-of-00009.gguf Q5_K_M --keep-split -o big-q5 --resume\n  \
    gguf recipe good.gguf > good.recipe; gguf quantize other-f16.gguf --recipe good.recipe -o other.gguf\n\n\
    Mixtures: F32 F16 BF16 Q8_0 Q6_K Q5_K_M Q5_K_S Q5_1 Q5_0 Q4_K_M Q4_K_S Q4_1 Q4_0 Q3_K_L Q3_K_M Q3_K_S Q2_K Q2_K_S IQ4_NL \
    IQ4_XS IQ3_M IQ3_S IQ3_XS IQ3_XXS IQ2_M IQ2_S IQ2_XS IQ2_XXS IQ1_M IQ1_S TQ2_0 TQ1_0 MXFP4_MOE Q2_0 Q1_0; Q5_K, Q4_K and Q3_K \
    are those with _M. Keys are changed by `gguf set`, before or after.\n\n\
    Exit status: 0 done, 1 a tensor stands in the way (importance is missing, weights are quantized already), 2 a file could not be \
    read or written, a weight is not finite, or usage."
)]
pub(crate) struct Args {
    /// The file; of a shard set, any shard
    #[arg(value_name = "FILE")]
    file: OsString,
    /// The mixture: Q4_K_M, Q8_0, ..., or COPY
    #[arg(value_name = "TYPE", required_unless_present = "recipe")]
    mixture: Option<String>,
    /// What is no argument here, and is one of llama-quantize
    #[arg(hide = true)]
    more: Vec<OsString>,
    /// The file to write; with --keep-split what the files' names begin with, or a folder
    #[arg(long, short, value_name = "OUT", required_unless_present_any = ["dry_run", "more"])]
    output: Option<PathBuf>,
    /// A type for the tensors that have a pattern in their names, as in 'attn_v=Q8_0' or 'blk.[0-3].ffn_down=Q6_K': a regular
    /// expression, where .* stands for anything; may be given again, the first that fits counts
    #[arg(long, value_name = "REGEX=TYPE", value_parser = Rule::parse, help_heading = "Types")]
    tensor_type: Vec<Rule>,
    /// The same from a file, or from - as standard input, with space or ends of lines between; these come behind those that are
    /// given here
    #[arg(long, value_name = "FILE", help_heading = "Types")]
    tensor_type_file: Vec<PathBuf>,
    /// The type of output.weight, or of the embedding where it is the output as well
    #[arg(long, value_name = "TYPE", value_parser = Rule::type_named, help_heading = "Types")]
    output_tensor_type: Option<TensorType>,
    /// The type of the token embedding
    #[arg(long, value_name = "TYPE", value_parser = Rule::type_named, help_heading = "Types")]
    token_embedding_type: Option<TensorType>,
    /// Leave output.weight as it is
    #[arg(long, help_heading = "Types")]
    leave_output_tensor: bool,
    /// One type for all: no more bits where they count most
    #[arg(long, help_heading = "Types")]
    pure: bool,
    /// Types by a recipe, as `gguf recipe` makes it of another file, or - for standard input; what it does not name keeps its type
    #[arg(long, value_name = "FILE", help_heading = "Types", conflicts_with_all = ["tensor_type", "tensor_type_file",
        "output_tensor_type", "token_embedding_type", "leave_output_tensor", "pure"])]
    recipe: Option<PathBuf>,
    /// Quantize once more what is quantized already: what is lost is lost twice
    #[arg(long, help_heading = "Types")]
    allow_requantize: bool,
    /// The importance of columns, as llama-imatrix measures it: a GGUF file, or the older .dat
    #[arg(long, value_name = "FILE", help_heading = "Importance")]
    imatrix: Option<PathBuf>,
    /// Use the importance of tensors only that have this in their names; may be given again
    #[arg(
        long,
        value_name = "TEXT",
        requires = "imatrix",
        conflicts_with = "exclude_weights",
        help_heading = "Importance"
    )]
    include_weights: Vec<String>,
    /// Use no importance of tensors that have this in their names; may be given again
    #[arg(long, value_name = "TEXT", requires = "imatrix", help_heading = "Importance")]
    exclude_weights: Vec<String>,
    /// Write as many shards as there are, each with the tensors that it has
    #[arg(long, help_heading = "Writing")]
    keep_split: bool,
    /// Order of tensors and keys: as they are, or as llama-quantize writes them
    #[arg(long, value_enum, value_name = "ORDER", default_value_t, help_heading = "Writing")]
    order: Ordered,
    /// Of a set: keep keys that only later shards have, behind those of the first
    #[arg(long, help_heading = "Writing")]
    keep_extra: bool,
    /// Keep what is finished beside the output (.NAME.resume), and continue where an earlier run with the same settings was ended;
    /// what one with other settings has left is refused
    #[arg(long, help_heading = "Writing")]
    resume: bool,
    /// Do not read the file again, and do not look at weights that are only copied
    #[arg(long, help_heading = "Writing")]
    no_verify: bool,
    /// Say what each tensor would become, with exact sizes, and what stands in the way, and write nothing; weights are not read,
    /// so that one that is not finite is found only later
    #[arg(long, help_heading = "Writing")]
    dry_run: bool,
    /// Replace a file that exists
    #[arg(long, help_heading = "Writing")]
    force: bool,
    #[command(flatten)]
    threads: ThreadArgs,
    /// An option of llama-quantize
    #[arg(long, hide = true)]
    override_kv: Vec<String>,
    /// An option of llama-quantize
    #[arg(long, hide = true)]
    prune_layers: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// The order in the new file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
enum Ordered {
    /// As in the file
    #[default]
    Input,
    /// By layer and name, keys that are new at the end
    Llama,
}

/// Whether what was written was read again.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Reading {
    /// It did not come to that, or it is not as written.
    #[default]
    Not,
    /// That was not wished.
    NotAsked,
    /// It was, and it is what was to be written.
    AsWritten,
}

/// What came of it.
#[derive(Default)]
struct Done {
    measured: Vec<Measured>,
    /// Bytes that were taken over from an earlier run.
    taken: u64,
    /// Bytes that earlier runs have left.
    left: u64,
    /// No file was named: those that would be made have no paths.
    is_unnamed: bool,
    /// Whether it was read again.
    reading: Reading,
    /// Somebody has interrupted it.
    was_interrupted: bool,
    /// What a person is told beside.
    notes: Vec<String>,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        // The file is what was asked for: it is written whether or not anybody listens.
        out.hold();
        if let Some(failure) = self.refusal() {
            frame::refuse(out, "quantize", self.json, &failure)?;
            return Ok(FAILED);
        }
        let given = match Given::read(&self) {
            Ok(given) => given,
            Err((path, failure)) => {
                let mut answer = Answer::of(path.unwrap_or_else(|| PathBuf::from(&self.file)));
                answer.fail(&answer.given.clone(), failure);
                return self.end(out, &answer, None, None, &Done::default());
            }
        };
        let mut answer = Answer::of(PathBuf::from(&self.file));
        let files = [self.file.clone()];
        let model = match Model::read(out, &files, self.read.options(), Wanted::Any)? {
            Ok(model) => model,
            Err(stop) => {
                if answer.stop(stop) {
                    return Ok(FAILED);
                }
                return self.end(out, &answer, Some(&given), None, &Done::default());
            }
        };
        answer.members = model.files.iter().map(|file| file.path.clone()).collect();
        let members = model.members();
        let sources: Vec<&FileSource> = model.files.iter().map(|file| &file.source).collect();
        let threads = self.threads.count();
        let made = match Quantization::of(&members, &sources, &self.request(&given), threads) {
            Ok(made) => made,
            Err(error) => {
                match error {
                    QuantizeError::Shards(error) => answer.refuse(error, &model.files),
                    other => answer.refused = vec![Reason::new("no-plan", other.to_string())],
                }
                return self.end(out, &answer, Some(&given), None, &Done::default());
            }
        };
        let mut done = Done {
            notes: notes::before(&made, &given),
            is_unnamed: self.output.is_none(),
            ..Done::default()
        };
        let path = |note: &ggufkit::edit::shards::Note| {
            answer.members.get(note.member()).cloned().unwrap_or_default()
        };
        answer.notes = made.notes().iter().map(|note| (note.clone(), path(note))).collect();
        answer.refused = made.refusals().iter().map(|refusal| given.reason(refusal)).collect();
        let kept = self.lay_out(&mut answer, &made, &given, &sources, &mut done);
        if self.resume && answer.is_good() && !done.is_unnamed {
            self.look(&mut answer, &made, &given);
        }
        if !self.dry_run && answer.is_good() {
            // What takes hours is told before, where somebody is there to read it.
            if !self.json && (!self.resume || std::io::stderr().is_terminal()) {
                for note in &kept {
                    out.message(Ink::Warn, "note", note)?;
                }
            }
            done.notes.extend(kept.into_iter().filter(|_| self.json && !self.resume));
            self.make(&mut answer, &made, &given, (&members, &sources), threads, &mut done);
        } else if !self.resume {
            done.notes.extend(kept);
        }
        self.end(out, &answer, Some(&given), Some(&made), &done)
    }

    /// Why nothing can be done, whatever the files are.
    fn refusal(&self) -> Option<Failure> {
        if self.read.offset > 0 {
            let text = "models begin at the start of their files: --offset has no place here";
            return Some(Failure::usage("offset", text));
        }
        if let Some(failure) = self.habit() {
            return Some(failure);
        }
        if self.is_copy() && self.recipe.is_some() {
            return Some(Failure::Usage {
                code: "copy-recipe",
                message: "COPY changes no type, and a recipe does".to_owned(),
                help: Some("leave COPY away: what the recipe does not name keeps its type".to_owned()),
            });
        }
        let output = self.output.as_deref()?;
        if output.as_os_str() == "-" {
            return Some(Failure::usage("standard-output", "a file is needed: -o names the file to write"));
        }
        if names_folder(output) && !self.keep_split {
            let text = format!("{} is a folder: -o names the file to write", shown(output));
            return Some(Failure::usage("is-folder", text));
        }
        None
    }

    fn is_copy(&self) -> bool {
        self.mixture.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("COPY"))
    }

    /// What `llama-quantize` takes, and is said otherwise here.
    fn habit(&self) -> Option<Failure> {
        let (code, message, help) = if !self.more.is_empty() {
            (
                "arguments",
                "FILE and TYPE are all the arguments",
                "the file to write is -o OUT, threads are --threads N",
            )
        } else if !self.override_kv.is_empty() {
            ("override-kv", "keys are not changed here", "`gguf set OUT KEY=VALUE` does it, before or after")
        } else if !self.prune_layers.is_empty() {
            ("prune-layers", "layers are not left out here", "all tensors are in the new file")
        } else {
            return None;
        };
        Some(Failure::Usage { code, message: message.to_owned(), help: Some(help.to_owned()) })
    }

    fn request<'a>(&self, given: &'a Given) -> Request<'a> {
        Request {
            mixture: given.mixture,
            wishes: given.wishes.clone(),
            importance: given.importance.as_ref(),
            importance_name: given.importance_name(),
            again: self.allow_requantize,
            keep_split: self.keep_split,
            order: match self.order {
                Ordered::Input => Order::Input,
                Ordered::Llama => Order::Llama,
            },
            keep_extra: self.keep_extra,
            beside: given.texts().collect(),
        }
    }

    /// Writes, and measures what was written.
    fn make<'m>(
        &self,
        answer: &mut Answer,
        made: &Quantization<'m>,
        given: &Given,
        (members, sources): (&[Member<'m>], &[&'m FileSource]),
        threads: NonZeroUsize,
        done: &mut Done,
    ) {
        if !self.no_verify {
            let kept = made.tensors().iter().filter(|target| !target.is_converted());
            let bar = Bar::begin("looking", kept.fold(0, |sum: u64, one| sum.saturating_add(one.from.1)));
            let looked = made.look(members, sources, threads, &|bytes| bar.more(bytes));
            bar.end();
            if let Err(error) = looked {
                return answer.fail(&answer.given.clone(), of_weights(error, self.help_of_weights(true)));
            }
        }
        let outputs: Vec<_> =
            answer.made.iter().map(|made| Output { plan: &made.plan, target: &made.path }).collect();
        let total = outputs.iter().fold(0_u64, |sum, output| sum.saturating_add(output.plan.len()));
        platform::allow_open_files(outputs.len().saturating_mul(2).saturating_add(sources.len()));
        let terms = Terms { replace: self.force, sync: true };
        let label = outputs.first().map(|output| shown(output.target)).unwrap_or_default();
        let bar = Bar::begin(&label, total);
        let mut interrupt = None;
        let mut watch = |now: sink::Progress| {
            bar.at(now.done);
            // Until it is written there is nothing to be kept, and an interrupt ends the program at once.
            if self.resume && now.stage == sink::Stage::Write {
                interrupt.get_or_insert_with(Interrupt::watch);
            }
            match &interrupt {
                Some(interrupt) if interrupt.came() => Err(io::ErrorKind::Interrupted.into()),
                _ => Ok(()),
            }
        };
        let sections: Vec<&[Section]> = made.files().iter().map(|file| file.sections.as_slice()).collect();
        let beside: Vec<&FileSource> = given.sources().collect();
        let resume =
            Resume { settings: made.settings(), name: self.called(), beside: &beside, sections: &sections };
        let resume = self.resume.then_some(&resume);
        let saved = sink::save_or_resume(&outputs, made.source(), terms, resume, &mut watch);
        bar.end();
        let was_interrupted = interrupt.as_ref().is_some_and(Interrupt::came);
        drop(interrupt);
        let saved = match saved {
            Ok(saved) => saved,
            Err(error) => {
                match error {
                    SinkError::Read { source, .. } if source.get_ref().is_some() => {
                        answer.fail(&answer.given.clone(), of_weights(source, self.help_of_weights(false)));
                    }
                    SinkError::Stopped(_) if was_interrupted => {
                        done.was_interrupted = true;
                        let label = answer.made.first().map(|made| made.path.clone()).unwrap_or_default();
                        let error = io::Error::new(io::ErrorKind::Interrupted, "interrupted");
                        answer.fail(&label, Failure::Io(error));
                    }
                    other => self.fail_to_write(answer, other),
                }
                return self.say_kept(answer);
            }
        };
        done.taken = saved.taken;
        answer.made.iter_mut().for_each(|made| made.done = true);
        if self.no_verify {
            done.reading = Reading::NotAsked;
            return;
        }
        let mut written = Vec::new();
        for (made, id) in answer.made.iter().zip(saved.files) {
            match again(&made.path, id.as_ref()) {
                Ok(source) => written.push(source),
                Err(failure) => return answer.fail(&made.path.clone(), failure),
            }
        }
        let both = made.tensors().iter().fold(0_u64, |sum, one| {
            // What was encoded by importance is measured twice.
            let times = if one.importance == Supply::There { 2 } else { 1 };
            sum.saturating_add(one.from.1.saturating_add(one.to.1).saturating_mul(times))
        });
        let bar = Bar::begin("measuring", both);
        let found = made.verify(members, sources, &written, threads, &|bytes| bar.more(bytes));
        bar.end();
        match found {
            Ok(measured) => {
                done.notes.extend(notes::lost(made, &measured));
                done.measured = measured;
                done.reading = Reading::AsWritten;
            }
            Err(error) => {
                let failure =
                    Failure::Data { kind: "io", code: "not-as-written", message: error.to_string() };
                answer.fail(error.path(), failure);
            }
        }
    }

    /// Adds to what went wrong that what is finished is kept.
    fn say_kept(&self, answer: &mut Answer) {
        let mut kept = Kept::default();
        for made in answer.made.iter().filter(|_| self.resume) {
            kept.add(&made.path, &sink::left_of(&made.path));
        }
        let Some(help) = kept.after() else { return };
        if let Some(failed) = answer.failed.pop() {
            let is_others = matches!(&failed.failure, Failure::Usage { code: "left-by-other", .. });
            let failure = if is_others { failed.failure } else { failed.failure.with_help(help) };
            answer.fail(&failed.path, failure);
        }
    }

    /// What helps where a weight is not finite.
    fn help_of_weights(&self, is_copied: bool) -> String {
        let file = Path::new(&self.file);
        let all = format!("`gguf check --data {}` finds all of them", shown(file));
        match is_copied {
            true => format!("{all}; the tensor is only copied, and --no-verify does so without a look at it"),
            false => format!("{all}; the file that the model was converted from has to be put right"),
        }
    }

    fn end(
        &self,
        out: &mut Out,
        answer: &Answer,
        given: Option<&Given>,
        made: Option<&Quantization<'_>>,
        done: &Done,
    ) -> io::Result<u8> {
        if self.json {
            say::json(out, answer, given, made, done)?;
        } else {
            let is_shown = self.dry_run || answer.is_good() || answer.made.iter().any(|made| made.done);
            say::text(out, answer, given, made.filter(|_| is_shown), done)?;
        }
        if done.was_interrupted {
            out.flush()?;
            // Who waits for the program is to know that it was interrupted: a loop over many files ends then.
            Interrupt::end();
        }
        Ok(answer.status())
    }
}

/// Opens what was written to read it again, if it still is that: two programs may write one file.
fn again(path: &Path, id: Option<&FileId>) -> Result<FileSource, Failure> {
    let source = FileSource::open(path).map_err(Failure::Io)?;
    if id.is_some_and(|id| FileId::of(&source).is_ok_and(|now| now != *id)) {
        let message = "was written, and another file has taken its place since".to_owned();
        return Err(Failure::Data { kind: "io", code: "replaced", message });
    }
    Ok(source)
}

/// What is wrong with a weight, or with the reading of one.
fn of_weights(error: io::Error, help: String) -> Failure {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<WeightError>()) {
        Some(weight) => {
            let message = weight.to_string();
            let failure = Failure::Data { kind: "malformed", code: "not-finite", message };
            // In the file it is a number, and its new type is too small for it.
            if weight.written_as.is_some() { failure } else { failure.with_help(help) }
        }
        None => Failure::Io(error),
    }
}

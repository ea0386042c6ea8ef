//! Which tensors: the filters as typed, and what they mean.

use std::io;
use std::ops::RangeInclusive;
use std::path::Path;

use ggufkit::format::glob::Glob;
use ggufkit::format::spec::{TENSOR_TYPES, TensorType};
use ggufkit::inspect::tensors::Row;

use crate::args::{InputArgs, layers};
use crate::failure::Failure;
use crate::out::{self, Ink, Out};
use crate::{NO, frame};

/// The filters.
#[derive(clap::Args, Debug)]
pub(crate) struct SelectArgs {
    /// Only tensors whose whole name matches this pattern; may be given again
    #[arg(long = "name", value_name = "PATTERN", value_parser = Glob::new, help_heading = "Selection")]
    names: Vec<Glob>,
    /// Only tensors of this type, by name or id (Q4_K, 12); may be given again
    #[arg(long = "type", value_name = "TYPE", value_parser = tensor_type, help_heading = "Selection")]
    types: Vec<TensorType>,
    /// Only tensors of these layers, both ends included: 3, 0..3 (0 to 3), 30.. ; may be given again
    #[arg(long = "layer", value_name = "A..B", value_parser = layers, help_heading = "Selection")]
    layers: Vec<RangeInclusive<u64>>,
    /// Only tensors of at least this size: 4096, 10kB, 1.5MB (decimal), 1GiB (binary)
    #[arg(long, value_name = "SIZE", value_parser = crate::args::bytes, help_heading = "Selection")]
    min_size: Option<u64>,
}

impl SelectArgs {
    /// Takes the patterns among the names of files over; false where one is none, which is said.
    ///
    /// An argument is a pattern when it has the signs of one, no file has that name, and it is not named like a model. The
    /// first argument is a file, unless files come from a list.
    ///
    /// # Errors
    /// Only the output's.
    pub(crate) fn take_patterns(
        &mut self,
        out: &mut Out,
        command: &str,
        json: bool,
        inputs: &mut InputArgs,
    ) -> io::Result<bool> {
        let Err(failure) = self.patterns(inputs) else { return Ok(true) };
        frame::refuse(out, command, json, &failure)?;
        Ok(false)
    }

    /// Says that no tensor passes; the value is the exit status.
    ///
    /// # Errors
    /// Only the output's.
    pub(crate) fn nothing(&self, out: &mut Out) -> io::Result<u8> {
        if !self.is_any() {
            out.message(Ink::Warn, "note", "there are no tensors")?;
            return Ok(NO);
        }
        out.message(Ink::Warn, "note", "no tensor passes the filters")?;
        if !self.names.is_empty() && self.names.iter().all(Glob::is_name) {
            let text = "a name is compared as a whole; '*TEXT*' finds TEXT in it";
            out.message(Ink::Faint, "  help", text)?;
        }
        Ok(NO)
    }

    /// Takes a pattern, or a name as a whole, that was typed for one.
    ///
    /// # Errors
    /// That it is none.
    pub(crate) fn add(&mut self, text: &str) -> Result<(), Failure> {
        let message = |error| format!("{}: {error}", out::plain(text.as_bytes()));
        self.names.push(Glob::new(text).map_err(|error| Failure::usage("bad-pattern", message(error)))?);
        Ok(())
    }

    fn patterns(&mut self, inputs: &mut InputArgs) -> Result<(), Failure> {
        let first = usize::from(inputs.how.files_from.is_none());
        let mut kept = Vec::with_capacity(inputs.files.len());
        for (at, given) in std::mem::take(&mut inputs.files).into_iter().enumerate() {
            match given.to_str().filter(|text| at >= first && !Path::new(text).exists()) {
                Some(text) if is_pattern(text) => self.add(text)?,
                // Nothing is read before what may be a slip is told.
                Some(text) if is_word(text) => {
                    let shown = out::fit(text.as_bytes(), 80);
                    return Err(Failure::Usage {
                        code: "no-file",
                        message: format!(
                            "{shown}: there is no such file, and a pattern of names has * or ? in it"
                        ),
                        help: Some(format!("'*{shown}*' are the tensors that have it in their names")),
                    });
                }
                _ => kept.push(given),
            }
        }
        inputs.files = kept;
        Ok(())
    }

    /// The patterns that names have to match, one of them.
    pub(crate) fn names(&self) -> &[Glob] {
        &self.names
    }

    /// Whether there is any filter.
    pub(crate) fn is_any(&self) -> bool {
        !(self.names.is_empty() && self.types.is_empty() && self.layers.is_empty() && self.min_size.is_none())
    }

    /// Whether a tensor passes.
    pub(crate) fn takes(&self, row: &Row<'_>) -> bool {
        let any = |none: bool, some: bool| none || some;
        any(self.names.is_empty(), self.names.iter().any(|glob| glob.matches(row.name.0)))
            && any(self.types.is_empty(), self.types.contains(&row.tensor_type()))
            && any(
                self.layers.is_empty(),
                row.layer.is_some_and(|layer| self.layers.iter().any(|range| range.contains(&layer))),
            )
            && self.min_size.is_none_or(|min| row.size.is_some_and(|size| size >= min))
    }
}

pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[']) && !text.ends_with(".gguf")
}

/// Whether a text may be meant for a part of a tensor's name: it leads nowhere, and is not named like a model.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text != "-" && !text.contains(['/', '\\']) && !text.ends_with(".gguf")
}

fn tensor_type(text: &str) -> Result<TensorType, String> {
    if let Ok(id) = text.parse() {
        return Ok(TensorType(id));
    }
    TensorType::from_name(text).ok_or_else(|| {
        let names: Vec<&str> =
            TENSOR_TYPES.iter().filter(|info| !info.is_removed()).map(|info| info.name).collect();
        format!("the types are {}, or any id", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_and_types_as_people_write_them() {
        for (text, expected) in [
            ("3", Some(3..=3)),
            ("0..3", Some(0..=3)),
            ("0..=3", Some(0..=3)),
            ("..4", Some(0..=4)),
            ("30..", Some(30..=u64::MAX)),
            ("..", Some(0..=u64::MAX)),
            ("3..1", None),
            ("a", None),
            ("", None),
        ] {
            assert_eq!(layers(text).ok(), expected, "{text}");
        }
        assert_eq!(tensor_type("q4_k"), Ok(TensorType::Q4_K));
        assert_eq!(tensor_type("156"), Ok(TensorType(156)));
        assert!(tensor_type("Q9").is_err());
    }
}

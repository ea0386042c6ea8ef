//! `gguf tensors`: the tensors of a file, which of them, in which order, and what they come to.

mod grouped;
mod json;
mod list;
mod select;

use std::io;

use ggufkit::format::ByteStr;
use ggufkit::inspect::tensors::{GroupBy, Order, OriginalShapes, Table, ordered};

use crate::args::{InputArgs, ReadArgs};
use crate::frame::{Document, PartDoc};
use crate::json::Files;
use crate::out::Out;
use crate::{FAILED, OK, frame};

pub(super) use select::{SelectArgs, is_pattern};

/// List tensors: type, shape, size, place; select, sort and group them
///
/// Arguments behind the first that are patterns (they hold *, ? or [), and no files, select by name, as --name does. A tensor
/// is listed when it passes every sort of filter; of several of one sort (two --name) it needs to pass one.
///
/// Offsets are positions in the file. A size after ≤ is an upper bound: the type is not known here, so the distance to the
/// next tensor is shown. In a terminal that is too narrow, columns are left out, the least important first; names never are.
#[derive(clap::Args, Debug)]
#[command(
    override_usage = "gguf tensors [OPTIONS] FILE... [PATTERN...]",
    after_help = "An argument behind the first FILE that has *, ? or [ in it and is no file is a PATTERN: only tensors whose whole names \
    match one are listed. * stands for any text, ? for one character, [a-z] for one of a set, [!a-z] for one not in it.

Exit status: 0 done, 1 no tensor passes the filters, 2 a file could not be read.

Examples:
  gguf tensors model.gguf
  gguf tensors model.gguf 'blk.0.*'
  gguf tensors model.gguf --name '*norm*' --name 'output*' --sort size
  gguf tensors model.gguf --type Q6_K --layer 0..3
  gguf tensors model.gguf --by layer
  gguf tensors model.gguf --name '*_exps.*' --totals
  gguf tensors model.gguf --json | jq -r '.files[0].tensors[] | [.name, .data_offset, .size] | @tsv'"
)]
pub(crate) struct Args {
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// Put the tensors in this order
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = Sort::Index, hide_default_value = true)]
    sort: Sort,
    /// Turn the order around
    #[arg(long)]
    reverse: bool,
    /// Sum up groups of tensors in place of the list
    #[arg(long, value_enum, value_name = "WHAT")]
    by: Option<By>,
    /// Print what the tensors come to, and no list
    #[arg(long)]
    totals: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What the list is sorted by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Sort {
    /// As in the file's table (the default)
    Index,
    /// By name, numbers by their value
    Name,
    /// By size, the largest first
    Size,
    /// By the position of the data
    Offset,
    /// By type
    Type,
    /// By layer; tensors of no layer last
    Layer,
}

/// What tensors are grouped by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum By {
    /// The layer in names like blk.12.attn_q.weight
    Layer,
    /// The type
    Type,
    /// The file of a split model
    Shard,
}

impl Sort {
    const fn order(self) -> Order {
        match self {
            Self::Index => Order::Index,
            Self::Name => Order::Name,
            Self::Size => Order::Size,
            Self::Offset => Order::Offset,
            Self::Type => Order::Type,
            Self::Layer => Order::Layer,
        }
    }
}

impl By {
    const fn what(self) -> GroupBy {
        match self {
            Self::Layer => GroupBy::Layer,
            Self::Type => GroupBy::Type,
            Self::Shard => GroupBy::Shard,
        }
    }
}

impl Args {
    pub(crate) fn run(mut self, out: &mut Out) -> io::Result<u8> {
        if !self.select.take_patterns(out, "tensors", self.json, &mut self.inputs)? {
            return Ok(FAILED);
        }
        let mut files = if self.json { Some(Files::begin(out, "tensors", true)?) } else { None };
        let mut first = true;
        let mut found = false;
        let several = self.inputs.are_several();
        let good = frame::each(out, &self.inputs, &self.read, self.json, |out, document| {
            let Some(model) = &document.model else {
                return match &mut files {
                    Some(files) => files.add(out, &json::File::failed(document)),
                    None => Ok(()),
                };
            };
            let table = Table::new(model);
            let mut places = ordered(&table, self.sort.order(), |row| self.select.takes(row));
            if self.reverse {
                places.reverse();
            }
            found |= !places.is_empty();
            let answer = Answer {
                document,
                table: &table,
                places: &places,
                shapes: OriginalShapes::new(model),
                shards: model.len() > 1,
            };
            if let Some(files) = &mut files {
                let by = self.by.map(|by| answer.groups(by, self.sort, self.reverse));
                return files.add(out, &json::File::of(&answer, by, self.totals));
            }
            frame::report_problems(out, document)?;
            frame::next(out, &mut first, document.label, several)?;
            match (self.by, self.totals) {
                (Some(by), _) => {
                    grouped::print(out, &answer, by, &answer.groups(by, self.sort, self.reverse), self.totals)
                }
                (None, true) => grouped::total(out, &answer),
                (None, false) => list::print(out, &answer),
            }
        })?;
        if let Some(files) = files {
            files.end(out)?;
        }
        if !good {
            return Ok(FAILED);
        }
        if !found && self.select.is_any() {
            return self.select.nothing(out);
        }
        Ok(OK)
    }
}

/// The tensors of one input that were asked for.
struct Answer<'d, 'a> {
    document: &'d Document<'a>,
    table: &'d Table<'a>,
    /// File and index of each tensor, in the order that was asked for.
    places: &'d [(usize, usize)],
    shapes: OriginalShapes<'a>,
    /// Whether the tensors lie in several files.
    shards: bool,
}

impl<'a> Answer<'_, 'a> {
    fn rows(&self) -> impl Iterator<Item = ggufkit::inspect::tensors::Row<'a>> + '_ {
        self.places.iter().filter_map(|(part, index)| self.table.row(*part, *index))
    }

    /// A file of the model.
    fn part(&self, part: usize) -> Option<&PartDoc<'a>> {
        self.document.parts.iter().filter(|part| part.index().is_some()).nth(part)
    }

    /// Its name, for people.
    fn label(&self, part: usize) -> &str {
        self.part(part).map_or("", |part| &part.label)
    }

    /// Its name, byte for byte.
    fn path(&self, part: usize) -> ByteStr<'_> {
        self.part(part).map_or(ByteStr(b""), PartDoc::name)
    }

    fn groups(&self, by: By, sort: Sort, reverse: bool) -> Vec<ggufkit::inspect::tensors::Group> {
        let mut groups = ggufkit::inspect::tensors::groups(self.rows(), by.what());
        if sort == Sort::Size {
            groups.sort_by_key(|group| std::cmp::Reverse(group.totals.bytes));
        }
        if reverse {
            groups.reverse();
        }
        groups
    }
}

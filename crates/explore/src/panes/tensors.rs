//! The tensors as a table.

use ggufkit::check::Subject;
use ggufkit::format::spec::Text;
use ggufkit::format::{Span, shorten};
use ggufkit::inspect::tensors::{Sizing, Table};
use ggufkit::inspect::{Model, Part, units};
use ratatui::text::{Line, Span as Piece};

use super::{Copied, Look};
use crate::file::Explored;
use crate::list::List;
use crate::text;
use crate::words::{self, say};

/// A tensor.
pub(crate) struct Tensor {
    pub(crate) file: usize,
    index: usize,
    raw: Vec<u8>,
    name: String,
    ty: String,
    shape: String,
    elements: Option<u64>,
    size: Option<u64>,
    /// `≤` where the size is the room that there is, of types that have none of their own.
    bound: &'static str,
    bits: Option<f64>,
    /// Its data.
    pub(crate) data: Option<Span>,
    record: Span,
    /// Elements and bytes of a block.
    pub(crate) block: Option<(u64, u64)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    Table,
    Name,
    Size,
    Type,
}

pub(crate) struct Tensors {
    all: Vec<Tensor>,
    /// Tensors by the begin of their data.
    by_data: Vec<usize>,
    shown: Vec<usize>,
    order: Order,
    filter: String,
    pub(crate) list: List,
}

impl Tensors {
    pub(crate) fn new(subject: &Subject<'_>) -> Self {
        let (mut files, mut parts) = (Vec::new(), Vec::new());
        for (at, file) in subject.files.iter().enumerate() {
            if let Some(view) = file.view {
                files.push(at);
                parts.push(Part { label: file.label, file_name: file.file_name, size: file.size, view });
            }
        }
        let table = Model::of_shards(&parts).as_ref().map(Table::new);
        let of = |row: ggufkit::inspect::tensors::Row<'_>| {
            let ty = row.tensor_type();
            let dims: Vec<String> = row.dims.iter().map(u64::to_string).collect();
            let block = ty.info().map(|info| (info.block_elems.into(), info.block_bytes.into()));
            Tensor {
                file: files.get(row.part_index).copied().unwrap_or(0),
                index: row.index,
                raw: row.name.0.to_vec(),
                name: shorten(row.name.0, 200),
                ty: ty.to_string(),
                shape: format!("[{}]", dims.join(", ")),
                elements: row.elements,
                size: row.size,
                bound: if row.sizing == Sizing::Inferred { "≤" } else { "" },
                bits: row.bits_per_weight(),
                data: row.span(),
                record: row.tensor.span,
                block: block.filter(|(elements, bytes)| *elements > 0 && *bytes > 0),
            }
        };
        let all: Vec<Tensor> = table.iter().flat_map(Table::iter).map(of).collect();
        let mut by_data: Vec<usize> = (0..all.len()).collect();
        let begin = |at: &usize| all.get(*at).map(|tensor| (tensor.file, tensor.data.map(|data| data.start)));
        by_data.sort_by_key(begin);
        let shown = (0..all.len()).collect();
        Self { all, by_data, shown, order: Order::Table, filter: String::new(), list: List::default() }
    }

    pub(crate) const fn len(&self) -> u64 {
        self.shown.len() as u64
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn get(&self, at: u64) -> Option<&Tensor> {
        self.all.get(*self.shown.get(usize::try_from(at).ok()?)?)
    }

    pub(crate) fn selected(&self) -> Option<&Tensor> {
        self.get(self.list.at)
    }

    fn lay_out(&mut self) {
        let selected = self.shown.get(usize::try_from(self.list.at).unwrap_or(usize::MAX)).copied();
        let wanted = self.filter.as_bytes();
        let passes = |at: &usize| {
            self.all.get(*at).is_some_and(|tensor| {
                text::holds(&tensor.raw, wanted) || tensor.ty.as_bytes().eq_ignore_ascii_case(wanted)
            })
        };
        let mut shown: Vec<usize> = (0..self.all.len()).filter(passes).collect();
        let all = &self.all;
        match self.order {
            Order::Table => {}
            Order::Name => shown.sort_by_key(|at| all.get(*at).map(|tensor| &tensor.raw)),
            Order::Size => {
                shown.sort_by_key(|at| std::cmp::Reverse(all.get(*at).and_then(|tensor| tensor.size)))
            }
            Order::Type => shown.sort_by_key(|at| all.get(*at).map(|tensor| &tensor.ty)),
        }
        self.shown = shown;
        let at = selected.and_then(|at| self.shown.iter().position(|is| *is == at)).unwrap_or(0);
        self.list.go(at as u64, self.len());
    }

    pub(crate) fn set_filter(&mut self, filter: &str) {
        filter.clone_into(&mut self.filter);
        self.lay_out();
    }

    pub(crate) fn filter(&self) -> &str {
        &self.filter
    }

    pub(crate) fn sort(&mut self) {
        self.order = match self.order {
            Order::Table => Order::Name,
            Order::Name => Order::Size,
            Order::Size => Order::Type,
            Order::Type => Order::Table,
        };
        self.lay_out();
    }

    pub(crate) const fn order(&self) -> Text {
        match self.order {
            Order::Table => words::BY_TABLE,
            Order::Name => words::BY_NAME,
            Order::Size => words::BY_SIZE,
            Order::Type => words::BY_TYPE,
        }
    }

    /// Selects the tensor with this name, or this number.
    pub(crate) fn go(&mut self, name: &str) -> bool {
        let number: Option<usize> = name
            .strip_prefix("tensors[")
            .and_then(|rest| rest.split(']').next())
            .and_then(|n| n.parse().ok());
        let is = |tensor: &Tensor| match number {
            Some(number) => tensor.index == number,
            None => tensor.raw == name.as_bytes(),
        };
        let Some(at) = self.all.iter().position(is) else { return false };
        if !self.shown.contains(&at) {
            self.set_filter("");
        }
        let row = self.shown.iter().position(|is| *is == at).unwrap_or(0);
        self.list.go(row as u64, self.len());
        true
    }

    pub(crate) fn find(&mut self, wanted: &str, back: bool) -> bool {
        let (len, start) = (self.shown.len(), usize::try_from(self.list.at).unwrap_or(0));
        for by in 1..=len {
            let at = if back { start.wrapping_add(len).wrapping_sub(by) } else { start.wrapping_add(by) };
            let Some(at) = at.checked_rem(len) else { return false };
            if self.get(at as u64).is_some_and(|tensor| text::holds(&tensor.raw, wanted.as_bytes())) {
                self.list.go(at as u64, self.len());
                return true;
            }
        }
        false
    }

    /// The tensor whose data holds a byte.
    pub(crate) fn holding(&self, file: usize, at: u64) -> Option<&Tensor> {
        let begins = |is: &usize| {
            let tensor = self.all.get(*is);
            tensor.is_some_and(|tensor| (tensor.file, tensor.data.map(|data| data.start)) <= (file, Some(at)))
        };
        let after = self.by_data.partition_point(begins);
        let tensor = self.all.get(*self.by_data.get(after.checked_sub(1)?)?)?;
        let data = tensor.data.filter(|data| tensor.file == file && data.start <= at && at < data.end());
        data.map(|_| tensor)
    }

    pub(crate) fn line(&self, at: u64, look: &Look) -> Line<'static> {
        let Some(tensor) = self.get(at) else { return Line::default() };
        let (ty, size) = (
            text::column(&tensor.ty, 8),
            tensor.size.map_or_else(|| "?".into(), |size| format!("{}{}", tensor.bound, units::bytes(size))),
        );
        let wide = look.width >= 100;
        let shape_columns = if wide { 28 } else { 16 };
        let place = match (wide, tensor.data) {
            (true, Some(data)) => format!("  {:#012x}", data.start),
            _ => String::new(),
        };
        let fixed = 8 + shape_columns + 10 + 6 + place.len();
        let name = text::column(&tensor.name, look.width.saturating_sub(fixed).max(10));
        Line::from(vec![
            Piece::styled(name, look.theme.name()),
            Piece::raw(format!("  {ty}  {}  {size:>10}", text::column(&tensor.shape, shape_columns))),
            Piece::styled(place, look.theme.faint()),
        ])
    }

    pub(crate) fn told(&self, files: &[Explored<'_>], look: &Look) -> Vec<Line<'static>> {
        let Some(tensor) = self.selected() else { return Vec::new() };
        let told = |word, text: String| look.told(say(look.lang, word), text);
        let count = |n: Option<u64>| n.map_or_else(|| "?".to_owned(), units::count);
        let mut lines = vec![Line::from(vec![
            Piece::styled(shorten(&tensor.raw, usize::MAX), look.theme.name()),
            Piece::styled(format!("   tensors[{}]", tensor.index), look.theme.faint()),
        ])];
        lines.push(told(
            words::SHAPE,
            format!("{}   {}  {}", tensor.shape, say(look.lang, words::ELEMENTS), count(tensor.elements)),
        ));
        let bits =
            tensor.bits.map(|bits| format!("   {}  {}{bits:.4}", say(look.lang, words::BITS), tensor.bound));
        lines.push(told(words::TYPE, format!("{}{}", tensor.ty, bits.unwrap_or_default())));
        if let Some(data) = tensor.data {
            lines.push(told(words::DATA, text::span(data)));
            let size = files.get(tensor.file).map_or(0, |file| file.size);
            if let missing @ 1.. = data.end().saturating_sub(size.max(data.start)) {
                let missing = words::filled(look.lang, words::SHORT, &[&units::count(missing)]);
                lines.push(Line::styled(missing, look.theme.severity(ggufkit::check::Severity::Error)));
            }
        }
        if let (2.., Some(file)) = (files.len(), files.get(tensor.file)) {
            lines.push(told(words::IN_FILE, file.label.clone()));
        }
        lines.push(told(words::ORDER, say(look.lang, self.order()).to_owned()));
        lines
    }

    /// Where the selected tensor's data is; its record where it has none.
    pub(crate) fn span(&self) -> Option<(usize, Span)> {
        let tensor = self.selected()?;
        Some((tensor.file, tensor.data.unwrap_or(tensor.record)))
    }

    pub(crate) fn copied(&self) -> Option<Copied> {
        let tensor = self.selected()?;
        Some(Copied { value: Some(tensor.raw.clone()), place: format!("tensors[{}]", tensor.index) })
    }
}

impl Tensor {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

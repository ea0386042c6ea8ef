//! The comma-separated values of `gguf stats` (RFC 4180, lines end as everywhere here).

use std::io::{self, Write as _};

use ggufkit::format::ByteStr;

use super::Answer;
use super::line::Real;
use crate::out::Out;

/// Prints a record for each tensor or group; the names of the fields before the first one of all files.
pub(super) fn print(
    out: &mut Out,
    file: ByteStr<'_>,
    answer: &Answer,
    grouped: bool,
    top: Option<usize>,
    first: bool,
) -> io::Result<()> {
    if first {
        let what = if grouped { "group,tensors" } else { "tensor,type" };
        writeln!(
            out,
            "file,{what},elements,min,max,mean,std,rms,skewness,kurtosis,zeros,nan,infinite,outliers,outliers_from,\
             p1,p25,p50,p75,p99,scale_min,scale_max"
        )?;
    }
    for line in answer.lines.iter().take(top.unwrap_or(usize::MAX)) {
        let n = line.numbers();
        let kind = line.ty.map_or_else(|| line.tensors.to_string(), |ty| ty.to_string());
        write!(out, "{},{},{kind},{}", text(file.0), text(&line.name), n.elements)?;
        for value in [n.min, n.max, n.mean, n.std, n.rms, n.skewness, n.kurtosis] {
            write!(out, ",{}", real(value))?;
        }
        let outliers = n.outliers.map(|count| count.to_string()).unwrap_or_default();
        write!(out, ",{},{},{},{outliers},{}", n.zeros, n.nan, n.infinite, real(n.outliers_from))?;
        for value in n.quantiles {
            write!(out, ",{}", real(value))?;
        }
        let scale = n.scales.as_ref().map_or([Real(None); 2], |scales| [scales.min, scales.max]);
        writeln!(out, ",{},{}", real(scale[0]), real(scale[1]))?;
    }
    Ok(())
}

fn real(value: Real) -> String {
    value.0.map(|value| value.to_string()).unwrap_or_default()
}

/// A field: in quotes where it needs them. What could act on a terminal, or is no text, is escaped.
fn text(bytes: &[u8]) -> String {
    let text = ByteStr(bytes).display().to_string();
    // A name that begins like a formula would be one in a spreadsheet.
    let formula = text.starts_with(['=', '+', '-', '@']);
    let text = if formula { format!("'{text}") } else { text };
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_field_each() {
        assert_eq!(text(b"blk.0.attn_q.weight"), "blk.0.attn_q.weight");
        assert_eq!(text(b"a,b"), "\"a,b\"");
        assert_eq!(text(b"say \"hi\""), "\"say \"\"hi\"\"\"");
        assert_eq!(text(b"=1+1"), "'=1+1");
        assert!(!text(b"two\nlines \x1b[31m").contains(['\n', '\x1b']));
    }
}

//! One element's value, worked out in the open: which bits are read, what they make, what is computed from them.

use ggufkit_format::spec::{PartUnit, TensorType, TensorTypeInfo};
use serde::Serialize;

use super::codebook::{UNEVEN, codebook, e2m1, e8m0, half, is_negative, row, ue4m3};
use super::{Cell, Sym, cells, group_of, number};

/// One number that goes into a value.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Term {
    /// What the formula calls it: `q[21]`, `scale[2]`, `d`.
    pub name: String,
    /// Where its bits are, the lowest first: `(byte, highest bit, lowest bit)`.
    pub bits: Vec<(u32, u8, u8)>,
    /// The bits as a number; 0 when there are none (what is looked up or derived).
    pub raw: u64,
    /// What it amounts to, as written in the expression: `11`, `0.5`, `-1`.
    pub value: String,
    /// How the value follows from what was read before, where that is not plain.
    pub how: Option<String>,
}

/// A worked element.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Worked {
    /// The element, counted from the start of the block.
    pub element: u32,
    /// What is read, in order.
    pub terms: Vec<Term>,
    /// The formula with the numbers in place of the names.
    pub expression: String,
    /// The weight; `None` where a table is needed that is not kept here.
    pub value: Option<f32>,
}

/// Works out element `e` of a block, which is given in little-endian order; `None` for types without a block and for
/// elements that the block does not have.
#[must_use]
pub fn work(info: &TensorTypeInfo, block: &[u8], e: u32) -> Option<Worked> {
    if e >= info.block_elems {
        return None;
    }
    let cells = cells(info);
    let mut desk = Desk { info, block, e, cells: &cells, terms: Vec::new() };
    let (expression, value) = desk.formula()?;
    Some(Worked { element: e, terms: desk.terms, expression, value })
}

struct Desk<'a> {
    info: &'a TensorTypeInfo,
    block: &'a [u8],
    e: u32,
    cells: &'a [Cell],
    terms: Vec<Term>,
}

impl Desk<'_> {
    /// Reads a thing's bits and notes them down, with what `value` makes of them.
    fn take(&mut self, sym: Sym, index: u32, value: impl FnOnce(u64) -> String) -> Option<u64> {
        let (raw, _) = number(self.cells, self.block, sym, index)?;
        let mut own: Vec<&Cell> = self.cells.iter().filter(|c| c.sym == sym && c.index == index).collect();
        own.sort_by_key(|c| c.shift);
        let name = match sym {
            Sym::Number(name) => name.to_owned(),
            _ => format!("{}[{index}]", sym.name()),
        };
        let bits = own.iter().map(|c| (c.byte, c.high(), c.low)).collect();
        self.terms.push(Term { name, bits, raw, value: value(raw), how: None });
        Some(raw)
    }

    /// Reads what the element's group of this kind holds.
    fn group(&mut self, sym: Sym, value: impl FnOnce(u64) -> String) -> Option<u64> {
        let index = group_of(self.info, self.cells, sym, self.e)?;
        self.take(sym, index, value)
    }

    /// Notes down something that has no bits of its own.
    fn derive(&mut self, name: String, value: String, how: String) {
        self.terms.push(Term { name, bits: Vec::new(), raw: 0, value, how: Some(how) });
    }

    fn half(&mut self, name: &'static str) -> Option<f32> {
        self.take(Sym::Number(name), 0, |raw| half(raw).to_string()).map(half)
    }

    fn scale(&mut self) -> Option<f32> {
        self.group(Sym::Scale, |raw| raw.to_string()).map(|raw| raw as f32)
    }

    fn quant(&mut self) -> Option<f32> {
        self.group(Sym::Quant, |raw| raw.to_string()).map(|raw| raw as f32)
    }

    fn byte_quant(&mut self) -> Option<f32> {
        let signed = |raw: u64| raw as u8 as i8;
        self.group(Sym::Quant, |raw| signed(raw).to_string()).map(|raw| signed(raw).into())
    }

    fn formula(&mut self) -> Option<(String, Option<f32>)> {
        Some(match self.info.ty {
            TensorType::Q4_0 => {
                let (d, q) = (self.half("d")?, self.quant()?);
                done(format!("{d} * ({q} - 8)"), d * (q - 8.0))
            }
            TensorType::Q5_0 => {
                let (d, q) = (self.half("d")?, self.quant()?);
                done(format!("{d} * ({q} - 16)"), d * (q - 16.0))
            }
            TensorType::Q4_1 | TensorType::Q5_1 => {
                let (d, m, q) = (self.half("d")?, self.half("m")?, self.quant()?);
                done(format!("{d} * {q} + {}", signed(m)), d * q + m)
            }
            TensorType::Q8_0 | TensorType::Q8_1 => {
                let (d, q) = (self.half("d")?, self.byte_quant()?);
                done(format!("{d} * {}", signed(q)), d * q)
            }
            TensorType::Q8_K => {
                let single = |raw: u64| f32::from_bits(raw as u32);
                let d = single(self.take(Sym::Number("d"), 0, |raw| single(raw).to_string())?);
                let q = self.byte_quant()?;
                done(format!("{d} * {}", signed(q)), d * q)
            }
            TensorType::Q1_0 => {
                let (d, q) = (self.half("d")?, self.quant()?);
                let w = if q == 0.0 { -d } else { d };
                done(format!("{q} ? {d} : -{d}"), w)
            }
            TensorType::Q2_0 | TensorType::TQ2_0 => {
                let (d, q) = (self.half("d")?, self.quant()?);
                done(format!("{d} * ({q} - 1)"), d * (q - 1.0))
            }
            TensorType::TQ1_0 => {
                let (d, q) = (self.half("d")?, self.digit()?);
                done(format!("{d} * ({q} - 1)"), d * (q - 1.0))
            }
            TensorType::Q2_K | TensorType::Q4_K | TensorType::Q5_K => {
                let (d, dmin) = (self.half("d")?, self.half("dmin")?);
                let scale = self.scale()?;
                let min = self.group(Sym::Min, |raw| raw.to_string())? as f32;
                let q = self.quant()?;
                done(format!("{d} * {scale} * {q} - {dmin} * {min}"), d * scale * q - dmin * min)
            }
            TensorType::Q3_K => {
                let (d, scale, q) = (self.half("d")?, self.scale()?, self.quant()?);
                done(format!("{d} * ({scale} - 32) * ({q} - 4)"), d * (scale - 32.0) * (q - 4.0))
            }
            TensorType::Q6_K => {
                let d = self.half("d")?;
                let eight = |raw: u64| raw as u8 as i8;
                let scale = f32::from(eight(self.group(Sym::Scale, |raw| eight(raw).to_string())?));
                let q = self.quant()?;
                done(format!("{d} * {} * ({q} - 32)", signed(scale)), d * scale * (q - 32.0))
            }
            TensorType::IQ4_NL => {
                let d = self.half("d")?;
                let (q, v) = self.uneven()?;
                done(format!("{d} * values[{q}] = {d} * {}", signed(v)), d * v)
            }
            TensorType::IQ4_XS => {
                let (d, scale) = (self.half("d")?, self.scale()?);
                let (q, v) = self.uneven()?;
                let w = d * (scale - 32.0) * v;
                done(
                    format!(
                        "{d} * ({scale} - 32) * values[{q}] = {d} * {} * {}",
                        signed(scale - 32.0),
                        signed(v)
                    ),
                    w,
                )
            }
            TensorType::MXFP4 => {
                let e = self.take(Sym::Number("e"), 0, |raw| raw.to_string())?;
                let (q, v) = self.four_bit_float()?;
                let d = e8m0(e);
                done(format!("2^({e} - 127) * e2m1({q}) = {d} * {}", signed(v)), d * v)
            }
            TensorType::NVFP4 => {
                let d = ue4m3(self.group(Sym::Scale, |raw| ue4m3(raw).to_string())?);
                let (q, v) = self.four_bit_float()?;
                done(format!("{d} * e2m1({q}) = {d} * {}", signed(v)), d * v)
            }
            TensorType::IQ2_XXS | TensorType::IQ2_XS | TensorType::IQ2_S => {
                let (d, scale) = (self.half("d")?, self.scale()?);
                self.patterned(&format!("{d} * (0.5 + {scale}) / 4"), d * (0.5 + scale) * 0.25)?
            }
            TensorType::IQ3_XXS => {
                let (d, scale) = (self.half("d")?, self.scale()?);
                self.patterned(&format!("{d} * (0.5 + {scale}) / 2"), d * (0.5 + scale) * 0.5)?
            }
            TensorType::IQ3_S => {
                let (d, scale) = (self.half("d")?, self.scale()?);
                self.patterned(&format!("{d} * (1 + 2 * {scale})"), d * (1.0 + 2.0 * scale))?
            }
            TensorType::IQ1_S | TensorType::IQ1_M => self.ternary_pattern()?,
            _ => self.plain()?,
        })
    }

    /// A digit of a byte in base 3 (TQ1_0).
    fn digit(&mut self) -> Option<f32> {
        let e = self.e;
        let (byte, n) = match e {
            0..160 => (e % 32, e / 32),
            160..240 => (32 + (e - 160) % 16, (e - 160) / 16),
            _ => (48 + (e - 240) % 4, (e - 240) / 4),
        };
        let raw = self.take(Sym::Digits, byte, |raw| raw.to_string())?;
        let power = 3_u64.pow(n);
        let digit = ((raw * power % 256) * 3) >> 8;
        self.derive(format!("q[{e}]"), digit.to_string(), format!("(({raw} * {power} mod 256) * 3) >> 8"));
        Some(digit as f32)
    }

    fn uneven(&mut self) -> Option<(u64, f32)> {
        let q = self.group(Sym::Quant, |raw| raw.to_string())?;
        Some((q, UNEVEN[(q & 15) as usize].into()))
    }

    fn four_bit_float(&mut self) -> Option<(u64, f32)> {
        let q = self.group(Sym::Quant, |raw| raw.to_string())?;
        Some((q, e2m1(q)))
    }

    /// The index of the element's group and its row of the codebook, where that is known.
    fn index(&mut self) -> Option<(String, Option<f32>)> {
        let (span, table) = codebook(self.info.ty)?;
        let index = self.group(Sym::Index, |raw| raw.to_string())?;
        let within = self.e % span;
        let name = format!("grid[{index}][{within}]");
        let row = row(self.info.ty, index);
        let value = row.and_then(|row| row.get(within as usize)).map(|v| f32::from(*v));
        let shown = value.map_or_else(|| "?".to_owned(), |v| v.to_string());
        let how = match row {
            Some(row) => format!("{table}[{index}] = {row:?}"),
            None => format!("{table}[{index}]"),
        };
        self.derive(name.clone(), shown, how);
        Some((name, value))
    }

    fn patterned(&mut self, left: &str, factor: f32) -> Option<(String, Option<f32>)> {
        let (name, value) = self.index()?;
        let negative = match self.group(Sym::Sign, |raw| raw.to_string()) {
            Some(bit) => bit == 1,
            None => {
                let e = self.e;
                let pattern = self.group(Sym::Pattern, |raw| format!("{raw:07b}"))?;
                let negative = is_negative(pattern, e);
                let (bit, parity) = (e % 8, pattern.count_ones() % 2);
                let how = match bit {
                    7 => format!("bit 7 = parity of {pattern:07b} = {parity}"),
                    _ => format!("bit {bit} of {pattern:07b}"),
                };
                self.derive(format!("neg[{e}]"), u8::from(negative).to_string(), how);
                negative
            }
        };
        let sign = if negative { -1.0 } else { 1.0 };
        let Some(value) = value else { return Some((format!("{left} * {name} * {sign}"), None)) };
        Some(done(format!("{left} * {value} * {}", signed(sign)), factor * value * sign))
    }

    fn ternary_pattern(&mut self) -> Option<(String, Option<f32>)> {
        let (d, scale) = (self.half("d")?, self.scale()?);
        let (name, value) = self.index()?;
        let bit = self.group(Sym::Delta, |raw| if raw == 1 { "-0.125" } else { "0.125" }.to_owned())?;
        let delta = if bit == 1 { -0.125 } else { 0.125 };
        let left = format!("{d} * (2 * {scale} + 1)");
        let Some(value) = value else {
            return Some((format!("{left} * ({name} + {})", signed(delta)), None));
        };
        let w = d * (2.0 * scale + 1.0) * (value + delta);
        Some(done(format!("{left} * ({value} + {})", signed(delta)), w))
    }

    /// Types without blocks.
    fn plain(&mut self) -> Option<(String, Option<f32>)> {
        let part = self.info.parts.first()?;
        let (bias, bits) = match part.unit {
            PartUnit::F16 => (15, 10),
            PartUnit::Bf16 => (127, 7),
            PartUnit::F32 => (127, 23),
            PartUnit::F64 => (1023, 52),
            _ => {
                let width = 64 - 8 * part.bytes;
                let value = |raw: u64| ((raw << width) as i64) >> width;
                let v = value(self.take(Sym::Number("value"), 0, |raw| value(raw).to_string())?);
                return Some((v.to_string(), Some(v as f32)));
            }
        };
        let sign = self.take(Sym::Number("sign"), 0, |raw| raw.to_string())?;
        let exponent = self.take(Sym::Number("exponent"), 0, |raw| raw.to_string())?;
        let mantissa = self.take(Sym::Number("mantissa"), 0, |raw| raw.to_string())?;
        let (sign_of, scale) = (if sign == 1 { -1.0 } else { 1.0 }, (1_u64 << bits) as f64);
        let negative = format!("(-1)^{sign}");
        // All zeros and all ones have meanings of their own: zero and what is next to it, and what is no finite number.
        let (text, value) = if exponent == 0 {
            let value = mantissa as f64 / scale * (2_f64).powi(1 - bias as i32);
            (format!("{negative} * 2^(1 - {bias}) * ({mantissa} / 2^{bits})"), value)
        } else if exponent < 2 * bias + 1 {
            let value = (1.0 + mantissa as f64 / scale) * (2_f64).powi(exponent as i32 - bias as i32);
            (format!("{negative} * 2^({exponent} - {bias}) * (1 + {mantissa} / 2^{bits})"), value)
        } else if mantissa == 0 {
            (format!("{negative} * inf"), f64::INFINITY)
        } else {
            (format!("NaN({mantissa})"), f64::NAN)
        };
        Some(done(text, (value * sign_of) as f32))
    }
}

fn done(expression: String, value: f32) -> (String, Option<f32>) {
    (format!("{expression} = {value}"), Some(value))
}

/// A number as a factor or summand: negative ones in parentheses.
fn signed(value: f32) -> String {
    if value.is_sign_negative() { format!("({value})") } else { value.to_string() }
}

//! Codecs of shared libraries: ggml's, under its own names or those of PyPI's libgguf.

use std::ffi::c_void;
use std::path::Path;

use ggufkit_format::spec::TensorType;
use libloading::Library;

type ToFloat = unsafe extern "C" fn(*const c_void, *mut f32, i64);
type FromFloat = unsafe extern "C" fn(*const f32, *mut c_void, i64);
type Quantize = unsafe extern "C" fn(*const f32, *mut c_void, i64, i64, *const f32) -> usize;

/// Loads a library whose names the next ones may use.
pub fn symbols(path: &str) -> Result<(), String> {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    // SAFETY: libpython, whose initialisers do nothing before Python is started, which it is not.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) };
    std::mem::forget(library.map_err(|error| error.to_string())?);
    Ok(())
}

pub struct Foreign {
    pub name: String,
    library: Library,
}

impl Foreign {
    /// `NAME=PATH`.
    pub fn open(argument: &str) -> Result<Self, String> {
        let (name, path) = argument.split_once('=').ok_or("a library is given as NAME=PATH")?;
        // SAFETY: a library that the caller of the benchmark chose; its initialisers are ggml's, which do nothing.
        let library = unsafe { Library::new(Path::new(path)) }.map_err(|error| error.to_string())?;
        let foreign = Self { name: name.to_owned(), library };
        // What makes the tables of codebooks, by the numbers of their types, or by their sizes.
        let makers: [(&[u8], &[i32]); 3] = [
            (b"ggml_quantize_init", &[16, 17, 18, 19, 21, 22, 29]),
            (b"iq2xs_init_impl", &[16, 17, 19, 22, 29]),
            (b"iq3xs_init_impl", &[256, 512]),
        ];
        for (maker, numbers) in makers {
            // SAFETY: `void f(int)`, which makes nothing again that is there.
            unsafe {
                if let Ok(make) = foreign.library.get::<unsafe extern "C" fn(i32)>(maker) {
                    numbers.iter().for_each(|number| make(*number));
                }
            }
        }
        Ok(foreign)
    }

    fn symbol<T: Copy>(&self, names: &[String]) -> Option<T> {
        // SAFETY: the callers ask for names with the signature that ggml gives them.
        names.iter().find_map(|name| unsafe { self.library.get::<T>(name.as_bytes()).ok().map(|symbol| *symbol) })
    }

    pub fn decoder(&self, ty: TensorType) -> Option<impl Fn(&[u8], &mut [f32]) + use<>> {
        let name = name(ty)?;
        let function: ToFloat = self.symbol(&match ty {
            TensorType::F16 => vec!["ggml_fp16_to_fp32_row".into()],
            TensorType::BF16 => vec!["ggml_bf16_to_fp32_row".into()],
            _ => vec![format!("dequantize_row_{name}"), format!("dequantize_{}", name.to_lowercase())],
        })?;
        // SAFETY: the bytes are blocks, of as many values as there is place for.
        Some(move |bytes: &[u8], out: &mut [f32]| unsafe {
            function(bytes.as_ptr().cast(), out.as_mut_ptr(), out.len() as i64);
        })
    }

    pub fn encoder(&self, ty: TensorType) -> Option<impl Fn(&[f32], usize, Option<&[f32]>, &mut [u8]) + use<>> {
        let name = name(ty)?;
        let plain: Option<FromFloat> = self.symbol(&match ty {
            TensorType::F16 => vec!["ggml_fp32_to_fp16_row".into()],
            TensorType::BF16 => vec!["ggml_fp32_to_bf16_row_ref".into()],
            _ => Vec::new(),
        });
        let rows: Option<Quantize> =
            self.symbol(&[format!("quantize_{name}"), format!("quantize_{}", name.to_lowercase())]);
        if plain.is_none() && rows.is_none() {
            return None;
        }
        Some(move |values: &[f32], row: usize, importance: Option<&[f32]>, out: &mut [u8]| {
            let weights = importance.map_or(std::ptr::null(), <[f32]>::as_ptr);
            // SAFETY: whole rows of `row` values, a weight for each column, place for all blocks.
            unsafe {
                match (plain, rows) {
                    (Some(plain), _) => plain(values.as_ptr(), out.as_mut_ptr().cast(), values.len() as i64),
                    (_, Some(rows)) => {
                        let count = (values.len() / row) as i64;
                        rows(values.as_ptr(), out.as_mut_ptr().cast(), count, row as i64, weights);
                    }
                    (None, None) => {}
                }
            }
        })
    }
}

/// As the names of functions have it: small letters, but for the K.
fn name(ty: TensorType) -> Option<String> {
    Some(ty.info()?.name.to_lowercase().replace("_k", "_K"))
}

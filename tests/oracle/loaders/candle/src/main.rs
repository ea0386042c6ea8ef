//! Reads files with candle and prints, for each, its path, `ok` or `fail`, and why.

use std::fs::File;
use std::io::BufReader;
use std::panic;

use candle_core::quantized::gguf_file::Content;

fn read(path: &str) -> Result<(), String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    Content::read(&mut BufReader::new(file)).map(drop).map_err(|error| error.to_string())
}

fn main() {
    panic::set_hook(Box::new(|_| ()));
    for path in std::env::args().skip(1) {
        let result = panic::catch_unwind(|| read(&path)).unwrap_or_else(|_| Err("it panics".to_owned()));
        match result {
            Ok(()) => println!("{path}\tok\t"),
            Err(why) => println!("{path}\tfail\t{}", why.lines().next().unwrap_or_default()),
        }
    }
}

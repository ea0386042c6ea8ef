//! Writes the control documents as inputs to start fuzzing from: `seeds FOLDER` fills `FOLDER/parse`,
//! `FOLDER/fields` and `FOLDER/chunks`.

#![allow(clippy::print_stdout, clippy::expect_used, reason = "a tool of the developers")]

use std::{env, fs, path::PathBuf};

use ggufkit_testkit::controls;

fn main() {
    let folder = PathBuf::from(env::args().nth(1).expect("usage: seeds FOLDER"));
    let mut written = 0;
    for target in ["parse", "fields", "chunks"] {
        fs::create_dir_all(folder.join(target)).expect("the folder can be made");
        for (i, (name, document)) in controls::all().into_iter().enumerate() {
            let mut bytes = document.build().gguf().to_vec();
            if target == "chunks" {
                // The first eight bytes choose the cuts, the dialect and the limits.
                let at = u8::try_from(i).expect("fewer than 256");
                bytes.splice(0..0, [at, at, at, at, 0, 0, 0, 0]);
            }
            let name = name.replace([' ', ','], "-");
            fs::write(folder.join(target).join(format!("control-{name}")), bytes)
                .expect("the file can be written");
            written += 1;
        }
    }
    println!("{written} files in {}", folder.display());
}

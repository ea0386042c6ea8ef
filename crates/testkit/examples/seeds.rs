//! Writes the control documents as inputs to start fuzzing from: `seeds FOLDER` fills `FOLDER/parse`,
//! `FOLDER/fields` and `FOLDER/chunks`.

#![allow(clippy::print_stdout, clippy::expect_used, reason = "a tool of the developers")]

use std::{env, fs, path::PathBuf};

use ggufkit_testkit::random::Rng;
use ggufkit_testkit::{Builder, controls};

fn main() {
    let folder = PathBuf::from(env::args().nth(1).expect("usage: seeds FOLDER"));
    let mut written = 0;
    for target in ["parse", "fields", "chunks"] {
        fs::create_dir_all(folder.join(target)).expect("the folder can be made");
        for (i, (name, document)) in
            controls::all().into_iter().chain([("long".to_owned(), long())]).enumerate()
        {
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

/// An array long enough to be walked along several chains (about 60 KB).
fn long() -> Builder {
    let mut rng = Rng::new(1);
    let tokens: Vec<String> = (0..4000).map(|_| "é".repeat(rng.index(7))).collect();
    Builder::new().kv("tokens", tokens).kv("after", 1_u8)
}

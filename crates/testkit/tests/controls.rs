//! The control documents through the functions that every input has to pass.

use ggufkit_testkit::{controls, fuzzing};

#[test]
fn every_control_obeys() {
    for (name, document) in controls::all() {
        println!("{name}");
        let file = document.build();
        fuzzing::parse(file.gguf());
        fuzzing::fields(file.gguf());
        for seed in 0_u64..6 * 9 {
            fuzzing::chunks(&[&seed.to_le_bytes()[..], file.gguf()].concat());
        }
    }
}

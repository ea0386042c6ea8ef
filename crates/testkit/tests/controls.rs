//! The control documents through the functions that every input has to pass.

use ggufkit_testkit::{controls, fuzzing};

#[test]
fn every_control_obeys() {
    for (name, document) in controls::all() {
        println!("{name}");
        let file = document.build();
        fuzzing::parse(file.gguf());
        fuzzing::fields(file.gguf());
        for choice in 0_u8..144 {
            let head = [choice % 6, choice % 9, choice % 8, choice, 0, 0, 0, 0];
            fuzzing::chunks(&[&head[..], file.gguf()].concat());
        }
    }
}

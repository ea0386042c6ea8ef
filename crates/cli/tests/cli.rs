//! The command's whole output, held by transcripts. `TRYCMD=overwrite` accepts a change; read the diff.

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}

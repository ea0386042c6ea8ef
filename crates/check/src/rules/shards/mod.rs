//! Files of a split model.

use std::path::Path;

use ggufkit_format::{Element, HeaderPart, Kv, KvPart, Span, View, shorten};

use crate::facts::{self, Facts};
use crate::finding::Label;
use crate::place;
use crate::rule::family;

family![
    shard_missing,
    shard_not_a_shard,
    split_key_bad,
    split_no_wrong,
    split_count_wrong,
    split_tensors_count_wrong,
    split_tensor_total,
    shard_duplicate_tensor,
    shard_alignment_differs,
    shard_architecture_differs,
    shard_byte_order_differs,
    split_metadata_placement,
    split_keys_incomplete,
    split_merged_leftover,
];

const NO: &str = "split.no";
const COUNT: &str = "split.count";
const TENSORS: &str = "split.tensors.count";

/// The keys that every shard has.
const KEYS: [&str; 3] = [NO, COUNT, TENSORS];

/// The number in the subject of the file at a path; the first one's where none has it.
fn file_at(facts: &Facts<'_>, path: &Path) -> usize {
    let name = path.file_name().and_then(|name| name.to_str());
    let whole = path.as_os_str().as_encoded_bytes();
    let files = facts.files();
    let by_path = files.iter().position(|file| file.label.0 == whole);
    let by_name = || files.iter().position(|file| name.is_some() && file.file_name == name);
    by_path.or_else(by_name).unwrap_or(0)
}

/// The first key-value with this key in a file.
fn kv<'a>(view: &View<'a>, key: &str) -> Option<(usize, &'a Kv)> {
    let mut kvs = view.kvs().enumerate();
    kvs.find(|(_, (found, _))| found.0 == key.as_bytes()).map(|(at, (_, kv))| (at, kv))
}

/// A label at the value of a key; where the file has no such key, at the number of its key-values.
fn key_label(facts: &Facts<'_>, file: usize, key: &str) -> Label {
    let Some(view) = facts.files().get(file).and_then(|file| file.view) else {
        let path = "header.magic".to_owned();
        return Label { file, span: Span::new(0, 0), path, name: None, text: String::new() };
    };
    match kv(&view, key) {
        Some((at, kv)) => facts::kv_label(file, &view, at, kv, KvPart::Value(Element::Whole)),
        None => place::header_label(file, view.index().header(), HeaderPart::KvCount),
    }
}

/// A path's last part, harmless for a terminal.
fn shown(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    shorten(name.as_encoded_bytes(), 120)
}

#[cfg(test)]
mod recipes {
    use ggufkit_testkit::{Builder, Tensor};

    /// The names of a set of two.
    pub(super) const NAMES: [&str; 2] = ["m-00001-of-00002.gguf", "m-00002-of-00002.gguf"];

    /// A file with the keys of a shard.
    pub(super) fn keys(no: u16, count: u16, tensors: i32) -> Builder {
        let file = Builder::new();
        let file = if no == 0 { file.kv("general.architecture", "llama") } else { file };
        file.kv("split.no", no).kv("split.count", count).kv("split.tensors.count", tensors)
    }

    /// The same with one tensor.
    pub(super) fn shard(no: u16, count: u16, tensors: i32) -> Builder {
        keys(no, count, tensors).tensor(Tensor::f32(format!("blk.{no}.weight"), &[8]))
    }

    /// A set of two.
    pub(super) fn pair(first: &Builder, second: &Builder) -> crate::testing::Recipe {
        crate::testing::Recipe::named([(NAMES[0], first.bytes()), (NAMES[1], second.bytes())])
    }

    /// A set of two in which everything is as it should be.
    pub(super) fn sound() -> crate::testing::Recipe {
        pair(&shard(0, 2, 2), &shard(1, 2, 2))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

    use ggufkit_io::ShardProblem;

    use super::recipes;
    use crate::testing::Recipe;
    use crate::{Family, Options};

    #[test]
    fn a_sound_set_has_no_finding_and_a_shard_alone_says_what_is_missing() {
        let shards = |report: &crate::Report| {
            report.findings.iter().filter(|f| f.rule.family == Family::Shards).count()
        };
        // That the weights were not read is said of every file.
        let omitted = |report: &crate::Report| -> Vec<String> {
            let what = report.omissions.iter().map(|omission| omission.what.clone());
            what.filter(|what| !what.contains("weights")).collect()
        };
        recipes::sound().judge(&Options::default(), |report, _| {
            assert_eq!((shards(report), omitted(report)), (0, Vec::new()));
        });
        Recipe::from(recipes::shard(0, 3, 2)).judge(&Options::default(), |report, _| {
            assert_eq!(
                (shards(report), omitted(report)),
                (0, vec!["the other 2 shards of the model".to_owned()])
            );
        });
    }

    #[test]
    fn every_problem_of_a_set_is_a_finding_of_exactly_one_rule() {
        let path = || recipes::NAMES[1].into();
        let first = || recipes::NAMES[0].into();
        let problems = [
            ShardProblem::Missing { no: 2, count: 2, path: path() },
            ShardProblem::NotAShard { path: path() },
            ShardProblem::BadKey { path: path(), key: "split.no" },
            ShardProblem::Position { path: path(), found: 0, expected: 1 },
            ShardProblem::Count { path: path(), found: 4, expected: 2 },
            ShardProblem::TensorCounts { path: path(), found: 9, first: first(), expected: 2 },
            ShardProblem::TensorTotal { path: path(), declared: 2, found: 3 },
            ShardProblem::DuplicateTensor { name: b"a".to_vec(), first: first(), path: path() },
            ShardProblem::Alignment { path: path(), found: 64, first: first(), expected: 32 },
            ShardProblem::Architecture {
                path: path(),
                found: b"gemma".to_vec(),
                first: first(),
                expected: b"llama".to_vec(),
            },
            ShardProblem::ByteOrder { path: path(), first: first() },
        ];
        for problem in problems {
            let said = recipes::sound().problem(problem.clone()).judge(&Options::default(), |report, _| {
                report.findings.iter().filter(|f| f.rule.family == Family::Shards).count()
            });
            assert_eq!(said, 1, "{problem}");
        }
        for problem in
            [ShardProblem::MoreMissing { more: 3, count: 40 }, ShardProblem::MoreDuplicates { more: 3 }]
        {
            recipes::sound().problem(problem.clone()).judge(&Options::default(), |report, _| {
                assert_eq!(report.left_out.iter().map(|count| count.more).sum::<u64>(), 3, "{problem}");
            });
        }
    }
}

use ggufkit_format::{Endian, HeaderPart};
use ggufkit_io::ShardProblem;

use crate::facts::Facts;
use crate::finding::{Finding, Label};
use crate::place;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Files of one set have different byte orders.
    ///
    /// llama.cpp reads files of the host's own byte order only, so there is no host on which this set loads. A reader that
    /// swaps file by file could use it; a merge that copies data as it is mixes numbers of both orders in one file, which
    /// nothing can tell apart afterwards. Somebody converted some of the files and not the others.
    ///
    /// Turn the rest with `gguf endian ORDER FILE --alone`, or fetch the whole set again in one byte order.
    GG711 "shard-byte-order-differs" Shards Error: "the files of the set have different byte orders"
        "分片集各文件的字节序不同"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for problem in facts.subject().problems {
        let ShardProblem::ByteOrder { path, first } = problem else { continue };
        sink.add(&RULE, || {
            let label = |path: &std::path::Path| -> Label {
                let at = super::file_at(facts, path);
                match facts.files().get(at).and_then(|file| file.view) {
                    Some(view) => {
                        let header = view.index().header();
                        let order = match header.endian {
                            Endian::Little => "little-endian",
                            Endian::Big => "big-endian",
                        };
                        place::header_label(at, header, HeaderPart::Version).text(order)
                    }
                    None => super::key_label(facts, at, super::NO),
                }
            };
            let message = format!("{} has another byte order than the first file", super::shown(path));
            Finding::new(&RULE, message, label(path))
                .because(label(first))
                .note("llama.cpp reads the host's byte order only: the set loads on no host")
                .help("turn the files that differ with `gguf endian ORDER FILE --alone`, or fetch the set in one byte order")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipes::pair(&super::recipes::shard(0, 2, 2), &super::recipes::shard(1, 2, 2).big_endian())
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipes::sound()
}

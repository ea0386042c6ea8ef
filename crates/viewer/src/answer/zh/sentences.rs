//! What is said of broken files and of what was not examined.

/// Sentences with holes. Where one begins with a hole, no other may fit it before.
pub(super) const PATTERNS: &[(&str, &str)] = &[
    // What ends the reading of a head.
    (
        "unexpected end of file reading {}: need {}, {} remain",
        "读取 {} 时文件意外结束：需要 {}，只剩 {} 字节",
    ),
    (
        "{} declares {} {}, which takes more than 2^64 bytes; {} remain",
        "{} 声明的{}为 {}，需要超过 2^64 字节；只剩 {} 字节",
    ),
    ("{} declares {} {}, which takes at least {}; {} remain", "{} 声明的{}为 {}，至少需要 {}；只剩 {} 字节"),
    (
        "not a GGUF file: magic is \"{}\" ({}), expected \"GGUF\"",
        "不是 GGUF 文件：魔数是 \"{}\"（{}），应为 \"GGUF\"",
    ),
    ("version 0 is not a GGUF version", "版本 0 不是 GGUF 的版本"),
    ("version {} is not supported (1, 2 and 3 are)", "不支持版本 {}（支持 1、2 和 3）"),
    ("unknown array element type {} in {}", "未知的数组元素类型 {}，位于 {}"),
    ("unknown value type {} in {}", "未知的值类型 {}，位于 {}"),
    (
        "the data section cannot be located: general.alignment is of type {}, not an integer",
        "无法定位数据区：general.alignment 的类型是 {}，不是整数",
    ),
    (
        "the data section cannot be located: general.alignment is {}",
        "无法定位数据区：general.alignment 为 {}",
    ),
    ("{} does not fit in 64 bits: {}", "{}超出 64 位：{}"),
    ("no NUL after the string in {}: found byte {}", "{} 的字符串之后没有 NUL，而是字节 {}"),
    ("implausible {} in {}", "{} 不合理，位于 {}"),
    ("{}: {} is {}, over the limit of {}", "{}：{}为 {}，超过上限 {}"),
    // What to do about it.
    (
        "the file may be a partial download: compare its size with the publisher's, and fetch it again",
        "文件可能没有下载完整：请与发布者给出的大小核对，并重新下载",
    ),
    (
        "versions 1, 2 and 3 are read; version {} needs a newer ggufkit",
        "能读取版本 1、2 和 3；版本 {} 需要更新的 ggufkit",
    ),
    ("the field holds 1, 2 or 3 in every GGUF file", "每个 GGUF 文件的这个字段都是 1、2 或 3"),
    (
        "ids 0 to 12 are defined; the length of another type is unknown, so nothing after it can be located",
        "已定义的编号是 0 到 12；其他类型的长度未知，因此无法定位其后的内容",
    ),
    (
        "general.alignment holds a positive u32, a power of two; 32 when absent",
        "general.alignment 应为正的 u32，且是 2 的幂；缺省为 32",
    ),
    ("raise the limit with --{}", "可用 --{} 提高上限"),
    (
        "the file follows a mis-written layout, {}: read it with --dialect {}; `gguf repair` writes it anew",
        "文件采用一种写错的布局，{}：用 --dialect {} 读取；`gguf repair` 可重新写出",
    ),
    // What is no GGUF at all.
    ("the file is empty (0 bytes)", "文件是空的（0 字节）"),
    ("the file is too short for a magic: {} of 4", "文件太短，放不下魔数：4 字节中只有 {}"),
    (
        "the file was never written or not downloaded: download it again",
        "文件从未写入，或者没有下载：请重新下载",
    ),
    // Why there are no values.
    ("the file has become shorter", "文件变短了"),
    ("the head was not read to its end, so the data cannot be located", "头部没有读到结尾，因此无法定位数据"),
    ("the tensor has no data", "张量没有数据"),
    ("there is no block {}: the tensor has {}, 0 to {}", "没有块 {}：张量有 {} 个块，从 0 到 {}"),
    ("tensor \"{}\": the position of its data is not known", "张量 \"{}\"：不知道其数据的位置"),
    (
        "tensor \"{}\": its {} bytes at {} are not all in the file: {} are",
        "张量 \"{}\"：它的 {} 字节（位于 {}）不全在文件中，只有 {} 字节",
    ),
    ("tensor \"{}\": no memory for {} bytes", "张量 \"{}\"：没有 {} 字节的内存"),
    (
        "tensor \"{}\": type {} is not known here, so its size is not either",
        "张量 \"{}\"：不了解类型 {}，因此也不知道其大小",
    ),
    (
        "tensor \"{}\": type {} was removed from the format and has no size",
        "张量 \"{}\"：类型 {} 已从格式中删除，没有大小",
    ),
    (
        "tensor \"{}\": row length {} is not a multiple of the block of {} elements",
        "张量 \"{}\"：行长 {} 不是块长（{} 个元素）的倍数",
    ),
    ("tensor \"{}\": size overflows 64 bits", "张量 \"{}\"：大小超出 64 位"),
    ("type {} is not known here, so its size is not either", "不了解类型 {}，因此也不知道其大小"),
    ("type {} was removed from the format and has no size", "类型 {} 已从格式中删除，没有大小"),
    ("row length {} is not a multiple of the block of {} elements", "行长 {} 不是块长（{} 个元素）的倍数"),
    ("size overflows 64 bits", "大小超出 64 位"),
    ("{}: the type {} has no values that are known here", "{}：不了解类型 {} 的数值"),
    ("{}: there is no rule for the bytes of {} in a big-endian file", "{}：没有大端序文件中 {} 的字节规则"),
    (
        "{} elements are not {}: only tensors of one shape are compared",
        "{} 个元素不是 {} 个：只能比较形状相同的张量",
    ),
    // Why a template makes no prompt.
    ("{} is not rendered: its brackets nest more than {} deep", "{} 没有渲染：括号嵌套超过 {} 层"),
    ("{} is not rendered: it was not done after {} seconds", "{} 没有渲染：{} 秒后仍未完成"),
    ("{} is not rendered: it is not UTF-8", "{} 没有渲染：不是 UTF-8"),
    (
        "{} is not rendered: the template engine ran out of memory or stack on it",
        "{} 没有渲染：模板引擎的内存或栈不够用",
    ),
    ("{} is not rendered: the template engine fails on it", "{} 没有渲染：模板引擎处理它时出错"),
    ("{} is not rendered: it has {} bytes, the limit is {}", "{} 没有渲染：它有 {} 字节，上限是 {}"),
    ("{} is not rendered: {}", "{} 没有渲染：{}"),
    (
        "{} cannot be rendered at line {}: its work is beyond the limit",
        "{} 无法渲染（第 {} 行）：工作量超过上限",
    ),
    ("{} cannot be rendered: its work is beyond the limit", "{} 无法渲染：工作量超过上限"),
    ("{} refuses the messages: {}", "{} 拒绝这些消息：{}"),
    ("{} cannot be rendered at line {}: {}", "{} 无法渲染（第 {} 行）：{}"),
    ("{} cannot be rendered: {}", "{} 无法渲染：{}"),
    ("{} does not parse at line {}: {}", "{} 无法解析（第 {} 行）：{}"),
    ("{} does not parse: {}", "{} 无法解析：{}"),
    // What else is noticed about a file.
    ("the file follows a mis-written layout, {}", "文件采用一种写错的布局，{}"),
    (
        "read it with --dialect {}; `gguf repair` writes it anew",
        "用 --dialect {} 读取；`gguf repair` 可重新写出",
    ),
    (
        "the file ends before its tensors do: they end at {} bytes, the file has {}; {} missing",
        "文件在张量结束之前就结束了：张量到 {} 字节为止，文件只有 {} 字节；缺少 {}",
    ),
    ("no file is so long: the tensor table is damaged", "不会有这么长的文件：张量表已损坏"),
    (
        "the download is not complete: compare the size with the publisher's, and resume it or fetch it again",
        "没有下载完整：请与发布者给出的大小核对，继续下载或重新下载",
    ),
    ("a second GGUF begins at offset {}, inside this file", "第二个 GGUF 从偏移 {} 开始，在这个文件内部"),
    (
        "shards are not joined with cat: `gguf repair FILE --separate -o FOLDER` cuts the file apart there",
        "分片不能用 cat 拼接：`gguf repair FILE --separate -o FOLDER` 可在该处把文件切开",
    ),
    ("{} follows the last tensor and belongs to nothing", "最后一个张量之后有 {}不属于任何内容"),
    ("{} follow the last tensor and belong to nothing", "最后一个张量之后有 {}不属于任何内容"),
    // What keeps files from being a set.
    ("shard {} of {} is missing: {}", "缺少第 {} 个分片（共 {} 个）：{}"),
    ("{} more of {} shards are missing", "另外还缺少 {} 个分片（共 {} 个）"),
    ("{} is no shard: it has no split.no and no split.count", "{} 不是分片：没有 split.no 和 split.count"),
    ("{}: {} is missing or is not an integer from 0 up", "{}：{} 缺失，或不是从 0 起的整数"),
    (
        "{}: split.no is {}, but the file's place is {} (split.no counts from 0)",
        "{}：split.no 为 {}，而文件的位置是 {}（split.no 从 0 数起）",
    ),
    ("{}: split.count is {}, but the set has {} members", "{}：split.count 为 {}，而分片集有 {} 个文件"),
    (
        "{}: split.tensors.count is {}, but the members hold {} tensors together",
        "{}：split.tensors.count 为 {}，而各文件共有 {} 个张量",
    ),
    (
        "{}: split.tensors.count is {}, but {} in {}",
        "{}：split.tensors.count 为 {}，而在另一个文件中为 {}：{}",
    ),
    ("tensor \"{}\" is in {} and again in {}", "张量 \"{}\" 既在 {} 中，又在 {} 中"),
    ("{} more tensors are in two members", "另有 {} 个张量同时在两个文件中"),
    (
        "{}: general.alignment is {}, but the alignment of {} is {}",
        "{}：general.alignment 为 {}，而 {} 的对齐值是 {}",
    ),
    (
        "{}: general.architecture is \"{}\", but \"{}\" in {}",
        "{}：general.architecture 为 \"{}\"，而在另一个文件中为 \"{}\"：{}",
    ),
    ("{} and {} have different byte orders", "{} 与 {} 的字节序不同"),
    // What was not examined, and why.
    ("what {} other rule would look at", "另外 {} 条规则检查的内容"),
    ("what {} other rules would look at", "另外 {} 条规则检查的内容"),
    ("they were not selected", "没有选用这些规则"),
    ("the whole file", "整个文件"),
    ("the header could not be read", "无法读取文件头"),
    ("what follows the last record that was read", "读到的最后一条记录之后的内容"),
    ("the head could not be read to its end", "头部无法完整读取"),
    ("whether the tensor data is all there", "张量数据是否完整"),
    ("the file's length is not known", "不知道文件的长度"),
    ("{} more oddities of the head", "头部的另外 {} 处异常"),
    ("there are too many", "数量太多"),
    ("the keys, tensors and shapes that an architecture asks for", "架构所要求的键、张量和形状"),
    ("the key \"{}\" is not general.architecture", "键 \"{}\" 不是 general.architecture"),
    ("general.architecture is absent", "缺少 general.architecture"),
    ("general.architecture is no text", "general.architecture 不是文本"),
    ("general.architecture is empty", "general.architecture 为空"),
    ("what \"{}\" needs is not known here", "不知道 \"{}\" 需要什么"),
    ("the other shard of the model", "模型的另一个分片"),
    ("the other {} shards of the model", "模型的另外 {} 个分片"),
    ("split.count asks for more files than were given", "split.count 要求的文件比给出的多"),
    ("the syntax of a chat template", "一个对话模板的语法"),
    ("the templates of the file are too many", "文件中的模板太多"),
    ("the parser came to no end with it", "解析器无法处理它"),
    ("its statements nest {} deep, the limit is {}", "语句嵌套 {} 层，上限是 {}"),
    ("its brackets nest more than {} deep", "括号嵌套超过 {} 层"),
    ("the values of the weights", "权重的数值"),
    ("they were not read", "没有读取"),
    ("the values of {} of {} tensors", "{} 个张量的数值（共 {} 个）"),
    ("their type or shape gives no size", "类型或形状给不出大小"),
    ("they do not lie within the file", "它们不在文件之内"),
    ("their bytes are another tensor's, too", "它们的字节同时属于另一个张量"),
    ("the input cannot be read twice", "输入无法读两次"),
    ("the padding before the data section", "数据区之前的填充"),
    ("{} stretch of padding between tensors", "张量之间的 {} 段填充"),
    ("{} stretches of padding between tensors", "张量之间的 {} 段填充"),
    ("the bytes could not be read again", "无法再次读取这些字节"),
    ("that would take too many reads", "那样需要读取太多次"),
];

/// Words that stand in holes.
const WORDS: &[(&str, &str)] = &[
    ("length", "长度"),
    ("count", "计数"),
    ("array length", "数组长度"),
    ("array nesting", "数组嵌套深度"),
    ("dimensions", "维数"),
    ("size of the head", "头部大小"),
    ("position", "位置"),
    ("bool", "布尔值"),
    ("end of the head", "头部的结尾"),
    ("key", "键"),
    ("padding", "填充"),
    ("more than 2^64 bytes", "超过 2^64 字节"),
];

/// What stands in a hole, where it is said by us: a word, or a number of bytes.
pub(super) fn word(text: &str) -> String {
    let known = WORDS.iter().find(|(from, _)| *from == text).map(|(_, to)| (*to).to_owned());
    let bytes = || {
        let (number, unit) = text.split_once(' ')?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (is_number && matches!(unit, "byte" | "bytes" | "byte is" | "bytes are"))
            .then(|| format!("{number} 字节"))
    };
    known.or_else(bytes).unwrap_or_else(|| text.to_owned())
}

/// A sentence without what is added to errors of the reading, and that in Chinese.
pub(super) fn tail(text: &str) -> (&str, String) {
    let (text, dialect) = match text.strip_suffix(']').and_then(|text| text.rsplit_once(" [read as dialect "))
    {
        Some((text, dialect)) => (text, format!("［按 {dialect} 布局读取］")),
        None => (text, String::new()),
    };
    let (text, declared) = match text.rsplit_once("; the header declares ") {
        Some((text, declared)) => {
            let said = declared.split_once(' ').map(|(count, what)| match what {
                "key-values" => format!("；文件头声明有 {count} 个键值对"),
                _ => format!("；文件头声明有 {count} 个张量"),
            });
            (text, said.unwrap_or_default())
        }
        None => (text, String::new()),
    };
    let (text, offset) = match text.strip_suffix(')').and_then(|text| text.rsplit_once(" (at offset ")) {
        Some((text, offset)) => (text, format!("（位于偏移 {offset}）")),
        None => (text, String::new()),
    };
    (text, format!("{offset}{declared}{dialect}"))
}

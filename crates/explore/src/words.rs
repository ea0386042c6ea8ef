//! What the explorer says of itself, in both languages.

use ggufkit::format::spec::{Lang, Text};
use ggufkit_viewer::answer::Said;

/// A text in one language.
pub(crate) const fn say(lang: Lang, text: Text) -> &'static str {
    text.get(lang)
}

/// A text with something in its holes, `{}`.
pub(crate) fn filled(lang: Lang, text: Text, holes: &[&str]) -> String {
    let mut out = String::new();
    for (at, piece) in text.get(lang).split("{}").enumerate() {
        out.push_str(at.checked_sub(1).and_then(|at| holes.get(at)).copied().unwrap_or_default());
        out.push_str(piece);
    }
    out
}

/// A sentence of the rooms below, which say it in English; in Chinese where somebody has translated it.
pub(crate) fn said(lang: Lang, text: &str) -> String {
    match lang {
        Lang::En => text.to_owned(),
        Lang::Zh => Said::of(text).zh,
    }
}

/// What is said while a model is being read, before there is an explorer.
#[must_use]
pub const fn reading(lang: Lang) -> &'static str {
    READING.get(lang)
}

macro_rules! words {
    ($($name:ident: $en:literal, $zh:literal;)*) => {
        $(pub(crate) const $name: Text = Text::new($en, $zh);)*
        #[cfg(test)]
        pub(crate) const ALL: &[Text] = &[$($name),*];
    };
}

words! {
    TAG: "Tag", "元数据";
    TENSORS: "Tensors", "张量";
    BYTES: "Bytes", "字节";
    CHECK: "Check", "检查";
    WHOLE: "v whole text", "v 全文";
    SCROLL: "J K scroll", "J K 滚动";
    KEYS: "? keys  q quit", "? 按键  q 退出";
    SEARCH: "find", "查找";
    FILTER: "only rows with", "只显示包含";
    GOTO: "go to (0x1f4, key, tensor)", "转到（0x1f4、键、张量）";
    NOT_FOUND: "not found", "没有找到";
    LOOKING: "looking for it; Esc stops", "正在查找；按 Esc 停止";
    STOPPED: "stopped", "已停止";
    COPIED: "copied", "已复制";
    NOTHING: "nothing to copy", "没有可复制的内容";
    NOT_FOUND_THERE: "not found in what was read", "读到的内容中没有找到";
    TOO_LONG: "too long for a clipboard", "太长，无法放入剪贴板";
    NOT_READ: "not read; ! tells why", "没有读到；按 ! 查看原因";
    HEAD_UNREAD: "the head could not be read", "无法读取头部";
    HEAD_ENDS: "the head was read up to {} only: {} of {} keys, {} of {} tensors", "头部只读到 {}：键 {}/{}，张量 {}/{}";
    CHANGED: "{} was changed since it was opened: what is shown is of no one state of it", "{} 打开后被修改过：显示的内容不属于同一状态";
    OPEN_AGAIN: "leave, and open it again", "请退出并重新打开";
    SHARDS: "{} of the {} shards of this model are here", "此模型的分片只有 {} 个（共 {} 个）";
    OF_SET: "{}/{} ({} missing)", "{}/{}（缺 {} 个）";
    NO_BYTE: "the file is empty", "文件是空的";
    CLAUSE: "{}: {}", "{}：{}";
    WITH_COUNT: "{} ({})", "{}（{}）";
    WHOLE_MODEL: "each head was read to its end, and no file is missing", "头部全部读完，没有缺失的文件";
    MORE: "more: !", "更多：按 !";
    SHORT: "the file ends before: {} B of it are missing", "文件提前结束：缺少其中 {} 字节";
    NO_ROWS: "nothing here", "这里没有内容";
    NO_FINDINGS: "nothing is wrong", "没有发现问题";
    NO_MATCH: "no row has that text; f and Enter show all", "没有符合的行；按 f 再按回车显示全部";
    NO_BYTES: "these bytes cannot be read", "无法读取这些字节";
    KEY: "key", "键";
    TYPE: "type", "类型";
    VALUE: "value", "值";
    PLACE: "bytes", "位置";
    MEANING: "meaning", "含义";
    SHAPE: "shape", "形状";
    ELEMENTS: "elements", "元素数";
    DATA: "data", "数据";
    BITS: "bits per weight", "每权重位数";
    ORDER: "order", "排序";
    BY_TABLE: "as in the file", "文件顺序";
    BY_NAME: "name", "名称";
    BY_SIZE: "size", "大小";
    BY_TYPE: "type", "类型";
    OF_TENSOR: "data of", "张量数据：";
    BLOCK: "block", "块";
    CLOSE: "q closes", "q 关闭";
    CLOSE_OR_MORE: "j k more  q closes", "j k 滚动  q 关闭";
    BEYOND: "beyond the end of the file", "超出文件末尾";
    READING: "reading…", "正在读取……";
    JUDGING: "being checked…", "正在检查……";
    NOT_EXAMINED: "not examined", "未检查";
    WHY: "why", "原因";
    READ_THEM: "`gguf check --data` reads them", "用 `gguf check --data` 读取";
    MORE_FINDINGS: "{} more findings of this rule", "此规则另有 {} 处";
    LEFT_OUT: "{} B more, which Enter leads to", "还有 {} 字节，按回车查看";
    LEFT_OUT_ELEMENTS: "{} elements more, which l opens", "还有 {} 个元素，按 l 展开";
    LEFT_OUT_INNER: "{} elements more, which Enter leads to", "还有 {} 个元素，按回车查看";
    IN_FILE: "file", "文件";
    FILES: "files", "个文件";
    ERROR: "error", "错误";
    WARNING: "warning", "警告";
    NOTE: "note", "提示";
    HELP_WORD: "help", "怎么办";
}

/// The keys, and what they do.
pub(crate) const HELP: &[(&str, Text)] = &[
    ("j k ↓ ↑", Text::new("a row down, up", "下一行、上一行")),
    ("h l ← →", Text::new("close, open; a byte back, on", "收起、展开；后退、前进一个字节")),
    ("PgDn PgUp Space", Text::new("a page down, up", "下一页、上一页")),
    ("g G Home End", Text::new("first row, last row", "第一行、最后一行")),
    ("Enter", Text::new("its bytes; of a group: open, close", "查看它的字节；对于分组：展开、收起")),
    ("Backspace u", Text::new("back", "返回")),
    ("1 2 3 4 Tab", Text::new("tag, tensors, bytes, check", "元数据、张量、字节、检查")),
    ("/ n N", Text::new("find; the next, the one before", "查找；下一个、上一个")),
    ("f", Text::new("only rows with a text", "只显示包含某段文字的行")),
    (":", Text::new("go to a position, a key, a tensor", "转到某个位置、键或张量")),
    ("w b", Text::new("the next field, the one before", "下一个字段、上一个字段")),
    ("s", Text::new("another order of the tensors", "改变张量的排序")),
    ("[ ]", Text::new("another file of the set", "分片组中的另一个文件")),
    ("v", Text::new("all that is told of the selected row", "所选行的全部说明")),
    ("J K Shift-↓ ↑", Text::new("scroll what is told", "滚动说明")),
    ("!", Text::new("all that the line with ! says", "带 ! 的那一行的全部内容")),
    ("y Y", Text::new("copy the value or text, the path and place", "复制值或文字、路径和位置")),
    ("q Ctrl-C", Text::new("leave; q closes a window first", "退出；有窗口时 q 先关闭窗口")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_said_in_both_languages() {
        for text in ALL.iter().chain(HELP.iter().map(|(_, text)| text)) {
            let chinese = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
            assert!(!text.en.is_empty() && !text.en.chars().any(chinese), "{text:?}");
            // Of what joins words there is the punctuation alone.
            let joins = !text.en.chars().any(char::is_alphabetic);
            assert!(joins || text.zh.chars().any(chinese), "{text:?}");
            assert_eq!(text.en.matches("{}").count(), text.zh.matches("{}").count(), "{text:?}");
        }
    }
}

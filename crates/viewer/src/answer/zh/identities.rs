//! What a file is said to be that is no GGUF, and what to do about it.

/// Sentences with holes. Where one begins as another does, the longer one stands first.
pub(super) const PATTERNS: &[(&str, &str)] = &[
    (
        "this is a GGUF file as base64 text: it begins with the magic in that form",
        "这是 base64 文本形式的 GGUF 文件：以这种形式的魔数开头",
    ),
    ("this is a GGUF file", "这是 GGUF 文件"),
    (
        "this is a Git LFS pointer, not the file that it stands for ({} bytes, sha256 {})",
        "这是 Git LFS 指针，不是它所代表的文件（{} 字节，sha256 {}）",
    ),
    (
        "this is a Git LFS pointer, not the file that it stands for (sha256 {})",
        "这是 Git LFS 指针，不是它所代表的文件（sha256 {}）",
    ),
    (
        "this is a Git LFS pointer, not the file that it stands for ({} bytes)",
        "这是 Git LFS 指针，不是它所代表的文件（{} 字节）",
    ),
    ("this is a Git LFS pointer, not the file that it stands for", "这是 Git LFS 指针，不是它所代表的文件"),
    (
        "this is a git-annex pointer, not the file that it stands for",
        "这是 git-annex 指针，不是它所代表的文件",
    ),
    ("this is a web page titled \"{}\"", "这是网页，标题为“{}”"),
    ("this is a web page", "这是网页"),
    ("this is an XML answer of a server with the code \"{}\"", "这是服务器的 XML 应答，代码为“{}”"),
    ("this is an XML text", "这是 XML 文本"),
    ("this is a server's error as JSON: \"{}\"", "这是服务器的 JSON 错误信息：“{}”"),
    ("this is a server's error as JSON", "这是服务器的 JSON 错误信息"),
    ("this is the index of a safetensors model, not its weights", "这是 safetensors 模型的索引，不是权重"),
    ("this is a model's configuration as JSON, not its weights", "这是模型的 JSON 配置，不是权重"),
    (
        "this is a manifest as JSON, such as Ollama keeps, not the weights",
        "这是 JSON 清单（Ollama 等使用），不是权重",
    ),
    ("this is a JSON text", "这是 JSON 文本"),
    ("this is the text of an HTTP response with status {}", "这是 HTTP 响应的文本，状态码为 {}"),
    ("this is the text of an HTTP response", "这是 HTTP 响应的文本"),
    (
        "this looks like a safetensors file (header of {} bytes)",
        "这看起来是 safetensors 文件（文件头 {} 字节）",
    ),
    (
        "this is a legacy {} LoRA adapter (version {}), a format from before GGUF",
        "这是旧式 {} LoRA 适配器（版本 {}），GGUF 之前的格式",
    ),
    (
        "this is a legacy {} model (version {}), a format from before GGUF",
        "这是旧式 {} 模型（版本 {}），GGUF 之前的格式",
    ),
    (
        "this is a legacy {} LoRA adapter, a format from before GGUF",
        "这是旧式 {} LoRA 适配器，GGUF 之前的格式",
    ),
    ("this is a legacy {} model, a format from before GGUF", "这是旧式 {} 模型，GGUF 之前的格式"),
    ("this is a saved session state of llama.cpp, not a model", "这是 llama.cpp 保存的会话状态，不是模型"),
    (
        "this looks like an importance matrix in the legacy .dat format ({} entry)",
        "这看起来是旧式 .dat 格式的重要性矩阵（{} 项）",
    ),
    (
        "this looks like an importance matrix in the legacy .dat format ({} entries)",
        "这看起来是旧式 .dat 格式的重要性矩阵（{} 项）",
    ),
    (
        "this is a PyTorch checkpoint (a zip archive) that holds a GGUF magic at offset {}",
        "这是 PyTorch 检查点（zip 压缩包），其中偏移 {} 处有 GGUF 魔数",
    ),
    ("this is a PyTorch checkpoint (a zip archive)", "这是 PyTorch 检查点（zip 压缩包）"),
    (
        "this is a NumPy .npz archive that holds a GGUF magic at offset {}",
        "这是 NumPy 的 .npz 压缩包，其中偏移 {} 处有 GGUF 魔数",
    ),
    ("this is a NumPy .npz archive", "这是 NumPy 的 .npz 压缩包"),
    (
        "this is a Keras model (a zip archive) that holds a GGUF magic at offset {}",
        "这是 Keras 模型（zip 压缩包），其中偏移 {} 处有 GGUF 魔数",
    ),
    ("this is a Keras model (a zip archive)", "这是 Keras 模型（zip 压缩包）"),
    (
        "this is a zip archive that holds a GGUF magic at offset {}",
        "这是 zip 压缩包，其中偏移 {} 处有 GGUF 魔数",
    ),
    ("this is a zip archive", "这是 zip 压缩包"),
    (
        "this is a tar archive that holds a GGUF magic at offset {}",
        "这是 tar 归档，其中偏移 {} 处有 GGUF 魔数",
    ),
    ("this is a tar archive", "这是 tar 归档"),
    ("this is a PyTorch checkpoint in the format before 1.6", "这是 PyTorch 1.6 之前格式的检查点"),
    ("this looks like a Python pickle (protocol {})", "这看起来是 Python pickle（协议 {}）"),
    ("this looks like an ONNX model", "这看起来是 ONNX 模型"),
    ("this is a TensorFlow Lite model", "这是 TensorFlow Lite 模型"),
    ("this is a NumPy array (.npy)", "这是 NumPy 数组（.npy）"),
    ("this is an HDF5 file", "这是 HDF5 文件"),
    ("this is a Parquet file", "这是 Parquet 文件"),
    ("this is an SQLite database", "这是 SQLite 数据库"),
    ("this is a file compressed with {}", "这是用 {} 压缩的文件"),
    ("this is a program or library ({})", "这是程序或库（{}）"),
    ("this is a PDF document", "这是 PDF 文档"),
    ("this is a picture ({})", "这是图片（{}）"),
    ("the GGUF magic stands at offset {}, behind {} bytes of {}", "GGUF 魔数在偏移 {} 处，之前有 {} 字节{}"),
    ("the GGUF magic stands at offset {}, behind {} byte of {}", "GGUF 魔数在偏移 {} 处，之前有 {} 字节{}"),
    (
        "the GGUF magic is byte-swapped: every {} bytes of the file stand in reverse order",
        "GGUF 魔数的字节顺序颠倒：文件中每 {} 个字节都是反序的",
    ),
    (
        "the GGUF magic is written in UTF-16: a program took the file for text and changed its bytes",
        "GGUF 魔数写成了 UTF-16：有程序把文件当作文本，改动了字节",
    ),
    ("this is a text in UTF-16", "这是 UTF-16 文本"),
    ("this is a text that begins \"{}\"", "这是文本，开头为“{}”"),
    ("this is a text", "这是文本"),
    ("the first {} bytes are all zero", "前 {} 个字节都是零"),
    ("nothing of the file was read", "没有读到文件的任何内容"),
    ("it begins with {}, which is no format known here", "文件以 {} 开头，不是这里认识的格式"),
    // What to do about it.
    (
        "run `git lfs pull` in its folder, or download the file itself",
        "在其文件夹中运行 `git lfs pull`，或下载文件本身",
    ),
    ("run `git annex get` for the file", "对该文件运行 `git annex get`"),
    (
        "the server sent a page instead of the file: use the address for downloading (on Hugging Face `/resolve/`, not `/blob/`); a gated or private model needs an access token",
        "服务器发来的是网页，不是文件：请使用下载地址（Hugging Face 上是 `/resolve/`，不是 `/blob/`）；受限或私有的模型需要访问令牌",
    ),
    (
        "the server sent this instead of the file: check the address and the access token, then download again",
        "服务器发来的不是文件：请检查地址和访问令牌，然后重新下载",
    ),
    (
        "convert the folder that holds it with llama.cpp's `convert_hf_to_gguf.py`",
        "用 llama.cpp 的 `convert_hf_to_gguf.py` 转换它所在的文件夹",
    ),
    (
        "convert the original model with llama.cpp's `convert_hf_to_gguf.py`; loading a pickle runs code from it, so do so only with files that you trust",
        "用 llama.cpp 的 `convert_hf_to_gguf.py` 转换原始模型；加载 pickle 会运行其中的代码，只对信任的文件这样做",
    ),
    (
        "convert the original model with llama.cpp's `convert_hf_to_gguf.py`",
        "用 llama.cpp 的 `convert_hf_to_gguf.py` 转换原始模型",
    ),
    (
        "the weights are the manifest's largest layer: a file named by its digest in the `blobs` folder",
        "权重是清单中最大的一层：`blobs` 文件夹中以其摘要命名的文件",
    ),
    (
        "convert the original adapter with llama.cpp's `convert_lora_to_gguf.py`",
        "用 llama.cpp 的 `convert_lora_to_gguf.py` 转换原始适配器",
    ),
    (
        "it must be converted: use llama.cpp's `convert_llama_ggml_to_gguf.py`, or download the model as GGUF (whisper.cpp reads its own files of this format)",
        "必须转换：使用 llama.cpp 的 `convert_llama_ggml_to_gguf.py`，或下载 GGUF 格式的模型（whisper.cpp 能读取它自己的这种文件）",
    ),
    ("give the model that the session was made with", "请指定生成该会话的模型"),
    (
        "`gguf quantize --imatrix FILE` takes it as it is; llama.cpp's `llama-imatrix -m MODEL --in-file FILE -o OUT.gguf` converts it",
        "`gguf quantize --imatrix FILE` 可直接使用；llama.cpp 的 `llama-imatrix -m MODEL --in-file FILE -o OUT.gguf` 可转换它",
    ),
    (
        "unpack it first, or read the member in place with `--offset {}`",
        "先解包，或用 `--offset {}` 就地读取其中的文件",
    ),
    ("unpack it first: `{}`", "先解包：`{}`"),
    ("unpack it first", "先解包"),
    ("decompress it first: `{}`", "先解压：`{}`"),
    (
        "if it is a llamafile, the GGUF is a member that `unzip` takes out",
        "如果是 llamafile，其中的 GGUF 可以用 `unzip` 取出",
    ),
    (
        "an editor or a copy in text mode did this and may have changed more: copy the file again as binary; read it in place with `--offset {}`, or cut the first {} bytes off",
        "这是编辑器或文本模式的复制造成的，可能还改动了别处：请以二进制方式重新复制；用 `--offset {}` 就地读取，或去掉前 {} 个字节",
    ),
    (
        "it was saved with its headers (`curl -i` does so): read it in place with `--offset {}`, or cut the first {} bytes off",
        "保存时带上了响应头（`curl -i` 会这样）：用 `--offset {}` 就地读取，或去掉前 {} 个字节",
    ),
    (
        "read it in place with `--offset {}`, or cut the first {} bytes off",
        "用 `--offset {}` 就地读取，或去掉前 {} 个字节",
    ),
    ("swap it back with `{}`, or fetch it again as binary", "用 `{}` 换回来，或以二进制方式重新获取"),
    (
        "fetch it again as binary: redirecting with `>` in PowerShell rewrites the bytes",
        "以二进制方式重新获取：PowerShell 的 `>` 重定向会改写字节",
    ),
    ("decode it first: `base64 -d`", "先解码：`base64 -d`"),
    (
        "if this was a download, the server sent it instead of the file: check the address and the access token",
        "如果这是下载得到的，服务器发来的不是文件：请检查地址和访问令牌",
    ),
    (
        "room was reserved for the file but never filled: the download did not finish, download it again",
        "为文件预留了空间却没有写入：下载没有完成，请重新下载",
    ),
];

/// Words that stand in holes.
const WORDS: &[(&str, &str)] = &[
    ("a UTF-8 byte order mark", "（UTF-8 字节顺序标记）"),
    ("the headers of an HTTP response", "（HTTP 响应头）"),
    ("the headers of an uploaded form", "（上传表单的标头）"),
    ("zeros", "（零）"),
    ("text", "（文本）"),
    ("other data", "（其他数据）"),
];

/// What stands in a hole, where it is said by us.
pub(super) fn word(text: &str) -> String {
    WORDS.iter().find(|(from, _)| *from == text).map_or(text, |(_, to)| to).to_owned()
}

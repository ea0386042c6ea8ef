/**
 * What the page may ask, and what it is told: the only door between the page and the crates.
 *
 * Each question is answered by a local server (`GET /api/NAME?query`), by the answers that a report carries, or by a
 * WebAssembly build of the same crates. Names and documents are those of the command's JSON (`gguf show --json`,
 * `gguf hex --json`, ...), so that one description holds for all.
 *
 * Positions are bytes from the begin of one file; a span is half-open. They are below 2^53, since they lie in files, as are counts of
 * what a file holds. All other whole numbers of a file may be larger, and come as text then (`Big`), never as a JSON number that a
 * page would round.
 */

/** Bytes `start..end` of the file with this index in `Session.files`. */
export interface Place {
  file: number;
  start: number;
  end: number;
}

/** A sentence in the page's languages; where nobody has translated it, both are the English one. */
export interface Said {
  en: string;
  zh: string;
}

/** Why a file or a part of it could not be read, with where. */
export interface Problem {
  kind: string;
  message: Said;
  offset?: number | null;
  path?: string | null;
  help?: Said | null;
}

export type Lang = 'en' | 'zh';

/** A whole number of a file; as text where it is 2^53 or more, since a page would round it. */
export type Big = number | string;

export interface FileHead {
  file: number;
  model: number;
  /** The name without its folder. */
  name: string;
  size: number;
  version: number | null;
  endian: 'little' | 'big' | null;
  /** End of the head; begin of the data. `null` where the head cannot be read so far. */
  head_end: number | null;
  data_start: number | null;
  alignment: number | null;
  errors: Problem[];
}

/**
 * How far keys or tensors of a model were read. What no answer lists is absent only where it is `whole`: it may stand behind the end
 * of a head that breaks off (`up-to`), in a file whose header could not be read, or in shards that are not open (of keys: in the first).
 */
export type Reach =
  | { state: 'whole' }
  | { state: 'up-to'; file: number; offset: Big }
  | { state: 'not-read'; file: number }
  | { state: 'elsewhere'; missing: Big | null };

/** With how many were read, and how many the headers that were read say that there are. */
export type Told = Reach & { read: Big; declared: Big };

export interface ModelHead {
  model: number;
  name: string;
  files: number[];
  /** Files of the set, where more are known of than are open. */
  files_declared: number;
  read: { keys: Told; tensors: Told };
  problems: Problem[];
}

/** What is open, and what this backend can do. */
export interface Session {
  schema: 1;
  version: string;
  /** The language that was asked for when the page was opened; `null`: the browser's. */
  lang: Lang | null;
  files: FileHead[];
  models: ModelHead[];
  can: {
    /** Bytes of any place, values, statistics, comparisons. A report has bytes of the (capped) head only. */
    values: boolean;
    bytes: boolean;
    render: boolean;
  };
  /** What a report left out, as sentences in the page's languages; empty from a server. */
  capped: Said[];
}

/** What a stretch of a file holds. The regions of a file are in order, without gap or overlap: their sizes add up to the file's. */
export type RegionKind =
  | 'before' | 'header' | 'metadata' | 'tensor-info' | 'padding' | 'tensor' | 'gap' | 'trailing' | 'unread';

export interface Region {
  kind: RegionKind;
  start: number;
  end: number;
  /** `kv[3]`, `tensors[17].info`, `tensors[17].data`, ... */
  path: string;
  /** Key or tensor name, as text made safe to show. */
  name?: string;
  /** Index of the key-value or tensor in its file. */
  index?: number;
  /** Tensors: type name, layer, shape. Metadata: type label. */
  type?: string;
  layer?: Big | null;
  shape?: Big[];
  /** So many more share the region, since there are too many for one each; absent: none. `index` and `name` are the first's. */
  more?: number;
}

export interface FileMap {
  file: number;
  size: number;
  regions: Region[];
  /** Regions that were put together because there were too many; 0 as a rule. */
  folded: number;
}

/** A key-value. `value` is the text of a scalar or string (cut where long), or the first elements of an array. */
export interface Entry {
  file: number;
  index: number;
  key: string;
  /** `u32`, `string`, `array[string]`, ... */
  type: string;
  value: string;
  /** The text was cut; `bytes` has all of it. */
  cut: boolean;
  /** Arrays: number of elements. */
  count: Big | null;
  span: Place;
  key_span: Place;
  value_span: Place;
  /** What a known key means, in the language asked for; `null` for unknown ones. */
  meaning: string | null;
  /** What the value stands for, where it is one of few (`15` of `general.file_type`: `MOSTLY_Q4_K_M`). */
  says: string | null;
}

/** An element of an array. Elements that are arrays have `count`. */
export interface Element {
  index: number;
  value: string;
  cut: boolean;
  type: string;
  count: Big | null;
  span: Place;
}

export interface Token {
  id: number;
  text: string;
  /** What it stands for where that is another text: GPT-2's alphabet of bytes and `▁` for spaces are undone. */
  decoded: string | null;
  /** Bytes of the text that are not UTF-8 are shown escaped, and this is true. */
  odd: boolean;
  score: number | string | null;
  /** `normal`, `control`, `byte`, ... or a number as text. */
  type: string | null;
  /** Names of the special roles that a key gives it: `bos`, `eos`, ... */
  roles: string[];
  span: Place;
}

/** A field of the head, or a member of a block, as `gguf hex --json` has it. */
export interface Field {
  path: string;
  start: number;
  end: number;
  kind: string;
  type?: string;
  value?: string;
  /** The key or tensor that it belongs to. */
  name?: string;
  meaning?: string;
}

export interface Bytes {
  file: number;
  start: number;
  end: number;
  /** Base64. */
  data: string;
  /** Fields that meet the span, in order; the first and last may reach out of it. */
  fields: Field[];
  /** Fields were left out: there are more than 6,000. */
  more: boolean;
}

/** A step of a reader: what it reads, and why it knows how long the next one is. */
export interface Step {
  step: number;
  path: string;
  start: number;
  end: number;
  kind: string;
  type: string;
  value: string;
  meaning: string | null;
  /** Why the next length is known. */
  next: string | null;
  /** Elements of a folded array, text or data that this step jumps over without looking. */
  jumps: boolean;
}

export interface Setting {
  name: string;
  group: string;
  /** Shown value; arrays per layer in full. */
  value: string;
  /** `unread`: the key was not found, and not all were read, so that no default stands for it. */
  from: 'key' | 'default' | 'derived' | 'missing' | 'unread' | string;
  key: string | null;
  rule: string | null;
  span: Place | null;
}

/**
 * What a context costs. `bytes(n) = sum over kinds of layers * min(n, window or n) * (k_row + v_row)` (+ `fixed`), where rows
 * are in elements and each is worth `bits / 8` bytes of the cache's type.
 */
export interface CacheKind {
  /** `full attention`, `sliding window`, `recurrent state`, `latent (MLA)`, ... */
  name: string;
  layers: Big;
  /** Tokens kept at most, where there is a window. */
  window: Big | null;
  /** Elements per token and layer. */
  k_row: Big;
  v_row: Big;
  /** Bytes of state that no context changes (recurrent layers), all layers together. */
  fixed: Big;
  /** The numbers that rows come from: `heads_kv x key head size = 8 x 128`. */
  terms: { name: string; value: string; from: string }[];
}

export interface Memory {
  model: number;
  weights: {
    total: Big;
    /** How the least sure of the sizes is known. */
    sizing: Sizing;
    by_type: { type: string; tensors: number; bytes: Big; sizing: Sizing }[];
    by_layer: { layer: Big | null; tensors: number; bytes: Big; sizing: Sizing }[];
  };
  /** `null` with a reason where nothing is known; without one where not all keys were read. */
  cache: { trained_context: Big | null; kinds: CacheKind[]; types: { name: string; bits: number }[] } | null;
  reason: string | null;
}

export interface TensorRow {
  file: number;
  index: number;
  name: string;
  type: string;
  shape: Big[];
  elements: Big | null;
  bytes: Big | null;
  sizing: Sizing;
  bits_per_weight: number | null;
  layer: Big | null;
  /** `null` where its bytes are not in the file. */
  data: Place | null;
  info: Place;
  /** Whether there are values to look at: known type, bytes there. */
  readable: boolean;
}

/** How a size is known: from type and shape; as the room up to the next tensor, which it is not larger than; not at all. */
export type Sizing = 'exact' | 'inferred' | 'unknown';

/** Tensors of two models by their names. */
export interface Pairs {
  pairs: { name: string; a: number; b: number; bytes: Big }[];
  /** Pairs that are not listed. */
  left_out: number;
  only_a: Alone;
  only_b: Alone;
}

/** Tensors that one model alone has; the first of them by name. */
export interface Alone {
  count: number;
  names: string[];
}

/** Numbers as JSON has them; not finite ones as "NaN", "Infinity", "-Infinity". */
export type Num = number | 'NaN' | 'Infinity' | '-Infinity';

export interface Stats {
  elements: number;
  min: Num;
  max: Num;
  mean: Num;
  std: Num;
  rms: Num;
  skewness: Num;
  kurtosis: Num;
  zeros: number;
  nan: number;
  infinite: number;
  /** At or beyond six times the root mean square, and the bound that was taken. */
  outliers: number;
  outliers_from: Num;
  quantiles: Num[];
  /** The parts of all values that these are of: 0.001, 0.01, 0.25, ... */
  quantiles_at: number[];
  scales: { blocks: number; zeros: number; not_finite: number; min: Num; max: Num } | null;
  /** Counts between `edges` (one more than counts). */
  histogram: { edges: Num[]; counts: number[] };
}

/** A tensor as a picture: `width x height` cells, each of a rectangle of elements. */
export interface Grid {
  rows: [number, number];
  cols: [number, number];
  /** Of the whole tensor, as rows of `shape[0]` elements. */
  size: { rows: Big; cols: Big };
  width: number;
  height: number;
  /** Base64 of little-endian f32, row by row: mean of each cell, and the value with the largest size. */
  mean: string;
  peak: string;
  /** True where each cell is one element. */
  exact: boolean;
  /** Cells that were made of some of their elements only, because reading all would take too long. */
  sampled: boolean;
}

/** One block, opened. */
export interface Block {
  type: string;
  /** Number of the block in the tensor; elements it holds. */
  block: number;
  blocks: number;
  elements: number;
  /** Counted over the whole tensor; `row` is the row that it is in. */
  first_element: number;
  row: number;
  span: Place;
  /** The value of an element in terms of the members. */
  formula: string;
  /** Base64 of its bytes. */
  data: string;
  /** Members in order: bytes within the block, what they are. */
  members: { name: string; start: number; end: number; unit: string; meaning: string; values: string[] }[];
  /**
   * For each bit of the block (byte by byte, lowest bit first) whose it is: `owners[bits[i]]`. `owners[0]` is nobody. Types without a map of bits have none.
   */
  owners: { symbol: string; element: number | null }[];
  bits: number[];
  /** The value of each element. */
  values: Num[];
}

/** How one element of a block comes about: `formula` has the numbers in place of the names of `rule`. Bits count as in `Block.bits`. */
export interface Worked {
  element: number;
  formula: string;
  rule: string;
  /** `how`: how the value follows from terms before it, where that is not plain. */
  terms: { name: string; value: string; how: string | null; bits: number[] }[];
  value: Num;
}

export interface Label extends Place {
  path: string | null;
  name: string | null;
  text: string | null;
}

export interface Finding {
  rule: string;
  code: string;
  severity: 'error' | 'warning' | 'note';
  family: string;
  /** What the rule is about. All else that a finding says is in English. */
  summary: Said;
  message: string;
  primary: Label;
  secondary: Label[];
  notes: string[];
  help: string[];
  fix: { title: string; safety: string } | null;
}

export interface Report {
  model: number;
  counts: { error: number; warning: number; note: number };
  findings: Finding[];
  /** More findings of rules that found more than 50. */
  left_out: { rule: string; code: string; severity: 'error' | 'warning' | 'note'; more: number }[];
  not_examined: { what: Said; why: Said; place: Place | null }[];
}

export interface Template {
  name: string;
  text: string;
  cut: boolean;
  sha256: string;
  span: Place;
}

export interface Message {
  role: string;
  content: string;
}

export interface Change {
  /** `unread`: one side has it, and the other was not read to its end. */
  kind: 'added' | 'removed' | 'changed' | 'retyped' | 'reshaped' | 'moved' | 'unread';
  what: 'header' | 'metadata' | 'tensor' | 'layout';
  name: string;
  a: string | null;
  b: string | null;
  a_span: Place | null;
  b_span: Place | null;
}

export interface Compared {
  name: string;
  type_a: string;
  type_b: string;
  elements: number;
  equal: number;
  not_finite: number;
  rmse: Num;
  relative: Num;
  max: Num;
  cosine: Num;
  snr_db: Num;
}

/** Each question's query and answer. Queries are flat: texts and numbers. */
export interface Questions {
  session: { query: Record<string, never>; answer: Session };
  /** `gguf show --json` of a model. */
  show: { query: { model: number; lang: Lang }; answer: Record<string, unknown> };
  map: { query: { model: number }; answer: { files: FileMap[] } };
  /** At most 10,000 from `from` (0) on; `total` is all of them. */
  metadata: { query: { model: number; lang: Lang; from?: number }; answer: { total: number; entries: Entry[] } };
  elements: {
    query: { file: number; kv: number; /** Indices of nested arrays, `3.0`. */ within?: string; from: number; count: number };
    answer: { total: Big; elements: Element[] };
  };
  /** The vocabulary by id; `find` is a part of the text or an id; `type` a token type. `from` counts among what matches. */
  tokens: {
    query: { model: number; from: number; count: number; find?: string; type?: string; sort?: 'id' | 'score' };
    answer: { total: number; matched: number; types: { type: string; count: number }[]; tokens: Token[] };
  };
  bytes: { query: { file: number; start: number; length: number; lang: Lang }; answer: Bytes };
  /** `from` is the number of a step, from 1. */
  steps: { query: { file: number; from: number; count: number; lang: Lang }; answer: { total: number; steps: Step[] } };
  /** The step that reads this byte. */
  step_at: { query: { file: number; offset: number }; answer: { step: number | null } };
  config: { query: { model: number; lang: Lang }; answer: { architecture: string | null; known: boolean; settings: Setting[]; missing: string[]; notes: string[] } };
  memory: { query: { model: number; lang: Lang }; answer: Memory };
  /** At most 10,000 from `from` (0) on. */
  tensors: { query: { model: number; from?: number }; answer: { total: number; tensors: TensorRow[] } };
  stats: { query: { file: number; tensor: number }; answer: Stats };
  values: {
    query: {
      file: number; tensor: number;
      row_from: number; row_to: number; col_from: number; col_to: number; width: number; height: number;
    };
    answer: Grid;
  };
  block: { query: { file: number; tensor: number; block: number; lang: Lang }; answer: Block };
  worked: { query: { file: number; tensor: number; block: number; element: number; lang: Lang }; answer: Worked };
  check: { query: { model: number }; answer: Report };
  templates: { query: { model: number }; answer: { templates: Template[] } };
  /** `messages` is JSON of `Message[]`. Rendered in a process with limits; an error is an answer, too. */
  render: {
    query: { model: number; template: string; messages: string; generate: 0 | 1 };
    answer: { text: string | null; error: Said | null };
  };
  /** `unread` of the changes are none: one side was not read where the other has something. */
  diff: { query: { a: number; b: number }; answer: { same: boolean | null; changes: Change[]; left_out: number; unread: number } };
  /** Tensors that the two have by name, without values; `a` and `b` count over all files of a model, as `tensors` has them. */
  pairs: { query: { a: number; b: number }; answer: Pairs };
  /** One tensor of two models; `name` is `pairs[i].name`. */
  compare: { query: { a: number; b: number; name: string }; answer: Compared };
  /** Manual of a rule (name or code), a key, a type or a topic, as `gguf explain` prints it; `text` is Markdown in the language `lang`: manuals of rules are in English. */
  explain: { query: { what: string; lang: Lang }; answer: { title: string; lang: Lang; text: string } };
}

export type Name = keyof Questions;

/** An answer that is none: the backend's one error form, HTTP status 4xx/5xx with this body. */
export interface Refusal {
  error: { kind: 'usage' | 'not-found' | 'unsupported' | 'io' | 'malformed' | 'limit'; message: string; message_zh: string };
}

/** Who answers. Nothing in the page knows which one it has. */
export interface Backend {
  ask<N extends Name>(name: N, query: Questions[N]['query'], signal?: AbortSignal): Promise<Questions[N]['answer']>;
}

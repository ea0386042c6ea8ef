// Files for the tests of the page, written by the format's rules: a large vocabulary, text that would like to run, heads that break
// off, many tensors, a set of shards.
import fs from 'node:fs';
import path from 'node:path';

const types = { u8: 0, i8: 1, u16: 2, i16: 3, u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9, u64: 10, i64: 11, f64: 12 };

class Writer {
  constructor() {
    this.parts = [];
    this.length = 0;
  }

  put(bytes) {
    this.parts.push(bytes);
    this.length += bytes.length;
    return this;
  }

  number(type, value) {
    const size = { u8: 1, i8: 1, bool: 1, u16: 2, i16: 2, u32: 4, i32: 4, f32: 4, u64: 8, i64: 8, f64: 8 }[type];
    const b = Buffer.alloc(size);
    if (type === 'u8' || type === 'bool') b.writeUInt8(Number(value));
    else if (type === 'i8') b.writeInt8(value);
    else if (type === 'u16') b.writeUInt16LE(value);
    else if (type === 'i16') b.writeInt16LE(value);
    else if (type === 'u32') b.writeUInt32LE(value);
    else if (type === 'i32') b.writeInt32LE(value);
    else if (type === 'f32') b.writeFloatLE(value);
    else if (type === 'u64') b.writeBigUInt64LE(BigInt(value));
    else if (type === 'i64') b.writeBigInt64LE(BigInt(value));
    else b.writeDoubleLE(value);
    return this.put(b);
  }

  string(text) {
    const b = Buffer.isBuffer(text) ? text : Buffer.from(text);
    return this.number('u64', b.length).put(b);
  }

  value(type, value) {
    return type === 'string' ? this.string(value) : this.number(type, value);
  }
}

/** `kvs`: [key, type, value] or [key, [element type], values]; `tensors`: [name, shape] of F32. */
export function build(kvs, tensors = [], data = null) {
  const w = new Writer();
  w.put(Buffer.from('GGUF')).number('u32', 3).number('u64', tensors.length).number('u64', kvs.length);
  for (const [key, type, value] of kvs) {
    w.string(key);
    if (Array.isArray(type)) {
      w.number('u32', types.array).number('u32', types[type[0]]).number('u64', value.length);
      for (const v of value) w.value(type[0], v);
    } else {
      w.number('u32', types[type]).value(type, value);
    }
  }
  let offset = 0;
  const sizes = [];
  for (const [name, shape] of tensors) {
    w.string(name).number('u32', shape.length);
    for (const d of shape) w.number('u64', d);
    w.number('u32', 0).number('u64', offset);
    const size = shape.reduce((n, d) => n * d, 1) * 4;
    sizes.push(size);
    offset += Math.ceil(size / 32) * 32;
  }
  w.put(Buffer.alloc((32 - (w.length % 32)) % 32));
  if (data) w.put(data);
  else {
    const b = Buffer.alloc(offset);
    for (let i = 0; i + 4 <= offset; i += 4) b.writeFloatLE(Math.sin(i * 0.7) * 0.1, i);
    w.put(b);
  }
  return Buffer.concat(w.parts);
}

const llama = (layers) => [
  ['general.architecture', 'string', 'llama'],
  ['general.name', 'string', 'made for a test'],
  ['llama.block_count', 'u32', layers],
  ['llama.context_length', 'u32', 4096],
  ['llama.embedding_length', 'u32', 32],
  ['llama.feed_forward_length', 'u32', 64],
  ['llama.attention.head_count', 'u32', 4],
  ['llama.attention.head_count_kv', 'u32', 2],
  ['llama.attention.layer_norm_rms_epsilon', 'f32', 1e-5],
];

function vocabulary(n) {
  const scripts = [(i) => `▁word${i}`, (i) => `词${i}`, (i) => `كلمة${i}`, (i) => `🙂${i}`, (i) => `piece${i}`];
  const tokens = ['<unk>', '<s>', '</s>'];
  while (tokens.length < n) tokens.push(scripts[tokens.length % scripts.length](tokens.length));
  return [
    ['tokenizer.ggml.model', 'string', 'llama'],
    ['tokenizer.ggml.tokens', ['string'], tokens],
    ['tokenizer.ggml.scores', ['f32'], tokens.map((_, i) => -i)],
    ['tokenizer.ggml.token_type', ['i32'], tokens.map((_, i) => (i < 3 ? 3 : 1))],
    ['tokenizer.ggml.bos_token_id', 'u32', 1],
    ['tokenizer.ggml.eos_token_id', 'u32', 2],
  ];
}

export const attack = '<img src=x onerror="window.__ran=1"><script>window.__ran=1</script><svg onload=window.__ran=1>';

export function makeAll(folder) {
  fs.mkdirSync(folder, { recursive: true });
  const out = {};
  const write = (name, bytes) => fs.writeFileSync((out[name] = path.join(folder, `${name}.gguf`)), bytes);
  write('big', build([...llama(1), ...vocabulary(262144)], [['token_embd.weight', [32, 64]]]));
  write(
    'hostile',
    build(
      [
        ...llama(1),
        [`general.${attack}`, 'string', attack],
        ['general.description', 'string', `\u202eright to left\u202c \u0007bell \u001b[31mred\u001b[0m zero\u200bwidth ${attack}`],
        ['general.tags', ['string'], [attack, 'javascript:window.__ran=1', '</script><script>window.__ran=1</script>']],
        ['general.bytes', 'string', Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x41])],
        ['tokenizer.chat_template', 'string', `{{ bos_token }}${attack}{% for m in messages %}{{ m.role }}: {{ m['content'] }} </textarea></pre>{% endfor %}`],
        ['tokenizer.ggml.model', 'string', 'llama'],
        ['tokenizer.ggml.tokens', ['string'], ['<unk>', attack, '\u202eabc', "'); window.__ran=1; //"]],
        ['tokenizer.ggml.scores', ['f32'], [0, -1, NaN, -Infinity]],
        ['tokenizer.ggml.token_type', ['i32'], [2, 1, 1, 99]],
      ],
      [[attack.slice(0, 60), [32, 4]], ['blk.0.<b>attn_q</b>.weight', [32, 32]], ['__proto__', [4]], ['constructor', [4]]],
    ),
  );
  const whole = build([...llama(2), ...vocabulary(64)], [['token_embd.weight', [32, 64]], ['blk.0.attn_q.weight', [32, 32]]]);
  write('broken', whole.subarray(0, 700));
  write('cut', whole.subarray(0, whole.length - 3000));
  // In an array, in the tensor table, in the header.
  write('cut-array', whole.subarray(0, whole.indexOf('tokenizer.ggml.tokens') + 200));
  write('cut-table', whole.subarray(0, whole.indexOf('blk.0.attn_q.weight') + 4));
  write('cut-header', whole.subarray(0, 20));
  write('empty', Buffer.alloc(0));
  const late = [['split.no', 'u16', 1], ['split.count', 'u16', 3], ['split.tensors.count', 'i32', 3]];
  write('late-00002-of-00003', build(late, [['blk.0.attn_q.weight', [32, 64]]]));
  write('no-tokens', build(llama(1), [['blk.0.attn_q.weight', [32, 64]]]));
  const many = [];
  for (let i = 0; i < 2000; i++) for (const part of ['attn_norm', 'attn_q', 'attn_k', 'attn_v', 'attn_output', 'ffn_norm', 'ffn_gate', 'ffn_up', 'ffn_down', 'extra']) many.push([`blk.${i}.${part}.weight`, [8]]);
  write('many', build(llama(2000), many));
  for (const i of [0, 1]) {
    const name = `set-0000${i + 1}-of-00002`;
    const split = [['split.no', 'u16', i], ['split.count', 'u16', 2], ['split.tensors.count', 'i32', 2]];
    write(name, build(i === 0 ? [...llama(1), ...vocabulary(64), ...split] : split, [[i === 0 ? 'token_embd.weight' : 'blk.0.attn_q.weight', [32, 64]]]));
  }
  write('hugesparse', build(llama(1), [['token_embd.weight', [1024, 1024, 1024 * 3]]], Buffer.alloc(32)));
  fs.truncateSync(out.hugesparse, 12 * 2 ** 30);
  return out;
}

if (process.argv[1] === import.meta.filename) {
  for (const [name, file] of Object.entries(makeAll(process.argv[2] ?? path.join(import.meta.dirname, 'made')))) console.log(name, file);
}

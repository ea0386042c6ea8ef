import type { ModelHead, Setting, TensorRow } from '../backend/questions';
import { plain } from './escape';

/** The parts of a model as its tensors' names tell them: what is before the layers, layers that are alike, what is behind. */

export type Part = 'attention' | 'ssm' | 'experts' | 'ffn' | 'other';
export const parts: Part[] = ['attention', 'ssm', 'experts', 'ffn', 'other'];

export interface LayerGroup {
  /** What is in front of the layer's number: `blk`, `v.blk`. */
  stack: string;
  layers: number[];
  /** Tensors of the first layer, by part. */
  parts: { part: Part; rows: { label: string; tensor: TensorRow; types: string[] }[] }[];
}

export interface Outline {
  before: TensorRow[];
  groups: LayerGroup[];
  after: TensorRow[];
  other: TensorRow[];
}

const layered = /^(.*?(?:blk|block|blocks|layer|layers|h))\.(\d+)\.(.+)$/;

export function partOf(name: string): Part {
  if (/^(ffn_.*(exps|shexp|exp)\b|ffn_gate_inp|exp_probs)/.test(name)) return 'experts';
  if (/^(ffn_|post_ffw|layer_output_norm|mlp|feed_forward|ln2|ffn)/.test(name)) return 'ffn';
  if (/^(ssm_|time_mix|channel_mix|shortconv)/.test(name)) return 'ssm';
  if (/^(attn|post_attention|self_attn|cross_attn|attention|ln1|indexer)/.test(name)) return 'attention';
  return 'other';
}

export function outline(tensors: readonly TensorRow[]): Outline {
  const out: Outline = { before: [], groups: [], after: [], other: [] };
  const layers = new Map<string, { stack: string; layer: number; rows: { label: string; tensor: TensorRow }[] }>();
  for (const tensor of tensors) {
    const m = layered.exec(tensor.name);
    if (m) {
      const [, stack = '', number = '0', label = ''] = m;
      const key = `${stack}.${number}`;
      let layer = layers.get(key);
      if (!layer) layers.set(key, (layer = { stack, layer: Number(number), rows: [] }));
      layer.rows.push({ label: label.replace(/\.weight$/, ''), tensor });
    } else if (/^(token_embd|token_types|position_embd|per_layer|tok_embeddings|v\.patch_embd|v\.position_embd|conv1d)/.test(tensor.name)) {
      out.before.push(tensor);
    } else if (/^(output|cls|lm_head|norm)/.test(tensor.name)) {
      out.after.push(tensor);
    } else {
      out.other.push(tensor);
    }
  }
  out.after.sort((a, b) => Number(!a.name.includes('norm')) - Number(!b.name.includes('norm')));

  const groups = new Map<string, LayerGroup>();
  for (const { stack, layer, rows } of [...layers.values()].sort((a, b) => (a.stack < b.stack ? -1 : a.stack > b.stack ? 1 : a.layer - b.layer))) {
    const sign = `${stack}|${rows.map((r) => `${r.label} ${r.tensor.shape.join('x')}`).sort().join('|')}`;
    let group = groups.get(sign);
    if (!group) {
      group = {
        stack,
        layers: [],
        parts: parts.flatMap((part) => {
          const mine = rows.filter((r) => partOf(r.label) === part);
          return mine.length ? [{ part, rows: mine.map((r) => ({ ...r, types: [] as string[] })) }] : [];
        }),
      };
      groups.set(sign, group);
    }
    group.layers.push(layer);
    for (const p of group.parts) {
      for (const row of p.rows) {
        const type = rows.find((r) => r.label === row.label)?.tensor.type;
        if (type !== undefined && !row.types.includes(type)) row.types.push(type);
      }
    }
  }
  out.groups = [...groups.values()];
  return out;
}

/**
 * Whether a model that has no output of its own makes tokens with its embedding. Of encoders this is not so: they end in what their
 * last layer gives, or say that they are not causal.
 */
export function sharesEmbedding(drawn: Outline, settings: readonly Pick<Setting, 'name' | 'value'>[]): boolean {
  const has = (of: readonly TensorRow[], name: string) => of.some((x) => x.name === name);
  const causal = settings.find((x) => x.name === 'causal')?.value !== 'false';
  return causal && has(drawn.before, 'token_embd.weight') && has(drawn.after, 'output_norm.weight') && drawn.after.every((x) => x.name.includes('norm'));
}

/** The name of a model among those that are open; where others have the same, with its number. */
export function modelName(of: Pick<ModelHead, 'model' | 'name'>, all: readonly Pick<ModelHead, 'model' | 'name'>[]): string {
  const alike = all.some((x) => x.model !== of.model && x.name === of.name);
  return plain(of.name) + (alike ? ` (${of.model + 1})` : '');
}

/** `0–15, 18, 20–31`. */
export function ranges(numbers: readonly number[]): string {
  const out: string[] = [];
  for (let i = 0; i < numbers.length; ) {
    let j = i;
    while (j + 1 < numbers.length && numbers[j + 1] === (numbers[j] ?? 0) + 1) j++;
    out.push(j === i ? String(numbers[i]) : `${numbers[i]}–${numbers[j]}`);
    i = j + 1;
  }
  return out.length > 8 ? `${out.slice(0, 6).join(', ')}, … ${out.at(-1)}` : out.join(', ');
}

import type { Entry } from '../backend/questions';

/** Keys grouped by their namespaces, as rows. */
export interface TreeRow {
  id: string;
  label: string;
  level: number;
  /** `null` for a group. */
  entry: Entry | null;
  /** Groups: whether they are unfolded, and keys in them. */
  open: boolean;
  size: number;
}

interface Group {
  id: string;
  label: string;
  groups: Map<string, Group>;
  entries: { label: string; entry: Entry }[];
  size: number;
}

/** Two levels of namespaces, in order of their first key; what is deeper stays in the key. */
const deepest = 2;

export function flatten(entries: readonly Entry[], closed: ReadonlySet<string>): TreeRow[] {
  const root: Group = { id: '', label: '', groups: new Map(), entries: [], size: 0 };
  for (const entry of entries) {
    const parts = entry.key.split('.');
    let group = root;
    let depth = 0;
    while (depth < deepest && depth < parts.length - 1) {
      const label = parts[depth] ?? '';
      let next = group.groups.get(label);
      if (!next) group.groups.set(label, (next = { id: `${group.id}${label}.`, label, groups: new Map(), entries: [], size: 0 }));
      next.size++;
      group = next;
      depth++;
    }
    group.entries.push({ label: parts.slice(depth).join('.'), entry });
  }
  const out: TreeRow[] = [];
  const put = (group: Group, level: number) => {
    for (const { label, entry } of group.entries) out.push({ id: `${entry.file} ${entry.index}`, label, level, entry, open: false, size: 0 });
    for (const child of group.groups.values()) {
      const open = !closed.has(child.id);
      out.push({ id: child.id, label: child.label, level, entry: null, open, size: child.size });
      if (open) put(child, level + 1);
    }
  };
  put(root, 0);
  return out;
}

/** One line that differs: `-` is only in the first text, `+` only in the second. */
export interface ChangedLine {
  op: '-' | '+';
  text: string;
}

/** Above this, what lies between the first and the last difference is told as a whole: a block of ours is far below. */
const MOST_CELLS = 4_000_000;

/** The fewest lines to take out and put in, in their order. */
export function diffLines(before: readonly string[], after: readonly string[]): ChangedLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let same = 0;
  const most = Math.min(before.length, after.length) - start;
  while (same < most && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  const out = before.slice(start, before.length - same);
  const into = after.slice(start, after.length - same);
  if (out.length * into.length > MOST_CELLS)
    return [...out.map((text) => ({ op: '-' as const, text })), ...into.map((text) => ({ op: '+' as const, text }))];
  return walk(out, into, commonFrom(out, into));
}

/** `common[i][j]`: how many lines `out` from i and `into` from j have in common, in order. */
function commonFrom(out: readonly string[], into: readonly string[]): Uint32Array[] {
  const common = Array.from({ length: out.length + 1 }, () => new Uint32Array(into.length + 1));
  for (let i = out.length - 1; i >= 0; i--)
    for (let j = into.length - 1; j >= 0; j--) {
      const longest =
        out[i] === into[j] ? at(common, i + 1, j + 1) + 1 : Math.max(at(common, i + 1, j), at(common, i, j + 1));
      (common[i] as Uint32Array)[j] = longest;
    }
  return common;
}

const at = (common: readonly Uint32Array[], i: number, j: number): number => common[i]?.[j] ?? 0;

function walk(out: readonly string[], into: readonly string[], common: readonly Uint32Array[]): ChangedLine[] {
  const changed: ChangedLine[] = [];
  let [i, j] = [0, 0];
  while (i < out.length || j < into.length) {
    const [left, right] = [out[i], into[j]];
    if (left !== undefined && left === right) {
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(common, i + 1, j) >= at(common, i, j + 1))) {
      changed.push({ op: '-', text: left });
      i += 1;
    } else if (right !== undefined) {
      changed.push({ op: '+', text: right });
      j += 1;
    }
  }
  return changed;
}

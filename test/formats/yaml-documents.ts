/** Numbers between 0 and 1. */
function chance(seed: number): () => number {
  let at = seed;
  return () => {
    at = (at + 0x6d2b79f5) | 0;
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const words = (text: string) => text.trim().split(/ ¦ |\n/);
const KEYS = words('cohort ¦ done_when ¦ source ¦ kind ¦ caps ¦ a ¦ b ¦ c ¦ d-e ¦ F_2 ¦ _x ¦ x9');
const ODD_KEYS = words(`"q" ¦ 's' ¦ null ¦ true ¦ 1 ¦ ~ ¦ a b ¦ ? a ¦ __proto__ ¦ << ¦ é ¦ &k a ¦ a.b ¦ -a`);
const SOUND = words(String.raw`folder ¦ a b ¦ "a" ¦ "a, b # c" ¦ 'a' ¦ 5 ¦ true ¦ null ¦ docs/*.md ¦ "\\ \"" ¦ 2.50`);
const PLAIN = words(String.raw`
folder ¦ docs/**/*.md ¦ Every page ¦ a, b ¦ it is: so ¦ x:y ¦ x: ¦ :x ¦ x:[y] ¦ a#b ¦ a # b ¦ no ¦ yes ¦ on ¦ Europe/London
2026-06-09 ¦ 2026-06-09T08:15:00Z ¦ 12:30 ¦ 1_000 ¦ ./w.sh ¦ --flag ¦ -x ¦ . ¦ .. ¦ ... ¦ --- ¦ - ¦ é ¦ 日本 ¦ 😀 ¦ $A ¦ (a)
0 ¦ 5 ¦ -5 ¦ +5 ¦ 007 ¦ 12345678901234567890 ¦ 2.50 ¦ -0 ¦ -0.0 ¦ 1. ¦ .5 ¦ 1e3 ¦ 1.5E-2 ¦ -.5e1 ¦ 0o17 ¦ 0x1F ¦ 0b1
.inf ¦ -.INF ¦ .nan ¦ .NaN ¦ 0o9 ¦ 0xg ¦ 1e ¦ e1 ¦ 1.2.3 ¦ + ¦ +a ¦ ++1
null ¦ Null ¦ NULL ¦ nULL ¦ ~ ¦ ~/a ¦ true ¦ TRUE ¦ tRUE ¦ False ¦ falsey
= ¦ << ¦ *a ¦ &a b ¦ !!str 1 ¦ @a ¦ %a ¦ | ¦ > ¦ >- ¦ ? a ¦ : a ¦ # a ¦ a\n ¦ a "b" c ¦ it's`);
const QUOTED = words(String.raw`
"a" ¦ "" ¦ "a \"b\" c" ¦ "\\" ¦ "{path}" ¦ "a: b # c" ¦ "docs/**/*.md" ¦ " a " ¦ "é\u0041" ¦ "\n" ¦ "\/" ¦ "5"
'a' ¦ '' ¦ 'it''s' ¦ 'a\' ¦ ' # ' ¦ ''' ¦ "a ¦ "a"b ¦ "a" b ¦ 'a'#b ¦ "a": ¦ "a" : b ¦ 'null'`);
const BITS = [
  ...' :,{}[]"\'#\\\n-?|>&*!%@~0ax.\t\r\0\u00a0\u2028\ufeff\u0085',
  ...['\r\n', ' #', ': ', '- ', '  ', '\n  ', '\n- ', '---\n', '...\n', '# c\n', 'null', '0o17', '\n\n', '\\"', ':]'],
  ...words('{ a: 1 } ¦ [a, b] ¦ , a ¦ ,, ¦ {} ¦ []'),
];

/** Gives YAML that is more than the plain form, and not always sound; the same documents in each run. */
export function documents(seed: number): () => string {
  const random = chance(seed);
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const often = (share: number) => random() < share;
  const times = (most: number) => Math.floor(random() * (most + 1));
  const key = () => (often(0.01) ? pick(ODD_KEYS) : pick(KEYS));
  const blanks = () => (often(0.85) ? ' ' : often(0.9) ? '   ' : '');
  const scalar = () => (often(0.3) ? pick(PLAIN) : often(0.2) ? pick(QUOTED) : pick(SOUND));
  const comment = () => (often(0.15) ? (often(0.05) ? '#c' : pick([' # c', '   # a: b', ' #', ' '])) : '');

  function flow(depth: number): string {
    if (depth === 0 || often(0.6)) return scalar();
    const isMap = often(0.5);
    const one = () => (isMap ? `${key()}:${often(0.99) ? ' ' : ''}${flow(depth - 1)}` : flow(depth - 1));
    const inner = Array.from({ length: times(3) }, one).join(`,${blanks()}`);
    const pad = often(0.5) ? ' ' : '';
    return isMap ? `{${pad}${inner}${pad}}` : `[${pad}${inner}${pad}]`;
  }

  function below(indent: number, depth: number): string {
    if (often(0.1)) return pick(['|', '>-', '&x', '']).concat(`\n${' '.repeat(indent)}${scalar()}`);
    if (depth === 0 || often(0.4)) {
      const dash = ' '.repeat(often(0.3) ? Math.max(0, indent - 2) : indent);
      return Array.from({ length: 1 + times(2) }, () => `\n${noise()}${dash}-${blanks()}${flow(2)}${comment()}`).join(
        '',
      );
    }
    return `\n${block(indent, depth - 1)}`;
  }
  const noise = () => (often(0.1) ? pick(['\n', '   \n', '# c\n', '      # c\n', '  # c\n']) : '');

  function block(indent: number, depth: number): string {
    const line = () => {
      const start = `${noise()}${' '.repeat(often(0.005) ? indent + 1 : indent)}${key()}:`;
      if (often(0.08)) return `${start}${comment()}`;
      return often(0.2) && depth > 0
        ? `${start}${comment()}${below(indent + 2, depth)}`
        : `${start}${blanks()}${flow(3)}${comment()}`;
    };
    return Array.from({ length: 1 + times(3) }, line).join('\n');
  }

  function mutated(text: string): string {
    let next = text;
    for (let left = 1 + times(2); left > 0; left--) {
      const at = Math.floor(random() * (next.length + 1));
      next = next.slice(0, at) + (often(0.7) ? pick(BITS) : '') + next.slice(at + times(2));
    }
    return next;
  }

  return () => {
    const text = block(0, 2) + (often(0.8) ? '\n' : '');
    const ended = often(0.15) ? text.replaceAll('\n', '\r\n') : text;
    return often(0.5) ? mutated(ended) : ended;
  };
}

/** One block of a day's reflection: what one tick did. */
export interface Told {
  tick: number;
  /** `08:15`, as the clock on the wall showed. */
  time: string;
  version: number;
  /** `3 done, 1 failed. Today 12 of 40, streak 1` */
  headline: string;
  lines: string[];
}

const START = /^<!-- tick:(\d+) -->$/;
const HEAD = /^## (\d\d:\d\d) tick (\d+), version (\d+): (.*)$/;

/** Reads a day's page. A block torn by a crash is left out, since the whole one follows it; so is what people wrote between blocks. */
export function parseReflection(text: string): Told[] {
  const told: Told[] = [];
  let open: { tick: string; lines: string[] } | null = null;
  for (const line of text.split(/\r?\n/)) {
    const start = START.exec(line);
    if (start !== null) open = { tick: start[1] ?? '', lines: [] };
    else if (open !== null && line === `<!-- /tick:${open.tick} -->`) {
      told.push(...toBlock(open.lines));
      open = null;
    } else open?.lines.push(line);
  }
  return told;
}

function toBlock([head = '', ...lines]: string[]): Told[] {
  const match = HEAD.exec(head);
  if (match === null) return [];
  const [, time = '', tick, version, headline = ''] = match;
  return [
    {
      tick: Number(tick),
      time,
      version: Number(version),
      headline,
      lines: lines.map((line) => line.replace(/^- /, '')),
    },
  ];
}

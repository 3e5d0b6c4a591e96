/** One line of a program's output, without its newline. `cut` = it was longer than allowed and the rest is dropped. */
export interface OutputLine {
  text: string;
  cut: boolean;
}

const NEWLINE = 0x0a;

/**
 * Cuts a stream of bytes into lines. A line is decoded whole, so a character split over two chunks stays a character.
 *
 * Units: `longest` in bytes. `end` gives the last line when it has no newline.
 */
export function lineReader(longest: number, take: (line: OutputLine) => void) {
  let parts: Buffer[] = [];
  let size = 0;
  let cut = false;

  function add(bytes: Buffer) {
    const room = longest - size;
    if (bytes.length > room) cut = true;
    const kept = bytes.subarray(0, room);
    if (kept.length > 0) parts.push(kept);
    size += kept.length;
  }

  function flush() {
    const line = { text: Buffer.concat(parts).toString('utf8'), cut };
    parts = [];
    size = 0;
    cut = false;
    take(line);
  }

  return {
    push(chunk: Buffer) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        add(chunk.subarray(from, at));
        from = at + 1;
        flush();
      }
      add(chunk.subarray(from));
    },
    end() {
      if (size > 0) flush();
    },
  };
}

/** Names that Windows keeps for devices, whatever their extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;
const LONGEST = 100;

/**
 * Turns an item's id into a file name: lower-case letters, digits, `_` and `-` stay, every other byte becomes `%xx`.
 *
 * Shape: NFC first; never empty, `.`, `..` or a device name; ids that differ in NFC give different names even where case is ignored.
 * Units: at most 160 characters; longer ones end in `~` and the digest of the whole name, in hexadecimal.
 */
export function encodeId(id: string, digest: (text: string) => string): string {
  const plain = id.normalize('NFC');
  const encoded = plain.replace(/[^a-z0-9_-]/gu, escaped);
  if (encoded === '') return '%';
  if (DEVICE.test(encoded)) return `%${encoded.charCodeAt(0).toString(16)}${encoded.slice(1)}`;
  if (encoded.length <= LONGEST) return encoded;
  // Never cut inside an escape.
  const head = encoded.slice(0, LONGEST).replace(/%[0-9a-f]?$/, '');
  return `${head}~${digest(encoded).slice(0, 32)}`;
}

/** As UTF-8. A lone surrogate, which has no place there, becomes the three bytes it would have: no other text holds those. */
function escaped(point: string): string {
  const code = point.codePointAt(0) ?? 0;
  const isLone = code >= 0xd800 && code <= 0xdfff;
  const bytes = isLone ? [0xed, 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)] : utf8(point, code);
  return bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

// A name is made for every look at a run: a Buffer for each dot and slash is what would take the time.
const utf8 = (point: string, code: number) => (code < 0x80 ? [code] : [...Buffer.from(point)]);

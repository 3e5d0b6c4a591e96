/** Names that Windows keeps for devices, whatever their extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;
const LONGEST = 100;

/**
 * Turns an item's id into a file name: lower-case letters, digits, `_` and `-` stay, every other byte becomes `%xx`.
 *
 * Shape: NFC first; never empty, `.`, `..` or a device name; different ids give different names even where case is ignored.
 * Units: at most 160 characters; longer ones end in `~` and the digest that `digest` makes of the whole id.
 */
export function encodeId(id: string, digest: (text: string) => string): string {
  const plain = id.normalize('NFC');
  const encoded = [...Buffer.from(plain)]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return /[a-z0-9_-]/.test(letter) ? letter : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
  if (encoded === '') return '%';
  if (DEVICE.test(encoded)) return `%${encoded.charCodeAt(0).toString(16)}${encoded.slice(1)}`;
  if (encoded.length <= LONGEST) return encoded;
  // Never cut inside an escape.
  const head = encoded.slice(0, LONGEST).replace(/%[0-9a-f]?$/, '');
  return `${head}~${digest(plain).slice(0, 32)}`;
}

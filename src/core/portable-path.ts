const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)( *\.|$)/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a name with one in it is what is refused
const UNPORTABLE = /[\u0000-\u001f<>:"|?*\\]|[. ]$/;

/** Why a file system somewhere could not hold a name, or null. */
export function unportable(name: string): string | null {
  if (DEVICE.test(name)) return 'a name that Windows keeps for a device';
  return UNPORTABLE.test(name) ? 'a name with characters that not every file system can hold' : null;
}

/** Those of `paths` that fall together, in a folder or in the name, where case and Unicode form are ignored. */
export function sameButForCase(paths: readonly string[]): Set<string> {
  const spellings = new Map<string, Set<string>>();
  for (const whole of paths) {
    const steps = whole.split('/');
    for (let length = 1; length <= steps.length; length += 1) {
      const path = steps.slice(0, length).join('/');
      const folded = fold(path);
      spellings.set(folded, (spellings.get(folded) ?? new Set()).add(path));
    }
  }
  const isTwin = (path: string) => (spellings.get(fold(path))?.size ?? 0) > 1;
  const prefixes = (path: string) => path.split('/').map((_, index, steps) => steps.slice(0, index + 1).join('/'));
  return new Set(paths.filter((path) => prefixes(path).some(isTwin)));
}

const fold = (path: string) => path.normalize('NFC').toUpperCase().toLowerCase();

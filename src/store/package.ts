import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PawlError } from '../errors.ts';

/** The folder of the installed package, looked for upward of this file: it may run from a bundle, a chunk, or the sources. */
export function packageRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'contracts'))) return folder;
  throw new PawlError('E_NOT_BUILT', 'the package is not whole: package.json or contracts/ is missing');
}

/** The built command. @throws PawlError `E_NOT_BUILT`. */
export function entry(): string {
  const path = join(packageRoot(), 'dist', 'pawl.cjs');
  if (!existsSync(path)) throw new PawlError('E_NOT_BUILT', 'dist/pawl.cjs is missing: run `npm run build`');
  return path;
}

/** A shipped text of contracts/. */
export const shipped = (...name: string[]): string => readFileSync(join(packageRoot(), 'contracts', ...name), 'utf8');

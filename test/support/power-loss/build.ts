import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Edit, Planted } from './planted.ts';

const root = join(import.meta.dirname, '../../..');

/** Bundles the explorer with the product as it is, or with one planted bug in it. @throws when the bug does not fit the source. */
export async function buildExplorer(outfile: string, bug: Planted | null): Promise<void> {
  const edits = bug === null ? [] : [bug, ...(bug.also ?? [])];
  await build({
    entryPoints: [join(import.meta.dirname, 'explore.ts')],
    ...{ outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' },
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    plugins: [
      {
        name: 'plant',
        setup({ onLoad }) {
          onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
            const own = edits.filter(({ file }) => path === join(root, file));
            if (own.length === 0) return null;
            return { contents: own.reduce(plant, readFileSync(path, 'utf8')), loader: 'ts' };
          });
        },
      },
    ],
  });
}

function plant(text: string, { file, find, replace, times = 1 }: Edit): string {
  const fits = text.split(find).length - 1;
  if (fits !== times) throw new Error(`a planted bug fits ${file} ${fits} times, wanted ${times}: ${find}`);
  return text.replaceAll(find, () => replace);
}

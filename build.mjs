// Builds dist/: a small entry that answers a no-op tick by itself, the rest of the command that it loads on use, and the library.
import { chmodSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { build } from 'esbuild';

const require = createRequire(import.meta.url);
const outdir = process.env.PAWL_OUT ?? 'dist';
rmSync(outdir, { recursive: true, force: true });
const common = { outdir, bundle: true, platform: 'node', target: 'node20', logLevel: 'warning' };

// CommonJS, since starting Node's loader of ES modules costs a sixth of a no-op tick, and each module more. `import()` becomes
// `require` there, still on use.
const command = {
  ...common,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  supported: { 'dynamic-import': false },
  minifyWhitespace: true,
  minifySyntax: true,
  // node-cron asks for its own place, and so do we.
  define: { 'import.meta.url': 'importMetaUrl' },
  banner: { js: "const importMetaUrl=require('node:url').pathToFileURL(__filename).href;" },
};

/** The entry loads the rest on use, so the rest is not part of its bundle. */
const onUse = {
  name: 'on-use',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/cli\/index\.ts$/ }, () => ({ path: './cli.cjs', external: true })),
};

/**
 * Packages that few ticks need stay in files of their own, each read when one of its names is first used: half a megabyte costs as much as
 * a no-op tick. Whoever imports one gets a module of getters, and esbuild hands them on as getters.
 */
const VENDORED = ['gray-matter', 'node-cron', 'picomatch', 'proper-lockfile', 'yaml'];
const vendored = {
  name: 'vendored',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^(${VENDORED.join('|')})$`) }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path, namespace: 'on-use' },
    );
    onResolve({ filter: /^\.\/vendor\//, namespace: 'on-use' }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /.*/, namespace: 'on-use' }, ({ path }) => ({ contents: readOnUse(path) }));
  },
};

function readOnUse(name) {
  const found = require(name);
  // __esModule has to be known before: it decides what a default import means.
  return `const load = () => require('./vendor/${name}.cjs');
module.exports = ${typeof found === 'function' ? '(...given) => load()(...given)' : '{}'};
${found.__esModule ? "Object.defineProperty(module.exports, '__esModule', { value: true });" : ''}
for (const name of ${JSON.stringify(Object.keys(found))})
  Object.defineProperty(module.exports, name, { enumerable: true, get: () => load()[name] });`;
}

await Promise.all([
  build({ ...command, banner: {}, entryPoints: { pawl: 'src/main.ts' }, plugins: [onUse] }),
  build({ ...command, entryPoints: { cli: 'src/cli/index.ts' }, plugins: [vendored] }),
  build({ ...command, entryPoints: VENDORED, outdir: `${outdir}/vendor` }),
  build({
    ...common,
    entryPoints: { index: 'src/index.ts', demo: 'src/demo.ts' },
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    // CommonJS packages in an ES module bundle ask for `require`.
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  }),
]);
chmodSync(`${outdir}/pawl.cjs`, 0o755);

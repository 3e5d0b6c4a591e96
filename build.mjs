// Builds dist/: a small .cjs entry that answers a no-op tick by itself, and ES modules that it imports on use.
import { chmodSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const outdir = process.env.PAWL_OUT ?? 'dist';
rmSync(outdir, { recursive: true, force: true });
const common = { bundle: true, platform: 'node', target: 'node20', logLevel: 'warning' };

/** The entry imports the rest only on use, so the rest is not part of its bundle. */
const onUse = {
  name: 'on-use',
  setup: ({ onResolve }) => onResolve({ filter: /^\.\/cli\/index\.ts$/ }, () => ({ path: './cli.js', external: true })),
};

// An ES module entry costs 16 % more than a CommonJS one on every start.
const entry = build({
  ...common,
  entryPoints: { pawl: 'src/main.ts' },
  outdir,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  plugins: [onUse],
});
const rest = build({
  ...common,
  entryPoints: { cli: 'src/cli/index.ts', index: 'src/index.ts', demo: 'src/demo.ts' },
  outdir,
  format: 'esm',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  // CommonJS packages in an ES module bundle ask for `require`.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
});
await Promise.all([entry, rest]);
chmodSync(`${outdir}/pawl.cjs`, 0o755);

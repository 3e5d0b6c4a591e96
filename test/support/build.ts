import { execFileSync } from 'node:child_process';

/** The end-to-end tests run `dist/`, so it is built afresh before them. */
export default function build() {
  execFileSync('node', ['build.mjs'], { stdio: 'inherit' });
}

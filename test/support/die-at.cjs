// A preload: NODE_OPTIONS=--require=<this file>, with what to do in PAWL_FAILPOINT as JSON (failpoint.ts has its shape).
// It counts the steps that src/store/disk.ts makes below one folder. At a chosen one it kills this process, lets the step
// fail, or edits a file as a person would. Processes started by this one inherit it.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const point = JSON.parse(process.env.PAWL_FAILPOINT ?? 'null');
const real = { ...fs };
/** Paths by file descriptor, since a sync and a write know only that. */
const files = new Map();
/** Files that a temporary file beside them is about to replace; true = compared, so that the rename comes next. */
const replacing = new Map();
let comparedAt = 0n;
let steps = 0;
let edits = 0;
let turn = 0;
let lastEdit = Number.NEGATIVE_INFINITY;
let inside = false;
/** The file whose next write stops in the middle. */
let torn = null;

const tell = (line) =>
  point.log && real.appendFileSync(point.log, `${JSON.stringify({ pid: process.pid, ...line })}\n`);

function fault(kind, path) {
  const message = `${point.do}: the machine says no, ${kind} '${path}'`;
  return Object.assign(new Error(message), { code: point.do, errno: -1, syscall: kind, path });
}

function die() {
  process.kill(process.pid, 'SIGKILL');
}

/** One step: counted, and done unless it is the chosen one. Whatever node makes of it inside is not counted again. */
function step(kind, path, act) {
  if (inside || !String(path).startsWith(`${point.root}/`) || (kind === 'read' && !point.edit)) return act();
  steps += 1;
  const name = String(path).slice(point.root.length + 1);
  if (kind !== 'read') tell({ step: steps, kind, path: name });
  if (point.edit) edit(point.edit);
  const chosen = steps === point.at || (point.sticky === true && steps > point.at);
  if (chosen && point.do === 'kill' && !point.half) die();
  if (chosen && point.do === 'SIGTERM') process.kill(process.pid, 'SIGTERM');
  if (chosen && point.kinds?.includes(kind) && !point.half) {
    tell({ failed: kind, path: name });
    throw fault(kind, path);
  }
  if (chosen && point.half) torn = String(path);
  inside = true;
  try {
    return act();
  } finally {
    inside = false;
  }
}

/** Not the exact middle: that may be the end of a line. */
const part = (length) => Math.floor(length * 0.4);

/** The first part of a write, after which the process is gone or the disk full. */
function half(path, write) {
  torn = null;
  write();
  tell({ failed: 'half', path: path.slice(point.root.length + 1) });
  if (point.do === 'kill') die();
  throw fault('write', path);
}

/** A person's edit, if one is due: the next of the list that finds its place. */
function edit({ first, every, list, most }) {
  if (steps < Math.max(first, lastEdit + every) || edits >= most) return;
  const order = list.map((_, index) => (turn + index) % list.length);
  const entry = order.find((index) => write(list[index], `${process.pid}-${steps}`));
  if (entry === undefined) return;
  tell({ edited: list[entry].file, entry, mine: `${process.pid}-${steps}` });
  turn = entry + 1;
  edits += 1;
  lastEdit = steps;
}

/** As editors do: a new file renamed over the old one, or the old one written anew. */
function write({ file, find, put, how }, mine) {
  const path = `${point.root}/${file}`;
  // The one place where a person can lose: after the last look, before the rename.
  if (replacing.get(path)) return false;
  const text = real.readFileSync(path, 'utf8');
  const next = text.replace(new RegExp(find, 'm'), put.replaceAll('%', mine));
  if (next === text) return false;
  inside = true;
  const target = how === 'rename' ? `${path}~` : path;
  real.writeFileSync(target, next);
  if (how === 'rename') real.renameSync(target, path);
  inside = false;
  return true;
}

const target = (path) => String(path).replace(/\.tmp-[0-9a-f-]{36}$/, '');

function installAll() {
  fs.openSync = (path, flags, mode) => {
    const open = () => real.openSync(path, flags, mode);
    if (flags === 'wx' && target(path) !== path) replacing.set(target(path), false);
    const fd = flags === 'wx' ? step('create', path, open) : flags === 'a' ? step('open', path, open) : open();
    files.set(fd, String(path));
    return fd;
  };
  fs.closeSync = (fd) => {
    const path = files.get(fd);
    files.delete(fd);
    real.closeSync(fd);
    // Of an empty file nothing was written: its middle is here.
    if (torn !== null && torn === path) half(path, () => {});
  };
  fs.writeSync = (fd, buffer, offset = 0, ...rest) => {
    const path = files.get(fd);
    if (torn === null || torn !== path) return real.writeSync(fd, buffer, offset, ...rest);
    return half(path, () => real.writeSync(fd, buffer, offset, part(buffer.length - offset)));
  };
  fs.appendFileSync = (path, bytes) =>
    step('append', path, () =>
      torn === String(path)
        ? half(torn, () => real.appendFileSync(path, bytes.subarray(0, part(bytes.length))))
        : real.appendFileSync(path, bytes),
    );
  fs.fsyncSync = (fd) => step('sync', files.get(fd) ?? '', () => real.fsyncSync(fd));
  fs.renameSync = (from, to) => {
    step('rename', to, () => real.renameSync(from, to));
    if (replacing.get(String(to)) && point.edit)
      tell({ gap: String(to).slice(point.root.length + 1), ns: Number(process.hrtime.bigint() - comparedAt) });
    replacing.delete(String(to));
  };
  fs.linkSync = (from, to) => step('link', to, () => real.linkSync(from, to));
  fs.unlinkSync = (path) => {
    step('unlink', path, () => real.unlinkSync(path));
    if (target(path) !== path) replacing.delete(target(path));
  };
  fs.mkdirSync = (path, options) => step('makeFolder', path, () => real.mkdirSync(path, options));
  fs.rmdirSync = (path) => step('removeFolder', path, () => real.rmdirSync(path));
  if (!point.edit) return;
  fs.readFileSync = (path, options) => {
    const bytes = step('read', path, () => real.readFileSync(path, options));
    if (replacing.has(String(path))) {
      replacing.set(String(path), true);
      comparedAt = process.hrtime.bigint();
    }
    return bytes;
  };
  fs.lstatSync = (path, options) => step('read', path, () => real.lstatSync(path, options));
  fs.readdirSync = (path, options) => step('read', path, () => real.readdirSync(path, options));
}

if (point?.who.includes(process.argv[2])) {
  installAll();
  syncBuiltinESMExports();
}

// Checks one Markdown file: a worker for pawl's `command` executor. It needs Node and nothing else.
//
// To sweep your own docs, let `.jez/loop.md` say (the path is where this file is):
//
//     source:   { kind: folder, path: "docs/**/*.md", mark: { field: checked } }
//     executor: { kind: command, run: [node, .jez/workers/docs-sweep.mjs], env: [DOCS_SWEEP_RULES] }
//
// `DOCS_SWEEP_RULES` is optional: the rules to run, with commas between, e.g. `dead-link,open-fence`. All of them:
//
//     dead-link         a relative link or image whose file or folder is not there (`/x` starts at the project, or at a folder above the page)
//     dead-anchor       `#part` that no heading (slugs as GitHub makes them), HTML id or name, or `{#id}` answers to; letter case is ignored
//     ambiguous-anchor  `#part` whose heading stands in its page more than once, so that the link shows the first, unless `#part-1` is linked to as well
//     outside-project   a link that leaves the project; nothing is looked up there
//     image-alt         `![](x)` or an `<img>` without `alt`; `alt=""` is a choice and no finding
//     open-fence        a code fence that the page, its list item or its quote ends without closing
//     encoding          a file that is not UTF-8; the other rules are not run on it then
//
// In: the job, one line of JSON on stdin. Out: JSON lines on stdout; the last is the result, with `fields.findings`, a number.
// A page with findings also gets `findings.json` in the scratch folder (`.jez/runs/<run>/files/`), one finding a line:
//
//     {"file":"docs/a.md","findings":[
//     {"line":12,"rule":"dead-link","message":"no file or folder docs/b.md","target":"b.md"}
//     ]}
//
// Exit 0: there is a result. 78: the settings are wrong (an unknown rule, items that are not files); stderr says what to change.
// What it takes for a link is CommonMark with GitHub's tables; the time taken grows with the size of the page and no faster.
import { existsSync, readFileSync, readSync, realpathSync, writeFileSync, writeSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

/** The rules with the words for one and for many, in the order of a summary. */
const RULES = {
  'dead-link': ['dead link', 'dead links'],
  'dead-anchor': ['dead anchor', 'dead anchors'],
  'ambiguous-anchor': ['ambiguous anchor', 'ambiguous anchors'],
  'outside-project': ['link that points outside the project', 'links that point outside the project'],
  'image-alt': ['image without alt text', 'images without alt text'],
  'open-fence': ['unclosed code fence', 'unclosed code fences'],
  encoding: ['file that is not UTF-8', 'files that are not UTF-8'],
};

/** Files that packages often leave out: a dead link to one says little about the page. Texts are fixed: no page can word a rule. */
const OMITTED = [
  ['license', 'LICENSE', /^(licen[cs]e|copying)(\.|-|$)/i],
  ['changelog', 'CHANGELOG', /^(changelog|changes|history|releases)(\.|$)/i],
  ['contributing', 'CONTRIBUTING', /^(contributing|code[-_]of[-_]conduct|security|governance|authors)(\.|$)/i],
  ['github', '.github', /^\.github$/i],
];

// ---- The check ----

/**
 * Checks a page.
 *
 * @param page `{ path, text }`; the path from the project's root, with `/`.
 * @param project `{ has(path), read(path) }` by the same kind of path, `''` = the root; `read` gives the text of a file, or null.
 * @returns findings `{ line, rule, message, target? }`, by line; `target` is the link as it was written.
 */
export function check(page, project) {
  return judge(page, project, readPage(page.text));
}

function judge(page, project, seen) {
  const findings = seen.openFences.map((line) => ({ line, rule: 'open-fence', message: 'code fence is never closed' }));
  for (const { line, alt, target } of seen.images) {
    if (!alt) findings.push({ line, rule: 'image-alt', message: `image without alt text: ${shorten(target)}` });
  }
  const anchorsOf = anchorReader(page, project, seen);
  const targets = new Set(seen.links.map(({ target }) => target));
  for (const { line, target } of seen.links) {
    const wrong = judgeLink(target, page.path, project, anchorsOf);
    // A page that links to `#usage-1` as well, as a table of contents does, means the first by `#usage`.
    const isMeant = wrong?.rule === 'ambiguous-anchor' && targets.has(`${target}-1`);
    if (wrong !== null && !isMeant) findings.push({ line, ...wrong, target: shorten(target) });
  }
  return findings.sort((a, b) => a.line - b.line);
}

/** @returns what gives the anchors of a page, or null when they can't be known. Each page is read once. */
function anchorReader(page, project, seen) {
  const known = new Map([[page.path, anchors(seen)]]);
  return (path) => {
    if (!known.has(path)) {
      const text = /\.(md|markdown)$/i.test(path) ? project.read(path) : null;
      known.set(path, text === null ? null : anchors(readPage(text)));
    }
    return known.get(path);
  };
}

// A scheme has two letters at least; `{{ url }}`, `{% url %}`, `${url}` and `<%= url %>` are filled in by some other program.
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]+:|\/\/|\\\\)|\{\{|\{%|\$\{|<%|^\{/i;

function judgeLink(target, from, project, anchorsOf) {
  if (target === '' || ELSEWHERE.test(target)) return null;
  const hashAt = target.indexOf('#');
  const [path] = (hashAt < 0 ? target : target.slice(0, hashAt)).split('?', 1);
  const found = path === '' ? from : locate(path, from, project);
  if (found === 'outside')
    return { rule: 'outside-project', message: `points outside the project: ${shorten(target)}` };
  if (found === null) return { rule: 'dead-link', message: `no file or folder ${shorten(missing(path, from))}` };
  const hash = hashAt < 0 ? '' : decode(target.slice(hashAt + 1));
  return judgeAnchor(hash, found, anchorsOf);
}

function judgeAnchor(hash, path, anchorsOf) {
  // Line numbers, text fragments and the routes of one-page sites are not headings.
  if (/^(top)?$|^L\d+([-C]|$)|^:~:|^[!/]/i.test(hash)) return null;
  const there = anchorsOf(path);
  const name = same(hash.replace(/^user-content-/, ''));
  if (there === null || there.ids.has(name)) return null;
  const lines = there.headings.get(name) ?? [];
  if (lines.length > 1) {
    const which = `${lines.length} headings of ${path} answer to #${shorten(hash)}: lines ${lines.slice(0, 5).join(', ')}`;
    return { rule: 'ambiguous-anchor', message: which };
  }
  if (there.slugs.has(name)) return null;
  return { rule: 'dead-anchor', message: `no heading or id #${shorten(hash)} in ${path}` };
}

/** @returns the path of what a link leads to, `'outside'`, or null. Site generators let `.md` be left out, so it may be. */
function locate(path, from, project) {
  for (const start of path.startsWith('/') ? ['', ...foldersAbove(from)] : [posix.dirname(from)]) {
    for (const form of new Set([decode(path), path])) {
      const place = posix
        .join(start, form)
        .replace(/^\/|\/$/g, '')
        .replace(/^\.$/, '');
      if (place === '..' || place.startsWith('../')) return 'outside';
      if (project.has(place)) return place;
      if (!path.endsWith('/') && posix.extname(place) === '' && project.has(`${place}.md`)) return `${place}.md`;
    }
  }
  return null;
}

/** `/x` is meant from the root of the project or of the site, and a site often lies in a folder. */
function foldersAbove(path) {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function missing(path, from) {
  return posix.join(path.startsWith('/') ? '' : posix.dirname(from), decode(path)).replace(/^\//, '');
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text; // a bare %
    throw error;
  }
}

function shorten(text) {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

// ---- Anchors ----

/** Names that are the same to a reader: letter case and the invisible sign behind an emoji make no difference. */
function same(name) {
  return name.toLowerCase().replaceAll('\u{fe0f}', '');
}

function slug(text) {
  return same(text)
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** @returns `slugs`, all that exist; `headings`, the lines of the headings behind each slug; `ids`, names given by hand. */
function anchors({ headings, ids }) {
  const found = { slugs: new Set(), headings: new Map(), ids: new Set(ids.map(same)) };
  const last = new Map();
  for (const { line, text } of headings) {
    const base = slug(text.replace(/\s+/g, ' ').trim());
    let name = base;
    for (let n = last.get(base) ?? 0; last.has(name); last.set(base, n)) name = `${base}-${++n}`;
    last.set(name, last.get(name) ?? 0);
    // GitHub drops line breaks and keeps spaces at the ends, other programs do not: both spellings are good.
    found.slugs.add(name).add(slug(text));
    found.headings.set(base, [...(found.headings.get(base) ?? []).slice(0, 99), line]);
  }
  return found;
}

// ---- Blocks: which lines are text, and which are code, HTML or nothing ----

/** `text`, decoded. @returns what a page has: `{ links, images, headings, ids, openFences }`, each with its line from 1 on. */
function readPage(text) {
  const page = { links: [], images: [], headings: [], ids: [], openFences: [] };
  const state = { page, containers: [], leaf: null, chunks: [], definitions: new Map() };
  const lines = text.replace(/^\u{feff}/u, '').split(/\r\n|\n|\r/);
  for (let index = frontMatter(lines); index < lines.length; index++) takeLine(state, spaces(lines[index]), index + 1);
  closeTo(state, 0);
  // Definitions may come last, so the text is read when all are known.
  for (const chunk of state.chunks) scan(chunk, page, state.definitions);
  return page;
}

/** @returns how many lines the front matter takes; a page may also begin with a rule, so the second line has to look like a key. */
function frontMatter(lines) {
  const [first, second = ''] = lines;
  if (first.trimEnd() !== '---' || !/^\s*(#|---|[\w"'-][^:]*:)/.test(second)) return 0;
  return lines.findIndex((line, index) => index > 0 && /^(---|\.\.\.)\s*$/.test(line)) + 1;
}

/** Tabs as spaces up to the next multiple of four. */
function spaces(line) {
  if (!line.includes('\t')) return line;
  let out = '';
  for (const part of line.split('\t')) out += part + ' '.repeat(4 - ((out.length + part.length) % 4));
  return out.trimEnd();
}

// A line costs one step per container, so their number is bounded.
const DEEPEST = 50;

/** One line: first the containers it is in, then the block it goes on with, then the blocks it opens. */
function takeLine(state, line, number) {
  const { rest, matched } = enter(state.containers, line);
  const raw = state.leaf !== null && state.leaf.kind !== 'text';
  if (raw && matched === state.containers.length) return goOn(state, rest);
  if (raw || isBlank(rest)) closeTo(state, matched);
  if (!isBlank(rest)) open(state, rest, matched, number);
}

function isBlank(text) {
  return text.trim() === '';
}

function enter(containers, line) {
  let rest = line;
  let matched = 0;
  for (const container of containers) {
    const indent = indentOf(rest);
    if (container.quote) {
      if (indent > 3 || rest[indent] !== '>') break;
      rest = rest.slice(indent + (rest[indent + 1] === ' ' ? 2 : 1));
    } else {
      if (indent < container.indent && !isBlank(rest)) break;
      rest = rest.slice(container.indent);
    }
    matched++;
  }
  return { rest, matched };
}

function indentOf(text) {
  let at = 0;
  while (text[at] === ' ') at++;
  return at;
}

/** Ends the open block and leaves all containers but the first `depth`. */
function closeTo(state, depth) {
  const { leaf } = state;
  if (leaf?.kind === 'fence') state.page.openFences.push(leaf.line);
  if (leaf?.kind === 'html') state.chunks.push({ kind: 'html', line: leaf.line, text: leaf.lines.join('\n') });
  if (leaf?.kind === 'text') closeParagraph(state, leaf);
  state.leaf = null;
  state.containers.length = depth;
}

/** A further line of a code fence or an HTML block. */
function goOn(state, rest) {
  const { leaf } = state;
  if (leaf.kind === 'fence') {
    const mark = rest.trim();
    const closes = mark.length >= leaf.size && indentOf(rest) < 4 && mark === leaf.sign.repeat(mark.length);
    if (closes) state.leaf = null;
    return;
  }
  if (leaf.end === null && isBlank(rest)) return closeTo(state, state.containers.length);
  leaf.lines.push(rest);
  if (leaf.end?.test(rest)) closeTo(state, state.containers.length);
}

/** What a line opens; `matched` containers are its own, the others end unless a paragraph goes on ("lazily"). */
function open(state, line, matched, number) {
  let rest = line;
  let depth = matched;
  for (;;) {
    const indent = indentOf(rest);
    const paragraph = state.leaf?.kind === 'text';
    const text = rest.slice(indent);
    if (text === '') return;
    if (indent > 3) return paragraph ? state.leaf.lines.push(text) : closeTo(state, depth);
    const own = paragraph && depth === state.containers.length;
    if (own && /^(=+|-+)$/.test(text.trimEnd())) return closeHeading(state, number);
    const width = depth < DEEPEST ? containerWidth(text, own) : null;
    if (width === null) return openLeaf(state, text, depth, number);
    closeTo(state, depth);
    state.containers.push(text[0] === '>' ? { quote: true } : { quote: false, indent: indent + width });
    depth++;
    rest = rest.slice(indent + width);
  }
}

/** @returns how much of the line the mark of a quote or a list item takes, or null. `own`: it would cut a paragraph short. */
function containerWidth(text, own) {
  if (text[0] === '>') return text[1] === ' ' ? 2 : 1;
  const mark = /^(?:[-+*]|(\d{1,9})[.)])(?= |$)/.exec(text);
  if (mark === null || isRule(text)) return null;
  const content = text.slice(mark[0].length);
  if (own && (isBlank(content) || (mark[1] !== undefined && Number(mark[1]) !== 1))) return null;
  const gap = indentOf(content);
  return mark[0].length + (isBlank(content) || gap > 4 ? 1 : gap);
}

function isRule(text) {
  return /^[*_-]/.test(text) && /^(\*{3,}|-{3,}|_{3,})$/.test(text.replaceAll(' ', ''));
}

function openLeaf(state, text, depth, line) {
  const heading = /^#{1,6}(?= |$)/.exec(text);
  const fence = /^(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(text);
  const html = heading || fence || isRule(text) ? null : htmlBlock(text, state.leaf !== null);
  if (!heading && !fence && !html && !isRule(text)) return addText(state, text, depth, line);
  closeTo(state, depth);
  if (heading) state.chunks.push({ kind: 'heading', line, text: withoutHashes(text.slice(heading[0].length)) });
  if (fence) state.leaf = { kind: 'fence', line, sign: text[0], size: (fence[1] ?? fence[2]).length };
  if (html) {
    state.leaf = { kind: 'html', line, lines: [text], end: html.end };
    if (html.end?.test(text)) closeTo(state, depth);
  }
}

function addText(state, text, depth, line) {
  if (state.leaf !== null) return state.leaf.lines.push(text);
  closeTo(state, depth);
  state.leaf = { kind: 'text', line, lines: [text] };
}

/** `## Title ##` has closing signs when a space is before them. Counted by hand: `/#+$/` takes squared time on a long row. */
function withoutHashes(text) {
  const title = text.trim();
  let end = title.length;
  while (title[end - 1] === '#') end--;
  return end === 0 || title[end - 1] === ' ' ? title.slice(0, end).trim() : title;
}

const TAG = /<(\/?)([a-z][a-z0-9-]*)((?:\s+[a-z_:@][\w.:@-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*)\s*\/?>/iy;
const BLOCK_NAMES = `address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt
  fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu menuitem nav
  noframes ol optgroup option p param picture search section summary table tbody td tfoot th thead title tr track ul`;
const BLOCK_TAG = new RegExp(`^</?(?:${BLOCK_NAMES.split(/\s+/).join('|')})(?: |/?>|$)`, 'i');
const RAW_BLOCKS = [
  [/^<(script|pre|style|textarea)(?: |>|$)/i, /<\/(script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
];

/** @returns where an HTML block that starts here ends (`end: null` = at a blank line), or null when there is none. */
function htmlBlock(text, inParagraph) {
  if (text[0] !== '<') return null;
  const raw = RAW_BLOCKS.find(([start]) => start.test(text));
  if (raw !== undefined) return { end: raw[1] };
  if (BLOCK_TAG.test(text)) return { end: null };
  if (inParagraph) return null;
  TAG.lastIndex = 0;
  return TAG.test(text) && isBlank(text.slice(TAG.lastIndex)) ? { end: null } : null;
}

function closeHeading(state, underline) {
  const { leaf } = state;
  const from = takeDefinitions(state, leaf);
  const text = leaf.lines.join('\n').slice(from).trim();
  state.leaf = null;
  if (text !== '') state.chunks.push({ kind: 'heading', line: underline - text.split('\n').length, text });
}

/** A paragraph is definitions, then text, then maybe a table, whose cells are texts of their own. */
function closeParagraph(state, leaf) {
  const all = leaf.lines.join('\n');
  const from = takeDefinitions(state, leaf);
  const lines = all.slice(from).split('\n');
  const first = leaf.line + newlines(all.slice(0, from));
  const ruler = lines.findIndex((line, index) => index > 0 && isTableRuler(line));
  const table = ruler < 0 ? lines.length : ruler - 1;
  state.chunks.push({ kind: 'text', line: first, text: lines.slice(0, table).join('\n') });
  for (let index = table; index < lines.length; index++) {
    for (const text of lines[index].split(/(?<!\\)\|/)) state.chunks.push({ kind: 'text', line: first + index, text });
  }
}

function isTableRuler(line) {
  return line.includes('|') && line.includes('-') && /^[|:\- ]+$/.test(line);
}

function newlines(text) {
  return text.split('\n').length - 1;
}

// ---- Links ----

/** Reads `[label]: target "title"` at the start of a paragraph, as often as it is there. @returns where the text goes on. */
function takeDefinitions({ page, definitions }, { line, lines }) {
  const text = lines.join('\n');
  let at = 0;
  let number = line;
  for (;;) {
    const found = text[at] === '[' && text[at + 1] !== '^' ? definition(text, at) : null;
    if (found === null) return at;
    page.links.push({ line: number, target: found.target });
    if (!definitions.has(found.label)) definitions.set(found.label, found.target);
    number += newlines(text.slice(at, found.end));
    at = found.end;
  }
}

function definition(text, at) {
  const name = label(text, at);
  if (name === null || isBlank(name.text) || text[name.end] !== ':') return null;
  const to = destination(text, blanks(text, name.end + 1));
  if (to === null || (to.target === '' && text[to.end - 1] !== '>')) return null;
  const titled = title(text, blanks(text, to.end));
  const end = (titled === null ? null : lineEnd(text, titled)) ?? lineEnd(text, to.end);
  return end === null ? null : { label: normal(name.text), target: to.target, end };
}

/** `[label]` at `at`, with no bracket inside. */
function label(text, at) {
  const end = Math.min(text.length, at + 1000);
  for (let i = at + 1; i < end; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '[') return null;
    else if (text[i] === ']') return { text: text.slice(at + 1, i), end: i + 1 };
  }
  return null;
}

function normal(name) {
  return name.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}

function blanks(text, at) {
  let end = at;
  while (text[end] === ' ' || text[end] === '\n') end++;
  return end;
}

function lineEnd(text, at) {
  const end = at + indentOf(text.slice(at));
  return end >= text.length ? text.length : text[end] === '\n' ? end + 1 : null;
}

/** Where a link leads: `<in angles>`, or up to a blank or the bracket that is one too many. */
function destination(text, at) {
  const angled = text[at] === '<';
  let depth = 0;
  let i = angled ? at + 1 : at;
  for (; i < text.length; i++) {
    const sign = text[i];
    if (sign === '\\' && isPunctuation(text[i + 1])) i++;
    else if (angled ? sign === '>' : sign <= ' ' || (sign === ')' && depth === 0)) break;
    else if (angled ? sign === '<' || sign === '\n' : sign === '(' && ++depth > 32) return null;
    else if (!angled && sign === ')') depth--;
  }
  if (angled) return i < text.length ? { target: plain(text.slice(at + 1, i)), end: i + 1 } : null;
  return depth === 0 ? { target: plain(text.slice(at, i)), end: i } : null;
}

/** @returns the end of the `"title"`, `'title'` or `(title)` at `at`, which has to follow a blank, or null. */
function title(text, at) {
  const close = { '"': '"', "'": "'", '(': ')' }[text[at]];
  if (close === undefined || text[at - 1] > ' ') return null;
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === close) return i + 1;
    else if (text[i] === '(' && close === ')') return null;
  }
  return null;
}

/** `(target "title")` at `at`. */
function inlineTarget(text, at) {
  const to = destination(text, blanks(text, at + 1));
  if (to === null) return null;
  const after = blanks(text, to.end);
  const end = blanks(text, title(text, after) ?? after);
  return text[end] === ')' ? { target: to.target, end: end + 1 } : null;
}

function isPunctuation(sign) {
  return sign !== undefined && /[!-/:-@[-`{-~]/.test(sign);
}

function plain(text) {
  return withoutEntities(text.replace(/\\([!-/:-@[-`{-~])/g, '$1'));
}

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u{a0}' };

/** Names that are not known here are signs, which have no place in a slug. */
function withoutEntities(text) {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,31}));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? '';
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

// ---- Text: what is in a paragraph, a heading, a cell or a block of HTML ----

// Stands for an underscore that is not a sign of emphasis.
const LITERAL = '\u{e000}';
const EMPHASIS = /(?<![\p{L}\p{N}_])(_{1,3})([^\s_](?:[^_]*[^\s_])?)\1(?![\p{L}\p{N}_])/gu;

const SPECIAL = { html: /</g, text: /[\\`<![\]{]/g };
const AUTOLINK = /<[a-z][a-z0-9+.-]{1,31}:[^\s<>]*>|<[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9.-]+>/iy;
const ID = /\{:? *#([^\s{}]+)(?=[\s}])/y;

function scan({ kind, text, line }, page, definitions) {
  const place = { page, definitions, text, line, newline: text.indexOf('\n'), isHtml: kind === 'html' };
  const brackets = { stack: [], dead: 0, lastOpen: -1 };
  const scanner = { ...place, ...brackets, out: [], heading: null, rows: backticks(text), never: new Set() };
  const special = kind === 'html' ? SPECIAL.html : SPECIAL.text;
  for (let at = 0; at < text.length; ) {
    special.lastIndex = at;
    const next = special.exec(text)?.index ?? text.length;
    scanner.out.push(text.slice(at, next));
    at = next < text.length ? step(scanner, next) : next;
  }
  if (kind === 'heading') page.headings.push({ line, text: headingText(scanner.out.join('')) });
}

/** @returns a heading as it is shown, without `{#id}`. */
function headingText(text) {
  const brace = text.endsWith('}') ? text.lastIndexOf('{') : -1;
  const title = brace >= 0 && /^\{:? *[#.]/.test(text.slice(brace)) ? text.slice(0, brace).trimEnd() : text;
  return withoutEntities(title.replace(EMPHASIS, '$2').replaceAll(LITERAL, '_'));
}

/** @returns where to go on after the special sign at `at`. */
function step(scanner, at) {
  const { text } = scanner;
  switch (text[at]) {
    case '\\':
      return escaped(scanner, at);
    case '`':
      return codeSpan(scanner, at);
    case '<':
      return angle(scanner, at);
    case ']':
      return closeBracket(scanner, at);
    case '{':
      return attributes(scanner, at);
    case '!':
      return text[at + 1] === '[' ? openBracket(scanner, at, true) : literal(scanner, at);
    default:
      return openBracket(scanner, at, false);
  }
}

function literal(scanner, at, size = 1) {
  scanner.out.push(scanner.text.slice(at, at + size));
  return at + size;
}

function escaped(scanner, at) {
  const sign = scanner.text[at + 1];
  if (!isPunctuation(sign)) return literal(scanner, at);
  scanner.out.push(sign === '_' ? LITERAL : sign);
  return at + 2;
}

/** @returns by length, where the rows of backticks are, in order: a span is found without searching again and again. */
function backticks(text) {
  const rows = new Map();
  for (const { 0: row, index } of text.matchAll(/`+/g)) {
    const same = rows.get(row.length) ?? { places: [], next: 0 };
    same.places.push(index);
    rows.set(row.length, same);
  }
  return rows;
}

function codeSpan(scanner, at) {
  let size = 1;
  while (scanner.text[at + size] === '`') size++;
  const rows = scanner.rows.get(size);
  while (rows !== undefined && rows.places[rows.next] <= at) rows.next++;
  const end = rows?.places[rows.next];
  if (end === undefined) return literal(scanner, at, size);
  scanner.out.push(scanner.text.slice(at + size, end).replaceAll('_', LITERAL));
  return end + size;
}

/** An id given in braces, as in `{#id}` and `{: #id}`. */
function attributes(scanner, at) {
  ID.lastIndex = at;
  const found = ID.exec(scanner.text);
  if (found !== null) scanner.page.ids.push(found[1]);
  return literal(scanner, at);
}

function angle(scanner, at) {
  const { text } = scanner;
  // A block of HTML ends with its comment, so a comment without an end hides the rest; in a paragraph it is text.
  if (text.startsWith('<!--', at)) return (seek(scanner, '-->', at + 2) ?? (scanner.isHtml ? text.length : at)) + 1;
  AUTOLINK.lastIndex = at;
  if (AUTOLINK.test(text)) return literal(scanner, at, AUTOLINK.lastIndex - at);
  TAG.lastIndex = at;
  const tag = TAG.exec(text);
  if (tag === null) return literal(scanner, at);
  const end = TAG.lastIndex;
  takeTag(scanner, at, tag);
  const raw = tag[1] === '' && /^(script|style|textarea)$/i.test(tag[2]);
  return raw ? (seek(scanner, `</${tag[2]}`, end) ?? end) : end;
}

/** @returns the last place of the next `words`, or null; words that were not found once are not searched for again. */
function seek(scanner, words, from) {
  const found = scanner.never.has(words) ? -1 : scanner.text.indexOf(words, from);
  if (found >= 0) return found + words.length - 1;
  scanner.never.add(words);
  return null;
}

/** The line of a place; places only grow. */
function lineOf(scanner, at) {
  while (scanner.newline >= 0 && scanner.newline < at) {
    scanner.line++;
    scanner.newline = scanner.text.indexOf('\n', scanner.newline + 1);
  }
  return scanner.line;
}

function takeTag(scanner, at, [, slash, tagName, rest]) {
  const { page } = scanner;
  const name = tagName.toLowerCase();
  const line = lineOf(scanner, at);
  if (/^h[1-6]$/.test(name)) takeHtmlHeading(scanner, slash !== '', line);
  const has = new Map();
  for (const [, key, a, b, c] of rest.matchAll(/([^\s"'=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=]+)))?/g)) {
    has.set(key.toLowerCase(), withoutEntities(a ?? b ?? c ?? '').trim());
  }
  for (const key of ['id', 'name']) if (has.has(key)) page.ids.push(has.get(key));
  const target = has.get(name === 'a' ? 'href' : /^(img|video|audio|source)$/.test(name) ? 'src' : '');
  if (target !== undefined) page.links.push({ line, target });
  if (name === 'img') page.images.push({ line, alt: has.has('alt') || has.has(':alt'), target: target ?? '' });
}

/** `<h2>text</h2>` in a block of HTML is a heading like any other. */
function takeHtmlHeading(scanner, closes, line) {
  const { page, heading, out } = scanner;
  if (closes && heading !== null)
    page.headings.push({ line: heading.line, text: withoutEntities(out.slice(heading.from).join('')) });
  scanner.heading = closes ? null : { line, from: out.length };
}

function openBracket(scanner, at, image) {
  const bracket = image ? at + 1 : at;
  scanner.stack.push({ bracket, image, line: lineOf(scanner, at), from: scanner.out.length });
  scanner.lastOpen = bracket;
  scanner.out.push(image ? '![' : '[');
  return bracket + 1;
}

/** The end of what may be a link or an image. A link holds no other link, so all `[` before it are plain text from then on. */
function closeBracket(scanner, at) {
  const { page, stack, text, out } = scanner;
  const opened = stack.pop();
  const isDead = opened !== undefined && !opened.image && stack.length < scanner.dead;
  scanner.dead = Math.min(scanner.dead, stack.length);
  const found = opened === undefined || isDead ? null : linkAfter(scanner, opened, at);
  if (found === null) return literal(scanner, at);
  const { line } = opened;
  if (found.inline) page.links.push({ line, target: found.target });
  if (opened.image) {
    const alt = !isBlank(text.slice(opened.bracket + 1, Math.min(at, opened.bracket + 1000)));
    page.images.push({ line, alt, target: found.target });
    out.length = opened.from;
  } else {
    out[opened.from] = '';
    scanner.dead = stack.length;
  }
  return found.end;
}

/** `](target)`, `][label]`, `][]` or `]` alone; a target by label was judged where it is defined. */
function linkAfter(scanner, { bracket }, at) {
  const { text, definitions, lastOpen } = scanner;
  const inline = text[at + 1] === '(' ? inlineTarget(text, at + 1) : null;
  if (inline !== null) return { ...inline, inline: true };
  const given = text[at + 1] === '[' ? label(text, at + 1) : null;
  if (given !== null && !isBlank(given.text)) return byLabel(definitions, given.text, given.end);
  const isLabel = lastOpen === bracket && at - bracket < 1000;
  return isLabel ? byLabel(definitions, text.slice(bracket + 1, at), given?.end ?? at + 1) : null;
}

function byLabel(definitions, name, end) {
  const target = definitions.get(normal(name));
  return target === undefined ? null : { target, end, inline: false };
}

// ---- The worker ----

/** The project on disk. A symlink that leaves it is there, but is not read. */
function projectAt(root) {
  const top = realpathSync(root) + sep;
  return {
    has: (path) => existsSync(join(root, path)),
    read(path) {
      try {
        const file = realpathSync(join(root, path));
        return file.startsWith(top) ? textOf(readFileSync(file)) : null;
      } catch (error) {
        if (error.code === 'EACCES' || error.code === 'EISDIR') return null;
        throw error;
      }
    },
  };
}

/** @returns the text of bytes that are UTF-8, or null. UTF-16 without its mark is UTF-8 with zeros in it. */
function textOf(bytes) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function print(line) {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

function finish(outcome, summary, more) {
  print({ type: 'result', outcome, summary, surprises: [], ...more });
}

/** Settings are wrong: no item can be done until a person changes them. */
function misconfigured(message) {
  writeSync(2, `docs-sweep: ${message}\n`);
  process.exit(78);
}

/** The first line of stdin; whoever writes it need not close it. */
function readJob() {
  const chunks = [];
  const buffer = Buffer.alloc(65_536);
  for (let size = 1, ended = false; size > 0 && !ended; ) {
    size = readSync(0, buffer);
    chunks.push(Buffer.from(buffer.subarray(0, size)));
    ended = chunks.at(-1).includes(10);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

function chosenRules() {
  const names = (process.env.DOCS_SWEEP_RULES ?? '').split(',').map((name) => name.trim());
  const chosen = names.filter((name) => name !== '');
  const unknown = chosen.find((name) => !Object.hasOwn(RULES, name));
  if (unknown !== undefined) {
    misconfigured(`DOCS_SWEEP_RULES names "${unknown}"; the rules are ${Object.keys(RULES).join(', ')}`);
  }
  return chosen.length === 0 ? Object.keys(RULES) : chosen;
}

function readItem({ root, item }) {
  try {
    return { bytes: readFileSync(join(root, item.path)) };
  } catch (error) {
    if (error.code === 'ENOENT') return { error: `there is no file ${item.path}` };
    if (error.code === 'EISDIR') return { error: `${item.path} is a folder, not a Markdown file` };
    return { error: `cannot read ${item.path}: ${error.message}` };
  }
}

function summary(findings) {
  if (findings.length === 0) return 'no findings';
  const parts = Object.entries(RULES).flatMap(([rule, [one, many]]) => {
    const count = findings.filter((finding) => finding.rule === rule).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  return `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}: ${parts.join(', ')}`;
}

/** What the dead links of this page teach, once for each kind of file, unless the contract says it already. */
function learnings(findings, contract) {
  const dead = findings
    .filter(({ rule }) => rule === 'dead-link')
    .map(({ target }) => target.split(/[?#]/)[0].split('/'));
  return OMITTED.flatMap(([key, name, pattern]) => {
    const seen = dead.some((parts) =>
      key === 'github' ? parts.some((part) => pattern.test(part)) : pattern.test(parts.at(-1)),
    );
    const rule = `A link to ${name} is often dead because packages leave that file out; say so once, not for every page.`;
    return seen && !contract.includes(rule) ? [{ type: 'learning', rule, target: `dead-link.${key}`, level: 1 }] : [];
  });
}

function sweep(bytes, { root, item }) {
  const text = textOf(bytes);
  if (text === null) return [{ line: 1, rule: 'encoding', message: 'not UTF-8' }];
  const seen = readPage(text);
  const size = `${seen.links.length} links, ${seen.images.length} images, ${seen.headings.length} headings`;
  print({ type: 'step', text: `read ${item.path}: ${size}` });
  return judge({ path: item.path, text }, projectAt(root), seen);
}

function main() {
  const rules = chosenRules();
  const job = readJob();
  if (typeof job.item?.path !== 'string') misconfigured('items have to be files: use a source of kind folder');
  if (posix.normalize(job.item.path).startsWith('..') || posix.isAbsolute(job.item.path)) {
    misconfigured(`${job.item.path} is not a path below the project`);
  }
  const { bytes, error } = readItem(job);
  if (error !== undefined) return finish('failed', error, { fields: {}, error: { class: 'item', message: error } });
  const findings = sweep(bytes, job).filter(({ rule }) => rules.includes(rule));
  if (findings.length > 0) {
    const lines = findings.map((finding) => JSON.stringify(finding)).join(',\n');
    writeFileSync(
      join(job.scratch, 'findings.json'),
      `{"file":${JSON.stringify(job.item.path)},"findings":[\n${lines}\n]}\n`,
    );
    print({ type: 'step', text: `wrote findings.json: ${findings.length}` });
  }
  for (const learning of learnings(findings, job.contract?.text ?? '')) print(learning);
  finish('done', summary(findings), { fields: { findings: findings.length } });
}

// Tests import `check`; a job is read only when this file is the program.
if (realpathSync(process.argv[1] ?? '.') === import.meta.filename) main();

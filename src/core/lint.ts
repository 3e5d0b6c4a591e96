/**
 * What a rule must not speak of by itself: words that would move a limit, a check or a path, send something out, or overrule people.
 *
 * Structure keeps such a rule harmless: it is one line of text, and nothing in it is executed or obeyed by the loop. This keeps it from
 * agents until a person has read it.
 */
const SUSPECT: [why: string, pattern: RegExp][] = [
  ['it names an address', /\b(?:https?|ftp|file|ssh|wss?):|\bwww\.|[\w.+-]+@[\w-]+\.\w/i],
  [
    'it names a command',
    /[$`]\(|&&|\|\||\brm -|\b(?:curl|wget|sudo|chmod|eval|crontab|ssh|scp|git (?:push|reset|checkout))\b/i,
  ],
  [
    'it speaks of a secret',
    /\b(?:passwords?|passwd|secrets?|credentials?|(?:api|access|auth|bearer|private)[ _-]?(?:keys?|tokens?))\b|\.env\b/i,
  ],
  [
    'it speaks of a limit or of the clock',
    /\b(?:caps?|(?<!rate[ -])limits?|budget|quota|slice|concurrency|cadence|heartbeat|items.per.day|per.day|every (?:\d+ )?(?:second|minute|hour|tick)s?)\b/i,
  ],
  ['it speaks of pausing or of errors in a row', /\b(?:paus\w*|resum\w*|errors? in a row|stop the loop)\b/i],
  [
    'it speaks of checks, marks or boundaries',
    /\b(?:boundar\w+|skip (?:the )?(?:check|test)s?|(?:checks?|tests?) (?:is|are) not|mark (?:it|them|everything|all)|always (?:return|report|say) done)\b/i,
  ],
  [
    'it speaks of the loop itself',
    /\.jez\b|\b(?:loop|state|contract|rules|review)\.(?:md|yaml)\b|\b(?:this loop|the loop|veto|rollback|pawl)\b/i,
  ],
  ['it names another place', /(?:^|\s)(?:\/|~\/|\.\.\/)\S|\b[A-Z]:\\/],
  [
    'it overrules what is written',
    /\b(?:ignore|disregard|overrid\w*|overrul\w*|forget|bypass|instead of the (?:rules|contract)|instructions?|prompts?)\b/i,
  ],
  [
    'it destroys or sends',
    /\b(?:delet\w*|destroy\w*|overwrit\w*|send|upload|publish|forward (?:it|them|this|all|the)|post (?:it|them|this) to)\b/i,
  ],
];

/** @returns why a person should read this rule before an agent does, or null. */
export function lint(rule: string): string | null {
  return SUSPECT.find(([, pattern]) => pattern.test(rule))?.[0] ?? null;
}

/** A target is the name of an error, `http.429`; a path or a file is none. */
export const isSignature = (target: string): boolean =>
  /^[\p{L}\p{N}][\p{L}\p{N}._:#-]{0,119}$/u.test(target) &&
  !/\.(?:md|ya?ml|json|jsonl|[cm]?[jt]s|py|rb|sh|toml|lock|txt|csv)$/i.test(target);

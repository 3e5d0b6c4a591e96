/** Something that must not be written down. */
export interface Secret {
  name: string;
  value: string;
}

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD/i;
/** Shorter values are ordinary words: `API_KEY=test` would blacken half of what an agent says. */
const SHORTEST = 8;

/** The secrets of an environment: by the names of its variables, longest value first. */
export function secretsIn(environment: Readonly<Record<string, string | undefined>>): Secret[] {
  return Object.entries(environment)
    .filter(([name]) => SECRET_NAME.test(name))
    .flatMap(([name, value]) => formsOf(value ?? '').map((form) => ({ name, value: form })))
    .sort((left, right) => right.value.length - left.value.length);
}

/** A value as it may be met again: whole, as JSON writes it, and line by line, since output is read in lines. */
function formsOf(value: string): string[] {
  const whole = value.trim();
  const forms = [whole, JSON.stringify(whole).slice(1, -1), ...whole.split(/\r?\n/).map((line) => line.trim())];
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST);
}

/** A copy of `value` in which every secret, in texts and in keys at any depth, reads `[redacted NAME]`. */
export function redact<T>(value: T, secrets: readonly Secret[]): T {
  return secrets.length === 0 ? value : (through(value, secrets) as T);
}

function through(value: unknown, secrets: readonly Secret[]): unknown {
  if (typeof value === 'string') return inText(value, secrets);
  if (Array.isArray(value)) return value.map((entry) => through(entry, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [inText(key, secrets), through(entry, secrets)]),
  );
}

function inText(text: string, secrets: readonly Secret[]): string {
  return secrets.reduce((left, { name, value }) => left.replaceAll(value, () => `[redacted ${name}]`), text);
}

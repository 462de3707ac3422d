// Texts of servers that write another language than English, as the English ones by which classes and their figures know them: the commonest, as the
// catalogs of PostgreSQL have them. Pure. Guards: what was written is left as it is, this is a copy of it; time is in line with the length.
import { encoded } from './text.ts';
import translations from './translations.json' with { type: 'json' };
import type { LogEvent } from './types.ts';

interface Translation {
  readonly foreign: string;
  readonly english: string;
  pattern?: RegExp;
}

/** `{2}`: what stands there stands in the other language at the same number. */
const GAP = /\{(\d{1,2})\}/g;
const KEY = 6;
/** Those that begin with a gap are short. */
const LONGEST = 2000;
/** Where in the statement an error is, behind the text. */
const POSITION = new RegExp(
  encoded(
    String.raw`(?: (?:bei Zeichen|en carácter|au caractère|al carattere|no caracter|vid tecken|символ|სიმბოლოსთან) \d+|\(\d+文字目\)| \d+ 번째 문자 부근| \(символ \d+\)| 第\d+个字符处)$`,
  ),
);

const byStart = new Map<string, Translation[]>();
for (const [english, texts] of Object.entries(translations))
  for (const text of texts) {
    const foreign = encoded(text);
    const start = foreign.slice(0, KEY);
    const key = start.includes('{') ? '' : start;
    byStart.set(key, [...(byStart.get(key) ?? []), { foreign, english }]);
  }
/** What says most goes first. */
for (const list of byStart.values()) list.sort((a, b) => b.foreign.length - a.foreign.length);

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

function patternOf(one: Translation): RegExp {
  const parts = one.foreign.split(/\{\d{1,2}\}/).map(escaped);
  one.pattern ??= new RegExp(`^${parts.join('(.*?)')}$`, 's');
  return one.pattern;
}

function translated(text: string): string | undefined {
  const bare = text.replace(POSITION, '');
  const others = bare.length > LONGEST ? undefined : byStart.get('');
  for (const list of [byStart.get(bare.slice(0, KEY)), others])
    for (const one of list ?? []) {
      const found = patternOf(one).exec(bare);
      if (found === null) continue;
      const gaps = [...one.foreign.matchAll(GAP)].map(([, number]) => number);
      return one.english.replaceAll(GAP, (_gap, number: string) => found[gaps.indexOf(number) + 1] ?? '');
    }
  return undefined;
}

const byLine = (text: string) =>
  text
    .split('\n')
    .map((line) => translated(line) ?? line)
    .join('\n');

/** The event as an English server would have written it; undefined where its text is not known. */
export function inEnglish(event: LogEvent): LogEvent | undefined {
  const message = translated(event.message);
  if (message === undefined) return undefined;
  return {
    ...event,
    message: message.startsWith('automatic ') ? byLine(message) : message,
    detail: message === 'deadlock detected' ? byLine(event.detail) : event.detail,
  };
}

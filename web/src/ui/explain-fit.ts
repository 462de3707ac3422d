// What is sent along with a question, cut to what the server takes. Pure. Guards: what was cut says so; the kind is always kept.
import { cutText } from '../lib/inert-text.ts';
import type { AboutQuestion } from './ask-about.ts';

type About = AboutQuestion['about'];

/** The server takes 20,000 characters of JSON. */
const MOST_CHARACTERS = 19_000;

interface Limits {
  characters: number;
  items: number;
}

/** From what nearly everything fits, down to what fits whatever there is. */
const LIMITS: readonly Limits[] = [
  { characters: 16_000, items: 200 },
  { characters: 6000, items: 50 },
  { characters: 1500, items: 20 },
  { characters: 300, items: 10 },
  { characters: 60, items: 3 },
];

function cut(value: unknown, limits: Limits, depth: number): unknown {
  const { characters, items } = limits;
  if (typeof value === 'string')
    return value.length <= characters
      ? value
      : `${cutText(value, characters)} … (cut, ${value.length} characters)`;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 6) return '(left out)';
  if (Array.isArray(value)) {
    const kept = value.slice(0, items).map((one) => cut(one, limits, depth + 1));
    return value.length <= items ? kept : [...kept, `(${value.length - items} more left out)`];
  }
  const kept = Object.entries(value).slice(0, items);
  return Object.fromEntries(kept.map(([name, one]) => [cutText(name, 100), cut(one, limits, depth + 1)]));
}

/** The same, or as much of it as the server takes. */
export function fitted(about: About): About {
  const { kind, ...facts } = about;
  for (const limits of LIMITS) {
    const kept = Object.entries(facts).map(([name, value]) => [name, cut(value, limits, 1)]);
    const made: About = { kind, ...Object.fromEntries(kept) };
    if (JSON.stringify(made).length <= MOST_CHARACTERS) return made;
  }
  return { kind };
}

// From what a model wrote to descriptions that may be shown. The model is not trusted either: only known names
// count, and a description is plain text without control characters, of bounded length.

import { cutText } from '../../kernel/inert-text.ts';
import { isRecord } from '../../kernel/read-json.ts';

const LONGEST_DESCRIPTION = 2000;
/** How far into an answer that is no plain JSON its parts are looked for. */
const LONGEST_SEARCHED = 512 * 1024;
const LONGEST_ITEM = 16 * 1024;
const MOST_ITEMS = 1000;

type Item = readonly [name: unknown, description: unknown];

/** Control and text-direction characters become spaces; at most 2,000 characters remain. */
export function cleanDescription(text: string): string {
  return text
    .slice(0, LONGEST_DESCRIPTION * 4)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_DESCRIPTION)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed()
    .trim();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const itemOf = (entry: unknown): Item[] => (isRecord(entry) ? [[entry.name, entry.description]] : []);

/** The entries of an answer in the asked form, or in one that models use instead: a list, or a map by name. */
function itemsOf(value: unknown, known: ReadonlySet<string>): Item[] | undefined {
  if (Array.isArray(value)) return value.every(isRecord) ? value.flatMap(itemOf) : undefined;
  if (!isRecord(value)) return undefined;
  const { databases } = value;
  if (Array.isArray(databases)) return databases.flatMap(itemOf);
  if (isRecord(databases)) return Object.entries(databases);
  const isMap = Object.keys(value).some((key) => known.has(key) && typeof value[key] === 'string');
  return isMap ? Object.entries(value) : undefined;
}

interface Span {
  start: number;
  end: number;
  is_outermost: boolean;
}

/** Every balanced {…} or […] of a text, found in one pass; quotes count only inside of one. */
function balancedSpans(text: string): Span[] {
  const spans: Span[] = [];
  const open: number[] = [];
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '{' || character === '[') open.push(index);
    else if (open.length === 0) continue;
    else if (character === '"') inString = true;
    else if (character === '}' || character === ']') {
      const start = open.pop() ?? index;
      spans.push({ start, end: index + 1, is_outermost: open.length === 0 });
    }
  }
  return spans;
}

/** JSON inside of prose or fences; of an answer that breaks off, the entries that are complete. */
function searched(text: string, known: ReadonlySet<string>): Item[] | undefined {
  const spans = balancedSpans(text);
  for (const { start, end, is_outermost } of spans) {
    if (!is_outermost || end - start < 3) continue;
    const items = itemsOf(parse(text.slice(start, end)), known);
    if (items && items.length > 0) return items;
  }
  const small = spans.filter(({ start, end }) => end - start <= LONGEST_ITEM && text[start] === '{');
  const items = small.slice(0, MOST_ITEMS).flatMap(({ start, end }) => itemOf(parse(text.slice(start, end))));
  const complete = items.filter(([name, description]) => name !== undefined && description !== undefined);
  return complete.length > 0 ? complete : undefined;
}

/**
 * Descriptions by database name; names that were not asked for are dropped, those left out are absent. Undefined
 * when the text holds no answer at all.
 */
export function readAnswer(text: string, names: readonly string[]): Record<string, string> | undefined {
  const known = new Set(names);
  const items = itemsOf(parse(text), known) ?? searched(cutText(text, LONGEST_SEARCHED), known);
  if (!items) return undefined;
  const described = new Map<string, string>();
  for (const [name, description] of items) {
    if (typeof name !== 'string' || typeof description !== 'string') continue;
    if (!known.has(name) || described.has(name)) continue;
    const clean = cleanDescription(description);
    if (clean !== '') described.set(name, clean);
  }
  return Object.fromEntries(described);
}

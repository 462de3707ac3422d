// Answers as Markdown, read into a tree whose texts still say where they stand in the answer. Pure. Guards: nothing takes long, whatever
// a model writes: only short parts are parsed, each by itself, and only the beginning of a very long answer.
import type { Code, Nodes, Root, Text } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';

/** Characters; a part is ended by the first empty line after so many. */
const PART = 500;
/** Longer ones are left as they are written: the time of the parser grows with their square. */
const LONGEST = 4000;
/** What follows is left as it is written. */
const MOST = 60_000;
/** Blocks within blocks. */
export const DEEPEST = 12;

export interface Part {
  /** Of the whole answer, where it begins. */
  base: number;
  text: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/;

/** The fence that stands open after a line. */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  const [, marks = '', rest = ''] = FENCE.exec(line) ?? [];
  if (open === undefined) return marks === '' || (marks[0] === '`' && rest.includes('`')) ? undefined : marks;
  const closes = marks[0] === open[0] && marks.length >= open.length && rest.trim() === '';
  return closes ? undefined : open;
}

/** Parts that stand by themselves. What is added to the end of an answer changes the last one only. */
export function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  let base = 0;
  let at = 0;
  let fence: string | undefined;
  let wasEmpty = false;
  while (at < text.length && at < MOST) {
    const next = text.indexOf('\n', at);
    const line = text.slice(at, next === -1 ? text.length : next);
    // What is indented belongs to the list before it.
    if (wasEmpty && fence === undefined && at - base >= PART && /^\S/.test(line)) {
      parts.push({ base, text: text.slice(base, at) });
      base = at;
    }
    fence = fenceAfter(line, fence);
    wasEmpty = line.trim() === '';
    at = next === -1 ? text.length : next + 1;
  }
  if (base < text.length) parts.push({ base, text: text.slice(base) });
  return parts;
}

const KEPT = 200;
const kept = new Map<string, Root | undefined>();

function parsed(text: string): Root | undefined {
  // One block of code is read in one pass.
  const isLong = text.length > LONGEST && !(text.startsWith('```') && text.length <= MOST);
  if (isLong) return undefined;
  try {
    return fromMarkdown(text, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] });
  } catch {
    return undefined;
  }
}

/** The tree of a part; undefined where it is left as it is written. */
export function treeOf(text: string): Root | undefined {
  if (kept.has(text)) return kept.get(text);
  if (kept.size >= KEPT) kept.clear();
  const root = parsed(text);
  kept.set(text, root);
  return root;
}

export interface Range {
  start: number;
  end: number;
}

/** Where a node stands within its part. */
export const rangeOf = ({ position }: Nodes): Range => ({
  start: position?.start.offset ?? 0,
  end: position?.end.offset ?? 0,
});

const LONGEST_REFERENCE = 40;
const REFERENCE = /&(?:#[xX][\da-fA-F]{1,6}|#\d{1,7}|[a-zA-Z\d]{1,31});/y;

/** How long the reference is that stands there for the next character, such as `&lt;`; undefined where none does. */
function referenceAt(source: string, at: number, rest: string): number | undefined {
  if (source[at] !== '&') return undefined;
  REFERENCE.lastIndex = at;
  const written = REFERENCE.exec(source)?.[0];
  // One that is not known stands for itself.
  return written === undefined || rest.startsWith(written) ? undefined : written.length;
}

/**
 * Where each character of a text stands in its part; undefined where that cannot be told. They differ by escapes, by references to
 * characters, and by the marks of quotations and lists at the beginning of lines.
 */
export function placesOf(node: Text, source: string): readonly number[] | undefined {
  const { start, end } = rangeOf(node);
  const { value } = node;
  const places: number[] = [];
  let at = start;
  for (let index = 0; index < value.length; index++) {
    let length = referenceAt(source, at, value.slice(index, index + LONGEST_REFERENCE));
    while (at < end && length === undefined && source[at] !== value[index]) {
      at++;
      length = referenceAt(source, at, value.slice(index, index + LONGEST_REFERENCE));
    }
    if (at >= end) return undefined;
    places.push(at);
    at += length ?? 1;
  }
  return places;
}

/** What is shown as it is written: markup, pictures, and what refers to something else. */
export const AS_WRITTEN: ReadonlySet<string> = new Set([
  'html',
  'image',
  'imageReference',
  'linkReference',
  'definition',
]);

export interface Seen {
  texts: Range[];
  codes: Range[];
}

/** Of the whole answer: where texts stand on which a figure can be marked, and where blocks of code stand. */
export function seenIn(parts: readonly Part[]): Seen {
  const seen: Seen = { texts: [], codes: [] };
  const visit = (node: Nodes, { base, text }: Part, depth: number): void => {
    const { start, end } = rangeOf(node);
    const range = { start: base + start, end: base + end };
    if (node.type === 'code') seen.codes.push(range);
    else if (AS_WRITTEN.has(node.type) || depth > DEEPEST) seen.texts.push(range);
    else if (node.type === 'text') {
      const places = placesOf(node, text);
      for (const { from, to } of runsOf(places ?? []))
        seen.texts.push({ start: base + from, end: base + to });
    } else if ('children' in node) for (const child of node.children) visit(child, { base, text }, depth + 1);
  };
  for (const part of parts) {
    const root = treeOf(part.text);
    if (root) visit(root, part, 0);
    else seen.texts.push({ start: part.base, end: part.base + part.text.length });
  }
  return seen;
}

/** Places that follow one another, as ranges. */
function runsOf(places: readonly number[]): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  for (const place of places) {
    const last = runs.at(-1);
    if (last?.to === place) last.to = place + 1;
    else runs.push({ from: place, to: place + 1 });
  }
  return runs;
}

export const overlaps = (one: Range, other: Range): boolean => one.start < other.end && other.start < one.end;

export const languageOf = ({ lang }: Code): string => (lang ?? '').slice(0, 20).toUpperCase() || 'Code';

// EXPLAIN (FORMAT XML). PostgreSQL writes elements and texts alone. Guards: entities that a file declares, and addresses that it names,
// are never looked at.
import { UsageError } from '../../kernel/errors.ts';
import { MOST_LEVELS } from '../caps.ts';
import { type Group, tooDeep, type Value } from './document.ts';

interface Element {
  name: string;
  text: string;
  children: [name: string, value: Value][];
}

const LISTS = new Set([
  'Plans',
  'Workers',
  'Triggers',
  'Grouping Sets',
  'Group Keys',
  'Hash Keys',
  'Target Tables',
]);
/** Signs of names became dashes, as spaces do. */
const DASHED_NAMES: ReadonlyMap<string, string> = new Map(
  ['One-Time Filter', 'Full-sort Groups', 'Pre-sorted Groups'].map((name) => [
    name.replaceAll('-', ' '),
    name,
  ]),
);
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  '#x0d': '\r',
};

const nameOf = (tag: string): string => {
  const name = tag.replaceAll('-', ' ').replace(/\bI O(s?)\b/, 'I/O$1');
  return DASHED_NAMES.get(name) ?? name;
};

const textOf = (text: string) =>
  text.replaceAll(/&(lt|gt|amp|quot|apos|#x0d);/g, (_all, name: string) => ENTITIES[name] ?? '');

function elementValue({ name, text, children }: Element): Value {
  if (children.length === 0) return LISTS.has(name) ? [] : textOf(text).trim();
  if (LISTS.has(name) || children.every(([child]) => child === 'Item'))
    return children.map(([, value]) => value);
  const group: Group = new Map(children);
  return group;
}

const TAG = /<(\/?)([\w.:-]+)((?:\s[^<>]*)?)>|<[?!][^<>]*>/g;

function broken(): UsageError {
  return new UsageError(
    'The plan ends in the middle of its XML, or its tags do not match; copy it from <explain> to </explain>.',
  );
}

export function readXml(text: string): Value {
  const root: Element = { name: '', text: '', children: [] };
  const open = [root];
  let end = 0;
  for (const { 0: tag, 1: closing, 2: raw, 3: rest = '', index } of text.matchAll(TAG)) {
    const current = open.at(-1) ?? root;
    current.text = current.children.length === 0 ? text.slice(end, index) : '';
    end = index + tag.length;
    if (raw === undefined) continue;
    const name = nameOf(raw);
    if (closing === '/') {
      if (current.name !== name || open.length === 1) throw broken();
      open.pop();
      open.at(-1)?.children.push([name, elementValue(current)]);
      if (open.length === 1) break;
    } else if (rest.endsWith('/')) current.children.push([name, '']);
    else if (open.length > 2 * MOST_LEVELS + 20) throw tooDeep();
    else open.push({ name, text: '', children: [] });
  }
  if (open.length !== 1) throw broken();
  return elementValue(root);
}

// EXPLAIN (FORMAT YAML). PostgreSQL writes a fixed small part of YAML: blocks, quoted texts as in JSON, plain numbers. Guards: anchors,
// tags and merges, by which YAML of strangers grows without bound, mean nothing here.
import { UsageError } from '../../kernel/errors.ts';
import { MOST_LEVELS } from '../caps.ts';
import { type Group, tooDeep, toValue, type Value } from './document.ts';

interface Line {
  indent: number;
  text: string;
}

interface Cursor {
  lines: Line[];
  at: number;
}

const ENTRY = /^("(?:[^"\\]|\\.)*"|[^\s"[{:][^:]*):(?:\s+(.*))?$/;

const quoted = (text: string): Value => {
  try {
    return toValue(JSON.parse(text));
  } catch {
    throw new UsageError(
      'The plan ends in the middle of its YAML, or a text in it was broken; copy it whole.',
    );
  }
};

function scalar(text: string): Value {
  const trimmed = text.trim();
  if (trimmed.startsWith('"') || trimmed.startsWith('[')) return quoted(trimmed);
  return trimmed;
}

function readBlock(cursor: Cursor, depth: number): Value {
  if (depth > 2 * MOST_LEVELS + 20) throw tooDeep();
  const first = cursor.lines[cursor.at];
  if (first === undefined) return null;
  return first.text.startsWith('- ') || first.text === '-'
    ? readList(cursor, first.indent, depth)
    : readGroup(cursor, first.indent, depth);
}

function readList(cursor: Cursor, indent: number, depth: number): Value[] {
  const list: Value[] = [];
  for (;;) {
    const line = cursor.lines[cursor.at];
    if (line === undefined || line.indent !== indent || !line.text.startsWith('-')) return list;
    const rest = line.text.slice(1).trimStart();
    if (ENTRY.test(rest)) {
      cursor.lines[cursor.at] = { indent: indent + line.text.length - rest.length, text: rest };
      list.push(readBlock(cursor, depth + 1));
    } else {
      cursor.at += 1;
      list.push(scalar(rest));
    }
  }
}

function readGroup(cursor: Cursor, indent: number, depth: number): Group {
  const group: Group = new Map();
  for (;;) {
    const line = cursor.lines[cursor.at];
    const [, key = '', value = ''] = (line?.indent === indent && ENTRY.exec(line.text)) || [];
    if (key === '') return group;
    cursor.at += 1;
    const next = cursor.lines[cursor.at];
    const isBlock = value.trim() === '' && next !== undefined && next.indent > indent;
    const name = key.startsWith('"') ? String(quoted(key)) : key;
    group.set(name, isBlock ? readBlock(cursor, depth + 1) : scalar(value));
  }
}

export function readYaml(text: string): Value {
  const lines = text.split('\n').flatMap((line) => {
    const own = line.trim();
    return own === '' ? [] : [{ indent: line.length - line.trimStart().length, text: own }];
  });
  return readBlock({ lines, at: 0 }, 0);
}

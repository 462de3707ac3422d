// What all four formats of EXPLAIN are read into: groups of keys as the JSON format names them. Guards: keys are those of a Map, so that
// none of a hostile file reaches a prototype; what is no number is no 0.
import { UsageError } from '../../kernel/errors.ts';
import { MOST_LEVELS } from '../caps.ts';

export type Value = string | number | boolean | null | Value[] | Group;
export type Group = Map<string, Value>;

/** A node is a group within a list within a group. */
const MOST_DEPTH = 2 * MOST_LEVELS + 20;

export const tooDeep = () =>
  new UsageError(
    `The plan is nested more than ${MOST_LEVELS} levels deep, which no plan of PostgreSQL is; paste the output of EXPLAIN itself.`,
  );

export const isGroup = (value: Value | undefined): value is Group => value instanceof Map;

/** Of what JSON.parse made. */
export function toValue(parsed: unknown, depth = 0): Value {
  if (depth > MOST_DEPTH) throw tooDeep();
  if (typeof parsed === 'string' || typeof parsed === 'number' || typeof parsed === 'boolean') return parsed;
  if (Array.isArray(parsed)) return parsed.map((one: unknown) => toValue(one, depth + 1));
  if (typeof parsed !== 'object' || parsed === null) return null;
  return new Map(
    Object.entries(parsed).map(([key, value]: [string, unknown]) => [key, toValue(value, depth + 1)]),
  );
}

export function textAt(group: Group, key: string): string | null {
  const value = group.get(key);
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

export function numberAt(group: Group, key: string): number | null {
  const value = group.get(key);
  const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

export const flagAt = (group: Group, key: string): boolean =>
  group.get(key) === true || group.get(key) === 'true';

export function groupsAt(group: Group, key: string): Group[] {
  const value = group.get(key);
  return Array.isArray(value) ? value.filter(isGroup) : isGroup(value) ? [value] : [];
}

/** A list in one line, as the text format writes it. */
export function lineOf(value: Value | undefined, depth = 0): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map((one) => lineOf(one, depth + 1)).join(', ');
  if (!isGroup(value)) return String(value);
  return depth > 5 ? '…' : [...value].map(([key, one]) => `${key}: ${lineOf(one, depth + 1)}`).join(', ');
}

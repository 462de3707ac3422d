// Input, checked against a contract's schema and rebuilt from it: the result holds declared members only, and what
// does not fit is refused with one sentence that names the member. Bodies are never coerced; path and query
// values are text and converted by type, in one spelling for each value.

import { cleanName } from './clean-name.ts';
import { Fault } from './errors.ts';
import { cutText } from './inert-text.ts';
import { isRecord } from './read-json.ts';
import { type Schema, VISIBLE_TEXT } from './schema.ts';
import { describeNode, membersOf, nodeOf, type SchemaNode } from './schema-node.ts';
import { isWireTime } from './times.ts';

type Check = (value: unknown, at: string) => unknown;

/** Deepest nesting of a member whose content the schema leaves open. */
const MAX_DEPTH = 32;
const LONGEST_NAME = 60;

const refuse = (sentence: string) => new Fault('bad_request', sentence);

const EMAIL = /^[^\s@]+@[^\s@]+$/;

const FORMATS: Record<string, (text: string) => boolean> = {
  'date-time': isWireTime,
  uri: (text) => URL.canParse(text),
  email: (text) => EMAIL.test(text),
};

function checkStorable(text: string, at: string): void {
  if (text.includes('\0')) throw refuse(`${at} must not contain the character NUL.`);
  if (!text.isWellFormed()) throw refuse(`${at} must be valid Unicode.`);
}

function length(text: string, limit: number): number {
  return text.length <= limit ? text.length : [...text].length;
}

function checkName({ minLength = 1, maxLength }: SchemaNode): Check {
  const limits = { minLength, ...(maxLength !== undefined && { maxLength }) };
  return (value, member) => {
    if (typeof value !== 'string') throw refuse(`${member} must be a text.`);
    checkStorable(value, member);
    return cleanName(value, { member, ...limits });
  };
}

function checkText(node: SchemaNode): Check {
  if (node.pattern === VISIBLE_TEXT) return checkName(node);
  const wanted = describeNode(node);
  const pattern = node.pattern === undefined ? undefined : new RegExp(node.pattern, 'u');
  const fitsFormat = node.format === undefined ? undefined : FORMATS[node.format];
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = node;
  return (value, at) => {
    if (typeof value !== 'string') throw refuse(`${at} must be ${wanted}.`);
    checkStorable(value, at);
    if (value === '' && minLength === 1) throw refuse(`${at} must not be empty.`);
    const fits =
      [...value.slice(0, minLength * 2)].length >= minLength &&
      length(value, maxLength) <= maxLength &&
      (pattern === undefined || pattern.test(value)) &&
      (fitsFormat === undefined || fitsFormat(value)) &&
      (node.enum === undefined || node.enum.includes(value));
    if (!fits) throw refuse(`${at} must be ${wanted}.`);
    return value;
  };
}

function checkNumber(node: SchemaNode): Check {
  const wanted = describeNode(node);
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = node;
  return (value, at) => {
    const isNumber =
      typeof value === 'number' &&
      (node.type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value));
    if (!isNumber || value < minimum || value > maximum) throw refuse(`${at} must be ${wanted}.`);
    return value;
  };
}

function checkList(node: SchemaNode): Check {
  const item = compile(node.items ?? {});
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = node;
  return (value, at) => {
    if (!Array.isArray(value) || value.length < minItems || value.length > maxItems)
      throw refuse(`${at} must be ${describeNode(node)}.`);
    return value.map((entry, index) => item(entry, `${at}[${index}]`));
  };
}

/**
 * Absent, null where null means nothing, and empty text where text is optional all mean "not set". A text that says
 * minLength 0 is emptied by an empty text instead.
 */
function isUnset(value: unknown, node: SchemaNode): boolean {
  return (
    value === undefined ||
    (value === null && !node.nullable) ||
    (value === '' && node.type === 'string' && node.minLength !== 0)
  );
}

function checkObject(node: SchemaNode): Check {
  const members = membersOf(node).map((member) => ({ ...member, check: compile(member.node) }));
  return (value, at) => {
    if (!isRecord(value)) throw refuse(`${at === '' ? 'The request body' : at} must be a JSON object.`);
    const result: Record<string, unknown> = {};
    for (const { name, node: member, required, check } of members) {
      const path = at === '' ? name : `${at}.${name}`;
      const found = Object.hasOwn(value, name) ? value[name] : undefined;
      if (required) {
        if (found === undefined) throw refuse(`${path} is missing.`);
        result[name] = check(found, path);
      } else if (!isUnset(found, member)) result[name] = check(found, path);
      else if (member.default !== undefined) result[name] = member.default;
    }
    return node.additionalProperties === true ? { ...openMembers(value, node, at), ...result } : result;
  };
}

/** What is not declared, as it came; `__proto__` is a name like any other here. */
function openMembers(value: Record<string, unknown>, { properties = {} }: SchemaNode, at: string): object {
  const members = Object.entries(value).filter(([name]) => !Object.hasOwn(properties, name));
  return Object.fromEntries(
    members.map(([name, entry]) => {
      checkStorable(name, `A name in ${at}`);
      return [name, checkOpen(entry, `${at}.${cutText(name, LONGEST_NAME)}`)];
    }),
  );
}

function checkRecord(values: SchemaNode): Check {
  const check = compile(values);
  return (value, at) => {
    if (!isRecord(value)) throw refuse(`${at} must be a JSON object.`);
    return Object.fromEntries(
      Object.entries(value).map(([name, entry]) => {
        checkStorable(name, `A name in ${at}`);
        return [name, check(entry, `${at}.${cutText(name, LONGEST_NAME)}`)];
      }),
    );
  };
}

function checkOpen(value: unknown, at: string, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw refuse(`${at} must not be nested deeper than ${MAX_DEPTH} levels.`);
  if (typeof value === 'string') checkStorable(value, at);
  else if (Array.isArray(value)) for (const entry of value) checkOpen(entry, at, depth + 1);
  else if (isRecord(value))
    for (const [name, entry] of Object.entries(value)) {
      checkStorable(name, `A name in ${at}`);
      checkOpen(entry, at, depth + 1);
    }
  return value;
}

function checkAny(node: SchemaNode): Check {
  const checks = (node.anyOf ?? []).map(compile);
  return (value, at) => {
    for (const check of checks) {
      try {
        return check(value, at);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
      }
    }
    throw refuse(`${at} must be ${describeNode(node)}.`);
  };
}

function checkBoolean(value: unknown, at: string): unknown {
  if (typeof value !== 'boolean') throw refuse(`${at} must be true or false.`);
  return value;
}

function compileType(node: SchemaNode): Check {
  if (node.any) return (value, at) => checkOpen(value, at);
  if (node.anyOf) return checkAny(node);
  if (node.type === 'string') return checkText(node);
  if (node.type === 'integer' || node.type === 'number') return checkNumber(node);
  if (node.type === 'boolean') return checkBoolean;
  if (node.type === 'array') return checkList(node);
  if (node.properties) return checkObject(node);
  if (typeof node.additionalProperties === 'object') return checkRecord(node.additionalProperties);
  return (value, at) => {
    if (!isRecord(value)) throw refuse(`${at} must be a JSON object.`);
    return checkOpen(value, at);
  };
}

function compile(node: SchemaNode): Check {
  const check = compileType(node);
  return node.nullable ? (value, at) => (value === null ? null : check(value, at)) : check;
}

/** Checks a parsed JSON body; throws a `bad_request` Fault on the first member that does not fit. */
export function compileBody(schema: Schema): (value: unknown) => unknown {
  const check = compile(nodeOf(schema));
  return (value) => check(value, '');
}

const INTEGER = /^-?(0|[1-9]\d*)$/;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** The value that a text stands for; anything else stays text, which the check then refuses. */
function fromText(node: SchemaNode, text: string): unknown {
  if (node.type === 'integer') return INTEGER.test(text) && text !== '-0' ? Number(text) : text;
  if (node.type === 'number') return NUMBER.test(text) ? Number(text) : text;
  if (node.type === 'boolean') return BOOLEANS.get(text) ?? text;
  return text;
}

/** Checks path or query values, given as every text that each name was sent with. */
export function compileText(schema: Schema): (values: ReadonlyMap<string, readonly string[]>) => unknown {
  const members = membersOf(nodeOf(schema)).map((member) => ({ ...member, check: compile(member.node) }));
  return (values) => {
    const result: Record<string, unknown> = {};
    for (const { name, node, required, check } of members) {
      const texts = values.get(name) ?? [];
      const [first] = texts;
      if (
        first === undefined ||
        (first === '' && node.type === 'string' && !required && texts.length === 1)
      ) {
        if (required) throw refuse(`${name} is missing.`);
        if (node.default !== undefined) result[name] = node.default;
      } else if (node.type === 'array') {
        const item = node.items ?? {};
        result[name] = check(
          texts.map((text) => fromText(item, text)),
          name,
        );
      } else if (texts.length > 1) throw refuse(`${name} must be given only once.`);
      else if (first === '' && required) throw refuse(`${name} is missing.`);
      else result[name] = check(fromText(node, first), name);
    }
    return result;
  };
}

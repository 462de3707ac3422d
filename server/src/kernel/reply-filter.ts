// Replies, cut to what their schema declares. A member nobody declared never leaves; a declared one that is missing
// or null against its schema is a fault of ours and fails loudly instead of reaching a client as 0 or "".
import { isRecord } from './read-json.ts';
import type { Schema } from './schema.ts';
import { membersOf, nodeOf, type SchemaNode } from './schema-node.ts';

/** Part of the language since 2025, not yet of the compiler's library. */
const json = JSON as JSON & { rawJSON(text: string): unknown };

/** Where a value stands; undefined while nobody has to know, since to write it for each member costs more than the cut. */
type At = string | undefined;
type Cut = (value: unknown, at: At) => unknown;

const wrong = (at: At, value: unknown) =>
  new TypeError(
    `reply does not fit its schema: ${at || 'body'} is ${value === null ? 'null' : typeof value}`,
  );

const within = (at: At, name: string): At => (at === undefined ? undefined : `${at}.${name}`);

function cutObject(node: SchemaNode): Cut {
  const members = membersOf(node).map((member) => ({ ...member, cut: compile(member.node) }));
  return (value, at) => {
    if (!isRecord(value)) throw wrong(at, value);
    const result: Record<string, unknown> = node.additionalProperties === true ? { ...value } : {};
    for (const { name, required, node: member, cut } of members) {
      const found = value[name];
      // Rows have null where an optional member has no value: absent on the wire.
      const isAbsent = found === undefined || (found === null && !member.nullable);
      if (required || !isAbsent) result[name] = cut(found, within(at, name));
    }
    return result;
  };
}

function cutRecord(values: SchemaNode): Cut {
  const cut = compile(values);
  return (value, at) => {
    if (!isRecord(value)) throw wrong(at, value);
    return Object.fromEntries(
      Object.entries(value).map(([name, entry]) => [name, cut(entry, within(at, name))]),
    );
  };
}

function cutList(items: SchemaNode): Cut {
  const cut = compile(items);
  return (value, at) => {
    if (!Array.isArray(value)) throw wrong(at, value);
    return value.map((entry, index) => cut(entry, at === undefined ? undefined : `${at}[${index}]`));
  };
}

function cutAny(nodes: readonly SchemaNode[]): Cut {
  const cuts = nodes.map(compile);
  return (value, at) => {
    for (const cut of cuts) {
      try {
        return cut(value, at);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
      }
    }
    throw wrong(at, value);
  };
}

function cutNumber(node: SchemaNode): Cut {
  return (value, at) => {
    if (
      typeof value === 'number' &&
      (node.type === 'integer' ? Number.isInteger(value) : Number.isFinite(value))
    )
      return value;
    // The datastore hands 64-bit integers that a number cannot hold as text; they stay exact on the wire.
    if (node.type === 'integer' && typeof value === 'string' && /^-?\d{1,19}$/.test(value))
      return json.rawJSON(value);
    throw wrong(at, value);
  };
}

function cutText(node: SchemaNode): Cut {
  return (value, at) => {
    if (typeof value !== 'string' || (node.enum && !node.enum.includes(value))) throw wrong(at, value);
    return value;
  };
}

function compileType(node: SchemaNode): Cut {
  if (node.any) return (value) => (value === undefined ? null : value);
  if (node.anyOf) return cutAny(node.anyOf);
  if (node.type === 'string') return cutText(node);
  if (node.type === 'integer' || node.type === 'number') return cutNumber(node);
  if (node.type === 'array') return cutList(node.items ?? {});
  if (node.properties) return cutObject(node);
  if (typeof node.additionalProperties === 'object') return cutRecord(node.additionalProperties);
  const type = node.type ?? 'object';
  return (value, at) => {
    if (typeof value !== type || value === null) throw wrong(at, value);
    return value;
  };
}

/** Of the nodes that are being compiled, for those that hold themselves. */
const unfinished = new Map<SchemaNode, Cut>();

function compile(node: SchemaNode): Cut {
  const same = unfinished.get(node);
  if (same) return same;
  let cut: Cut = (value) => value;
  unfinished.set(node, (value, at) => cut(value, at));
  cut = compileType(node);
  unfinished.delete(node);
  return node.nullable ? (value, at) => (value === null || value === undefined ? null : cut(value, at)) : cut;
}

/** A function that writes a value of this schema as JSON text, declared members only. */
export function compileReply(schema: Schema): (value: unknown) => string {
  const cut = compile(nodeOf(schema));
  const whole = (value: unknown): unknown => {
    try {
      return cut(value, undefined);
    } catch (error) {
      // Once more, for the place.
      if (error instanceof TypeError) cut(value, '');
      throw error;
    }
  };
  return (value) => JSON.stringify(whole(value));
}

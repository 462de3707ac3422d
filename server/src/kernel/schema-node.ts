// A schema as the plain JSON words it consists of. Validation, reply shapes and the OpenAPI document walk these
// nodes; nothing else looks inside a schema.
import type { Schema } from './schema.ts';

export interface SchemaNode {
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  title?: string;
  description?: string;
  default?: unknown;
  nullable?: boolean;
  enum?: readonly string[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: SchemaNode;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, SchemaNode>;
  required?: readonly string[];
  additionalProperties?: boolean | SchemaNode;
  anyOf?: readonly SchemaNode[];
  /** Any JSON value will do. */
  any?: true;
  /** An addition of ours, or the values of an enum that are. */
  extra?: true | readonly string[] | undefined;
}

export function nodeOf(schema: Schema): SchemaNode {
  return schema as SchemaNode;
}

/** Members in the order in which the contract declares them. */
export function membersOf(node: SchemaNode): { name: string; node: SchemaNode; required: boolean }[] {
  const required = new Set(node.required ?? []);
  return Object.entries(node.properties ?? {}).map(([name, member]) => ({
    name,
    node: member,
    required: required.has(name),
  }));
}

/** What a value of this schema is, as the end of a sentence: "an integer from 1 to 65535". */
export function describeNode(node: SchemaNode): string {
  if (node.anyOf) return node.anyOf.map(describeNode).join(' or ');
  if (node.enum) return node.enum.length === 1 ? `${node.enum[0]}` : `one of ${node.enum.join(', ')}`;
  if (node.type === 'string') return describeText(node);
  if (node.type === 'integer') return `an integer${describeRange(node)}`;
  if (node.type === 'number') return `a number${describeRange(node)}`;
  if (node.type === 'boolean') return 'true or false';
  if (node.type === 'array') return describeList(node);
  return 'a JSON object';
}

function describeList({ minItems, maxItems }: SchemaNode): string {
  if (minItems && maxItems) return `a list of ${minItems} to ${maxItems} items`;
  if (minItems) return `a list of at least ${minItems} item${minItems === 1 ? '' : 's'}`;
  return maxItems ? `a list of at most ${maxItems} items` : 'a list';
}

function describeRange({ minimum, maximum }: SchemaNode): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}

function describeText({ minLength = 0, maxLength, format, pattern, description }: SchemaNode): string {
  if (format === 'date-time') return 'a time such as 2026-01-31T12:00:00Z';
  if (format === 'uri') return 'an absolute URL';
  if (format === 'email') return 'an e-mail address';
  if (maxLength !== undefined)
    return minLength > 0
      ? `a text of ${minLength} to ${maxLength} characters`
      : `a text of at most ${maxLength} characters`;
  if (minLength > 0) return `a text of at least ${minLength} ${minLength === 1 ? 'character' : 'characters'}`;
  if (pattern === undefined) return 'a text';
  return description?.replace(/\.$/, '') ?? `a text of the form ${pattern}`;
}

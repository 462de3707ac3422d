// Every null that an answer may hold is allowed by the document, read as strictly as the standard means it, and no other null is.
import { expect, it } from 'vitest';
import type { Operation } from '../../kernel/contract.ts';
import { membersOf, nodeOf, type SchemaNode } from '../../kernel/schema-node.ts';
import { strictValidators } from '../../testing/strict-openapi.ts';
import { operations } from '../operations.gen.ts';
import { apiDocument } from './document.ts';

const document: unknown = JSON.parse(apiDocument(operations));
const validatorAt = strictValidators(document);

interface SchemaPath {
  /** Names of members; `0` is the first entry of a list, `*` any name of a map. */
  path: readonly string[];
  node: SchemaNode;
  /** Below one of several shapes, another of which may allow what this one does not. */
  isChoice: boolean;
}

const SAMPLES = { string: 'text', integer: 1, number: 1.5, boolean: true } as const;

/** A value with every member that there is, and null at one place of it. */
function sample(
  node: SchemaNode,
  nullAt: readonly string[] | undefined,
  above: readonly string[] = [],
): unknown {
  if (nullAt?.length === 0) return null;
  const { title, type, items, additionalProperties } = node;
  const inside = title === undefined ? above : [...above, title];
  const isAgain = (member: SchemaNode) => member.title !== undefined && inside.includes(member.title);
  const below = (name: string, member: SchemaNode) =>
    sample(member, nullAt?.[0] === name ? nullAt.slice(1) : undefined, inside);
  if (node.enum) return node.enum[0];
  if (node.anyOf?.[0]) return sample(node.anyOf[0], nullAt, inside);
  if (type === 'array') return items && !isAgain(items) ? [below('0', items)] : [];
  if (type !== 'object') return type === undefined ? 'any' : SAMPLES[type];
  const members = membersOf(node).filter((one) => !isAgain(one.node));
  return {
    ...Object.fromEntries(members.map((one) => [one.name, below(one.name, one.node)])),
    ...(typeof additionalProperties === 'object' && { '*': below('*', additionalProperties) }),
  };
}

/** Every place of a schema, itself first; of an `anyOf` those of its first part. */
function placesOf(
  node: SchemaNode,
  path: readonly string[] = [],
  { above = [], isChoice = false }: { above?: readonly string[]; isChoice?: boolean } = {},
): SchemaPath[] {
  if (node.title !== undefined && above.includes(node.title)) return [];
  const inside = node.title === undefined ? above : [...above, node.title];
  const { items, additionalProperties, anyOf } = node;
  const parts: [string, SchemaNode][] = [
    ...membersOf(node).map((one): [string, SchemaNode] => [one.name, one.node]),
    ...(items ? [['0', items] satisfies [string, SchemaNode]] : []),
    ...(typeof additionalProperties === 'object'
      ? [['*', additionalProperties] satisfies [string, SchemaNode]]
      : []),
  ];
  const first = anyOf?.[0] ? placesOf(anyOf[0], path, { above: inside, isChoice: true }) : [];
  return [
    { path, node, isChoice },
    ...first.filter((one) => one.path !== path),
    ...parts.flatMap(([name, part]) => placesOf(part, [...path, name], { above: inside, isChoice })),
  ];
}

const mayBeNull = (node: SchemaNode): boolean =>
  node.nullable === true || node.any === true || (node.anyOf?.some(mayBeNull) ?? false);

function answerOf({ path, method, success }: Operation) {
  const place = ['paths', path, method.toLowerCase(), 'responses', String(success.status), 'content'];
  const media = success.stream ? 'text/event-stream' : 'application/json';
  return validatorAt([...place, media, 'schema']);
}

const answering = operations.filter(
  ({ success }) => success.schema !== undefined && !success.stream && !success.media,
);

it.each(answering.map((one) => [one.id, one] as const))('%s', (_id, operation) => {
  const { schema } = operation.success;
  if (schema === undefined) throw new Error('it answers nothing');
  const root = nodeOf(schema);
  const isValid = answerOf(operation);
  expect(isValid(sample(root, undefined)), JSON.stringify(isValid.errors)).toBe(true);
  const wrong = placesOf(root).filter(
    ({ path, node, isChoice }) =>
      isValid(sample(root, path)) !== mayBeNull(node) && (mayBeNull(node) || !isChoice),
  );
  expect(wrong.map(({ path, node }) => `${path.join('.')} ${mayBeNull(node)}`)).toEqual([]);
});

it('there are enough of them, and named schemas among them', () => {
  const nulls = answering.flatMap(({ success }) =>
    success.schema ? placesOf(nodeOf(success.schema)).filter(({ node }) => node.nullable) : [],
  );
  expect(nulls.length).toBeGreaterThan(200);
  expect(nulls.filter(({ node }) => node.title !== undefined).length).toBeGreaterThan(8);
});

it('examples of answers are what the document promises', () => {
  for (const operation of answering) {
    if (operation.success.example === undefined) continue;
    const isValid = answerOf(operation);
    expect(isValid(operation.success.example), `${operation.id} ${JSON.stringify(isValid.errors)}`).toBe(
      true,
    );
  }
});

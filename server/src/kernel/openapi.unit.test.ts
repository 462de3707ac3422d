import { describe, expect, it } from 'vitest';
import { operation } from './contract.ts';
import { openapiDocument } from './openapi.ts';
import {
  id,
  integer,
  list,
  longId,
  nullable,
  object,
  oneOf,
  optional,
  ours,
  recursive,
  text,
} from './schema.ts';

const Thing = object({ id: id(), size: nullable(integer()) }, { title: 'Thing' });
const read = operation({
  id: 'readThing',
  route: 'GET /api/v1/things/{id}',
  tag: 'things',
  summary: 'Read a thing',
  access: { connection: 'id', need: 'read' },
  params: object({ id: id() }),
  query: object({ word: optional(text()) }),
  paramsExample: { id: 7 },
  success: { status: 200, schema: nullable(Thing), example: null },
  notes: ['It may be null.'],
});
const describeApi = (
  operations: readonly Parameters<typeof openapiDocument>[0]['operations'][number][],
  base_path?: string,
) =>
  openapiDocument({
    title: 'T',
    version: '1.0.0',
    description: 'D',
    contact: { name: 'N' },
    tags: [{ name: 'things', description: 'Things' }],
    operations,
    base_path,
  });

describe('the OpenAPI document', () => {
  it('names the path below which the API is reached', () => {
    const urlOf = (base_path?: string) =>
      JSON.parse(JSON.stringify(describeApi([read], base_path))).servers[0].url;
    expect([urlOf(), urlOf(''), urlOf('/matriarch')]).toEqual(['/', '/', '/matriarch']);
  });

  const document: unknown = JSON.parse(JSON.stringify(describeApi([read])));

  it('says 304 of an operation whose reply has an ETag, and of no other', () => {
    const responses = (one: typeof read) =>
      JSON.parse(JSON.stringify(describeApi([one]))).paths[read.path].get.responses;
    expect(responses(read)).not.toHaveProperty('304');
    expect(responses({ ...read, hasETag: true })).toMatchObject({
      200: { headers: { ETag: { description: expect.stringContaining('If-None-Match') } } },
      304: { description: expect.stringContaining('If-None-Match'), headers: { ETag: {} } },
    });
  });

  it('names titled schemas and lets a reference be null', () => {
    expect(document).toMatchObject({
      paths: {
        '/api/v1/things/{id}': {
          get: {
            operationId: 'readThing',
            security: [{ bearerAuth: [] }, { sessionCookie: [] }],
            'x-access': { connection: 'id', need: 'read' },
            parameters: [
              { name: 'id', in: 'path', required: true, example: 7 },
              { name: 'word', in: 'query', required: false },
            ],
            responses: {
              200: {
                content: {
                  'application/json': {
                    schema: {
                      type: 'object',
                      nullable: true,
                      anyOf: [
                        { $ref: '#/components/schemas/Thing' },
                        { type: 'object', nullable: true, enum: [null] },
                      ],
                    },
                  },
                },
              },
              401: { $ref: '#/components/responses/Unauthenticated' },
              404: { $ref: '#/components/responses/NotFound' },
            },
          },
        },
      },
      components: { schemas: { Thing: { type: 'object', required: ['id', 'size'] }, ErrorResponse: {} } },
    });
  });

  it('gives every error an example of its one shape', () => {
    const { components } = Object(document);
    for (const response of Object.values<Record<string, unknown>>(components.responses))
      expect(response).toMatchObject({
        content: { 'application/json': { example: { error: expect.stringMatching(/./) } } },
        headers: { Link: {} },
      });
  });

  it('lets a schema hold itself', () => {
    const Tree = recursive<object>('Tree', (self) => object({ children: optional(list(self)) }));
    const success = { status: 200, schema: list(Tree) } as const;
    expect(describeApi([operation({ ...read, success })])).toMatchObject({
      components: {
        schemas: {
          Tree: {
            type: 'object',
            properties: { children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
          },
        },
      },
    });
  });

  it('marks what is an addition of ours, and says which ids are held in 64 bits', () => {
    const Part = object({ id: longId() }, { title: 'Part' });
    const Whole = object({
      kind: oneOf(['a', 'b'], { title: 'Kind', extra: ['b'] }),
      note: optional(ours(text())),
      part: ours(nullable(Part)),
      other: optional(ours(Part)),
    });
    const success = { status: 200, schema: Whole } as const;
    const $ref = '#/components/schemas/Part';
    const document = describeApi([operation({ ...read, success })]);
    expect(JSON.stringify(document)).toContain(
      JSON.stringify({
        kind: { $ref: '#/components/schemas/Kind' },
        note: { type: 'string', 'x-extra': true },
        part: {
          type: 'object',
          nullable: true,
          anyOf: [{ $ref }, { type: 'object', nullable: true, enum: [null] }],
          'x-extra': true,
        },
        other: { allOf: [{ $ref }], 'x-extra': true },
      }),
    );
    expect(document).toMatchObject({
      components: {
        schemas: {
          Kind: { enum: ['a', 'b'], 'x-extra': ['b'] },
          Part: { properties: { id: { type: 'integer', format: 'int64' } } },
        },
      },
    });
  });

  it('refuses two shapes of one name, and unknown tags', () => {
    const Other = object({ id: text() }, { title: 'Thing' });
    const clash = operation({
      ...read,
      id: 'other',
      route: 'GET /api/v1/other',
      success: { status: 200, schema: list(Other) },
    });
    expect(() => describeApi([read, clash])).toThrow('two different schemas have the title Thing');
    expect(() => describeApi([operation({ ...read, tag: 'nothing' })])).toThrow('unknown tag nothing');
  });
});

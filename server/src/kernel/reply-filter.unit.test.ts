import { describe, expect, it } from 'vitest';
import { compileReply } from './reply-filter.ts';
import {
  anyObject,
  anyOf,
  bytes,
  list,
  nullable,
  object,
  oneOf,
  optional,
  record,
  recursive,
  text,
} from './schema.ts';

describe('a reply', () => {
  const write = compileReply(
    object({
      name: text(),
      size: nullable(bytes()),
      unit: optional(text()),
      inner: optional(nullable(object({ a: text() }))),
      names: list(text()),
    }),
  );
  const row = { name: 'x', size: 1, names: [] };

  it('holds declared members only', () => {
    expect(write({ ...row, password: 'secret', inner: { a: 'b', hidden: 1 } })).toBe(
      '{"name":"x","size":1,"inner":{"a":"b"},"names":[]}',
    );
  });

  it('leaves out optional members without a value and says null where it may', () => {
    expect(write({ ...row, unit: null, size: null })).toBe('{"name":"x","size":null,"names":[]}');
    expect(write({ ...row, size: undefined, inner: null })).toBe(
      '{"name":"x","size":null,"inner":null,"names":[]}',
    );
  });

  it('may be a tree, cut at every level', () => {
    const Tree = recursive<{ name: string }>('Tree', (self) =>
      object({ name: text(), children: optional(list(self)) }),
    );
    const leaf = { name: 'leaf', hidden: 1 };
    const tree = { name: 'root', hidden: 1, children: [{ name: 'branch', children: [leaf] }, leaf] };
    const cut = '{"name":"branch","children":[{"name":"leaf"}]},{"name":"leaf"}';
    expect(compileReply(list(Tree))([tree])).toBe(`[{"name":"root","children":[${cut}]}]`);
    const broken = { name: 'root', children: [{ name: 'branch', children: [{}] }] };
    expect(() => compileReply(Tree)(broken)).toThrow('.children[0].children[0].name is undefined');
  });

  it('keeps 64-bit integers exact', () => {
    expect(write({ ...row, size: '9007199254740993' })).toContain('"size":9007199254740993');
  });

  it.each([
    { ...row, name: null },
    { ...row, name: 1 },
    { ...row, size: 1.5 },
    { ...row, size: 'many' },
    { ...row, names: null },
    { ...row, names: [null] },
    { size: 1, names: [] },
    null,
  ])('refuses to send %j', (value) => {
    expect(() => write(value)).toThrow(/does not fit its schema/);
  });

  it('knows null bodies, maps, alternatives and open objects', () => {
    expect(compileReply(nullable(object({ a: text() })))(null)).toBe('null');
    expect(compileReply(record(text()))(JSON.parse('{"__proto__":"x","b":"y"}'))).toBe(
      '{"__proto__":"x","b":"y"}',
    );
    const models = compileReply(anyOf([list(text()), list(object({ id: text() }))]));
    expect(models([{ id: 'a', hidden: 1 }])).toBe('[{"id":"a"}]');
    expect(models(['a'])).toBe('["a"]');
    expect(compileReply(anyObject())({ any: { thing: [1] } })).toBe('{"any":{"thing":[1]}}');
    expect(() => compileReply(oneOf(['a']))('b')).toThrow(/does not fit/);
  });
});

import { describe, expect, it } from 'vitest';
import { cleanName, nameFromServer } from './clean-name.ts';
import { displayName, object } from './schema.ts';
import { compileBody } from './validate.ts';

const asBody = (name: string) => {
  const body = compileBody(object({ name: displayName() }))({ name });
  return typeof body === 'object' && body !== null && 'name' in body ? body.name : undefined;
};

const KEPT: [given: string, kept: string][] = [
  ['orders', 'orders'],
  ['  orders \n', 'orders'],
  ['\ufefforders', 'orders'],
  ['Zoé’s «db» 1', 'Zoé’s «db» 1'],
  ['数据库', '数据库'],
  ['پایگاه‌داده', 'پایگاه‌داده'],
  ['👩‍💻 dev ❤️', '👩‍💻 dev ❤️'],
  ['a\\u202eb', 'a\\u202eb'],
  ['x'.repeat(255), 'x'.repeat(255)],
  ['👍'.repeat(255), '👍'.repeat(255)],
];
const HIDDEN = [
  ...[
    '\0',
    '\t',
    '\n',
    '\u001b',
    '\u007f',
    '\u0085',
    '\u00ad',
    '\u061c',
    '\u115f',
    '\u180e',
    '\u200b',
    '\u200e',
  ],
  ...['\u200f', '\u2028', '\u202e', '\u2060', '\u2066', '\u206f', '\u2800', '\u3164', '\ufeff', '\ufffa'],
];
const EMPTY = ['', '   ', '\u200d', ' \u200c\u200d ', '\ufe0f'];

describe('a name', () => {
  it.each(KEPT)('%j is kept as %j, from the command line, in a request and from a server', (given, kept) => {
    expect([cleanName(given), asBody(given), nameFromServer(given)]).toEqual([kept, kept, kept]);
  });

  it.each(HIDDEN)('with %j inside is refused, and made to fit where a server has it', (hidden) => {
    const refusal =
      /^name must not (contain invisible, control or direction characters|contain the character NUL)\.$/;
    expect(() => cleanName(`a${hidden}b`)).toThrow(refusal);
    expect(() => asBody(`a${hidden}b`)).toThrow(refusal);
    expect(nameFromServer(`a${hidden}b`)).toBe('a b');
  });

  it.each(EMPTY)('of %j is none', (empty) => {
    expect(() => cleanName(empty)).toThrow('name must not be empty.');
    expect(() => asBody(empty)).toThrow('name must not be empty.');
    expect(nameFromServer(empty)).toBeNull();
  });

  it('is refused when it is too long or no Unicode, with the member that has it', () => {
    expect(() => cleanName('x'.repeat(256))).toThrow('name must be a text of 1 to 255 characters.');
    expect(() => asBody('x'.repeat(256))).toThrow('name must be a text of 1 to 255 characters.');
    expect(() => cleanName('a\ud800', { member: 'annotation' })).toThrow('annotation must be valid Unicode.');
    expect(nameFromServer(`${'x'.repeat(254)} y`)).toBe('x'.repeat(254));
    expect(nameFromServer('a\ud800b')).toBe('a\ufffdb');
  });
});

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { deriveKey, keyObject, newKey, openBytes, SealBroken, sealBytes } from './crypto.ts';

const bytes = newKey();
const key = keyObject(bytes);
const plain = Buffer.from('a secret');

describe('sealing', () => {
  it('opens with the same key and place only', () => {
    const sealed = sealBytes(key, ['table', 'column', 1, 1], plain);
    expect(openBytes(key, ['table', 'column', 1, 1], sealed)).toEqual(plain);
    const wrong = [
      () => openBytes(keyObject(newKey()), ['table', 'column', 1, 1], sealed),
      () => openBytes(key, ['table', 'column', 2, 1], sealed),
      () => openBytes(key, ['table', 'column', 11], sealed),
      () => openBytes(key, ['tablecolumn', '', 1, 1], sealed),
      () => openBytes(key, ['table', 'column', 1, 1], sealed.subarray(0, 20)),
      () => openBytes(key, ['table', 'column', 1, 1], plain),
    ];
    for (const attempt of wrong) expect(attempt).toThrow(SealBroken);
  });

  it('never gives the same bytes twice, and notices every changed bit', () => {
    const sealed = sealBytes(key, ['place'], plain);
    expect(sealBytes(key, ['place'], plain)).not.toEqual(sealed);
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => openBytes(key, ['place'], changed)).toThrow(SealBroken);
    }
  });
});

describe('keys', () => {
  it('for two purposes are two keys', () => {
    const one = deriveKey(key, 'one').export();
    expect(deriveKey(key, 'one').export()).toEqual(one);
    expect(deriveKey(key, 'two').export()).not.toEqual(one);
    expect(one).not.toEqual(bytes);
  });

  it('print as nothing', () => {
    expect(inspect(key, { showHidden: true, depth: 5 })).not.toContain(bytes.toString('hex').slice(0, 8));
    expect(JSON.stringify(key)).toBe('{}');
  });
});

// How long compressed forms are kept: as long as the text that they belong to, and of texts written anew within their size.
import { brotliDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { JsonText } from '../kernel/json-text.ts';
import { encode, etagOf } from './compress.ts';

const packed = async (json: string | JsonText) => (await encode(json, 'br', true)).body;
const long = (character: string, length: number) => JSON.stringify(character.repeat(length));

it('compresses a kept text once, however large it is, and tells two of them apart', async () => {
  const [one, other] = [new JsonText(long('a', 2_000_000)), new JsonText(long('b', 2_000_000))];
  const first = await packed(one);
  expect(await packed(other)).not.toBe(first);
  expect(await packed(one)).toBe(first);
  expect(brotliDecompressSync(first).toString()).toBe(one.text);
  expect(etagOf(one)).toBe(etagOf(new JsonText(one.text)));
  expect(etagOf(one)).not.toBe(etagOf(other));
});

it('compresses texts that say the same once, until too much was kept since', async () => {
  const small = (character: string) => long(character, 100_000);
  const first = await packed(small('a'));
  expect(await packed(small('a'))).toBe(first);
  for (const character of 'bcdefghijkl') await packed(small(character));
  const again = await packed(small('a'));
  expect(again).not.toBe(first);
  expect(again).toEqual(first);
});

it('keeps nothing of a text that is larger than all that may be kept, and sends it all the same', async () => {
  const huge = long('z', 1_100_000);
  const first = await packed(huge);
  const again = await packed(huge);
  expect(again).not.toBe(first);
  expect(brotliDecompressSync(again).toString()).toBe(huge);
});

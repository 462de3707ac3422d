// Messages in a stream of TCP, however it is cut, and streams that are none.
import { expect, it } from 'vitest';
import { FrameReader, NoFrame } from './frames.ts';

const MOST = 100;

function reading() {
  const messages: string[] = [];
  let lost = 0;
  const reader = new FrameReader(MOST, {
    message: (bytes) => messages.push(bytes.toString('latin1')),
    tooLong: (bytes) => {
      lost += bytes;
    },
  });
  return { reader, messages, lost: () => lost };
}

function read(text: string, size = text.length) {
  const { reader, messages, lost } = reading();
  for (let at = 0; at < text.length; at += size)
    reader.push(Buffer.from(text.slice(at, at + size), 'latin1'));
  return { messages, lost: lost(), waiting: reader.waiting, rest: reader.end() };
}

it.each([1, 2, 3, 7, 1000])('reads both framings, also mixed, in pieces of %i bytes', (size) => {
  const text = '<1>a\n5 <2>\nb<3>c d\r\n\n\0 4 <4>e<5>f';
  expect(read(text, size)).toEqual({
    messages: ['<1>a', '<2>\nb', '<3>c d\r', '<4>e', '<5>f'],
    ...{ lost: 0, waiting: 4, rest: 0 },
  });
});

it('takes a last line without an end', () => {
  const { reader, messages } = reading();
  reader.push(Buffer.from('<1>a\n<2>b'));
  expect(reader.end()).toBe(0);
  expect(messages).toEqual(['<1>a', '<2>b']);
});

it.each([1, 64, 100_000])('skips what is too long, and reads on, in pieces of %i bytes', (size) => {
  const line = `<1>${'x'.repeat(500)}`;
  expect(read(`${line}\n<2>a\n${line.length} ${line}<3>b\n`, size)).toMatchObject({
    messages: ['<2>a', '<3>b'],
    lost: 2 * line.length,
    waiting: 0,
  });
});

it('keeps no memory for a huge length, nor for a line without an end', () => {
  const counted = reading();
  counted.reader.push(Buffer.from('9999999 <1>'));
  for (let n = 0; n < 100; n += 1) counted.reader.push(Buffer.alloc(10_000, 'x'));
  expect(counted.reader.waiting).toBe(0);
  expect(counted.lost()).toBe(1_000_003);
  const endless = reading();
  endless.reader.push(Buffer.from('<1>'));
  for (let n = 0; n < 100; n += 1) endless.reader.push(Buffer.alloc(10_000, 'x'));
  expect(endless.reader.waiting).toBe(0);
  expect(endless.lost()).toBe(1_000_003);
});

it.each([
  ['a length that is none', '99999999999 <1>a'],
  ['a length of zero', '0 <1>'],
  ['another protocol', 'GET / HTTP/1.1\r\n'],
  ['a handshake of TLS', '\u0016\u0003\u0001\u0002'],
])('refuses %s', (_what, text) => {
  const { reader } = reading();
  expect(() => reader.push(Buffer.from(text, 'latin1'))).toThrow(NoFrame);
});

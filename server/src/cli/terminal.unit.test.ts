import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { secretReader } from './terminal.ts';

function terminal() {
  const raw: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => raw.push(mode),
  });
  const written: string[] = [];
  const read = secretReader(input, (text) => written.push(text));
  return { input, raw, written, read };
}

describe('at a terminal', () => {
  it.each([
    ['correct horse\r', 'correct horse'],
    ['abcd\u007f\u0008X\n', 'abX'],
    ['🐘\u007fok\r', 'ok'],
    ['tab\there\u001b\r', 'tabhere'],
  ])('reads %j as %j without an echo', async (keys, expected) => {
    const { input, raw, written, read } = terminal();
    const secret = read('Password: ');
    for (const key of keys) input.write(key);
    expect((await secret).reveal()).toBe(expected);
    expect(written).toEqual(['Password: ', '\n']);
    expect(raw).toEqual([true, false]);
  });

  it('gives up on Ctrl-C and leaves the terminal as it was', async () => {
    const { input, raw, read } = terminal();
    const secret = read('Password: ');
    input.write('abc\u0003');
    await expect(secret).rejects.toThrow('Cancelled.');
    expect(raw).toEqual([true, false]);
  });
});

describe('from a pipe', () => {
  it('reads line by line, with any line ending, and writes nothing', async () => {
    const input = new PassThrough();
    const written: string[] = [];
    const read = secretReader(input, (text) => written.push(text));
    input.write('first li');
    setImmediate(() => input.end('ne\r\nsecond\nlast'));
    expect((await read('?')).reveal()).toBe('first line');
    expect((await read('?')).reveal()).toBe('second');
    expect((await read('?')).reveal()).toBe('last');
    expect(written).toEqual([]);
  });

  it('refuses a line without end', async () => {
    const input = new PassThrough();
    const secret = secretReader(input, () => undefined)('?');
    input.end('x'.repeat(5000));
    await expect(secret).rejects.toThrow(/too long/);
  });
});

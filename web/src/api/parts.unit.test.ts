// A long list in parts: what is fetched, what is held, and what is shown while another list is asked for.
import { expect, it } from 'vitest';
import { ApiError } from './client.ts';
import { type Part, Parts, type ReadPart } from './parts.ts';

const SIZE = 10;

/** A list whose parts are answered as soon as they are asked for, or when the test lets them. */
function listOf(total: number, name = 'a') {
  const asked: number[] = [];
  const aborted: number[] = [];
  const read: ReadPart<string> = async (offset, signal) => {
    asked.push(offset);
    signal.addEventListener('abort', () => aborted.push(offset));
    return {
      rows: Array.from({ length: Math.min(SIZE, total - offset) }, (_, at) => `${name} ${offset + at}`),
      total,
    };
  };
  return { read, asked, aborted };
}

const partsOf = (most = 5) => new Parts<string>({ size: SIZE, most, pauseMs: 0 });
const row = (parts: Parts<string>, index: number) => parts.state().list?.at(index);

it('fetches what is near the window, and holds few parts however far somebody scrolls', async () => {
  const { read, asked } = listOf(10_000);
  const parts = partsOf();
  parts.ask(read);
  await expect.poll(() => row(parts, 0)).toBe('a 0');
  expect(parts.state().list?.count).toBe(10_000);
  for (const first of [500, 2000, 9000]) {
    parts.near(first, first + 5);
    await expect.poll(() => row(parts, first + 5)).toBe(`a ${first + 5}`);
  }
  parts.near(9990, 9999);
  await expect.poll(() => row(parts, 9999)).toBe('a 9999');
  const held = Array.from({ length: 1000 }, (_, part) => row(parts, part * SIZE)).filter(Boolean);
  expect(held.length).toBeLessThanOrEqual(5);
  // Never more than the drawn ones and their neighbours.
  expect(asked.length).toBeLessThan(20);
});

it('keeps what was shown until another list answers, then nothing of it', async () => {
  const parts = partsOf();
  parts.ask(listOf(100).read);
  await expect.poll(() => row(parts, 45)).toBe('a 45');
  let answer: (part: Part<string>) => void = () => undefined;
  parts.ask(() => new Promise((resolve) => (answer = resolve)));
  expect(parts.state().isOld).toBe(true);
  expect(row(parts, 45)).toBe('a 45');
  answer({ rows: ['b 0'], total: 1 });
  await expect.poll(() => row(parts, 0)).toBe('b 0');
  expect(parts.state()).toMatchObject({ isOld: false, list: { count: 1 } });
  expect(row(parts, 45)).toBeUndefined();
});

it('forgets the other parts where rows came or went meanwhile', async () => {
  const parts = partsOf();
  let total = 100;
  parts.ask(async (offset) => ({
    rows: Array.from({ length: SIZE }, (_, at) => `${total}: ${offset + at}`),
    total,
  }));
  await expect.poll(() => row(parts, 5)).toBe('100: 5');
  total = 101;
  parts.near(90, 95);
  await expect.poll(() => row(parts, 92)).toBe('101: 92');
  expect(parts.state().list?.count).toBe(101);
  expect(row(parts, 5)).toBeUndefined();
});

it('does not wait for parts that were scrolled past', async () => {
  const parts = partsOf();
  const stopped: number[] = [];
  parts.ask((offset, signal) => {
    if (offset === 0) return Promise.resolve({ rows: Array.from({ length: SIZE }, () => 'x'), total: 1000 });
    return new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => {
        stopped.push(offset);
        reject(signal.reason);
      }),
    );
  });
  await expect.poll(() => row(parts, 0)).toBe('x');
  parts.near(500, 505);
  await new Promise((resolve) => setTimeout(resolve, 20));
  parts.near(900, 905);
  await expect.poll(() => stopped).toContain(500);
  expect(parts.state().error).toBeNull();
  parts.stop();
});

it('says what failed, keeps what is there, and tries again when asked to', async () => {
  const parts = partsOf();
  let isBroken = false;
  const { read } = listOf(1000);
  parts.ask((offset, signal) =>
    isBroken ? Promise.reject(new ApiError('The datastore is away.', { status: 400 })) : read(offset, signal),
  );
  await expect.poll(() => row(parts, 0)).toBe('a 0');
  isBroken = true;
  parts.near(500, 505);
  await expect.poll(() => parts.state().error?.message).toBe('The datastore is away.');
  expect(row(parts, 0)).toBe('a 0');
  isBroken = false;
  parts.retry();
  await expect.poll(() => row(parts, 500)).toBe('a 500');
  expect(parts.state().error).toBeNull();
  parts.stop();
});

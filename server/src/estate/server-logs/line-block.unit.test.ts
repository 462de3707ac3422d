// Blocks of lines and the search of them: what goes in comes out, words that are there are always found, and what is damaged is an error.
import { describe, expect, it } from 'vitest';
import { type Line, newBlocks, packBlock } from './line-block.ts';
import type { EventRow } from './log-rows.ts';
import { findTerm, hashesOf, patternOf, termsOf } from './search-terms.ts';
import { unpackBlock } from './unpacked-block.ts';
import { probesOf } from './word-filter.ts';

const row = (at: number, more: Partial<EventRow> = {}): EventRow => ({
  occurred_at: 1_795_840_200_000 + at,
  class: 'slow_statement',
  severity: 'LOG',
  sqlstate: '',
  database_name: 'shop',
  user_name: 'app',
  application_name: 'web',
  process_id: String(4000 + (at % 7)),
  queryid: '',
  message: `duration: ${at}.5 ms`,
  detail: '',
  hint: '',
  context: '',
  statement: '',
  figures: { duration_ms: at + 0.5 },
  relation_name: null,
  is_cut: false,
  ...more,
});

const linesOf = (rows: readonly EventRow[]): Line[] =>
  rows.map((one, number) => ({ row: one, block: 0, number }));

const mayHave = (words: Buffer, hashes: Iterable<number>) =>
  [...hashes].every((hash) =>
    probesOf(hash).every((probe) => {
      const bit = probe % (words.length * 8);
      return ((words[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
    }),
  );

describe('a block', () => {
  it('gives back every event as it was, with its id', async () => {
    const rows = [
      row(0),
      row(0, { message: 'duration: 0.5 ms', detail: 'again\nin lines', is_cut: true }),
      row(7, { class: '', figures: {}, message: 'Größe "日本語" \u2028 \\ {}', queryid: '-4711' }),
      row(7, { figures: { waited_ms: null }, statement: 'select $1', user_name: 'x'.repeat(63) }),
      row(90_000, { message: '', severity: 'FATAL', sqlstate: '57P01' }),
    ];
    const packed = await packBlock(linesOf(rows));
    expect(packed).toMatchObject({
      ...{ events: 5, first_at: rows[0]?.occurred_at, last_at: rows[4]?.occurred_at },
      ...{ classes: ['slow_statement', ''], severities: ['LOG', 'FATAL'], sqlstates: ['', '57P01'] },
    });
    const block = await unpackBlock(3, packed.body);
    expect(rows.map((_row, at) => block.row(at))).toEqual(rows);
    const again = await packBlock(
      rows.map((_row, at) => ({ row: block.row(at), block: block.block(at), number: block.number(at) })),
    );
    const merged = await unpackBlock(9, again.body);
    expect(rows.map((_row, at) => merged.idOf(at))).toEqual(rows.map((_row, at) => block.idOf(at)));
    expect(new Set(rows.map((_row, at) => merged.idOf(at))).size).toBe(5);
  });

  it('is one of several where events are many or large', async () => {
    const many = await newBlocks(Array.from({ length: 50_000 }, () => row(1, { message: 'x' })));
    expect(many.map(({ events }) => events)).toEqual([20_000, 20_000, 10_000]);
    const large = await newBlocks(
      Array.from({ length: 100 }, (_none, at) => row(at, { message: `${at}`.repeat(20_000) })),
    );
    expect(large.length).toBeGreaterThan(2);
    expect(large.reduce((sum, { events }) => sum + events, 0)).toBe(100);
    expect(Math.max(...large.map(({ unpacked_bytes }) => unpacked_bytes))).toBeLessThan(1.2 * 1024 * 1024);
  });

  it('that is damaged is an error', async () => {
    const { body } = await packBlock(linesOf([row(1), row(2)]));
    const halved = body.subarray(0, body.length / 2);
    await expect(unpackBlock(1, halved)).rejects.toThrow();
    await expect(unpackBlock(1, Buffer.from('nothing'))).rejects.toThrow();
    for (const json of ['{}', '[]', '1', '{"at":[1,2],"blocks":[0],"block":[0]}']) {
      const { zstdCompressSync } = await import('node:zlib');
      await expect(unpackBlock(1, zstdCompressSync(Buffer.from(json)))).rejects.toThrow(/damaged/);
    }
  });
});

describe('a search', () => {
  it.each([
    [
      'orders',
      ['select from orders', 'ORDERS', 'public.orders_pkey', '"orders"'],
      ['reorders', 'orders2', 'order'],
    ],
    ['order*', ['orders', 'the order'], ['reorder']],
    ['orders_pkey', ['"orders_pkey"'], ['orders pkey', 'orders_pkeys']],
    ['"lock wait"', ['a lock wait ended'], ['lock  wait', 'wait lock', 'lock waits']],
    ['t.id', ['where t.id = 1'], ['at.id', 't.ids', 'txid']],
    ['%', ['100 %'], ['100']],
    ['größe', ['GRÖSSE ist GRÖßE'], ['große']],
    ['日本', ['日本語'], ['本日']],
    ["';--", ["a';--b"], ["';-"]],
    ['"', ['anything'], []],
  ])('for %s', (search, found, others) => {
    const terms = termsOf(search);
    const has = (text: string) => terms.every((term) => findTerm(text.toLowerCase(), term) !== -1);
    expect(found.filter((text) => !has(text))).toEqual([]);
    expect(others.filter(has)).toEqual([]);
  });

  it('has as many words as are allowed', () => {
    expect(termsOf('a b "c d" e*')).toEqual([
      { text: 'a', isStart: false },
      { text: 'b', isStart: false },
      { text: 'c d', isStart: false },
      { text: 'e', isStart: true },
    ]);
    expect(() => termsOf('a b c d e f g h i j k')).toThrow('at most 10');
  });

  it('never misses a word that is there, and passes over most blocks that have it not', async () => {
    const words = Array.from(
      { length: 6000 },
      (_none, at) => `w${((at * 2_654_435_761) % 4_294_967_291).toString(36)}`,
    );
    const packed = await packBlock(
      linesOf(words.map((word, at) => row(at, { message: `Say ${word}, ${word}-x.`, figures: {} }))),
    );
    const missed = words.filter((word) => !mayHave(packed.words, hashesOf(termsOf(word.toUpperCase()))));
    expect(missed).toEqual([]);
    const wrong = words.filter((word) => mayHave(packed.words, hashesOf(termsOf(`q${word}`))));
    expect(wrong.length / words.length).toBeLessThan(0.005);
    expect(packed.words.length).toBeLessThan(20_000);
  });

  it('is a regular expression without meaning of its own', () => {
    expect(patternOf({ text: 'a.b*(c)\\d[', isStart: false })).toBe('(^|[^a-z0-9])a\\.b\\*\\(c\\)\\\\d\\[');
  });
});

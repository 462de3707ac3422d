import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CompactOptions, compact } from './compact.ts';
import { summarise, summaryText } from './dropped-summary.ts';
import { answersOf, callsOf, type Message, tokensOf } from './message-facts.ts';

const say = (role: string, content: unknown): Message => ({ role, content });
const filler = (n: number) => say(n % 2 === 0 ? 'user' : 'assistant', `chatter ${n} ${'x'.repeat(400)}`);
const call = (id: string, name: string, flat = false): Message =>
  say('assistant', [
    flat
      ? { type: 'tool_use', id, name, input: {} }
      : { type: 'tool_use', tool_use: { id, name, input: {} } },
  ]);
const answer = (id: string, text: string): Message =>
  say('user', [{ type: 'tool_result', tool_use_id: id, content: text }]);

const OPTIONS: CompactOptions = {
  ...{ max_tokens: 1000, recent_window: 2, keep_anchors: true },
  ...{
    preserve_tool_results: false,
    preserve_schema_info: false,
    min_important_messages: 0,
    reserve_tokens: 0,
  },
};

describe('what stays', () => {
  const many = Array.from({ length: 30 }, (_none, n) => filler(n));

  it('is everything where it is small enough', () => {
    const few = many.slice(0, 3);
    expect(compact(few, OPTIONS)).toMatchObject({ kept: few, dropped: [] });
  });

  it('is the first, what is recent, and of the rest the newest that fit', () => {
    const { kept, dropped, tokens_after } = compact(many, OPTIONS);
    expect(kept[0]).toBe(many[0]);
    expect(kept.slice(-2)).toEqual(many.slice(-2));
    expect(tokens_after).toBeLessThanOrEqual(1000);
    expect(dropped).toEqual(many.slice(1, 1 + dropped.length));
  });

  it.each([
    ['a standing instruction', say('user', 'From now on answer in German.')],
    ['a correction', say('user', 'No, that is the wrong server.')],
    ['how a table is made', say('assistant', 'It is CREATE TABLE orders (id int);')],
  ])('is %s, unless nobody wants anchors', (_what, anchor) => {
    const messages = [many[0] ?? anchor, anchor, ...many.slice(1)];
    expect(compact(messages, OPTIONS)).toMatchObject({ anchors: 1, kept: expect.arrayContaining([anchor]) });
    expect(compact(messages, { ...OPTIONS, keep_anchors: false }).dropped).toContain(anchor);
  });

  it('is the schema that a tool has read, with its call', () => {
    const pair = [call('t1', 'get_schema_info'), answer('t1', 'id integer')];
    const messages = [say('user', 'hello'), ...pair, ...many];
    expect(compact(messages, OPTIONS).kept).toEqual(expect.arrayContaining(pair));
    const wanted = { ...OPTIONS, keep_anchors: false, preserve_schema_info: true };
    expect(compact(messages, wanted).kept).toEqual(expect.arrayContaining(pair));
  });

  it('is of calls of tools more than of chatter', () => {
    const pair = [call('t1', 'get_load', true), answer('t1', 'y'.repeat(800))];
    const { kept } = compact([say('user', 'hello'), ...pair, ...many], { ...OPTIONS, max_tokens: 600 });
    expect(kept).toEqual(expect.arrayContaining(pair));
    expect(kept).not.toContain(many[5]);
    const tight = { ...OPTIONS, max_tokens: 300 };
    expect(compact([say('user', 'hello'), ...pair, ...many], tight).dropped).toEqual(
      expect.arrayContaining(pair),
    );
    const preserved = { ...tight, preserve_tool_results: true };
    expect(compact([say('user', 'hello'), ...pair, ...many], preserved).kept).toEqual(
      expect.arrayContaining(pair),
    );
  });

  it('is as many of the newest others as are asked for', () => {
    const { kept } = compact(many, { ...OPTIONS, max_tokens: 100, min_important_messages: 3 });
    expect(kept).toEqual([many[0], ...many.slice(-5)]);
  });
});

const histories = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('say'),
      role: fc.constantFrom('user', 'assistant'),
      text: fc.string({ maxLength: 600 }),
    }),
    fc.record({
      kind: fc.constantFrom('call', 'answer'),
      role: fc.constant('x'),
      text: fc.constantFrom('a', 'b', 'c'),
    }),
  ),
  { minLength: 1, maxLength: 40 },
);

it('keeps order and pairs, adds up, and stays above the limit only with what has to stay', () => {
  fc.assert(
    fc.property(
      histories,
      fc.integer({ min: 50, max: 2000 }),
      fc.integer({ min: 0, max: 6 }),
      (parts, max_tokens, recent_window) => {
        const messages = parts.map(({ kind, role, text }) =>
          kind === 'say' ? say(role, text) : kind === 'call' ? call(text, 'tool') : answer(text, 'result'),
        );
        const { kept, dropped, tokens_after, tokens_before } = compact(messages, {
          ...OPTIONS,
          max_tokens,
          recent_window,
        });
        expect(kept).toEqual(messages.filter((message) => kept.includes(message)));
        expect(new Set([...kept, ...dropped]).size).toBe(messages.length);
        expect(kept.length + dropped.length).toBe(messages.length);
        expect(tokens_after).toBe(kept.reduce((sum, message) => sum + tokensOf(message), 0));
        const ids = (of: readonly Message[]) =>
          new Set(of.flatMap((one) => [...callsOf(one).map(({ id }) => id), ...answersOf(one)]));
        const called = new Set(messages.flatMap(callsOf).map(({ id }) => id));
        if (tokens_before <= max_tokens) expect(dropped).toEqual([]);
        // Ids that are called only once are on one side alone.
        for (const id of called) {
          const calls = messages.filter((one) => callsOf(one).some((made) => made.id === id)).length;
          const first = messages.findIndex((one) => callsOf(one).some((made) => made.id === id));
          const isOrdered = messages.every((one, at) => !answersOf(one).includes(id) || at > first);
          if (calls === 1 && isOrdered) expect(ids(kept).has(id) && ids(dropped).has(id)).toBe(false);
        }
      },
    ),
  );
});

describe('a summary', () => {
  it('names topics, tables and tools', () => {
    const dropped = [
      say('user', 'Why is select * from shop.orders join "Line Items" blocked?'),
      call('t', 'get_locks'),
      answer('t', 'a lock on orders; vacuum runs'),
    ];
    const summary = summarise(dropped);
    expect(summary).toMatchObject({
      tables: ['shop.orders'],
      tools: ['get_locks'],
      topics: ['locks', 'vacuum'],
    });
    expect(summaryText(dropped, summary)).toContain('"Why is select * from shop.orders');
  });
});

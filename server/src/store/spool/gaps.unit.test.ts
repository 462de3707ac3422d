import { describe, expect, it } from 'vitest';
import { GapLog, gapsIn } from './gaps.ts';
import { restAfter } from './replay.ts';

const lost = (seq: number, connections: number[], at = seq * 1000) => ({
  seq,
  connections,
  from: at,
  to: at + 500,
});

describe('gaps', () => {
  it('of records one after another are one for each connection', () => {
    const log = new GapLog();
    for (const seq of [1, 2, 3]) log.add('full', lost(seq, seq === 2 ? [7, 8] : [7]));
    expect(log.list()).toEqual([
      { connection_id: 7, from: 1000, to: 3500, reason: 'full' },
      { connection_id: 8, from: 2000, to: 2500, reason: 'full' },
    ]);
  });

  it('are two where something between them was stored, and where the reason differs', () => {
    const log = new GapLog();
    log.add('full', lost(1, [7]));
    log.add('full', lost(3, [7]), 2);
    log.add('damaged', lost(4, []));
    expect(log.list().map(({ connection_id, from, to }) => [connection_id, from, to])).toEqual([
      [7, 1000, 1500],
      [7, 3000, 3500],
      [null, 4000, 4500],
    ]);
  });

  it('come back from their text, also into those that were noted meanwhile', () => {
    const log = new GapLog();
    log.add('full', lost(1, [7]));
    log.add('full', lost(2, [8]));
    const text = log.toJson();
    expect(gapsIn(text)).toEqual(log.list());
    const next = new GapLog();
    next.add('full', lost(9, [7]));
    next.absorb(text);
    next.absorb(text);
    expect(next.list().map(({ connection_id, from }) => [connection_id, from])).toEqual([
      [7, 1000],
      [8, 2000],
      [7, 9000],
    ]);
  });

  it('stay few, saying rather too much', () => {
    const log = new GapLog();
    for (let seq = 1; seq <= 1000; seq += 2) log.add('full', lost(seq, [1]), seq - 1);
    expect(log.size).toBe(64);
    const gaps = log.list();
    for (let seq = 1; seq <= 1000; seq += 2)
      expect(gaps.some(({ from, to }) => from <= seq * 1000 && to >= seq * 1000 + 500)).toBe(true);
  });
});

describe('a replay', () => {
  it('rests half of the time, and less where it would fall below ten times the pace', () => {
    expect(restAfter({ took_ms: 20, span_ms: 10_000 })).toBe(20);
    expect(restAfter({ took_ms: 20, span_ms: 300 })).toBe(10);
    expect(restAfter({ took_ms: 50, span_ms: 300 })).toBe(0);
    expect(restAfter({ took_ms: 50, span_ms: 0 })).toBe(0);
  });
});

// Rollups of active sessions in buckets: shares of spans, and which tier tells of which time.
import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../kernel/units.ts';
import { TIERS } from '../../store/layout/tiers.ts';
import type { ClassSpan } from '../../store/read/doors/readings.ts';
import type { SessionsBucket } from '../../store/rollup/active-sessions-fold.ts';
import { foldSpans, type SpansToFold } from './load-spans.ts';

const span = (tier: string, minute: number, sessions: number): ClassSpan => {
  const seconds = TIERS.find(({ name }) => name === tier)?.seconds ?? 0;
  return {
    tier,
    at: minute * MINUTE_MS,
    covered_seconds: seconds,
    spent: [['CPU', sessions * seconds]],
    members: null,
  };
};

function fold(spans: readonly ClassSpan[], asked: Partial<SpansToFold> = {}) {
  const window = { from: 0, to: 60 * MINUTE_MS, buckets: 4 };
  const found: SessionsBucket[] = Array.from({ length: 4 }, () => ({
    runs: 0,
    covered_ms: 0,
    classes: new Map(),
  }));
  const parts = foldSpans(found, spans, {
    tiers: TIERS,
    chosen: undefined,
    until: 0,
    window,
    first: Number.POSITIVE_INFINITY,
    ...asked,
  });
  const values = found.map(({ covered_ms, classes }) =>
    covered_ms > 0 ? Number(((classes.get('CPU') ?? 0) / covered_ms).toFixed(6)) : null,
  );
  return { values, read: parts.map(({ tier, from, to }) => [tier, from / MINUTE_MS, to / MINUTE_MS]) };
}

describe('spans in buckets', () => {
  it('are those of the finest tier that is left', () => {
    const quarters = [0, 15, 30, 45].map((minute) => span('m15', minute, minute));
    expect(fold([...quarters, span('h1', 0, 99)])).toEqual({
      values: [0, 15, 30, 45],
      read: [['m15', 0, 60]],
    });
    expect(fold([span('h1', 0, 7)])).toEqual({ values: [7, 7, 7, 7], read: [['h1', 0, 60]] });
  });

  it('fill no gap in what is finer: a coarse one tells of the time before it alone', () => {
    // Samples from minute 20 on: the first quarter is told by the rollup, the second one is the samples' own.
    const found = fold([span('m15', 0, 1), span('m15', 15, 2), span('m15', 30, 3)], {
      first: 20 * MINUTE_MS,
    });
    expect(found).toEqual({ values: [1, null, null, null], read: [['m15', 0, 15]] });
  });

  it('of the chosen tier end where samples begin', () => {
    const m1 = TIERS[0];
    const minutes = Array.from({ length: 60 }, (_none, minute) => span('m1', minute, 2));
    const found = fold(minutes, { chosen: m1, until: 30 * MINUTE_MS, first: 0 });
    expect(found).toEqual({ values: [2, 2, null, null], read: [['m1', 0, 30]] });
  });
});

// The states of an alert over time: by what it says of itself, and by its history.
import { expect, it } from 'vitest';
import { alert } from '../../../testing/alert.ts';
import type { AlertEvent } from './alert-words.ts';
import { spansOf, spansOfEvents, spanWords } from './state-spans.ts';

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 20, 10, minutes)).toISOString();
const ms = (minutes: number) => Date.parse(at(minutes));
const active = { state: 'active', severity: 'warning' } as const;
const taken = { state: 'acknowledged', severity: 'warning' } as const;

it('is active until somebody takes it on or it clears, and open until now', () => {
  const fired = alert(1, { triggered_at: at(0) });
  expect(spansOf(fired, ms(9))).toEqual([{ ...active, from: ms(0), to: ms(9) }]);
  const acknowledged = { ...fired, status: 'acknowledged' as const, acknowledged_at: at(4) };
  expect(spansOf(acknowledged, ms(9))).toEqual([
    { ...active, from: ms(0), to: ms(4) },
    { ...taken, from: ms(4), to: ms(9) },
  ]);
  const cleared = { ...acknowledged, status: 'cleared' as const, cleared_at: at(6) };
  expect(spansOf(cleared, ms(9)).at(-1)).toEqual({ ...taken, from: ms(4), to: ms(6) });
  // The clock of the reader may be behind.
  expect(spansOf(fired, ms(-5))).toEqual([{ ...active, from: ms(0), to: ms(0) }]);
});

it('follows its history through acknowledging, taking back and severities, newest first or last', () => {
  const event = (
    event_type: AlertEvent['event_type'],
    minutes: number,
    severity: AlertEvent['severity'] = 'warning',
  ) => ({
    event_type,
    occurred_at: at(minutes),
    severity,
    actor: null,
    message: null,
    metric_value: null,
  });
  const events = [
    event('fired', 0),
    event('acknowledged', 2),
    event('severity_changed', 3, 'critical'),
    event('unacknowledged', 5, 'critical'),
    event('cleared', 6, 'critical'),
  ];
  const spans = [
    { ...active, from: ms(0), to: ms(2) },
    { ...taken, from: ms(2), to: ms(3) },
    { ...taken, severity: 'critical', from: ms(3), to: ms(5) },
    { ...active, severity: 'critical', from: ms(5), to: ms(6) },
  ];
  expect(spansOfEvents(events, ms(60))).toEqual(spans);
  expect(spansOfEvents(events.toReversed(), ms(60))).toEqual(spans);
  expect(spansOfEvents(events.slice(0, 2), ms(9)).at(-1)?.to).toBe(ms(9));
  expect(spanWords(spansOfEvents(events.slice(0, 2), ms(9)))).toBe(
    'Active for 2 min, acknowledged for 7 min',
  );
});

it.each([
  [1, '1 s'],
  [89, '89 s'],
  [1499, '25 min'],
  [1501, '25 min'],
  [7200, '2 h'],
  [200_000, '2 d'],
])('says %d s as %s', (seconds, words) => {
  expect(spanWords([{ ...active, from: 0, to: seconds * 1000 }])).toBe(`Active for ${words}`);
});

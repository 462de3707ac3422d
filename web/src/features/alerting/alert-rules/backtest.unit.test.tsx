// What a rule would have done with other values: asked for the place and the values that are being typed, said in words and
// drawn with the threshold and the times when it would have fired.
import { render, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Refusal, startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { BacktestPreview } from './backtest-preview.tsx';
import { type Backtest, backtestWords, lengthWords, readWords } from './backtest-words.ts';
import type { Rule, RuleSetting } from './rule-values.ts';

const BUILT_IN = { operator: '>' as const, threshold: 80, severity: 'warning' as const, is_enabled: true };
const RULE: Rule = {
  id: 7,
  name: 'cpu_usage_high',
  description: 'Statements take longer.',
  category: 'performance',
  metric_name: 'pg_sys_cpu_usage_info.processor_time_percent',
  metric_unit: 'percent',
  default_operator: '>',
  default_threshold: 80,
  default_severity: 'warning',
  default_enabled: true,
  required_extension: null,
  is_built_in: true,
  created_at: '2026-11-20T10:00:00Z',
  title: 'The processors are busy',
  remedy: 'Look at the load.',
  evidence: null,
  lasts_seconds: 0,
  built_in: BUILT_IN,
  is_specified: true,
};
const PLACE: RuleSetting = {
  key: 'server',
  title: 'Server orders-primary',
  scope: { scope: 'server', scope_id: 3, name: 'orders-primary' },
  set: undefined,
  inherited: BUILT_IN,
};
const START = '2026-10-23T00:00:00Z';
const END = '2026-11-22T00:00:00Z';
const event = (fired_at: string, cleared_at: string | null, open_seconds: number) => ({
  ...{ connection_id: 3, connection_name: 'orders-primary', database_name: '', object_name: '' },
  ...{ fired_at, cleared_at, open_seconds, peak_value: 91 },
});
const FOUND: Backtest = {
  rule_id: 7,
  metric_name: RULE.metric_name,
  metric_unit: 'percent',
  start_time: START,
  end_time: END,
  servers: 1,
  things: 1,
  read: [
    { start_time: START, end_time: '2026-11-15T00:00:00Z', tier: 'h1', resolution_seconds: 3600 },
    { start_time: '2026-11-15T00:00:00Z', end_time: END, tier: 'raw', resolution_seconds: 600 },
  ],
  measured_since: null,
  coverage: 0.234,
  candidate: {
    values: { operator: '>', threshold: 60, severity: 'warning', enabled: true, lasts_seconds: 0 },
    fired: 3,
    open_seconds: 7800,
    affected: 1,
    events: [
      event('2026-11-16T03:00:00Z', '2026-11-16T03:30:00Z', 1800),
      event('2026-11-18T03:00:00Z', '2026-11-18T04:10:00Z', 4200),
      event('2026-11-21T23:30:00Z', null, 1800),
    ],
    events_left_out: 0,
  },
  in_force: {
    values: { operator: '>', threshold: 50, severity: 'warning', enabled: true, lasts_seconds: 0 },
    ...{ fired: 12, open_seconds: 90_000, affected: 1, events: [], events_left_out: 0 },
  },
  series: { start_time: START, step_seconds: 864_000, values: [null, 40, 91] },
  notes: ['The worst value of each hour was judged.'],
};
const DRAFT = { operator: '>' as const, threshold: '60', severity: 'warning' as const, is_enabled: true };

it('asks for the place and the values, says what would have been, and draws it', async () => {
  const api = await startApi({ backtestAlertRule: FOUND });
  show(<BacktestPreview rule={RULE} place={PLACE} draft={DRAFT} />);
  await screen.findByText('Would have fired 3 times in 30 days, 2 h 10 min in all; as set now: 12 times.');
  screen.getByText(
    'Judged by rollups of 1 h, then samples of 10 min; 23 % of the time was measured. The worst value of each hour was judged.',
  );
  const figure = screen.getByRole('figure', { name: 'CPU busy, worst value of each step' });
  expect(figure.querySelectorAll('[class*="span"]:is(rect)')).toHaveLength(3);
  within(figure).getByText(/alert more than 60 %/);
  const sent = api.sent.filter(({ operation }) => operation === 'backtestAlertRule');
  expect(sent).toEqual([
    {
      operation: 'backtestAlertRule',
      path: '/api/v1/alert-rules/7/backtest',
      body: { scope: 'server', scope_id: 3, operator: '>', threshold: 60, severity: 'warning' },
    },
  ]);
});

it('says why it cannot be told, and nothing while the threshold is no number', async () => {
  await startApi({ backtestAlertRule: new Refusal(400, 'It is known as of now only.') });
  const first = show(<BacktestPreview rule={RULE} place={PLACE} draft={DRAFT} />);
  await screen.findByText('It is known as of now only.');
  first.unmount();
  render(<BacktestPreview rule={RULE} place={PLACE} draft={{ ...DRAFT, threshold: 'six' }} />);
  expect(screen.queryByRole('region')).toBeNull();
});

it.each([
  [45, '45 s'],
  [600, '10 min'],
  [7800, '2 h 10 min'],
  [7200, '2 h'],
  [273_600, '3 d 4 h'],
])('says %d seconds as %s', (seconds, words) => {
  expect(lengthWords(seconds)).toBe(words);
});

it('says what never fired, what is switched off, and how much was looked at', () => {
  const never = { ...FOUND.candidate, fired: 0, open_seconds: 0, affected: 0, events: [] };
  const off = { ...FOUND.in_force, values: { ...BUILT_IN, enabled: false, lasts_seconds: 0 }, fired: 0 };
  const found = { ...FOUND, candidate: never, in_force: off, servers: 2, things: 5, coverage: 1 };
  expect(backtestWords(found)).toBe('Would not have fired in 30 days; as set now it is switched off.');
  expect(backtestWords({ ...FOUND, coverage: 0 })).toBe(
    'Nothing was measured in 30 days, so the answer is unknown.',
  );
  const measured_since = new Date(Date.parse(FOUND.start_time) + 3 * 86_400_000).toISOString();
  expect(readWords({ ...FOUND, measured_since })).toMatch(/ The first value is of .+\.$/);
  expect(readWords({ ...FOUND, measured_since: FOUND.start_time })).not.toContain('first value');
  expect(readWords({ ...FOUND, coverage: 0.001 })).toContain('less than 1 % of the time was measured.');
  expect(backtestWords({ ...FOUND, candidate: { ...FOUND.candidate, affected: 2 } })).toContain(
    ', on 2 of them;',
  );
  expect(readWords(found)).toMatch(/^Judged by 5 series of 2 servers, .* all of the time was measured\.$/);
});

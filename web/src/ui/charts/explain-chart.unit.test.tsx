// "Explain this" on a chart: what is asked and sent, what is cut, and that nothing stands there for who may not chat.
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ExplainCalls } from '../../testing/explain.tsx';
import { show } from '../../testing/show.tsx';
import { fitted } from '../explain-fit.ts';
import { Chart } from './chart.tsx';
import { aboutChart } from './chart-about.ts';
import { ChartPage } from './chart-page.tsx';

const FROM = Date.parse('2026-11-20T10:00:00Z');
const GRID = { from: FROM, to: FROM + 4 * 60_000, buckets: 4 };

const chart = (
  <ChartPage
    grid={GRID}
    zone="UTC"
    events={[
      { id: 'a', at: FROM + 90_000, title: 'work_mem changed' },
      { id: 'b', at: FROM - 90_000, title: 'of before' },
    ]}
    onWindow={() => undefined}
  >
    <Chart
      title="Transactions"
      unit="transactions/s"
      series={[
        { name: 'xact_commit', values: [3, 9, null, 1], description: 'Commits.' },
        { name: 'xact_rollback', values: [null, null, null, null] },
      ]}
      level={{ name: 'usual', value: 4 }}
    />
  </ChartPage>
);

it('asks with the unit, the window and the telling values of each series', async () => {
  const asked = new ExplainCalls();
  const { user } = show(asked.around(chart));
  await user.click(screen.getByRole('button', { name: 'Explain: Transactions' }));
  expect(asked.questions).toEqual([
    {
      message: expect.stringContaining('“Transactions”'),
      about: {
        ...{ kind: 'chart', title: 'Transactions', unit: 'transactions/s' },
        window: { start: '2026-11-20T10:00:00.000Z', end: '2026-11-20T10:04:00.000Z', buckets: 4 },
        series: [
          {
            ...{ metric: 'xact_commit', meaning: 'Commits.' },
            newest: { from: '2026-11-20T10:03:00.000Z', to: '2026-11-20T10:04:00.000Z', value: 1 },
            min: { from: '2026-11-20T10:03:00.000Z', to: '2026-11-20T10:04:00.000Z', value: 1 },
            max: { from: '2026-11-20T10:01:00.000Z', to: '2026-11-20T10:02:00.000Z', value: 9 },
            ...{ mean: 13 / 3, measured_buckets: 3 },
          },
          {
            metric: 'xact_rollback',
            ...{ newest: null, min: null, max: null, mean: null, measured_buckets: 0 },
          },
        ],
        compared_with: { name: 'usual', value: 4 },
        events: [{ at: '2026-11-20T10:01:30.000Z', what: 'work_mem changed' }],
      },
    },
  ]);
});

it('says which values are of another window, without moments of this one', () => {
  const series = [
    { name: 'xact_commit', values: [3, 9] },
    { name: 'xact_commit, a day earlier', values: [2, 7], comparedTo: 0 },
  ];
  const shown = { title: 'Transactions', unit: 'transactions/s', series, events: [], level: undefined };
  expect(aboutChart({ ...shown, grid: { ...GRID, buckets: 2 } }).about.series).toEqual([
    {
      ...{ metric: 'xact_commit', mean: 6, measured_buckets: 2 },
      newest: { from: '2026-11-20T10:02:00.000Z', to: '2026-11-20T10:04:00.000Z', value: 9 },
      min: { from: '2026-11-20T10:00:00.000Z', to: '2026-11-20T10:02:00.000Z', value: 3 },
      max: { from: '2026-11-20T10:02:00.000Z', to: '2026-11-20T10:04:00.000Z', value: 9 },
    },
    {
      ...{ metric: 'xact_commit, a day earlier', of_another_window: true },
      ...{ newest: { value: 7 }, min: { value: 2 }, max: { value: 7 }, mean: 4.5, measured_buckets: 2 },
    },
  ]);
});

it('is not there for who may not chat', () => {
  show(chart);
  expect(screen.getByRole('figure', { name: 'Transactions' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^Explain/ })).toBeNull();
});

it('sends no more than the server takes, and says what was cut', () => {
  const small = { kind: 'alert', value: 92, title: 'Few connections are left', since: null };
  expect(fitted(small)).toEqual(small);
  const text = 'select "\n'.repeat(2000);
  const rows = Array.from({ length: 500 }, (_, index) => ({ index, text }));
  const wide = Object.fromEntries(rows.map(({ index }) => [`${index} ${text}`, text]));
  for (const about of [{ text }, { rows }, { wide }, { text, rows, wide, deep: [[[[[[[[text]]]]]]]] }]) {
    const made = fitted({ kind: 'statement', ...about });
    const json = JSON.stringify(made);
    expect(json.length).toBeLessThanOrEqual(20_000);
    expect(made.kind).toBe('statement');
    expect(Object.keys(made).length).toBe(Object.keys(about).length + 1);
  }
  expect(fitted({ kind: 'statement', text }).text).toMatch(/… \(cut, 18000 characters\)$/);
});

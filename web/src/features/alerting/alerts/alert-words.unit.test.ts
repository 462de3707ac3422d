// Alerts in order and in groups, what can be charted of one, and the window around it.
import { expect, it } from 'vitest';
import { ago, alert } from '../../../testing/alert.ts';
import { chartedOf, chartWindow } from './alert-chart.tsx';
import { momentPaths, statementPath } from './alert-links.ts';
import { groupsOf, thresholdWords, valueWords, worstFirst } from './alert-words.ts';

const DISK = alert(2, {
  severity: 'critical',
  title: 'A disk is full: /data',
  object_name: '/data',
  rule_id: 8,
  status: 'acknowledged',
});

it('orders and groups whatever comes', () => {
  const cleared = alert(9, { severity: 'critical', status: 'cleared' });
  const older = alert(4, { triggered_at: ago(90) });
  expect(worstFirst([cleared, older, DISK, alert(1)]).map(({ id }) => id)).toEqual([1, 4, 2, 9]);
  expect(
    groupsOf([alert(1), DISK, older], 'rule').map(({ title, alerts }) => [title, alerts.length]),
  ).toEqual([
    ['Few connections are left', 2],
    ['A disk is full', 1],
  ]);
  const { metric_value: _value, operator: _operator, ...bare } = alert(1);
  expect([valueWords(bare), thresholdWords(bare)]).toEqual([undefined, undefined]);
});

it('puts what is about Matriarch under its own name, not under the server that it is recorded on', () => {
  const own = alert(5, { is_own: true, triggered_at: ago(0) });
  const groups = groupsOf([own, alert(1)], 'server');
  expect(groups.map(({ title, filter }) => [title, filter?.value])).toEqual([
    ['Matriarch', undefined],
    ['orders-primary', '1'],
  ]);
});

it('charts what the alert is about, or nothing', () => {
  expect(chartedOf(alert(1))).toEqual({
    probe_name: 'pg_stat_activity',
    metrics: 'connection_utilization_percent',
  });
  expect(chartedOf(DISK)).toBeUndefined();
  const table = { probe_name: 'pg_stat_all_tables', metric_name: 'table_bloat_ratio', database_name: 'shop' };
  expect(chartedOf(alert(1, { ...table, object_name: 'public.orders' }))).toMatchObject({
    database_name: 'shop',
    schema_name: 'public',
    table_name: 'orders',
  });
  expect(chartedOf(alert(1, { ...table, object_name: 'public.a.b' }))).toBeUndefined();
});

it('looks from an hour before it fired to now, to a bounded time, or to an hour after it cleared', () => {
  const fired = Date.parse('2026-11-20T10:00:00Z');
  const one = alert(1, { triggered_at: '2026-11-20T10:00:00Z' });
  const hours = ({ from, to }: { from: number; to: number }) => [
    (from - fired) / 3_600_000,
    (to - fired) / 3_600_000,
  ];
  expect(hours(chartWindow(one, fired + 2 * 3_600_000))).toEqual([-1, 2]);
  expect(hours(chartWindow(one, fired + 999 * 3_600_000))).toEqual([-1, 24]);
  const over = { ...one, cleared_at: '2026-11-20T13:00:00Z' };
  expect(hours(chartWindow(over, fired + 999 * 3_600_000))).toEqual([-1, 4]);
  expect(momentPaths(one).map(({ path }) => path)[0]).toBe(
    '/servers/1?tab=load&from=2026-11-20T09%3A30%3A00Z&to=2026-11-20T10%3A30%3A00Z&at=2026-11-20T10%3A00%3A00Z',
  );
});

it('leads from an alert on a statement to its plans', () => {
  const of = (object_name: string) => statementPath(alert(1, { object_name }));
  expect(of('statement -4711')).toBe('/servers/1/queries/-4711');
  // Its log does not say which it is.
  expect(of('statement text:0af3')).toBeUndefined();
  expect(of('orders')).toBeUndefined();
  const description =
    'Temporary files in the last hour: 342 (threshold 100). Statement -8042 wrote 93 % of them.';
  expect(statementPath(alert(1, { object_name: 'shop', description }))).toBe('/servers/1/queries/-8042');
});

it('counts the failed attempts to connect to a server that is away', () => {
  const gone = alert(1, { alert_type: 'connection', metric_value: 22, threshold_value: 3 });
  expect(valueWords(gone)).toBe('22 failed attempts');
});

it('gives a value as many digits as tell it from its threshold', () => {
  const of = (metric_value: number) =>
    valueWords(alert(1, { metric_value, metric_unit: 'percent', operator: '>', threshold_value: 90 }));
  expect(of(90.0012)).toBe('90.001 %');
  expect(of(90.04)).toBe('90.04 %');
  expect(of(90.000_000_01)).toBe('just over 90 %');
  expect(of(92.34)).toBe('92.3 %');
  expect(of(90)).toBe('90 %');
});

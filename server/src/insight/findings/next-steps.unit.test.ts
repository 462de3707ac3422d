// What to do next: what ends service soon before what is merely wrong, each kind of trouble once, never more than three.
import { expect, it } from 'vitest';
import { DAY_MS } from '../../kernel/units.ts';
import { nextSteps, type Open } from './next-steps.ts';

const NOW = Date.parse('2026-11-20T10:00:00.000Z');
const at = (days: number) => new Date(NOW + days * DAY_MS).toISOString();

const finding = (id: number, check: string, severity: 'info' | 'warning' | 'critical') => ({
  ...{ id, check, severity, connection_id: 1, server_name: 'orders', category: 'settings' as const },
  ...{
    title: check,
    database_name: null,
    object_name: null,
    state: 'open' as const,
    message: `${check} is so.`,
  },
  ...{ figure: null, figure_unit: null, proof: 'stated' as const, first_seen_at: at(-1), opened_at: at(-1) },
  ...{ last_seen_at: at(0), figured_at: at(0), resolved_at: null, muted_until: null },
});

const disk = (days: number) => ({
  ...{
    connection_id: 2,
    server_name: 'billing',
    found_at: at(0),
    kind: 'disk' as const,
    database_name: null,
  },
  ...{ object_name: '/data', unit: 'bytes' as const, used: 1, limit: 2, limited_by: null, per_day: 1 },
  ...{ state: 'runs_out' as const, runs_out_at: at(days), earliest_at: null, latest_at: null },
  ...{ days_of_data: 9, reason: null, days: [] },
});

const slower = {
  ...{ kind: 'slower_statement' as const, connection_id: 1, server_name: 'orders', database_name: 'shop' },
  ...{ count: 9, message: 'select 1: 600 ms a call, 1 ms before, 9 calls.' },
};

const NONE: Open = { findings: [], declined: [], items: [], now: NOW };
const titles = (open: Partial<Open>) => nextSteps({ ...NONE, ...open }).map(({ title }) => title);

it('what is critical or full within two weeks comes before what became slower, and that before warnings', () => {
  const findings = [finding(1, 'fsync_off', 'critical'), finding(2, 'dead_rows', 'warning')];
  expect(titles({ findings, declined: [slower], items: [disk(5)] })).toEqual([
    'fsync_off',
    'Disk runs out',
    'Slower statement',
  ]);
  expect(titles({ findings, declined: [slower], items: [disk(40)] })).toEqual([
    'fsync_off',
    'Slower statement',
    'dead_rows',
  ]);
  expect(titles({ items: [disk(200)] })).toEqual([]);
});

it('names each kind of trouble once, with its figure, what to do and where', () => {
  const findings = [1, 2, 3].map((id) => finding(id, 'fsync_off', 'critical'));
  const [first, second, ...more] = nextSteps({ ...NONE, findings, items: [disk(5), disk(6)] });
  expect(more).toEqual([]);
  expect(first).toMatchObject({ kind: 'finding', finding_id: 1, message: 'fsync_off is so.' });
  expect(first?.action).toMatch(/\.$/);
  expect(second).toEqual({
    ...{
      kind: 'runs_out',
      connection_id: 2,
      server_name: 'billing',
      finding_id: null,
      title: 'Disk runs out',
    },
    message: 'Disk "/data" runs out on 2026-11-25, in 5 days.',
    action: 'Add room or slow its growth before that date.',
  });
});

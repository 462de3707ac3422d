// The plans of a statement on the screen: what their runs took, why it became slower, the tree of one and its comparison with another.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Result } from '../../../api/client.ts';
import { type Answers, startApi } from '../../../testing/api.ts';
import { EVERYWHERE } from '../../../testing/estate.ts';
import { show } from '../../../testing/show.tsx';
import { StatementPlans } from './statement-plans.tsx';

type Listed = Result<'listQueryPlans'>['plans'][number];

const AT = '2026-11-20T10:00:00.000Z';
const plan = (id: string, mean_ms: number | null, over: Partial<Listed> = {}): Listed => ({
  ...{
    id,
    database_name: 'shop',
    plan_hash: `${id}abcde0123456789`,
    source: 'log',
    outline: `Seq Scan on orders_${id}`,
    nodes: 1,
  },
  ...{
    first_seen: AT,
    last_seen: AT,
    is_current: false,
    logged_count: mean_ms === null ? 0 : 12,
    planned_count: 0,
  },
  ...{
    mean_ms,
    worst_ms: mean_ms,
    mean_rows: 40,
    mean_hit_blocks: 5000,
    mean_read_blocks: 400,
    mean_temp_blocks: 0,
  },
  ...{ mean_jit_ms: 0, worst_estimate: { node: 2, factor: 41.5, direction: 'more' }, has_example: true },
  ...over,
});
const change = {
  kind: 'index_dropped',
  occurred_at: null,
  summary: 'Index "a\u202eb" on "orders" was dropped.',
} as const;
const PLANS: Result<'listQueryPlans'> = {
  ...{ connection_id: 1, queryid: '-12', reason: null, mend: null },
  plans: [
    plan('7', 800, { is_current: true }),
    plan('3', 4),
    plan('5', null, { planned_count: 2, mean_rows: null }),
    plan('9', 6, { source: 'pg_stat_plans', worst_ms: null, mean_rows: null, worst_estimate: null }),
    plan('8', null, { source: 'pg_store_plans', mean_rows: null }),
  ],
  regression: {
    ...{ before_id: '3', after_id: '7', since: AT, runs: 12, mean_ms: 800, before_mean_ms: 4, factor: 200 },
    changes: [change],
  },
};
const EXPLAIN = JSON.stringify([
  {
    Plan: {
      'Node Type': 'Seq Scan',
      'Relation Name': 'orders',
      Filter: '(customer = ?)',
      'Plan Rows': 40,
      'Total Cost': 8334,
    },
  },
]);
const side = { node: 1, own_ms: 4, total_cost: 8, estimated_rows: 40, total_rows: 40 };
const ANSWERS: Answers = {
  ...EVERYWHERE,
  listQueryPlans: PLANS,
  getQueryPlan: {
    connection_id: 1,
    queryid: '-12',
    plan: plan('7', 800),
    explain: EXPLAIN,
    explain_at: AT,
    explain_ms: 800,
  },
  diffQueryPlans: {
    ...{ verdict: 'The plans differ.', same_plan: false, before_ms: 4, after_ms: 800, changes: [change] },
    rows: [
      {
        change: 'changed',
        before: { ...side, name: 'Index Scan on orders' },
        after: { ...side, name: 'Seq Scan on orders' },
      },
    ],
  },
};

async function open(answers: Answers = {}) {
  const api = await startApi({ ...ANSWERS, ...answers });
  const at = '/servers/1/queries/-12';
  const shown = show(<StatementPlans id={1} queryid="-12" />, { at, path: '/servers/:id/queries/:queryid' });
  return { ...shown, sent: (name: string) => api.sent.filter(({ operation }) => operation === name) };
}

it('shows what runs of each plan took and what changed before it became slower', async () => {
  await open();
  const region = await screen.findByRole('region', { name: 'Plans' });
  expect(region.textContent).toMatch(
    /200 times as slow with plan 7abcde since .*: 800 ms in 12 runs, 4 ms with plan 3abcde\./,
  );
  expect(region.textContent).toContain('Index "a?b" on "orders" was dropped.');
  const rows = within(region)
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent);
  expect(rows[0]).toMatch(
    /^Plan 7abcdecurrentshopSeq Scan on orders_712 logged800 ms800 ms405,4000.*41\.5× more at node 2/,
  );
  expect(rows[2]).toMatch(/^Plan 5abcdeshop.*2 planned.*Not seen in the log.*log_analyze is off/);
  expect(rows[3]).toMatch(
    /12 by pg_stat_plans6 ms.*pg_stat_plans does not count it.*pg_stat_plans keeps no rows of nodes/,
  );
  expect(rows[4]).toMatch(/0 by pg_store_plans.*pg_store_plans has counted no run since its first reading/);
});

it('shows the tree of the chosen plan and another beside it, by keyboard', async () => {
  const { user, sent } = await open();
  const choose = await screen.findByRole('button', { name: 'Plan 7abcde' });
  expect(sent('getQueryPlan')).toEqual([]);
  choose.focus();
  await user.keyboard('{Enter}');
  expect((await screen.findAllByText(/\(customer = \?\)/)).length).toBeGreaterThan(0);
  await user.selectOptions(screen.getByLabelText('Compare plan 7abcde with'), '3');
  const diff = await screen.findByRole('region', { name: 'Plan 3abcde compared with plan 7abcde' });
  expect(diff.textContent).toContain('Index Scan on orders → Seq Scan on orders');
  expect(sent('diffQueryPlans')[0]?.path).toContain('before=3&after=7');
});

it('says why there is none, and which SQL makes the server log plans', async () => {
  await open({
    listQueryPlans: {
      ...PLANS,
      plans: [],
      regression: null,
      reason: 'auto_explain does not log any.',
      mend: "load 'auto_explain';",
    },
  });
  expect(await screen.findByText('auto_explain does not log any.')).toBeDefined();
  expect(screen.getByText("load 'auto_explain';")).toBeDefined();
});

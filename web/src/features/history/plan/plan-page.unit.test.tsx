// The page of a pasted plan: read in the browser, chosen by keyboard, kept over a reload, compared with a second, sent nowhere.
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { PlanPage } from './plan-page.tsx';

const PLAN = [
  'Sort  (cost=5.00..6.00 rows=5 width=8) (actual time=30.000..40.000 rows=50000 loops=1)',
  '  Sort Key: a',
  '  Sort Method: external merge  Disk: 1240kB',
  '  ->  Seq Scan on orders o  (cost=0.00..1.00 rows=5 width=4) (actual time=0.010..10.000 rows=50000 loops=1)',
  "        Filter: (state = 'open'::text)",
  'Planning Time: 0.200 ms',
  'Execution Time: 41.000 ms',
].join('\n');

async function paste(text: string, button = 'Explain plan'): Promise<void> {
  fireEvent.change(screen.getByLabelText(/Output of EXPLAIN/), { target: { value: text } });
  fireEvent.click(screen.getByRole('button', { name: button }));
}

it('reads what is pasted, shows the advice of the chosen node, and sends nothing', async () => {
  const api = await startApi({});
  const { user } = show(<PlanPage />, { at: '/plan', path: '/plan' });
  await paste('Dear all');
  expect(screen.getByRole('alert').textContent).toMatch(/no query plan/);
  await paste(PLAN);
  expect(screen.getByText(/^Took 41 ms, 73 % of it in node 1 \(Sort\)/)).toBeDefined();
  const rows = screen.getAllByRole('button', { name: /rows/ });
  expect(rows.map((row) => row.textContent)).toEqual([
    '30 msSortMost time10,000 times more than estimated1 piece of advice50,000 of ≈ 5 rows',
    '10 msSeq Scan on orders oWorst estimate10,000 times more than estimated1 piece of advice50,000 of ≈ 5 rows',
  ]);
  expect(screen.getByText(/It would fit with a work_mem of about/)).toBeDefined();
  rows[0]?.focus();
  await user.keyboard('{ArrowDown}{Enter}');
  expect(screen.getByRole('heading', { name: 'Node 2: Seq Scan on orders o' })).toBeDefined();
  expect(screen.getByText('analyze orders;')).toBeDefined();
  expect(api.sent.filter((call) => JSON.stringify(call).includes('Seq Scan'))).toEqual([]);
});

it('keeps the plan over a reload, and compares it with a second one', async () => {
  await startApi({});
  const before = show(<PlanPage />, { at: '/plan', path: '/plan' });
  await paste(PLAN);
  before.unmount();
  show(<PlanPage />, { at: '/plan', path: '/plan' });
  expect(screen.getByText(/^Took 41 ms/)).toBeDefined();
  fireEvent.click(screen.getByRole('button', { name: 'Compare with a second plan' }));
  await paste(
    PLAN.replace('Seq Scan on orders o', 'Index Scan using orders_state on orders o').replace(
      '41.000',
      '4.100',
    ),
  );
  const panel = screen.getByRole('region', { name: 'Compared with the second plan' });
  expect(panel.textContent).toMatch(
    /1 node changed, 0 added, 0 removed\. 10 times as fast: 41 ms before, 4.1 ms after/,
  );
  expect(
    within(panel).getByText(/Seq Scan on orders o → Index Scan on orders o using orders_state/),
  ).toBeDefined();
});

it('shows control characters of a plan as signs, and a plan without ANALYZE without times', async () => {
  await startApi({});
  show(<PlanPage />, { at: '/plan', path: '/plan' });
  await paste(
    '[{"Plan": {"Node Type": "Seq Scan", "Relation Name": "a\\u202eb", "Total Cost": 10, "Plan Rows": 7}}]',
  );
  expect(screen.getByText(/Estimated only, at a cost of 10/)).toBeDefined();
  expect(document.body.textContent).not.toContain('\u202e');
  expect(screen.getByRole('button', { name: /≈ 7 rows/ })).toBeDefined();
});

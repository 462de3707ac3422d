// A plan in a terminal says what decides how it came about: settings, and nodes that were disabled; and no figure where there is none.
import { expect, it } from 'vitest';
import { readPlans } from '../../plans/read.ts';
import { planLines } from './terminal.ts';

function shown(lines: readonly string[]): string {
  const [plan] = readPlans(lines.join('\n'));
  return plan === undefined ? expect.fail() : planLines(plan, { width: 100 }).join('\n');
}

it('shows settings, and what was disabled', () => {
  const text = shown([
    'Seq Scan on t  (cost=0.00..35.50 rows=1 width=4) (actual time=0.01..0.5 rows=2.00 loops=1)',
    '  Disabled: true',
    "Settings: enable_seqscan = 'off', work_mem = '64kB'",
    'Execution Time: 1.2 ms',
  ]);
  expect(text).toContain("\nSettings: enable_seqscan = 'off', work_mem = '64kB'\n");
  expect(text).toContain('2 rows (estimated 1)');
  expect(text).toContain('Disabled by a setting, and chosen since there was no other way');
});

it('says where the planner did not estimate, as of a task of Citus', () => {
  const text = shown([
    'Custom Scan (Citus Adaptive)  (cost=0.00..0.00 rows=7 width=40)',
    '  Task Count: 1',
    '  ->  Task',
    '        Node: host=w1 port=5432 dbname=shop',
    '        ->  Seq Scan on orders_102008 orders  (cost=0.00..25.88 rows=1 width=40)',
  ]);
  expect(text).toContain('not estimated');
  expect(text).not.toContain('?');
  expect(text).toContain('estimated 1 row\n'.trimEnd());
});

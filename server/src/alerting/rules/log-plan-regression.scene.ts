// What is found of plans just beyond the threshold and just not.

import type { PlanCase } from '../../testing/store/compared-plans.ts';
import type { KeptRegression } from '../alert-rules/plan-regressions.queries.ts';

const SLOWER: KeptRegression = {
  ...{ database_name: 'shop', queryid: '4711', since: Date.UTC(2026, 10, 28, 3), runs: 40 },
  ...{ mean_ms: 6000, before_mean_ms: 2000, changes: ['Index "orders_a" on "orders" was dropped.'] },
};

export const planned: PlanCase = { bad: SLOWER, good: { ...SLOWER, mean_ms: 5999 } };

// The plans that a statement has had: when and how often each was seen, what its runs took, and what changed when it became slower. Guards:
// figures and names of nodes need the right to read the connection; a plan with its conditions, as a line of the log, a permission besides.

import { PLAN_SOURCES } from '../../estate/server-logs/plan-sources.schemas.ts';
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

const planId = (description: string) => s.text({ pattern: '^[1-9][0-9]{0,17}$', description });
const mean = (of: string) => s.nullable(s.number({ description: `${of}, on average; null: not measured.` }));

const WorstEstimate = s.component('WorstEstimate', {
  node: s.integer({ description: 'Of the tree, from 1 in the order of the plan.' }),
  factor: s.number({ description: 'How many times as many rows, or as few.' }),
  direction: s.oneOf(['more', 'fewer']),
});

const QueryPlan = s.component('QueryPlan', {
  id: s.text(),
  database_name: s.text(),
  plan_hash: s.text({
    description:
      'Of the shape: nodes, relations, indexes, joins, keys and conditions, without costs and values.',
  }),
  source: s.oneOf(PLAN_SOURCES, {
    description:
      '`log`: lines of auto_explain, and plans that were made for advice on indexes. The others are extensions of the server that count the runs of each plan. The same run may be in both.',
  }),
  outline: s.text({ description: 'The nodes in one line, at most 1,000 characters.' }),
  nodes: s.integer(),
  first_seen: s.timestamp(),
  last_seen: s.timestamp(),
  is_current: s.boolean({
    description: 'Of its source, the one that was run last, or planned last where no run is known.',
  }),
  logged_count: s.integer({
    description:
      'Runs in the log that were read, or runs that the extension counted since its first reading.',
  }),
  planned_count: s.integer({
    description: 'How often it was planned without values, for advice on indexes.',
  }),
  mean_ms: mean('Time of a run'),
  worst_ms: s.nullable(s.number()),
  mean_rows: mean('Rows that a run returned'),
  mean_hit_blocks: mean('Blocks from cache'),
  mean_read_blocks: mean('Blocks read'),
  mean_temp_blocks: mean('Blocks of temporary files'),
  mean_jit_ms: mean('Time of JIT'),
  worst_estimate: s.nullable(WorstEstimate),
  has_example: s.boolean({ description: 'False: the plan was larger than is kept.' }),
});

export const PLAN_CHANGES = [
  'index_dropped',
  'index_made',
  'setting',
  'version',
  'statistics',
  'size',
] as const;

const PlanChange = s.component('PlanChange', {
  kind: s.oneOf(PLAN_CHANGES),
  occurred_at: s.nullable(s.timestamp({ description: 'When it was first seen; null: between both plans.' })),
  summary: s.text(),
});

const PlanRegression = s.component('PlanRegression', {
  before_id: s.text(),
  after_id: s.text(),
  since: s.timestamp({ description: 'Since when no other plan was run.' }),
  runs: s.integer({ description: 'Logged or counted since then.' }),
  mean_ms: s.number(),
  before_mean_ms: s.number(),
  factor: s.number(),
  changes: s.list(PlanChange, {
    description: 'What changed between the last run of the plan before and the first of this one.',
  }),
});

const QueryPlans = s.component('QueryPlans', {
  connection_id: s.id(),
  queryid: s.text(),
  plans: s.list(QueryPlan, { description: 'At most 40, the one seen last first.' }),
  regression: s.nullable(PlanRegression),
  reason: s.nullable(s.text({ description: 'Why there are none.' })),
  mend: s.nullable(s.text({ description: 'SQL that makes the server log plans; a superuser runs it.' })),
});

const KeptPlan = s.component('KeptPlan', {
  connection_id: s.id(),
  queryid: s.nullable(s.text({ description: 'Null where the log does not say it.' })),
  plan: QueryPlan,
  explain: s.nullable(
    s.text({
      description:
        'The slowest run of the log, or what the extension keeps, as EXPLAIN (FORMAT JSON) prints it, values masked; null: it was too large.',
    }),
  ),
  explain_at: s.timestamp(),
  explain_ms: s.nullable(
    s.number({ description: 'Null: it was planned and not run, or is of an extension.' }),
  ),
});

const side = s.nullable(
  s.component('PlanDiffSide', {
    node: s.integer(),
    name: s.text(),
    own_ms: s.nullable(s.number()),
    total_cost: s.nullable(s.number()),
    estimated_rows: s.nullable(s.number()),
    total_rows: s.nullable(s.number()),
  }),
);

const QueryPlanDiff = s.component('QueryPlanDiff', {
  verdict: s.text(),
  same_plan: s.boolean(),
  before_ms: s.nullable(s.number()),
  after_ms: s.nullable(s.number()),
  rows: s.list(
    s.component('PlanDiffRow', {
      change: s.oneOf(['same', 'changed', 'added', 'removed']),
      before: side,
      after: side,
    }),
  ),
  changes: s.list(PlanChange, { description: 'What changed between the two.' }),
});

const time = '2026-11-20T10:00:00.000Z';
const queryid = '-4725382164029184731';
const plan = {
  id: '7',
  database_name: 'shop',
  plan_hash: '5c1f2a90b7e4d613',
  source: 'log',
  outline: 'Aggregate (Seq Scan on orders)',
  nodes: 2,
  first_seen: time,
  last_seen: time,
  is_current: true,
  logged_count: 12,
  planned_count: 0,
  ...{ mean_ms: 812.5, worst_ms: 1204.1, mean_rows: 1, mean_hit_blocks: 5400, mean_read_blocks: 120 },
  ...{ mean_temp_blocks: 0, mean_jit_ms: 0, worst_estimate: { node: 2, factor: 41.5, direction: 'more' } },
  has_example: true,
} as const;
const change = {
  kind: 'index_dropped',
  occurred_at: time,
  summary: 'Index "orders_customer" on "orders" was dropped.',
} as const;
const connection = { access: { connection: 'id', need: 'read' }, tag: 'connections', extra: true } as const;

export const listQueryPlans = operation({
  ...connection,
  id: 'listQueryPlans',
  route: 'GET /api/v1/connections/{id}/queries/{queryid}/plans',
  summary: 'Plans that a statement has had, with what their runs took',
  params: s.object({ id: s.id(), queryid: s.text({ pattern: '^-?[0-9]{1,19}$' }) }),
  paramsExample: { id: 1, queryid },
  success: ok(QueryPlans, {
    ...{ connection_id: 1, queryid, plans: [plan], reason: null, mend: null },
    regression: {
      ...{ before_id: '3', after_id: '7', since: time, runs: 12 },
      ...{ mean_ms: 812.5, before_mean_ms: 3.1, factor: 262, changes: [change] },
    },
  }),
  notes: [
    'From auto_explain in the log, where it is read, from pg_store_plans and pg_stat_plans, where they are installed, and from plans that were made without values for advice on indexes.',
    'An extension is read every ten minutes, its 1,000 dearest plans. What it had counted before the first reading is not counted.',
    'Of each MiB of the log at most 60 plans are read, spread evenly. 20 plans of a statement in each database and source are kept for 90 days.',
  ],
});

export const getQueryPlan = operation({
  ...connection,
  id: 'getQueryPlan',
  route: 'GET /api/v1/connections/{id}/query-plans/{plan_id}',
  summary: 'A plan of a statement with its tree, values masked',
  access: { connection: 'id', need: 'read', permission: 'read_logs' },
  params: s.object({ id: s.id(), plan_id: planId('Of the list of plans.') }),
  paramsExample: { id: 1, plan_id: '7' },
  faults: [404],
  success: ok(KeptPlan, {
    ...{ connection_id: 1, queryid, plan, explain_at: time, explain_ms: 1204.1 },
    explain: '[{"Plan":{"Node Type":"Seq Scan","Relation Name":"orders","Total Cost":8334}}]',
  }),
});

export const diffQueryPlans = operation({
  ...connection,
  id: 'diffQueryPlans',
  route: 'GET /api/v1/connections/{id}/query-plan-diff',
  summary: 'Two plans of a statement beside each other, node by node',
  params: s.object({ id: s.id() }),
  paramsExample: { id: 1, before: '3', after: '7' },
  query: s.object({ before: planId('The plan to compare with.'), after: planId('The later plan.') }),
  faults: [404],
  success: ok(QueryPlanDiff, {
    verdict:
      'The plans differ: 1 node changed, 0 added, 0 removed. 262 times as slow: 3.1 ms before, 813 ms after.',
    ...{ same_plan: false, before_ms: 3.1, after_ms: 812.5, changes: [change] },
    rows: [
      {
        change: 'changed',
        before: {
          node: 2,
          name: 'Index Scan on orders using orders_customer',
          own_ms: 3,
          total_cost: 8,
          estimated_rows: 40,
          total_rows: 40,
        },
        after: {
          node: 2,
          name: 'Seq Scan on orders',
          own_ms: 812,
          total_cost: 8334,
          estimated_rows: 40,
          total_rows: 40,
        },
      },
    ],
  }),
  notes: [
    'Of the slowest run of each that was read. A plan that was larger than is kept has no tree: 404 says so.',
  ],
});

// The plans that a statement has had: when and how often each was seen, what its runs took, and what changed when it became slower. Guards:
// figures and names of nodes need the right to read the connection; a plan with its conditions, as a line of the log, a permission besides.
import { ok, operation } from '../../kernel/contract.ts';
import {
  boolean,
  component,
  id,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  text,
  timestamp,
} from '../../kernel/schema.ts';

const planId = (description: string) => text({ pattern: '^[1-9][0-9]{0,17}$', description });
const mean = (of: string) => nullable(number({ description: `${of}, on average; null: not measured.` }));

const WorstEstimate = component('WorstEstimate', {
  node: integer({ description: 'Of the tree, from 1 in the order of the plan.' }),
  factor: number({ description: 'How many times as many rows, or as few.' }),
  direction: oneOf(['more', 'fewer']),
});

const QueryPlan = component('QueryPlan', {
  id: text(),
  database_name: text(),
  plan_hash: text({
    description:
      'Of the shape: nodes, relations, indexes, joins, keys and conditions, without costs and values.',
  }),
  outline: text({ description: 'The nodes in one line, at most 1,000 characters.' }),
  nodes: integer(),
  first_seen: timestamp(),
  last_seen: timestamp(),
  is_current: boolean({
    description: 'The one that was logged last, or planned last where none was logged.',
  }),
  logged_count: integer({ description: 'Runs in the log that were read.' }),
  planned_count: integer({
    description: 'How often it was planned without values, for advice on indexes.',
  }),
  mean_ms: mean('Time of a run'),
  worst_ms: nullable(number()),
  mean_rows: mean('Rows that a run returned'),
  mean_hit_blocks: mean('Blocks from cache'),
  mean_read_blocks: mean('Blocks read'),
  mean_temp_blocks: mean('Blocks of temporary files'),
  mean_jit_ms: mean('Time of JIT'),
  worst_estimate: nullable(WorstEstimate),
  has_example: boolean({ description: 'False: the plan was larger than is kept.' }),
});

export const PLAN_CHANGES = [
  'index_dropped',
  'index_made',
  'setting',
  'version',
  'statistics',
  'size',
] as const;

const PlanChange = component('PlanChange', {
  kind: oneOf(PLAN_CHANGES),
  occurred_at: nullable(timestamp({ description: 'When it was first seen; null: between both plans.' })),
  summary: text(),
});

const PlanRegression = component('PlanRegression', {
  before_id: text(),
  after_id: text(),
  since: timestamp({ description: 'Since when no other plan was logged.' }),
  runs: integer({ description: 'Logged since then.' }),
  mean_ms: number(),
  before_mean_ms: number(),
  factor: number(),
  changes: list(PlanChange, {
    description: 'What changed between the last run of the plan before and the first of this one.',
  }),
});

const QueryPlans = component('QueryPlans', {
  connection_id: id(),
  queryid: text(),
  plans: list(QueryPlan, { description: 'At most 40, the one seen last first.' }),
  regression: nullable(PlanRegression),
  reason: nullable(text({ description: 'Why there are none.' })),
  mend: nullable(text({ description: 'SQL that makes the server log plans; a superuser runs it.' })),
});

const KeptPlan = component('KeptPlan', {
  connection_id: id(),
  queryid: nullable(text({ description: 'Null where the log does not say it.' })),
  plan: QueryPlan,
  explain: nullable(
    text({
      description:
        'The slowest run as EXPLAIN (FORMAT JSON) prints it, values masked; null: it was too large.',
    }),
  ),
  explain_at: timestamp(),
  explain_ms: nullable(number({ description: 'Null: it was planned and not run.' })),
});

const side = nullable(
  component('PlanDiffSide', {
    node: integer(),
    name: text(),
    own_ms: nullable(number()),
    total_cost: nullable(number()),
    estimated_rows: nullable(number()),
    total_rows: nullable(number()),
  }),
);

const QueryPlanDiff = component('QueryPlanDiff', {
  verdict: text(),
  same_plan: boolean(),
  before_ms: nullable(number()),
  after_ms: nullable(number()),
  rows: list(
    component('PlanDiffRow', {
      change: oneOf(['same', 'changed', 'added', 'removed']),
      before: side,
      after: side,
    }),
  ),
  changes: list(PlanChange, { description: 'What changed between the two.' }),
});

const time = '2026-11-20T10:00:00.000Z';
const queryid = '-4725382164029184731';
const plan = {
  id: '7',
  database_name: 'shop',
  plan_hash: '5c1f2a90b7e4d613',
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
  method: 'GET',
  path: '/api/v1/connections/{id}/queries/{queryid}/plans',
  summary: 'Plans that a statement has had, with what their runs took',
  params: object({ id: id(), queryid: text({ pattern: '^-?[0-9]{1,19}$' }) }),
  paramsExample: { id: 1, queryid },
  success: ok(QueryPlans, {
    ...{ connection_id: 1, queryid, plans: [plan], reason: null, mend: null },
    regression: {
      ...{ before_id: '3', after_id: '7', since: time, runs: 12 },
      ...{ mean_ms: 812.5, before_mean_ms: 3.1, factor: 262, changes: [change] },
    },
  }),
  notes: [
    'From auto_explain in the log, where it is read, and from plans that were made without values for advice on indexes.',
    'Of each MiB of the log at most 60 plans are read, spread evenly. 20 plans of a statement in each database are kept for 90 days.',
  ],
});

export const getQueryPlan = operation({
  ...connection,
  id: 'getQueryPlan',
  method: 'GET',
  path: '/api/v1/connections/{id}/query-plans/{plan_id}',
  summary: 'A plan of a statement with its tree, values masked',
  access: { connection: 'id', need: 'read', permission: 'read_logs' },
  params: object({ id: id(), plan_id: planId('Of the list of plans.') }),
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
  method: 'GET',
  path: '/api/v1/connections/{id}/query-plan-diff',
  summary: 'Two plans of a statement beside each other, node by node',
  params: object({ id: id() }),
  paramsExample: { id: 1, before: '3', after: '7' },
  query: object({ before: planId('The plan to compare with.'), after: planId('The later plan.') }),
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

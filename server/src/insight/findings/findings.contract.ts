// Findings: what is wrong on servers and what to change, each with its evidence. They are made and resolved by the checks alone;
// people read them and mute them for a while.
import { byId, ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import {
  CHECK_CATEGORIES,
  CheckScore,
  FINDING_SEVERITIES,
  FINDING_STATES,
  FindingCounts,
  FindingDetail,
  FindingList,
  MuteRequest,
  ServerFindings,
} from './findings.schemas.ts';

const operation = operationsOf({ tag: 'findings', extra: true });

const filters = {
  category: s.optional(s.oneOf(CHECK_CATEGORIES)),
  severity: s.optional(s.oneOf(FINDING_SEVERITIES, { description: 'This one and graver ones.' })),
  state: s.optional(s.oneOf(FINDING_STATES, { default: 'open' })),
  check: s.optional(s.text({ maxLength: 100, description: 'Name of a check.' })),
  limit: s.optional(s.integer({ minimum: 1, maximum: 1000, default: 200 })),
  offset: s.optional(s.integer({ minimum: 0, default: 0 })),
};

const example = {
  id: 12,
  connection_id: 1,
  server_name: 'orders-primary',
  check: 'duplicate_index',
  category: 'indexes',
  title: 'Redundant index',
  database_name: 'shop',
  object_name: 'public.orders_customer_idx',
  severity: 'info',
  state: 'open',
  message:
    'Index "public.orders_customer_idx" of "public.orders" is covered by the longer index "orders_customer_date_idx" and takes 214 MB.',
  figure: 224395264,
  figure_unit: 'bytes',
  proof: 'stated',
  first_seen_at: '2026-11-20T10:00:00.000Z',
  opened_at: '2026-11-20T10:00:00.000Z',
  last_seen_at: '2026-11-22T10:00:00.000Z',
  figured_at: '2026-11-22T09:30:00.000Z',
  resolved_at: null,
  muted_until: null,
};

const check = {
  name: 'duplicate_index',
  category: 'indexes',
  title: 'Redundant index',
  figure_name: 'index size',
  meaning: 'Every write maintains both indexes, and reads need only one of them.',
  advice: 'Drop the redundant index.',
  caution: 'The covering index may be larger, so reads of one column may read slightly more.',
  proof: 'stated',
  documentation_url: 'https://www.postgresql.org/docs/current/indexes-multicolumn.html',
};

const counts = { info: 1, warning: 0, critical: 0 };

export const listFindings = operation({
  id: 'listFindings',
  route: 'GET /api/v1/findings',
  summary: 'List findings, worst first',
  access: { visible: 'connections' },
  faults: [403, 404],
  query: s.object({
    connection_id: s.optional(s.id()),
    connection_ids: s.optional(s.idList({ description: 'At most 1,000, with commas between.' })),
    cluster_id: s.optional(s.id({ description: 'The servers of this cluster, instead of connections.' })),
    ...filters,
  }),
  success: ok(FindingList, {
    findings: [example],
    total: 1,
    counts,
    servers: { judged: 1, waiting: 0, oldest_evaluated_at: '2026-11-22T10:00:00.000Z' },
  }),
  notes: [
    'Gravest first, then those that are longest so. The counts are of the scope, whatever else is filtered.',
  ],
});

export const countFindings = operation({
  id: 'countFindings',
  route: 'GET /api/v1/findings/counts',
  summary: 'Counts of open findings by server',
  access: { visible: 'connections' },
  hasETag: true,
  success: ok(FindingCounts, {
    critical: 0,
    warning: 1,
    info: 3,
    by_server: { 1: { critical: 0, warning: 1, info: 3, unknown: 2 } },
    unjudged: [4],
  }),
  notes: [
    'by_server is keyed by connection id; servers with nothing open and nothing unknown are left out. Muted ones are not counted.',
  ],
});

export const listConnectionFindings = operation({
  id: 'listConnectionFindings',
  route: 'GET /api/v1/connections/{id}/findings',
  summary: 'Findings of a connection, and what could not be judged',
  access: { connection: 'id', need: 'read' },
  ...byId(1),
  query: s.object(filters),
  success: ok(ServerFindings, {
    connection_id: 1,
    evaluated_at: '2026-11-22T10:00:00.000Z',
    checks: 60,
    counts,
    findings: [example],
    total: 1,
    unknown: [
      {
        check: 'unused_index',
        category: 'indexes',
        title: 'Unused index',
        database_name: 'shop',
        because: 'The statistics start at 2026-11-19. An index counts as unused after 35 days.',
        mend: null,
      },
    ],
  }),
});

export const getFinding = operation({
  id: 'getFinding',
  route: 'GET /api/v1/findings/{id}',
  summary: 'A finding with its evidence over time',
  access: { object: 'finding', need: 'read' },
  params: s.object({ id: s.longId() }),
  paramsExample: { id: 12 },
  faults: [404],
  success: ok(FindingDetail, {
    finding: example,
    check,
    evidence: { table: 'public.orders', columns: 'customer', index_size: 224395264 },
    evidence_rows: [],
    counted_since: null,
    remedy: 'drop index concurrently "public"."orders_customer_idx";',
    promised: 0,
    first_figure: 210763776,
    figure_after: null,
    figures: [{ at: '2026-11-20T10:00:00.000Z', figure: 210763776, severity: 'info' }],
    mute: null,
    can_mute: true,
  }),
});

export const muteFinding = operation({
  id: 'muteFinding',
  route: 'PUT /api/v1/findings/{id}/mute',
  summary: 'Mute a finding for a while',
  access: { object: 'finding', need: 'read_write' },
  params: s.object({ id: s.longId() }),
  paramsExample: { id: 12 },
  body: MuteRequest,
  bodyExample: { until: '2026-12-31T00:00:00Z', reason: 'The year-end report needs this index.' },
  faults: [404],
  success: { status: 200, schema: FindingDetail },
  notes: [
    'It stays where it is and is counted no more; a mute outlives that the finding goes and comes again.',
  ],
});

export const unmuteFinding = operation({
  id: 'unmuteFinding',
  route: 'DELETE /api/v1/findings/{id}/mute',
  summary: 'End the mute of a finding',
  access: { object: 'finding', need: 'read_write' },
  params: s.object({ id: s.longId() }),
  paramsExample: { id: 12 },
  faults: [404, 409],
  success: { status: 200, schema: FindingDetail },
  notes: ['409 when it is not muted.'],
});

export const listChecks = operation({
  id: 'listChecks',
  route: 'GET /api/v1/checks',
  summary: 'The checks, and what came of what they found',
  access: { visible: 'connections' },
  success: ok(s.list(CheckScore), [
    {
      check,
      open: 1,
      muted: 0,
      resolved: 2,
      confirmed: 1,
      promised: 1048576,
      measured: 1048576,
      figure_unit: 'bytes',
    },
  ]),
  notes: ['Of the servers that the caller sees.'],
});

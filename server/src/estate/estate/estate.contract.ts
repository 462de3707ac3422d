// The estate at a glance, and why something in it is not known. Both are reads of what the collector stored.
import { byId, DONE, ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { CoverageResponse, ownEntries } from './coverage.schemas.ts';

const operation = operationsOf({ tag: 'connections', extra: true });

export const SERVER_STATUSES = ['online', 'warning', 'offline', 'initialising', 'unknown'] as const;

export const EstateServer = s.component('EstateServer', {
  connection_id: s.id(),
  name: s.text(),
  description: s.text(),
  tags: s.optional(s.list(s.text(), { description: 'In alphabetical order.' })),
  host: s.text(),
  port: s.integer(),
  is_monitored: s.boolean(),
  is_shared: s.boolean(),
  owner_username: s.text(),
  created_at: s.optional(s.timestamp({ description: 'When the connection was added.' })),
  may_manage: s.boolean({ description: 'Whether the caller may change or delete the connection.' }),
  status: s.oneOf(SERVER_STATUSES),
  connection_error: s.nullable(
    s.text({ description: 'The last error in plain words, while the connection fails.' }),
  ),
  failing_since: s.optional(s.timestamp({ description: 'Since when, while the connection fails.' })),
  version: s.nullable(s.text({ description: 'Short, e.g. 18.4.' })),
  role: s.nullable(s.oneOf(['primary', 'standby'])),
  last_sample_at: s.nullable(s.timestamp()),
  response_time_ms: s.nullable(
    s.number({ description: 'Null while unknown: it fails, or was not measured for 2.5 intervals.' }),
  ),
  database_count: s.nullable(s.integer()),
  size_bytes: s.nullable(s.bytes({ description: 'All databases whose size could be read.' })),
  problem_count: s.integer({
    description: 'Probes that failed or were skipped on this server; missing host metrics are not a problem.',
  }),
});

export const EstateResponse = s.component('EstateResponse', {
  generated_at: s.timestamp(),
  servers: s.list(EstateServer),
});

export const RetestResponse = s.component('RetestResponse', { status: s.oneOf(['requested']) });

const LedgerStatement = s.component('LedgerStatement', {
  fingerprint: s.text({ description: 'Start of the SHA-256 of the text.' }),
  name: s.text(),
  source: s.text({ description: 'Where in the program it is.' }),
  text: s.text({ description: 'Lists of keys that the collector puts in are left out.' }),
  first_run_at: s.timestamp(),
  last_run_at: s.timestamp(),
  runs: s.integer(),
  failures: s.integer(),
});

export const LedgerResponse = s.component('LedgerResponse', {
  connection_id: s.id(),
  ...ownEntries,
  statements: s.list(LedgerStatement),
});

const time = '2026-11-20T10:00:00.000Z';

export const getEstate = operation({
  id: 'getEstate',
  route: 'GET /api/v1/estate',
  summary: 'Every visible server with its state',
  access: { visible: 'connections' },
  hasETag: true,
  success: ok(EstateResponse, {
    generated_at: time,
    servers: [
      {
        connection_id: 2,
        name: 'orders-primary',
        description: 'Orders, Frankfurt',
        tags: ['production', 'team=orders'],
        host: 'db1.example.com',
        port: 5432,
        is_monitored: true,
        is_shared: true,
        owner_username: 'admin',
        created_at: time,
        may_manage: true,
        status: 'online',
        connection_error: null,
        version: '18.4',
        role: 'primary',
        last_sample_at: time,
        response_time_ms: 0.4,
        database_count: 3,
        size_bytes: 44023414784,
        problem_count: 0,
      },
    ],
  }),
});

export const getConnectionCoverage = operation({
  id: 'getConnectionCoverage',
  route: 'GET /api/v1/connections/{id}/coverage',
  summary: 'What is collected from a connection, and why something is not',
  access: { connection: 'id', need: 'read' },
  ...byId(1),
  query: s.object({
    brief: s.optional(
      s.boolean({
        description:
          'Of a probe that is collected, switched off or not on this server, one entry stands for all such databases (another where it has no rows).',
      }),
    ),
  }),
  success: ok(CoverageResponse, {
    connection_id: 2,
    own_cost: {
      cost_percent: 0.12,
      sessions: 2,
      measured_at: time,
      statement_entries: 0,
      statement_entries_limit: 250,
    },
    newest_gap: { began_at: time, ended_at: time, reason: 'The spool was full.' },
    counts: { collected: 0, incomplete: 0, missing: 1, waiting: 0, switched_off: 0, not_applicable: 0 },
    probes: [
      {
        probe: 'pg_extension',
        database_name: 'payroll',
        status: 'missing_grant',
        reason: 'The role may not connect to database payroll.',
        mend: 'grant connect on database payroll to matriarch_monitor;',
        checked_at: time,
        collected_at: null,
        took_ms: null,
        row_count: null,
        interval_seconds: 3600,
        effective_interval_seconds: 3600,
        cost_percent: 0.003,
      },
    ],
    remedies: [
      {
        statement: 'grant connect on database payroll to matriarch_monitor;',
        database_name: null,
        run_on: 'server',
        needs_restart: false,
        status: 'missing_grant',
        reason: 'The role may not connect to database payroll.',
        probes: ['pg_extension'],
        databases: ['payroll'],
        count: 1,
        checked_at: time,
      },
    ],
    host_sources: [
      { source: 'local', status: 'unavailable', reason: 'The server runs on another machine.', mend: null },
    ],
    host_values: [],
  }),
});

export const retestConnectionCoverage = operation({
  id: 'retestConnectionCoverage',
  route: 'POST /api/v1/connections/{id}/coverage/retest',
  summary: 'Try again at once whatever is not collected',
  description: 'For after a grant or an extension was added; the answer does not wait for the outcome.',
  access: { connection: 'id', need: 'read_write' },
  ...byId(1),
  faults: [409],
  success: ok(RetestResponse, { status: 'requested' }),
});

export const watchConnectionStatements = operation({
  id: 'watchConnectionStatements',
  route: 'POST /api/v1/connections/{id}/statements/watch',
  summary: 'Have pg_stat_statements read every 10 s while a page shows it',
  description:
    'For 45 seconds; a page that is open asks again. The budget of what collecting may cost a server holds all the same.',
  access: { connection: 'id', need: 'read' },
  ...byId(1),
  faults: [409],
  success: DONE,
});

export const listConnectionStatements = operation({
  id: 'listConnectionStatements',
  route: 'GET /api/v1/connections/{id}/statements',
  summary: 'Every statement that was ever run on a monitored server to collect from it',
  access: { connection: 'id', need: 'read' },
  ...byId(1),
  success: ok(LedgerResponse, {
    connection_id: 2,
    statement_entries: 0,
    statement_entries_limit: 250,
    statements: [
      {
        fingerprint: '3f2c9d01b7aa54e6',
        name: 'collector.ping',
        source: 'collector/target.queries.ts',
        text: '/* collector.ping */ select …',
        first_run_at: time,
        last_run_at: time,
        runs: 2880,
        failures: 0,
      },
    ],
  }),
});

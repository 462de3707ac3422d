// The shapes of coverage: what is collected from a server, why something is not, and what mends it.
import {
  boolean,
  component,
  id,
  integer,
  list,
  nullable,
  number,
  oneOf,
  optional,
  text,
  timestamp,
} from '../../kernel/schema.ts';
import { LogReading } from '../server-logs/server-logs.contract.ts';

export const COVERAGE_STATUSES = [
  'ok',
  'incomplete',
  'masked',
  'skipped',
  'missing_extension',
  'missing_grant',
  'missing_source',
  'not_applicable',
  'disabled',
  'stale',
  'failing',
  'waiting',
] as const;

export const CoverageEntry = component('CoverageEntry', {
  probe: text(),
  database_name: nullable(text({ description: 'Null for a probe of the whole server.' })),
  status: oneOf(COVERAGE_STATUSES, {
    description:
      'ok: collected. incomplete: collected, but a setting or an old extension leaves values empty. ' +
      'masked: values are hidden for lack of rights. missing_source: no source of host metrics provides it. ' +
      'not_applicable: this server has no such thing, which is fine. disabled: switched off by a user. ' +
      'waiting: it has not run yet.',
  }),
  reason: nullable(text()),
  lacking: optional(
    list(
      component('CoverageLack', {
        reason: text(),
        metrics: nullable(
          list(text(), { description: 'Of the probe, those that need it; null: all of them.' }),
        ),
      }),
      { description: 'Of an incomplete probe: why, each with what it is about.' },
    ),
  ),
  mend: nullable(
    text({
      description:
        'The SQL or command that fixes it, with what else there is to do in comments; an empty line between two.',
    }),
  ),
  checked_at: nullable(timestamp({ description: 'When it was tried last.' })),
  collected_at: nullable(timestamp()),
  took_ms: nullable(number()),
  row_count: nullable(integer()),
  interval_seconds: integer({ description: 'As set for this connection.' }),
  effective_interval_seconds: integer({
    description: 'As it runs now: longer while the probe is slowed down to stay within the budget.',
  }),
  cost_percent: nullable(
    number({
      description: 'Of one core of the server, in all its databases together; null until measured.',
    }),
  ),
});

export const CoverageRemedy = component('CoverageRemedy', {
  statement: text({ description: 'The SQL, command or advice.' }),
  database_name: nullable(
    text({ description: 'Where to run it; null: it is enough anywhere on the server.' }),
  ),
  run_on: oneOf(['server', 'primary'], {
    description: 'A standby takes changes of roles, databases and extensions from its primary alone.',
  }),
  needs_restart: boolean({ description: 'This server has to be restarted after it.' }),
  status: oneOf(COVERAGE_STATUSES, { description: 'Of the first entry that it fixes.' }),
  reason: nullable(text({ description: 'Of that entry.' })),
  probes: list(text()),
  databases: list(text(), {
    description: 'In which those probes are fixed; none: of the server as a whole.',
  }),
  count: integer({ description: 'Entries that it fixes.' }),
  checked_at: nullable(timestamp({ description: 'When the last of these entries was tried last.' })),
});

const HostValue = component('HostValue', { field: text(), source: text(), observed_at: timestamp() });

const HostSource = component('HostSource', {
  source: text(),
  status: oneOf(['ok', 'unavailable']),
  reason: nullable(text()),
  mend: nullable(text()),
});

export const ownEntries = {
  statement_entries: nullable(
    integer({
      description: "Entries of the server's pg_stat_statements that are ours, each a text in a database.",
    }),
  ),
  statement_entries_limit: nullable(
    integer({ description: '5 % of pg_stat_statements.max: databases beyond that are not read.' }),
  ),
};

const OwnCost = component(
  'OwnCost',
  {
    cost_percent: nullable(number({ description: 'Of one core of the server, all probes together.' })),
    sessions: nullable(integer({ description: 'Most sessions held at a time, lately.' })),
    measured_at: nullable(timestamp()),
    ...ownEntries,
  },
  { description: 'What collecting costs the server; nulls until it was measured.' },
);

const KnownGap = component(
  'KnownGap',
  { began_at: timestamp(), ended_at: timestamp(), reason: text() },
  { description: 'Samples of these times were collected and had to be given up.' },
);

export const CoverageCounts = component(
  'CoverageCounts',
  {
    collected: integer(),
    incomplete: integer({ description: 'Collected, with values that are hidden or stay empty.' }),
    missing: integer({ description: 'Failed, stale, or skipped for a reason that can be fixed.' }),
    waiting: integer({ description: 'Not run yet, which says nothing of how well they are.' }),
    switched_off: integer(),
    not_applicable: integer(),
  },
  { description: 'Entries by what became of them; they add up to all.' },
);

export const CoverageResponse = component('CoverageResponse', {
  connection_id: id(),
  own_cost: OwnCost,
  newest_gap: nullable(KnownGap),
  counts: CoverageCounts,
  probes: list(CoverageEntry),
  remedies: list(CoverageRemedy, {
    description: 'Each fix once, biggest fixes first.',
  }),
  log: optional(LogReading),
  host_sources: list(HostSource),
  host_values: list(HostValue, { description: 'Which source each value of system came from, and when.' }),
});

// The shapes of coverage: what is collected from a server, why something is not, and what mends it.
import * as s from '../../kernel/schema.ts';
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

export const CoverageEntry = s.component('CoverageEntry', {
  probe: s.text(),
  database_name: s.nullable(s.text({ description: 'Null for a probe of the whole server.' })),
  status: s.oneOf(COVERAGE_STATUSES, {
    description:
      'ok: collected. incomplete: collected, but a setting or an old extension leaves values empty. ' +
      'masked: values are hidden for lack of rights. missing_source: no source of host metrics provides it. ' +
      'not_applicable: this server has no such thing, which is fine. disabled: switched off by a user. ' +
      'waiting: it has not run yet.',
  }),
  reason: s.nullable(s.text()),
  lacking: s.optional(
    s.list(
      s.component('CoverageLack', {
        reason: s.text(),
        metrics: s.nullable(
          s.list(s.text(), { description: 'Of the probe, those that need it; null: all of them.' }),
        ),
      }),
      { description: 'Of an incomplete probe: why, each with what it is about.' },
    ),
  ),
  mend: s.nullable(
    s.text({
      description:
        'The SQL or command that fixes it, with what else there is to do in comments; an empty line between two.',
    }),
  ),
  checked_at: s.nullable(s.timestamp({ description: 'When it was tried last.' })),
  collected_at: s.nullable(s.timestamp()),
  took_ms: s.nullable(s.number()),
  row_count: s.nullable(s.integer()),
  interval_seconds: s.integer({ description: 'As set for this connection.' }),
  effective_interval_seconds: s.integer({
    description: 'As it runs now: longer while the probe is slowed down to stay within the budget.',
  }),
  cost_percent: s.nullable(
    s.number({
      description: 'Of one core of the server, in all its databases together; null until measured.',
    }),
  ),
});

export const CoverageRemedy = s.component('CoverageRemedy', {
  statement: s.text({ description: 'The SQL, command or advice.' }),
  database_name: s.nullable(
    s.text({ description: 'Where to run it; null: it is enough anywhere on the server.' }),
  ),
  run_on: s.oneOf(['server', 'primary'], {
    description: 'A standby takes changes of roles, databases and extensions from its primary alone.',
  }),
  needs_restart: s.boolean({ description: 'This server has to be restarted after it.' }),
  status: s.oneOf(COVERAGE_STATUSES, { description: 'Of the first entry that it fixes.' }),
  reason: s.nullable(s.text({ description: 'Of that entry.' })),
  probes: s.list(s.text()),
  databases: s.list(s.text(), {
    description: 'In which those probes are fixed; none: of the server as a whole.',
  }),
  count: s.integer({ description: 'Entries that it fixes.' }),
  checked_at: s.nullable(s.timestamp({ description: 'When the last of these entries was tried last.' })),
});

const HostValue = s.component('HostValue', { field: s.text(), source: s.text(), observed_at: s.timestamp() });

const HostSource = s.component('HostSource', {
  source: s.text(),
  status: s.oneOf(['ok', 'unavailable']),
  reason: s.nullable(s.text()),
  mend: s.nullable(s.text()),
});

export const ownEntries = {
  statement_entries: s.nullable(
    s.integer({
      description: "Entries of the server's pg_stat_statements that are ours, each a text in a database.",
    }),
  ),
  statement_entries_limit: s.nullable(
    s.integer({ description: '5 % of pg_stat_statements.max: databases beyond that are not read.' }),
  ),
};

const OwnCost = s.component(
  'OwnCost',
  {
    cost_percent: s.nullable(s.number({ description: 'Of one core of the server, all probes together.' })),
    sessions: s.nullable(s.integer({ description: 'Most sessions held at a time, lately.' })),
    measured_at: s.nullable(s.timestamp()),
    ...ownEntries,
  },
  { description: 'What collecting costs the server; nulls until it was measured.' },
);

const KnownGap = s.component(
  'KnownGap',
  { began_at: s.timestamp(), ended_at: s.timestamp(), reason: s.text() },
  { description: 'Samples of these times were collected and had to be given up.' },
);

export const CoverageCounts = s.component(
  'CoverageCounts',
  {
    collected: s.integer(),
    incomplete: s.integer({ description: 'Collected, with values that are hidden or stay empty.' }),
    missing: s.integer({ description: 'Failed, stale, or skipped for a reason that can be fixed.' }),
    waiting: s.integer({ description: 'Not run yet, which says nothing of how well they are.' }),
    switched_off: s.integer(),
    not_applicable: s.integer(),
  },
  { description: 'Entries by what became of them; they add up to all.' },
);

export const CoverageResponse = s.component('CoverageResponse', {
  connection_id: s.id(),
  own_cost: OwnCost,
  newest_gap: s.nullable(KnownGap),
  counts: CoverageCounts,
  probes: s.list(CoverageEntry),
  remedies: s.list(CoverageRemedy, {
    description: 'Each fix once, biggest fixes first.',
  }),
  log: s.optional(LogReading),
  host_sources: s.list(HostSource),
  host_values: s.list(HostValue, { description: 'Which source each value of system came from, and when.' }),
});

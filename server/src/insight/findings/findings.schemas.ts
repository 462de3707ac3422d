// The shapes of findings: what checks found, with the evidence, the remedy and how well it is proven.
import {
  anyObject,
  boolean,
  component,
  id,
  integer,
  list,
  longId,
  nullable,
  number,
  object,
  oneOf,
  record,
  text,
  timestamp,
} from '../../kernel/schema.ts';

export const FINDING_SEVERITIES = ['info', 'warning', 'critical'] as const;
export const FINDING_STATES = ['open', 'muted', 'resolved'] as const;
const FINDING_PROOFS = ['stated', 'measured', 'tried', 'confirmed'] as const;
export const CHECK_CATEGORIES = [
  'indexes',
  'vacuum',
  'statements',
  'settings',
  'replication',
  'connections',
  'storage',
  'security',
  'versions',
  'coverage',
] as const;

const proof = oneOf(FINDING_PROOFS, {
  description:
    'stated: the server says so itself. measured: counted over a window. tried: tried on the server. confirmed: after the remedy ' +
    'the figure moved as promised.',
});

const head = {
  id: longId(),
  connection_id: id(),
  server_name: text(),
  check: text({ description: 'Name of the check.' }),
  category: oneOf(CHECK_CATEGORIES),
  title: text({ description: 'What such a finding is called.' }),
  database_name: nullable(text({ description: 'Null: the server as a whole.' })),
  object_name: nullable(text({ description: 'What it is about; null: the server or database itself.' })),
  severity: oneOf(FINDING_SEVERITIES),
  state: oneOf(FINDING_STATES),
  message: text({ description: 'What is so, with its figures, in one sentence.' }),
  figure: nullable(number({ description: 'What the remedy should move.' })),
  figure_unit: nullable(text()),
  proof,
  first_seen_at: timestamp({ description: 'The first time ever.' }),
  opened_at: timestamp({ description: 'Since when it is so this time.' }),
  last_seen_at: timestamp({ description: 'When it was judged last while it was so.' }),
  figured_at: timestamp({ description: 'Of the figures in it.' }),
  resolved_at: nullable(timestamp()),
  muted_until: nullable(timestamp()),
};

export const Finding = component('Finding', head);

const SeverityCounts = component(
  'SeverityCounts',
  { info: integer(), warning: integer(), critical: integer() },
  { description: 'Open findings that are not muted.' },
);

export const FindingList = component('FindingList', {
  findings: list(Finding),
  total: integer({ description: 'Before limit and offset.' }),
  counts: SeverityCounts,
  servers: object({
    judged: integer({ description: 'Servers that were judged at least once.' }),
    waiting: integer({ description: 'Monitored servers that were not judged yet.' }),
    oldest_evaluated_at: nullable(timestamp({ description: 'Of the server that was judged longest ago.' })),
  }),
});

const UnknownCheck = component(
  'UnknownCheck',
  {
    check: text(),
    category: oneOf(CHECK_CATEGORIES),
    title: text(),
    database_name: nullable(text()),
    because: text(),
    mend: nullable(text({ description: 'The SQL or command that fixes it.' })),
  },
  { description: 'A check that could not be judged, and why.' },
);

export const ServerFindings = component('ServerFindings', {
  connection_id: id(),
  evaluated_at: nullable(timestamp({ description: 'Null: this server was not judged yet.' })),
  checks: integer({ description: 'Checks that apply to this server.' }),
  counts: SeverityCounts,
  findings: list(Finding),
  total: integer({ description: 'Before limit and offset.' }),
  unknown: list(UnknownCheck),
});

export const CheckInfo = component('CheckInfo', {
  name: text(),
  category: oneOf(CHECK_CATEGORIES),
  title: text(),
  figure_name: nullable(
    text({ description: 'What the figure of a finding is; null: its findings have none.' }),
  ),
  meaning: text(),
  advice: text(),
  caution: text({ description: 'What speaks against the remedy.' }),
  proof,
  documentation_url: text({ description: "The page of PostgreSQL's documentation." }),
});

export const CheckScore = component('CheckScore', {
  check: CheckInfo,
  open: integer(),
  muted: integer(),
  resolved: integer(),
  confirmed: integer({ description: 'Resolved, and the figure moved as promised.' }),
  promised: nullable(
    number({ description: 'What the remedies of the confirmed were to bring, in figure_unit.' }),
  ),
  measured: nullable(number({ description: 'What they brought.' })),
  figure_unit: nullable(text()),
});

export const FindingDetail = component('FindingDetail', {
  finding: Finding,
  check: CheckInfo,
  evidence: anyObject({ description: 'What was read, by the names of its columns.' }),
  evidence_rows: list(anyObject()),
  counted_since: nullable(timestamp({ description: 'Begin of what was counted; null: of one moment.' })),
  remedy: text({ description: 'Exact SQL or lines of a configuration file; never run by this product.' }),
  promised: nullable(number({ description: 'What the figure should be after the remedy.' })),
  first_figure: nullable(number({ description: 'The figure when it was opened.' })),
  figure_after: nullable(number({ description: 'What it is since it was resolved; null: unknown.' })),
  figures: list(
    object({ at: timestamp(), figure: nullable(number()), severity: oneOf(FINDING_SEVERITIES) }),
    {
      description: 'How the figure went, oldest first; at most 1,000.',
    },
  ),
  mute: nullable(
    object({ muted_at: timestamp(), muted_until: timestamp(), reason: text(), muted_by: text() }),
  ),
  can_mute: boolean(),
});

export const MuteRequest = component('MuteRequest', {
  until: timestamp({ description: 'At most a year from now.' }),
  reason: text({ minLength: 1, maxLength: 500 }),
});

export const FindingCounts = component(
  'FindingCounts',
  {
    critical: integer(),
    warning: integer(),
    info: integer(),
    by_server: record(
      object({
        critical: integer(),
        warning: integer(),
        info: integer(),
        unknown: integer({ description: 'Checks that could not be judged there.' }),
      }),
    ),
    unjudged: list(id(), { description: 'Servers that were never judged.' }),
  },
  { description: 'Open findings that are not muted.' },
);

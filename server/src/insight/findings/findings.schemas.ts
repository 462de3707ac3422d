// The shapes of findings: what checks found, with the evidence, the remedy and how well it is proven.
import * as s from '../../kernel/schema.ts';

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

const proof = s.oneOf(FINDING_PROOFS, {
  description:
    'stated: the server says so itself. measured: counted over a window. tried: tried on the server. confirmed: after the remedy ' +
    'the figure moved as promised.',
});

const head = {
  id: s.longId(),
  connection_id: s.id(),
  server_name: s.text(),
  check: s.text({ description: 'Name of the check.' }),
  category: s.oneOf(CHECK_CATEGORIES),
  title: s.text({ description: 'What such a finding is called.' }),
  database_name: s.nullable(s.text({ description: 'Null: the server as a whole.' })),
  object_name: s.nullable(s.text({ description: 'What it is about; null: the server or database itself.' })),
  severity: s.oneOf(FINDING_SEVERITIES),
  state: s.oneOf(FINDING_STATES),
  message: s.text({ description: 'What is so, with its figures, in one sentence.' }),
  figure: s.nullable(s.number({ description: 'What the remedy should move.' })),
  figure_unit: s.nullable(s.text()),
  proof,
  first_seen_at: s.timestamp({ description: 'The first time ever.' }),
  opened_at: s.timestamp({ description: 'Since when it is so this time.' }),
  last_seen_at: s.timestamp({ description: 'When it was judged last while it was so.' }),
  figured_at: s.timestamp({ description: 'Of the figures in it.' }),
  resolved_at: s.nullable(s.timestamp()),
  muted_until: s.nullable(s.timestamp()),
};

export const Finding = s.component('Finding', head);

const SeverityCounts = s.component(
  'SeverityCounts',
  { info: s.integer(), warning: s.integer(), critical: s.integer() },
  { description: 'Open findings that are not muted.' },
);

export const FindingList = s.component('FindingList', {
  findings: s.list(Finding),
  total: s.integer({ description: 'Before limit and offset.' }),
  counts: SeverityCounts,
  servers: s.object({
    judged: s.integer({ description: 'Servers that were judged at least once.' }),
    waiting: s.integer({ description: 'Monitored servers that were not judged yet.' }),
    oldest_evaluated_at: s.nullable(
      s.timestamp({ description: 'Of the server that was judged longest ago.' }),
    ),
  }),
});

const UnknownCheck = s.component(
  'UnknownCheck',
  {
    check: s.text(),
    category: s.oneOf(CHECK_CATEGORIES),
    title: s.text(),
    database_name: s.nullable(s.text()),
    because: s.text(),
    mend: s.nullable(s.text({ description: 'The SQL or command that fixes it.' })),
  },
  { description: 'A check that could not be judged, and why.' },
);

export const ServerFindings = s.component('ServerFindings', {
  connection_id: s.id(),
  evaluated_at: s.nullable(s.timestamp({ description: 'Null: this server was not judged yet.' })),
  checks: s.integer({ description: 'Checks that apply to this server.' }),
  counts: SeverityCounts,
  findings: s.list(Finding),
  total: s.integer({ description: 'Before limit and offset.' }),
  unknown: s.list(UnknownCheck),
});

export const CheckInfo = s.component('CheckInfo', {
  name: s.text(),
  category: s.oneOf(CHECK_CATEGORIES),
  title: s.text(),
  figure_name: s.nullable(
    s.text({ description: 'What the figure of a finding is; null: its findings have none.' }),
  ),
  meaning: s.text(),
  advice: s.text(),
  caution: s.text({ description: 'What speaks against the remedy.' }),
  proof,
  documentation_url: s.text({ description: "The page of PostgreSQL's documentation." }),
});

export const CheckScore = s.component('CheckScore', {
  check: CheckInfo,
  open: s.integer(),
  muted: s.integer(),
  resolved: s.integer(),
  confirmed: s.integer({ description: 'Resolved, and the figure moved as promised.' }),
  promised: s.nullable(
    s.number({ description: 'What the remedies of the confirmed were to bring, in figure_unit.' }),
  ),
  measured: s.nullable(s.number({ description: 'What they brought.' })),
  figure_unit: s.nullable(s.text()),
});

export const FindingDetail = s.component('FindingDetail', {
  finding: Finding,
  check: CheckInfo,
  evidence: s.anyObject({ description: 'What was read, by the names of its columns.' }),
  evidence_rows: s.list(s.anyObject()),
  counted_since: s.nullable(s.timestamp({ description: 'Begin of what was counted; null: of one moment.' })),
  remedy: s.text({ description: 'Exact SQL or lines of a configuration file; never run by this product.' }),
  promised: s.nullable(s.number({ description: 'What the figure should be after the remedy.' })),
  first_figure: s.nullable(s.number({ description: 'The figure when it was opened.' })),
  figure_after: s.nullable(s.number({ description: 'What it is since it was resolved; null: unknown.' })),
  figures: s.list(
    s.object({ at: s.timestamp(), figure: s.nullable(s.number()), severity: s.oneOf(FINDING_SEVERITIES) }),
    {
      description: 'How the figure went, oldest first; at most 1,000.',
    },
  ),
  mute: s.nullable(
    s.object({ muted_at: s.timestamp(), muted_until: s.timestamp(), reason: s.text(), muted_by: s.text() }),
  ),
  can_mute: s.boolean(),
});

export const MuteRequest = s.component('MuteRequest', {
  until: s.timestamp({ description: 'At most a year from now.' }),
  reason: s.text({ minLength: 1, maxLength: 500 }),
});

export const FindingCounts = s.component(
  'FindingCounts',
  {
    critical: s.integer(),
    warning: s.integer(),
    info: s.integer(),
    by_server: s.record(
      s.object({
        critical: s.integer(),
        warning: s.integer(),
        info: s.integer(),
        unknown: s.integer({ description: 'Checks that could not be judged there.' }),
      }),
    ),
    unjudged: s.list(s.id(), { description: 'Servers that were never judged.' }),
  },
  { description: 'Open findings that are not muted.' },
);

// Whether the server answers, and how fast: the age of this probe's newest sample is the server's status.
import { defineProbe } from './types.ts';

export const probe = defineProbe({
  name: 'pg_connectivity',
  description: 'Round trip of a bare statement on the kept session.',
  level: 'S',
  intervalSeconds: 30,
  retentionDays: 7,
  keeps: 'samples',
  roundTripColumn: 'response_time_ms',
  columns: [
    {
      name: 'response_time_ms',
      type: 'double precision',
      kind: 'gauge',
      unit: 'ms',
      description: 'From sending `select` to its answer, network included.',
    },
    {
      name: 'clock_ahead_seconds',
      type: 'double precision',
      kind: 'gauge',
      unit: 'seconds',
      description:
        "How far the server's clock is ahead of the datastore's, below zero where it is behind; 0 where it is less than 30 s. Ages are told without it.",
    },
  ],
  metrics: [
    {
      name: 'probe_staleness_ratio',
      wireName: 'probe_staleness_ratio',
      unit: '',
      description: "Age of a probe's newest sample in its intervals, of each probe.",
      combine: 'max',
      worse: 'more',
      value: { kind: 'staleness' },
    },
  ],
  caps: { maxRows: 1, maxBytes: 65_536, timeoutMs: 5000 },
  sql: () =>
    'select null::double precision as response_time_ms, null::double precision as clock_ahead_seconds',
});

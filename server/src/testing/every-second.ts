// A probe for tests that watch cadence: the round trip, every second.
import { defineProbe } from '../probes/types.ts';

export const EVERY_SECOND = defineProbe({
  name: 'pulse',
  description: 'Round trip every second.',
  level: 'S',
  intervalSeconds: 1,
  retentionDays: 1,
  keeps: 'snapshot',
  roundTripColumn: 'response_time_ms',
  columns: [
    {
      name: 'response_time_ms',
      type: 'double precision',
      kind: 'gauge',
      unit: 'ms',
      description: 'Round trip.',
    },
  ],
  sql: () => 'select null::double precision as response_time_ms',
});

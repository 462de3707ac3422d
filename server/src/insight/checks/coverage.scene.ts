// Scenes of our own reading: a role that may read too little, probes that are slowed down, and probes that read nothing.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { HOUR_MS } from '../../kernel/units.ts';
import { type CheckScene, run } from '../../testing/servers/check-scenes/scene.ts';
import type { Readings } from '../../testing/servers/judging.ts';
import type { ProbeRun } from './probe-runs.ts';

const READER = 'kit_reader';

/** As the store would say it of the runs of a probe, or of all. */
const withRuns =
  (
    probe: string | undefined,
    how: (one: ProbeRun, now: number) => Partial<ProbeRun>,
  ): NonNullable<CheckScene['feed']> =>
  (readings: Readings) => {
    readings.runs = (readings.runs ?? []).map((one) =>
      probe === undefined || one.probe === probe ? { ...one, ...how(one, readings.now) } : one,
    );
  };

/** The collector keeps what its runs cost; the figure is shown with the store. */
const slowed = withRuns('pg_stat_all_tables', ({ intervalSet }) => ({
  interval: 16 * (intervalSet ?? 0),
  slowedBecause: 'Slowed down to stay within the budget of 0.5 % of one core.',
}));

export const scenes: readonly CheckScene[] = [
  {
    check: 'probe_not_permitted',
    isDear: true,
    async as({ primary }) {
      const password = randomUUID();
      await run(
        primary,
        `drop role if exists ${READER}`,
        `create role ${READER} login password '${password}'`,
      );
      await run(
        primary,
        `grant pg_monitor to ${READER}`,
        `grant select on pg_catalog.pg_hba_file_rules, pg_catalog.pg_ident_file_mappings to ${READER}`,
        `grant execute on function pg_catalog.pg_hba_file_rules(), pg_catalog.pg_ident_file_mappings() to ${READER}`,
      );
      return { username: READER, password };
    },
    from: 15,
    async make({ primary }) {
      await run(primary, `revoke execute on function pg_catalog.pg_hba_file_rules() from ${READER}`);
      return () => run(primary, `drop owned by ${READER}`, `drop role ${READER}`);
    },
    isIt: ({ evidence }) => evidence.probes === 'pg_hba_file_rules',
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'info', figure: { value: 1, unit: 'count' } });
      expect(found.message).toMatch(/^Probe "pg_hba_file_rules" cannot be read: /);
    },
  },
  {
    check: 'probe_slowed_down',
    isDear: true,
    make: async () => undefined,
    feed: slowed,
    isIt: ({ object_name }) => object_name === 'pg_stat_all_tables',
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'warning', figure: { value: 16, promised: 1 } });
      expect(found.message).toMatch(
        /^Probe "pg_stat_all_tables" runs every 1 h 20 min instead of every 5 min\. Slowed/,
      );
    },
    remedy: async ({ remedy }) => expect(remedy).toContain('collector.budget_percent = 1'),
  },
  {
    check: 'readings_missing',
    isDear: true,
    make: async () => undefined,
    // A real one of which a probe fails for hours takes hours; that it is told so is shown with the store.
    feed: withRuns('pg_stat_all_tables', (_one, now) => ({
      ...{ outcome: 'failed', reason: 'canceling statement due to statement timeout', isCurrent: false },
      collected_at: now - 2 * HOUR_MS,
    })),
    isIt: ({ object_name }) => object_name === 'pg_stat_all_tables',
    expect: (found) => {
      expect(found.severity).toBe('warning');
      expect(found.figure?.value).toBeGreaterThanOrEqual(7200);
      expect(found.message).toMatch(
        /^Probe "pg_stat_all_tables" has collected no data for 2 h in database "postgres": cancel/,
      );
    },
  },
  {
    check: 'readings_missing',
    isDear: true,
    title: 'of the whole server',
    make: async () => undefined,
    feed: withRuns(undefined, (_one, now) => ({ isCurrent: false, collected_at: now - HOUR_MS / 2 })),
    isIt: ({ object_name }) => object_name === '',
    expect: (found) =>
      expect(found).toMatchObject({
        severity: 'info',
        message: expect.stringMatching(/^No data have been collected from this server for 30 min\b/),
      }),
  },
];

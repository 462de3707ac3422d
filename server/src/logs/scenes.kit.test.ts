// Logs of real servers on which each event was made to happen: all formats tell the same events, of the classes that they are, and every
// line is counted. Guards: a class whose text no server writes is not proven by its own example.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  ALWAYS_WRITTEN,
  everyRunLogged,
  LOG_SCENES,
  LOG_SCENES_SETTINGS,
  LOG_SCENES_SETUP,
} from '../testing/logs/log-scenes.ts';
import {
  moreLogScenes,
  PRIMARY_SHOWS,
  playConflict,
  playSubscription,
  REPLICATION_LOG_SETTINGS,
  STANDBY_SHOWS,
} from '../testing/logs/more-log-scenes.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { promote, replicatingServer, startStandby, untilTrue } from '../testing/servers/server-sets.ts';
import { majorsOfKits } from '../testing/tier.ts';
import { readLogs } from './read-logs.ts';

const FIRST_WITH_JSON = 15;
describe.each(majorsOfKits())('logs of PostgreSQL %i', (major) => {
  it('tell what happened, the same in every format', async () => {
    const formats = ['stderr', 'csvlog', ...(major >= FIRST_WITH_JSON ? ['jsonlog'] : [])];
    const settings = { ...LOG_SCENES_SETTINGS, ...everyRunLogged(major), log_destination: formats.join() };
    await using server = await startCluster({ major, settings });
    for (const statement of LOG_SCENES_SETUP) await server.query(statement);
    const scenes = [...moreLogScenes(major), ...LOG_SCENES];
    for (const scene of scenes) await scene.play(server);
    await server.shutdown();
    const folder = path.join(server.directory, 'log');
    const files = readdirSync(folder).map((name) => path.join(folder, name));
    expect(files.length, files.join()).toBe(formats.length);
    const reports = await Promise.all(
      files.map((file) => readLogs({ files: [file], mask: (text) => text, year: 2026 })),
    );
    const shown = [...ALWAYS_WRITTEN, ...scenes.flatMap(({ shows }) => shows)];
    for (const report of reports) {
      const missing = shown.filter((name) => !report.by_class[name]);
      expect([report.files[0]?.formats, missing]).toEqual([report.files[0]?.formats, []]);
      expect(report.skipped).toEqual([]);
      expect([report.unclassified, report.unclassified_texts]).toEqual([0, []]);
      expect(report.by_class).toEqual(reports[0]?.by_class);
      expect(report.by_sqlstate).toEqual(reports[0]?.by_sqlstate);
      expect(report.by_severity).toEqual(reports[0]?.by_severity);
    }
  });

  it('tell what happens to a standby and to a subscription', async () => {
    const settings = REPLICATION_LOG_SETTINGS;
    const primary = await replicatingServer({ major, settings });
    onTestFinished(() => primary.stop());
    const standby = await startStandby(primary, { major, settings });
    onTestFinished(() => standby.stop());
    await primary.query('create table held as select generate_series(1, 1000) as n');
    await untilTrue(standby, `to_regclass('held') is not null`);
    await playConflict(primary, standby);
    await primary.query('checkpoint');
    const [row] = await primary.query('select pg_current_wal_lsn()::text as lsn');
    await untilTrue(standby, `pg_last_wal_replay_lsn() >= '${row?.lsn}'`);
    await standby.query('checkpoint');
    await playSubscription(primary);
    await primary.shutdown();
    await promote(standby);
    await standby.shutdown();
    for (const [server, shows] of [
      [primary, PRIMARY_SHOWS],
      [standby, STANDBY_SHOWS],
    ] as const) {
      const file = path.join(server.directory, 'log', 'server.log');
      const report = await readLogs({ files: [file], mask: (text) => text, year: 2026 });
      expect(shows.filter((name) => !report.by_class[name])).toEqual([]);
      expect([report.skipped, report.unclassified, report.unclassified_texts]).toEqual([[], 0, []]);
    }
  });
});

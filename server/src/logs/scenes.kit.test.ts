// Logs of real servers on which each event was made to happen: all formats tell the same events, of the classes that they are, and every
// line is counted. Guards: a class whose text no server writes is not proven by its own example.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  everyRunLogged,
  LOG_SCENES,
  LOG_SCENES_SETTINGS,
  LOG_SCENES_SETUP,
} from '../testing/logs/log-scenes.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { majorsOfKits } from '../testing/tier.ts';
import { readLogs } from './read-logs.ts';

const FIRST_WITH_JSON = 15;
describe.each(majorsOfKits())('logs of PostgreSQL %i', (major) => {
  it('tell what happened, the same in every format', async () => {
    const formats = ['stderr', 'csvlog', ...(major >= FIRST_WITH_JSON ? ['jsonlog'] : [])];
    const settings = { ...LOG_SCENES_SETTINGS, ...everyRunLogged(major), log_destination: formats.join() };
    await using server = await startCluster({ major, settings });
    for (const statement of LOG_SCENES_SETUP) await server.query(statement);
    for (const scene of LOG_SCENES) await scene.play(server);
    await server.shutdown();
    const folder = path.join(server.directory, 'log');
    const files = readdirSync(folder).map((name) => path.join(folder, name));
    expect(files).toHaveLength(formats.length);
    const reports = await Promise.all(
      files.map((file) => readLogs({ files: [file], mask: (text) => text, year: 2026 })),
    );
    const shown = LOG_SCENES.flatMap(({ shows }) => shows);
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
});

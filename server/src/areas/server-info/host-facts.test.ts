// The wrapper that our monitoring script makes serves the source that reads through it, with nothing else granted.
import os from 'node:os';
import { describe, expect, it } from 'vitest';
import { source } from '../../hosts/sql-files.ts';
import { hostSession } from '../../testing/servers/host-input.ts';
import { MAJORS, startCluster } from '../../testing/servers/postgres.ts';
import { hostFactsScript } from '../connections/monitoring-script.ts';

const LOGIN = { username: 'Odd "watcher"', password: 'a long enough password' };

describe.runIf(process.platform === 'linux')('the optional part of the monitoring script', () => {
  it.each([MAJORS[0], MAJORS[MAJORS.length - 1] ?? 18])(
    'lets PostgreSQL %i tell about its machine',
    async (major) => {
      await using cluster = await startCluster({ major });
      await cluster.query(`create role "Odd ""watcher""" login password '${LOGIN.password}'`);
      await using session = await hostSession(cluster, { login: LOGIN });
      expect(await source.gather(session.input)).toMatchObject({ status: 'unavailable' });
      await cluster.query(hostFactsScript(LOGIN.username));
      expect(await source.gather(session.input)).toMatchObject({
        status: 'ok',
        facts: {
          hostname: os.hostname(),
          cpu_logical: os.cpus().length,
          node_memory_total_bytes: os.totalmem(),
          os_name: expect.any(String),
        },
      });
    },
  );
});

// The wrapper that our monitoring script makes serves the source that reads through it, with nothing else granted.
import os from 'node:os';
import { describe, expect, it } from 'vitest';
import { source } from '../../probes/hosts/sql-files.ts';
import { probedDatabase } from '../../testing/servers/database-probes.ts';
import { hostSession } from '../../testing/servers/host-input.ts';
import { sharedServer } from '../../testing/servers/postgres.ts';
import { hostFactsScript } from '../connections/monitoring-script.ts';

describe.runIf(process.platform === 'linux')('the optional part of the monitoring script', () => {
  it.each([14, 18] as const)('lets PostgreSQL %i tell about its machine', async (major) => {
    const login = { username: `Odd "watcher" ${major}`, password: 'a long enough password' };
    const role = `"Odd ""watcher"" ${major}"`;
    const server = await sharedServer(major);
    const database = await probedDatabase(server, [`create role ${role} login password '${login.password}'`]);
    try {
      await using session = await hostSession(server, { login, database: database.name });
      expect(await source.gather(session.input)).toMatchObject({ status: 'unavailable' });
      await database.query(hostFactsScript(login.username));
      expect(await source.gather(session.input)).toMatchObject({
        status: 'ok',
        facts: {
          hostname: os.hostname(),
          cpu_logical: os.cpus().length,
          node_memory_total_bytes: os.totalmem(),
          os_name: expect.any(String),
        },
      });
    } finally {
      await database.query(`drop owned by ${role}`);
      await database.elsewhere(`drop role ${role}`);
      await database.close();
    }
  });
});

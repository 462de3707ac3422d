// What a connection test says of log files, and that what it prints mends it on a real server.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { startCluster } from '../../testing/servers/postgres.ts';
import { testedConnection } from '../../testing/servers/tested-connections.ts';
import { majorsOfKits } from '../../testing/tier.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ rooms: [connectionsRoom] });
});
afterAll(() => api.close());

describe.each(majorsOfKits())('log files of PostgreSQL %i', (major) => {
  it('are said to be unreadable with the statement that mends it, until they are readable', async () => {
    const cluster = await startCluster({ major, settings: { log_destination: 'syslog' } });
    onTestFinished(() => cluster.stop());
    await cluster.query("create role mon login password 'secret'; grant pg_monitor to mon");
    const logs = async () =>
      (await testedConnection(api, cluster, { username: 'mon', password: 'secret' })).logs;
    const mended = async (message: RegExp) => {
      const found = await logs();
      expect(found).toMatchObject({ is_readable: false, message: expect.stringMatching(message) });
      for (const statement of (found?.mend ?? '').split(/;\n(?=select|alter)/))
        await cluster.query(found?.mend?.startsWith('begin') ? found.mend : statement);
    };
    await mended(/logging_collector = off/);
    await cluster.shutdown();
    await cluster.start();
    await mended(/log_destination = syslog/);
    await expect
      .poll(async () => (await logs())?.message)
      .toMatch(/function that reads log files is not there/);
    await mended(/not there/);
    expect(await logs()).toEqual({
      is_readable: true,
      message: 'Log files of the server can be read (stderr).',
      mend: null,
    });
    await cluster.query('revoke usage on schema matriarch_logs from mon');
    await mended(/mon may not call the function/);
    expect(await logs()).toMatchObject({ is_readable: true });
    await cluster.query("alter system set log_line_prefix = 'x '");
    await cluster.query('select pg_reload_conf()');
    await expect
      .poll(logs)
      .toMatchObject({ is_readable: true, message: expect.stringMatching(/^log_line_prefix has no time/) });
    for (const statement of String((await logs())?.mend).split('\n')) await cluster.query(statement);
    await expect.poll(logs).toMatchObject({ mend: null });
  }, 60_000);
});

// A real PostgreSQL that logs to syslog: by libc to /dev/log, from there by rsyslog and RFC 5424 over TCP to us. Long messages, several lines and
// lines with queryids come whole. Skipped, with the reason, where /dev/log cannot be made or rsyslog is not installed.
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { newHouse, pollMoved } from '../../testing/collecting-tests.ts';
import { MON } from '../../testing/logs/logging-server.ts';
import { startRelay, whyNoRelay } from '../../testing/logs/rsyslog.ts';
import { countsOf, gapsOf, syslogHouse } from '../../testing/logs/syslog-house.ts';
import { deadlock } from '../../testing/servers/deadlock.ts';
import { startCluster } from '../../testing/servers/postgres.ts';
import { majorsOfKits } from '../../testing/tier.ts';

const missing = whyNoRelay();
if (missing !== undefined) process.stderr.write(`PostgreSQL is not heard by syslog: ${missing}.\n`);

/** With and without a time and process in the lines, and as the server splits them or not. */
const FORMS = [
  { log_line_prefix: '%m [%p] %q%u@%d ' },
  { log_line_prefix: '%q%u@%d ', syslog_split_messages: false },
];

/** A hundred of them. */
const columns = (from: number): string[] =>
  Array.from({ length: 100 }, (_none, n) => `relname as column_${from + n}`);

describe.skipIf(missing !== undefined)('syslog of a real server', () => {
  describe.each(majorsOfKits())('PostgreSQL %i', (major) => {
    it.each(FORMS)(
      'is read as its files are, with %o',
      async (form) => {
        const server = await startCluster({
          major,
          settings: { log_destination: 'syslog', deadlock_timeout: '100ms', ...form },
        });
        onTestFinished(() => server.stop());
        const store = await newHouse();
        const { db } = store;
        await server.query("create role mon login password 'mon'; grant pg_monitor to mon");
        const id = await store.connect(server, MON);
        const collector = store.start();
        const settings = async () => (await store.snapshots(id)).find(({ probe }) => probe === 'pg_settings');
        await pollMoved(store, async () => (await settings())?.outcome).toBe('ran');
        await collector.stop();
        const address = { address: '127.0.0.1', connection: String(id), host: undefined, app: 'postgres' };
        // The relay takes the time it needs, so the clock is the real one.
        const own = await syslogHouse(db, { senders: [address], isReal: true });
        onTestFinished(() => own.syslog.stop());
        await startRelay(own.tcp);
        await deadlock(server, 1);
        const client = new pg.Client({ connectionString: server.url });
        await client.connect();
        await client.query('set statement_timeout = 50');
        const long = `select pg_sleep(60), ${columns(0).join(', ')},\n\t${columns(100).join(',\n\t')}\n\nfrom pg_class as "überall"`;
        await client.query(long).catch(() => undefined);
        await client.end();
        const events = () =>
          db.rows<Record<string, string>>(sql`
          select e.class, e.database_name, e.user_name, e.message, e.detail, e.statement, e.process_id
          from matriarch.log_events e where e.connection_id = ${id} and e.severity = 'ERROR' order by e.id`);
        await own
          .until(async () => (await events()).map((one) => one.class))
          .toEqual(['deadlock', 'statement_timeout']);
        const [found, timeout] = await events();
        expect(found).toMatchObject({
          ...{ database_name: 'postgres', user_name: 'postgres', message: 'deadlock detected' },
          detail: expect.stringMatching(
            /^Process \d+ waits [\s\S]*\nProcess \d+ waits [\s\S]*\nProcess \d+: /,
          ),
          process_id: expect.stringMatching(/^[1-9]\d+$/),
        });
        const statement = timeout?.statement?.replaceAll(/\s+/g, ' ');
        expect(statement).toBe(long.replace('60', '[number 1]').replaceAll(/\s+/g, ' '));
        expect(await gapsOf(db, id)).toEqual([]);
        expect(own.outcomes()).toMatchObject({ unreadable: 0, too_many: 0 });
        const lost = (await countsOf(db, id)).filter((one) => one.class === 'no_event');
        expect(lost).toEqual([]);
      },
      60_000,
    );
  });
});

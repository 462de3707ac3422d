// Logs by syslog over UDP, TCP and TLS: what servers send is counted for the connection of its address, what does not belong or cannot be read
// is counted by its reason, and nothing that comes from outside stops the rest.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { serverLogsRoutes } from '../../estate/server-logs/server-logs.routes.ts';
import { sql } from '../../kernel/sql.ts';
import type { SyslogSender, SyslogSettings } from '../../kernel/syslog-settings.ts';
import { makeConnection } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import {
  closed,
  counted,
  countsOf,
  gapsOf,
  open,
  type SyslogHouse,
  sendTcp,
  sendUdp,
  syslogHouse,
} from '../../testing/logs/syslog-house.ts';
import { clientCertificate } from '../../testing/servers/client-certificate.ts';
import { testDirectory } from '../../testing/servers/postgres.ts';
import { makeTlsFiles } from '../../testing/servers/tls-files.ts';
import { collected } from '../../testing/store/collected.ts';
import { looked } from '../../testing/store/logged.ts';
import { LONGEST_MESSAGE } from './sockets.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [serverLogsRoutes] });
});
afterAll(() => test.close());

const opened: SyslogHouse[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.syslog.stop();
});

async function house(senders: readonly SyslogSender[], tls?: SyslogSettings['tls']): Promise<SyslogHouse> {
  const made = await syslogHouse(test.db, { senders, tls });
  opened.push(made);
  return made;
}

const target = () => makeConnection(test.db, { owner_id: test.actors.superuser.user_id, is_monitored: true });
const from = (id: number, more: Partial<SyslogSender> = {}): SyslogSender => ({
  ...{ address: '127.0.0.1', connection: String(id), host: undefined, app: 'postgres' },
  ...more,
});

const answered = async (id: number) => {
  const { session } = test.actors.superuser;
  // The clock of the house is moved on.
  const end = new Date(Date.now() + 600_000).toISOString();
  const window = `start_time=${new Date(Date.now() - 600_000).toISOString()}&end_time=${end}`;
  return (await test.call(`GET /api/v1/connections/${id}/log-counts?${window}`, { token: session })).body;
};

const now = new Date();
const stamp = `${now.toISOString().slice(0, 10)} ${now.toISOString().slice(11, 23)} UTC`;
const line = (text: string) => `${stamp} [4711] app@shop ${text}`;
/** As rsyslog forwards a message by RFC 5424, and as libc writes it. */
const by5424 = (numbers: string, text: string, more: { app?: string; host?: string } = {}) =>
  `<134>1 ${now.toISOString()} ${more.host ?? 'db1'} ${more.app ?? 'postgres'} 4711 - -  ${numbers} ${text}`;
const by3164 = (numbers: string, text: string) =>
  `<134>${now.toUTCString().slice(8, 11)} ${String(now.getUTCDate()).padStart(2)} 09:00:00 postgres[4711]: ${numbers} ${text}`;

/** One event in the parts of a server that splits it. */
const deadlock = (form: typeof by3164, sequence = 5) => [
  form(`[${sequence}-1]`, line('ERROR:  deadlock detected')),
  form(
    `[${sequence}-2]`,
    line('DETAIL:  Process 1 waits for ShareLock on transaction 2; blocked by process 3.'),
  ),
  form(`[${sequence}-3]`, '#011Process 3 waits for ShareLock on transaction 1; blocked by process 1.'),
  form(`[${sequence}-4]`, line("STATEMENT:  update t set n = 'secret-value'")),
];
const counts = [{ class: 'deadlock', sqlstate: '40P01', severity: 'ERROR', database_name: 'shop', n: 1 }];
const noise = (n: number, sequence = n) => by5424(`[${sequence}-1]`, line(`WARNING:  ledger ${n}`));
const total = async (id: number) => (await countsOf(test.db, id)).reduce((sum, { n }) => sum + n, 0);

const WAYS: Record<string, (own: SyslogHouse) => Promise<void>> = {
  'RFC 5424 over UDP, out of order and one twice': ({ udp }) => {
    const [a = '', b = '', c = '', d = ''] = deadlock(by5424);
    return sendUdp(udp, [b, a, d, d, c]);
  },
  'RFC 3164 over UDP': ({ udp }) => sendUdp(udp, deadlock(by3164)),
  'RFC 5424 over TCP by octet counting': ({ tcp }) => sendTcp(tcp, counted(deadlock(by5424))),
  'RFC 5424 over TCP by lines': ({ tcp }) => sendTcp(tcp, `${deadlock(by5424).join('\n')}\n`),
  'RFC 3164 over TCP by lines': ({ tcp }) => sendTcp(tcp, `${deadlock(by3164).join('\n')}\n`),
  'a message that the server did not split': ({ tcp }) => {
    const text = deadlock((_numbers, own) => own.replace('#011', '\t')).join('\n');
    return sendTcp(tcp, counted([by5424('[5]', text)]));
  },
};

describe('a deadlock is one event with all its parts, by', () => {
  it.each(Object.entries(WAYS))('%s', async (_way, send) => {
    const id = await target();
    const own = await house([from(id)]);
    await send(own);
    await own.until(() => countsOf(test.db, id)).toEqual(counts);
    const [event] = await test.db.rows<Record<string, unknown>>(
      sql`select * from matriarch.log_events e where e.connection_id = ${id}`,
    );
    expect(event).toMatchObject({
      ...{ process_id: '4711', user_name: 'app', message: 'deadlock detected' },
      detail: expect.stringMatching(/^Process 1 waits [^\n]*\nProcess 3 waits /),
      statement: expect.stringContaining('update t'),
    });
    expect(JSON.stringify(event)).not.toContain('secret-value');
    expect(await gapsOf(test.db, id)).toEqual([]);
    expect(await answered(id)).toMatchObject({ reading: { state: 'reading', format: 'syslog' } });
  });

  it.each([-3600, 3600])(
    'from a server whose clock is %i s ahead, at the time by our clock',
    async (ahead) => {
      const id = await target();
      const rows = [{ response_time_ms: 1, clock_ahead_seconds: ahead }];
      await collected(test.db, { connection_id: id, probe: 'pg_connectivity', rows });
      const own = await house([from(id)]);
      const there = new Date(now.getTime() + ahead * 1000).toISOString();
      const text = `${there.slice(0, 10)} ${there.slice(11, 23)} UTC [4711] app@shop ERROR:  deadlock detected`;
      await sendUdp(own.udp, [
        `<134>1 ${there} db1 postgres 4711 - -  [1-1] ${text}`,
        `<134>1 ${there} db1 postgres 4711 - -  [2-1] ERROR:  deadlock detected`,
      ]);
      await own
        .until(async () => (await countsOf(test.db, id)).reduce((sum, { n }) => sum + Number(n), 0))
        .toBe(2);
      const events = await test.db.rows<{ at: string }>(
        sql`select e.occurred_at as at from matriarch.log_events e where e.connection_id = ${id}`,
      );
      expect(events.map(({ at }) => Date.parse(at))).toEqual([now.getTime(), now.getTime()]);
    },
  );
});

describe('over TLS', () => {
  it('a client with a certificate is heard, and none without', async () => {
    const id = await target();
    const files = makeTlsFiles(testDirectory('syslog-tls'), { host: '127.0.0.1' });
    const client = clientCertificate(testDirectory('syslog-client'), 'db1');
    const tls = { cert: files.cert, key: files.key, client_ca: client.ca };
    const own = await house([from(id)], tls);
    const ca = readFileSync(files.ca);
    const good = connectTls({
      ...{ port: own.tcp, host: '127.0.0.1', ca },
      ...{ cert: readFileSync(client.cert), key: readFileSync(client.key) },
    });
    await once(good, 'secureConnect');
    good.end(counted(deadlock(by5424)));
    const bad = connectTls({ port: own.tcp, host: '127.0.0.1', ca });
    bad.on('error', () => undefined);
    bad.resume();
    bad.end(counted(deadlock(by5424, 9)));
    await closed(bad);
    await sendTcp(own.tcp, counted(deadlock(by5424, 10)));
    await own.until(() => countsOf(test.db, id)).toEqual(counts);
  });
});

describe('files of TLS', () => {
  it('that were renewed are used by the next client, and those that cannot be are not', async () => {
    const id = await target();
    const files = makeTlsFiles(testDirectory('syslog-old'), { host: '127.0.0.1' });
    const newer = makeTlsFiles(testDirectory('syslog-new'), { host: '127.0.0.1' });
    const own = await house([from(id)], { cert: files.cert, key: files.key, client_ca: undefined });
    const isTrusted = async (ca: string) => {
      const client = connectTls({ port: own.tcp, host: '127.0.0.1', ca: readFileSync(ca) });
      const outcome = await Promise.race([
        once(client, 'secureConnect').then(() => true),
        once(client, 'close').then(() => false),
      ]).catch(() => false);
      client.destroy();
      return outcome;
    };
    expect(await isTrusted(files.ca)).toBe(true);
    writeFileSync(files.cert, 'no certificate');
    expect(await isTrusted(files.ca)).toBe(true);
    copyFileSync(newer.cert, files.cert);
    copyFileSync(newer.key, files.key);
    expect([await isTrusted(newer.ca), await isTrusted(files.ca)]).toEqual([true, false]);
  });
});

describe('whose messages they are', () => {
  it('is decided by the address, and narrowed by host and program', async () => {
    const [one, two, three] = [await target(), await target(), await target()];
    await test.db.run(sql`update matriarch.connections set name = 'by name' where id = ${three}`);
    const own = await house([
      from(one, { address: '10.0.0.0/8' }),
      from(two, { address: '127.0.0.0/8', host: 'db2' }),
      from(three, { connection: 'by name', app: 'pg_other' }),
    ]);
    await sendUdp(own.udp, [
      by5424('[1-1]', line('LOG:  x'), { host: 'DB2' }),
      by5424('[2-1]', line('LOG:  x'), { app: 'pg_other' }),
      by5424('[3-1]', line('LOG:  x'), { app: 'pg_other', host: 'db3' }),
      by5424('[4-1]', line('LOG:  x'), { app: 'sshd' }),
      by5424('[5-1]', line('LOG:  x')),
    ]);
    await own.until(() => total(three)).toBe(2);
    expect([await total(one), await total(two)]).toEqual([0, 1]);
    expect(own.outcomes()).toMatchObject({ stored: 3, other: 2 });
  });

  it('is no address that is not listed, and no connection that is gone or not unique', async () => {
    const { other, superuser } = test.actors;
    const twin = { name: 'twins', is_monitored: true };
    const one = await makeConnection(test.db, { ...twin, owner_id: superuser.user_id });
    await makeConnection(test.db, { ...twin, owner_id: other.user_id });
    const unwatched = await makeConnection(test.db, { owner_id: superuser.user_id });
    const refusing = await house([from(one, { address: '10.0.0.1' })]);
    await sendUdp(refusing.udp, [noise(1)]);
    await sendTcp(refusing.tcp, `${noise(1)}\n`);
    await refusing.until(() => refusing.outcomes()).toMatchObject({ refused: 2, stored: 0 });
    const own = await house([
      from(one, { connection: 'twins', app: 'a' }),
      from(one, { connection: '999999', app: 'b' }),
      from(unwatched, { app: 'c' }),
    ]);
    await sendUdp(
      own.udp,
      ['a', 'b', 'c'].map((app) => by5424('[1-1]', line('LOG:  x'), { app })),
    );
    await own.until(() => own.outcomes()).toMatchObject({ unassigned: 3, stored: 0 });
  });

  it('is none whose files are read, until these are not any more', async () => {
    const id = await target();
    await looked(test.db, { connection_id: id, at: Date.now() });
    const own = await house([from(id)]);
    await sendUdp(own.udp, [noise(1)]);
    await own.until(() => own.outcomes()).toMatchObject({ read_elsewhere: 1, stored: 0 });
    await looked(test.db, { connection_id: id, at: Date.now() - 3_600_000 });
    await sendUdp(own.udp, [noise(2)]);
    await own.until(() => total(id)).toBe(1);
  });
});

it('says how many datagrams the kernel threw away only once the kernel was asked', async () => {
  const id = await target();
  const own = await house([from(id)]);
  const overrun = () =>
    own.syslog.figures()[0]?.values.find(({ labels }) => labels?.outcome === 'overrun')?.value;
  expect(overrun()).toBeNull();
  await own.until(overrun).toBe(0);
});

describe('what comes from outside', () => {
  it('is counted where it cannot be read, and stops nothing', async () => {
    const id = await target();
    const own = await house([from(id)]);
    const half = Buffer.concat([Buffer.from(by5424('[2-1]', line('WARNING:  caf'))), Buffer.from([0xc3])]);
    const nul = Buffer.from(by5424('[3-1]', line('WARNING:  nul \0\0')));
    await sendUdp(own.udp, [noise(1), half, nul, randomBytes(500), '', 'GET / HTTP/1.1', '<134>']);
    // An endless line, a huge length, garbage, and half a message, each on a connection of its own.
    const endless = await open(own.tcp);
    endless.write(`<134>1 ${'x'.repeat(3 * LONGEST_MESSAGE)}`);
    endless.write(`${'x'.repeat(1000)}\n${noise(4)}\n`);
    await sendTcp(own.tcp, `9000000 <134>1 ${'y'.repeat(1000)}`);
    await sendTcp(own.tcp, randomBytes(1000));
    await sendTcp(own.tcp, `500 ${noise(5)}`);
    await sendTcp(own.tcp, counted([noise(6)]));
    await own.until(() => total(id)).toBe(5);
    endless.destroy();
    await own
      .until(async () => (await gapsOf(test.db, id)).map(({ reason, bytes }) => [reason, bytes > 0]))
      .toEqual([
        ['incomplete', true],
        ['line_too_long', true],
      ]);
    expect(own.outcomes().unreadable).toBeGreaterThanOrEqual(4);
    const lost = expect.objectContaining({ file_name: 'syslog', reason: 'line_too_long' });
    expect(await answered(id)).toMatchObject({ gaps: expect.arrayContaining([lost]) });
  });

  it('is said where parts did not come', async () => {
    const id = await target();
    const own = await house([from(id)]);
    const [first = '', ...rest] = deadlock(by5424);
    await sendUdp(own.udp, [...rest, deadlock(by5424, 6)[0] ?? '', deadlock(by5424, 6)[3] ?? '', noise(7)]);
    await own.until(() => total(id)).toBe(2);
    expect(await gapsOf(test.db, id)).toMatchObject([{ file_name: 'syslog', reason: 'incomplete' }]);
    expect(first).toContain('[5-1]');
  });

  it('is bounded in memory: of a flood while nothing can be stored, what is dropped is a gap', async () => {
    const id = await target();
    const own = await house([from(id)]);
    await test.db.run(sql`create function test_refuse() returns trigger language plpgsql as $$
      begin raise exception 'disk full' using errcode = '53100'; end $$`);
    await test.db.run(sql`create trigger test_refuse before insert on matriarch.log_counts
      for each row execute function test_refuse()`);
    const text = 'x'.repeat(2000);
    const socket = await open(own.tcp);
    const messages = 9000;
    for (let n = 1; n <= messages; n += 1)
      if (!socket.write(`${by5424(`[${n}-1]`, line(`WARNING:  ${text}`))}\n`)) await once(socket, 'drain');
    socket.end();
    await once(socket, 'close');
    await own.until(() => own.outcomes().too_many).toBeGreaterThan(1000);
    await test.db.run(sql`drop trigger test_refuse on matriarch.log_counts`);
    const dropped = () => own.outcomes().too_many ?? 0;
    await own.until(() => total(id)).toBe(messages - dropped());
    await own
      .until(async () => (await gapsOf(test.db, id)).map(({ reason, bytes }) => [reason, bytes]))
      .toEqual([['too_many', expect.closeTo(dropped() * (by5424('[1-1]', line('')).length + 2010), -5)]]);
  }, 120_000);

  it('is stored once where the datastore fails in between, and when it stops', async () => {
    const id = await target();
    const own = await house([from(id)]);
    await test.db.run(sql`create trigger test_refuse before insert on matriarch.log_counts
      for each row execute function test_refuse()`);
    await sendUdp(own.udp, [noise(1), noise(2)]);
    await own.until(() => own.outcomes().stored).toBe(0);
    await test.db.run(sql`drop trigger test_refuse on matriarch.log_counts`);
    await own.until(() => total(id)).toBe(2);
    await sendTcp(own.tcp, `${noise(3)}\n`);
    await own.syslog.stop();
    expect(await total(id)).toBe(3);
  });
});

// Sessions on servers of every version, and how connecting fails; replies that are too large and servers that freeze are in
// connect.proof.test.ts.
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Secret } from '../kernel/secret.ts';
import { openClient } from '../testing/servers/client.ts';
import { sharedServer, startCluster } from '../testing/servers/postgres.ts';
import {
  targetFailure as failure,
  testSettings as settingsOf,
  TestSessions,
} from '../testing/servers/target.ts';
import { majorsOfKits } from '../testing/tier.ts';
import { connectTarget, openTarget, TargetError, type TargetSettings } from './connect.ts';
import { RawQuery } from './raw-query.ts';
import { WireRow } from './wire-rows.ts';

const { open, connect, end } = new TestSessions();
afterEach(end);

describe('a session', () => {
  it.each(majorsOfKits())(
    'on PostgreSQL %i knows the server and takes the settings it has',
    async (major) => {
      const server = await sharedServer(major);
      const client = await connect(
        settingsOf(server, {
          session: { jit: 'off', stats_fetch_consistency: 'none', default_transaction_read_only: 'on' },
        }),
      );
      expect(Math.floor(client.server_version_num / 10_000)).toBe(major);
      expect(client.server_version).toMatch(new RegExp(`^${major}(?:\\.|rc|beta)`));
      expect(client).toMatchObject({ tls: false, address: '127.0.0.1' });
      const [row] = await client.query(
        `select pg_backend_pid() as pid, current_setting('jit') as jit, current_setting('TimeZone') as zone,
         current_setting('application_name') as name, current_setting('statement_timeout') as timeout,
         current_setting('transaction_read_only') as read_only, current_setting('search_path') as path`,
      );
      expect(row).toEqual({
        pid: client.backend_pid,
        jit: 'off',
        zone: 'UTC',
        name: 'matriarch test',
        timeout: '5s',
        read_only: 'on',
        path: 'pg_catalog, pg_temp',
      });
      await client.close();
      const gone = await failure(client.query('select 1'));
      expect(gone.code).toBe('closed');
    },
  );

  it('prepares once what is asked again and again, and goes on without names where they do not hold', async () => {
    const client = await connect(settingsOf(await sharedServer(18), { pipeline: true }));
    const how = { isRepeated: true };
    const held = 'select count(*)::int as count from pg_prepared_statements';
    for (let n = 0; n < 3; n += 1)
      expect(await client.query('/* one */ select 1 as a', [], how)).toEqual([{ a: 1 }]);
    await Promise.all([client.query('select 2 as a', [], how), client.query('select 2 as a', [], how)]);
    await client.query('select 3 as a');
    expect(await client.query(held)).toEqual([{ count: 2 }]);
    // As a pooler does that hands us to another session of the server.
    await client.query('deallocate all');
    expect(await failure(client.query('/* one */ select 1 as a', [], how))).toMatchObject({ code: '26000' });
    for (let n = 0; n < 2; n += 1)
      expect(await client.query('/* one */ select 1 as a', [], how)).toEqual([{ a: 1 }]);
    expect(await client.query(held)).toEqual([{ count: 0 }]);
  });

  it('hands out rows as they came, which read as those of the driver, over any number of chunks', async () => {
    const client = await connect(settingsOf(await sharedServer(18), { pipeline: true }));
    const text = `select g as id, 9007199254740993 + g as big, repeat('ä', g) as name, g::float8 / 3 as part,
        nullif(g % 3, 0) = 1 as flag, timestamptz '2026-01-01' + g * interval '1 microsecond' as at
      from generate_series(1, 700) as g`;
    const raw = await client.query(text, [], { isRaw: true });
    const plain = await client.query(text);
    expect(raw.map((row) => row instanceof WireRow && row.read())).toEqual(plain);
    expect(raw.map((row) => row instanceof WireRow && row.cell('name'))).toEqual(
      plain.map(({ name }) => name),
    );
    const digests = raw.map((row) => row instanceof WireRow && row.digest());
    expect(new Set(digests).size).toBe(700);
    const again = await client.query(text, [], { isRaw: true });
    expect(again.map((row) => row instanceof WireRow && row.digest())).toEqual(digests);
    await client.close();
  });

  it('asks of which columns rows are once a session, and goes on when those of a table change', async () => {
    const server = await sharedServer(18);
    const owner = await openClient(server, 'owner');
    await owner.query(
      'create table told (a integer, b text); insert into told select g, g from generate_series(1, 3) g',
    );
    const client = await connect(settingsOf(server, { pipeline: true }));
    const ask = async () =>
      (await client.query('select * from public.told order by a', [], { isRaw: true, isRepeated: true })).map(
        (row) => row instanceof WireRow && row.read(),
      );
    const described = vi.spyOn(RawQuery.prototype, 'handleRowDescription');
    onTestFinished(async () => {
      described.mockRestore();
      await client.close();
      await owner.query('drop table told');
      await owner.end();
    });
    const told = [1, 2, 3].map((a) => ({ a, b: String(a) }));
    for (let n = 0; n < 3; n += 1) expect(await ask()).toEqual(told);
    expect(await Promise.all([ask(), ask()])).toEqual([told, told]);
    expect(described).toHaveBeenCalledTimes(1);
    await owner.query('delete from told where a > 1');
    expect(await ask()).toEqual(told.slice(0, 1));
    await owner.query('alter table told alter b type integer using b::integer');
    expect(await failure(ask())).toMatchObject({ code: '26000' });
    for (let n = 0; n < 2; n += 1) expect(await ask()).toEqual([{ a: 1, b: 1 }]);
    expect(described).toHaveBeenCalledTimes(3);
  });

  it('settles answers in the order of the statements, however their rows are taken', async () => {
    const client = await connect(settingsOf(await sharedServer(18), { pipeline: true }));
    const settled: number[] = [];
    const asked = Array.from({ length: 12 }, async (_, n) => {
      await client.query(`select ${n} as n`, [], { isRaw: n % 2 === 1 });
      settled.push(n);
    });
    await Promise.all(asked);
    expect(settled).toEqual(asked.map((_, n) => n));
  });

  it('takes nothing from the environment', async () => {
    const server = await sharedServer(18);
    vi.stubEnv('PGPASSWORD', server.password);
    vi.stubEnv('PGOPTIONS', '-c work_mem=7MB');
    vi.stubEnv('PGSSLMODE', 'require');
    vi.stubEnv('PGSSLNEGOTIATION', 'direct');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const client = await connect(settingsOf(server, { ssl_mode: 'disable' }));
    expect(await client.query("select current_setting('work_mem') as work_mem")).toEqual([
      { work_mem: '4MB' },
    ]);
    const missing = await failure(connectTarget(settingsOf(server, { password: undefined })));
    expect(missing).toMatchObject({ step: 'sign_in', code: 'password_needed' });
    expect(inspect(client, { showHidden: true, depth: 8 })).not.toContain(server.password);
  });

  it('hands on every value exactly', async () => {
    const client = await connect(settingsOf(await sharedServer(18)));
    const [row] = await client.query(
      `select 9007199254740993::int8 as big, 42::int8 as small, 'NaN'::float8 as nan, '-Infinity'::float4 as minus,
         'infinity'::timestamptz as never, '2026-01-02 03:04:05.123456+02'::timestamptz as moment,
         '2026-01-02 03:04:05'::timestamp as local, '44-03-15 BC'::date as ides, 1.10::numeric as price,
         null::int as nothing, array[1, null, 9007199254740993]::int8[] as bigs, array['a,b', '{', null] as texts,
         '\\x00ff'::bytea as bytes, true as yes, '{"a": [1]}'::jsonb as json, '1 day 02:00'::interval as span,
         array[1.10, 2]::numeric[] as prices, '0/16B3748'::pg_lsn as lsn, array['2026-01-02Z'::timestamptz] as times`,
    );
    expect(row).toEqual({
      big: '9007199254740993',
      small: 42,
      nan: Number.NaN,
      minus: Number.NEGATIVE_INFINITY,
      never: 'infinity',
      moment: '2026-01-02T01:04:05.123456Z',
      local: '2026-01-02T03:04:05',
      ides: '0044-03-15 BC',
      price: '1.10',
      nothing: null,
      bigs: [1, null, '9007199254740993'],
      texts: ['a,b', '{', null],
      bytes: Buffer.from([0, 255]),
      yes: true,
      json: { a: [1] },
      span: '1 day 02:00:00',
      prices: ['1.10', '2'],
      lsn: '0/16B3748',
      times: ['2026-01-02T00:00:00Z'],
    });
  });

  it('runs a pipeline in which one failure is one failure', async () => {
    const client = await connect(settingsOf(await sharedServer(16), { pipeline: true }));
    const outcomes = await Promise.allSettled([
      client.query('select 1 as n'),
      client.query('select 1 / $1::int as n', [0]),
      client.query('select nothing from nowhere'),
      client.query('select 2 as n'),
    ]);
    expect(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.code)),
    ).toEqual([[{ n: 1 }], '22012', '42P01', [{ n: 2 }]]);
  });

  it('takes statements one after another without a pipeline, and one statement a message', async () => {
    const client = await connect(settingsOf(await sharedServer(15)));
    const both = await Promise.all([client.query('select 1 as n'), client.query('select 2 as n')]);
    expect(both).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    expect((await failure(client.query('select 1; select 2'))).code).toBe('42601');
    expect(await client.query('select 3 as n')).toEqual([{ n: 3 }]);
  });

  it('says in our own words what the server refused', async () => {
    const client = await connect(settingsOf(await sharedServer(17), { statement_timeout_ms: 200 }));
    const late = await failure(client.query('select pg_sleep(5)'));
    expect(late).toMatchObject({ step: 'timeout', code: '57014' });
    const wrong = await failure(client.query("select 'sekret'::int"));
    expect(wrong).toMatchObject({ step: 'statement', code: '22P02' });
    expect(wrong.message).not.toContain('sekret');
  });
});

describe('a server that goes away', () => {
  it('is noticed while idle, and told once', async () => {
    await using cluster = await startCluster();
    const client = await connect(settingsOf(cluster));
    const { promise, resolve } = Promise.withResolvers<TargetError>();
    let calls = 0;
    client.onLost((error) => {
      calls += 1;
      resolve(error);
    });
    await cluster.shutdown();
    expect((await promise).step).toBe('connect');
    await expect(client.query('select 1')).rejects.toThrow(TargetError);
    expect(calls).toBe(1);
  });
});

describe('connecting', () => {
  it.each<{ what: string; over: Partial<TargetSettings>; is: object; words: RegExp }>([
    {
      what: 'a wrong password',
      over: { password: new Secret('canary-wrong') },
      is: { step: 'sign_in', code: '28P01' },
      words: /password for postgres is wrong/,
    },
    {
      what: 'an unknown role',
      over: { username: 'nobody-here' },
      is: { step: 'sign_in', code: '28P01' },
      words: /nobody-here/,
    },
    {
      what: 'an unknown database',
      over: { database: 'nowhere' },
      is: { step: 'database', code: '3D000' },
      words: /database nowhere does not exist/,
    },
    {
      what: 'an unknown name',
      over: { host: 'nowhere.invalid' },
      is: { step: 'resolve', code: 'ENOTFOUND' },
      words: /not known to DNS/,
    },
    {
      what: 'a refused address',
      over: { host: '169.254.169.254' },
      is: { step: 'resolve', code: 'address_refused' },
      words: /cloud metadata/,
    },
    {
      what: 'loopback, switched off',
      over: { allow_private_networks: false },
      is: { step: 'resolve', code: 'address_refused' },
      words: /switched off/,
    },
    {
      what: 'a closed port',
      over: { port: 1 },
      is: { step: 'connect', code: 'ECONNREFUSED' },
      words: /Nothing listens/,
    },
    {
      what: 'TLS that is not offered',
      over: { ssl_mode: 'require' },
      is: { step: 'tls', code: 'tls_not_offered' },
      words: /does not offer TLS/,
    },
  ])('with $what says so', async ({ over, is, words }) => {
    const server = await sharedServer(18);
    const error = await failure(connectTarget(settingsOf(server, over)));
    expect(error).toMatchObject(is);
    expect(error.message).toMatch(words);
    expect(JSON.stringify([error, error.message, String(error.cause)])).not.toContain('canary');
  });

  it('judges every address of a name, and connects to a judged one', async () => {
    const server = await sharedServer(18);
    const settings = settingsOf(server, { host: 'db.example.com' });
    const mixed = openTarget(settings, { lookup: async () => ['203.0.113.1', '::ffff:169.254.169.254'] });
    expect(await failure(mixed)).toMatchObject({ step: 'resolve', code: 'address_refused' });
    let asked = 0;
    const client = await openTarget(settings, {
      lookup: async () => {
        asked += 1;
        return asked === 1 ? ['127.0.0.1'] : ['169.254.169.254'];
      },
    });
    open.push(client);
    expect(asked).toBe(1);
    expect(client.address).toBe('127.0.0.1');
  });

  it('tries the next address when one is refused, within the time', async () => {
    const server = await sharedServer(18);
    const settings = settingsOf(server, { host: 'db.example.com' });
    const client = await openTarget(settings, { lookup: async () => ['127.0.0.2', '::1', '127.0.0.1'] });
    open.push(client);
    expect(client.address).toBe('127.0.0.1');
  });

  it('uses hostaddr in place of resolving', async () => {
    const server = await sharedServer(18);
    const settings = settingsOf(server, { host: 'nowhere.invalid', hostaddr: '127.0.0.1' });
    expect((await connect(settings)).address).toBe('127.0.0.1');
  });

  it('is given up when the caller goes', async () => {
    const aborter = new AbortController();
    const settings = settingsOf(await sharedServer(18), { host: 'slow.example.com' });
    const waiting = failure(
      openTarget(settings, { signal: aborter.signal, lookup: () => new Promise(() => {}) }),
    );
    aborter.abort();
    expect((await waiting).code).toBe('cancelled');
  });

  it('reports each step', async () => {
    const server = await sharedServer(18);
    const steps: string[] = [];
    open.push(await openTarget(settingsOf(server), { onStep: (done) => steps.push(done.step) }));
    expect(steps).toEqual(['resolve', 'connect', 'tls', 'sign_in']);
  });
});

// Logs sent by OTLP over HTTP: what clients of all kinds send is counted, once, for the server that it is of, and nothing else is let in.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { Database } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeToken } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { asJson, asProto, type TestRecord, type TestResource } from '../../testing/logs/otlp-requests.ts';
import { logIntakeDeps, logIntakeRoom } from '../../testing/rooms/log-intake.ts';
import { startCluster } from '../../testing/servers/postgres.ts';
import { collected } from '../../testing/store/collected.ts';
import { looked } from '../../testing/store/logged.ts';
import { createIntake } from './log-intake.service.ts';
import { MOST_RECORDS } from './otlp.ts';
import { answered } from './otlp-answer.ts';

const NOW = Date.now();

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [logIntakeRoom] });
});
afterAll(() => test.close());

interface Target {
  id: number;
  token: string;
}

/** A connection and a token that sends for it alone. */
async function target(): Promise<Target> {
  const { user_id } = test.actors.superuser;
  const id = await makeConnection(test.db, { owner_id: user_id });
  const scope = {
    connections: [{ connection_id: id, level: 'read' as const }],
    admin: ['send_logs'],
    mcp: [],
  };
  return { id, token: await makeToken(test.db, user_id, { scope }) };
}

interface Sending {
  token: string;
  payload: Buffer | string;
  type?: string;
  headers?: Record<string, string>;
}

async function post({ token, payload, type = 'application/json', headers = {} }: Sending) {
  const answer = await test.api.inject({
    method: 'POST',
    url: '/v1/logs',
    headers: { authorization: `Bearer ${token}`, 'content-type': type, ...headers },
    payload,
  });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    bytes: answer.rawPayload,
    text: answer.payload,
  };
}

const json = (token: string, ...resources: TestResource[]) =>
  post({ token, payload: JSON.stringify(asJson(resources)) });
const proto = (token: string, ...resources: TestResource[]) =>
  post({ token, payload: asProto(resources), type: 'application/x-protobuf' });

const counts = (id: number) =>
  test.db.rows<{ class: string; sqlstate: string; severity: string; database_name: string; n: number }>(sql`
    select c.class, c.sqlstate, c.severity, c.database_name, sum(c.events)::int as n
    from matriarch.log_counts c
    where c.connection_id = ${id}
    group by 1, 2, 3, 4
    order by 1`);
const events = (id: number) =>
  test.db.rows<Record<string, unknown>>(
    sql`select * from matriarch.log_events e where e.connection_id = ${id} order by e.id`,
  );

const written = new Date(NOW - 60_000).toISOString();
const stamp = `${written.slice(0, 10)} ${written.slice(11, 23)} UTC`;
const deadlock = { class: 'deadlock', sqlstate: '40P01', severity: 'ERROR', database_name: 'shop', n: 1 };
const member = {
  timestamp: stamp,
  user: 'app',
  dbname: 'shop',
  pid: 4711,
  error_severity: 'ERROR',
  state_code: '40P01',
  message: 'deadlock detected',
  detail: 'Process 1 waits for ShareLock on transaction 2; blocked by process 3.',
};
const csv = `${stamp},"app","shop",4711,"[local]",65f1.1,3,"UPDATE",${stamp},3/7,742,ERROR,40P01,"deadlock detected","Process 1 waits for
ShareLock",,,,,"update t set n = 'secret-value'",,,"psql","client backend",,0`;

/** One deadlock, as different clients send it. */
const FORMS: Record<string, readonly TestRecord[]> = {
  'a line of jsonlog': [{ body: JSON.stringify(member) }],
  'a line of csvlog with line ends': [{ body: csv }],
  'lines of stderr, each a record': [
    { body: `${stamp} [4711] app@shop 40P01 ERROR:  deadlock detected` },
    { body: `${stamp} [4711] app@shop 40P01 DETAIL:  Process 1 waits for ShareLock.` },
  ],
  'lines of stderr in one record': [
    {
      body: `${stamp} [4711] app@shop 40P01 ERROR:  deadlock detected\n${stamp} [4711] app@shop 40P01 DETAIL:  Process 1 waits\n\tfor ShareLock.`,
    },
  ],
  'a record of CloudNativePG': [
    {
      body: {
        level: 'info',
        ts: written,
        logger: 'postgres',
        msg: 'record',
        record: {
          log_time: stamp,
          user_name: 'app',
          database_name: 'shop',
          process_id: '4711',
          error_severity: 'ERROR',
          sql_state_code: '40P01',
          message: 'deadlock detected',
          detail: 'Process 1 waits.',
        },
        logging_pod: 'orders-1',
      },
    },
  ],
  'a record of Fluent Bit': [{ body: { log: JSON.stringify(member), stream: 'stderr' }, time: NOW }],
  'attributes of a parsed line': [{ body: JSON.stringify({ raw: 1 }), attributes: member }],
  'a message with its fields beside it': [
    {
      body: 'deadlock detected',
      severity: 'ERROR',
      time: NOW - 60_000,
      attributes: {
        'db.response.status_code': '40P01',
        'db.namespace': 'shop',
        'process.pid': 4711,
        detail: 'Process 1 waits.',
      },
    },
  ],
};

describe('a deadlock is counted and kept, sent as', () => {
  describe.each([
    ['JSON', json],
    ['protobuf', proto],
  ] as const)('%s:', (_name, send) => {
    it.each(Object.entries(FORMS))('%s', async (_form, records) => {
      const { id, token } = await target();
      const answer = await send(token, { records });
      expect(answer).toMatchObject({ status: 200 });
      expect(send === json ? answer.text : answer.bytes.length).toBe(send === json ? '{}' : 0);
      expect(await counts(id)).toEqual([deadlock]);
      const [event] = await events(id);
      expect(event).toMatchObject({ process_id: '4711', message: 'deadlock detected' });
      expect(String(event?.detail)).toMatch(/^Process \d/);
      expect(Date.parse(String(event?.occurred_at))).toBe(Date.parse(written));
      expect(JSON.stringify(event)).not.toContain('secret-value');
    });
  });
});

it('what a server writes whose clock is an hour off stands at the time by our clock', async () => {
  const { id, token } = await target();
  const rows = [{ response_time_ms: 1, clock_ahead_seconds: 3600 }];
  await collected(test.db, { connection_id: id, probe: 'pg_connectivity', rows });
  const there = new Date(NOW + 3_600_000).toISOString();
  const body = `${there.slice(0, 10)} ${there.slice(11, 23)} UTC [7] app@shop 40P01 ERROR:  deadlock detected`;
  expect(await json(token, { records: [{ body }] })).toMatchObject({ status: 200 });
  expect((await events(id)).map(({ occurred_at }) => Date.parse(String(occurred_at)))).toEqual([NOW]);
});

const lines = (from: number, to: number): TestRecord[] =>
  Array.from({ length: to - from + 1 }, (_none, n) => ({
    body: `${stamp} [7] app@shop LE001 WARNING:  ledger ${from + n}`,
    time: NOW,
  }));
const total = async (id: number) => (await counts(id)).reduce((sum, { n }) => sum + n, 0);

describe('what is sent again', () => {
  it('is counted once, in whatever order and at the same time', async () => {
    const { id, token } = await target();
    const one = { records: lines(1, 50) };
    const two = { records: lines(51, 100) };
    for (const answer of [await proto(token, one), await proto(token, one), await proto(token, two, one)])
      expect(answer.status).toBe(200);
    expect(await total(id)).toBe(100);
    const three = { records: lines(101, 200) };
    const answers = await Promise.all([1, 2, 3].map(() => json(token, three)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await total(id)).toBe(200);
  });

  it('adds a plan of auto_explain to the history of its statement once, without values', async () => {
    const { id, token } = await target();
    const plan = [
      'duration: 12.512 ms  plan:',
      "Query Text: select * from orders where note = 'secret-value'",
      'Seq Scan on orders  (cost=0.00..18.50 rows=5 width=40) (actual time=0.010..12.400 rows=5 loops=1)',
      "  Filter: (note = 'secret-value'::text)",
      '  Rows Removed by Filter: 995',
    ].join('\n');
    const body = JSON.stringify({
      ...member,
      error_severity: 'LOG',
      state_code: '00000',
      message: plan,
      detail: '',
    });
    for (let times = 0; times < 2; times += 1)
      expect((await json(token, { records: [{ body }] })).status).toBe(200);
    const plans = await test.db.rows<Record<string, unknown>>(
      sql`select * from matriarch.query_plans p where p.connection_id = ${id}`,
    );
    expect(plans).toEqual([
      expect.objectContaining({ database_name: 'shop', outline: 'Seq Scan on orders', worst_ms: 12.512 }),
    ]);
    expect(Number(plans[0]?.logged)).toBe(1);
    expect(JSON.stringify(plans)).not.toContain('secret-value');
  });

  it('counts for each of two servers', async () => {
    const [first, second] = [await target(), await target()];
    for (const { token } of [first, second]) await json(token, { records: lines(1, 3) });
    expect([await total(first.id), await total(second.id)]).toEqual([3, 3]);
  });

  it.each([
    [
      'JSON',
      (resources: TestResource[]) => Buffer.from(JSON.stringify(asJson(resources))),
      'application/json',
    ],
    ['protobuf', asProto, 'application/x-protobuf'],
  ] as const)('loses no record of %s where a byte is of another encoding', async (_name, encoded, type) => {
    const { id, token } = await target();
    const sent = Buffer.from(encoded([{ records: lines(1, 3) }]));
    sent[sent.lastIndexOf('shop')] = 0xe9;
    expect((await post({ token, payload: sent, type })).status).toBe(200);
    expect(await total(id)).toBe(3);
  });

  it('is stored whole or not at all', async () => {
    const { id, token } = await target();
    await test.db.run(sql`create function test_refuse() returns trigger language plpgsql as $$
      begin raise exception 'disk full' using errcode = '53100'; end $$`);
    await test.db.run(sql`create trigger test_refuse before insert on matriarch.log_counts
      for each row execute function test_refuse()`);
    const sent = { records: lines(1, 5) };
    const refused = await json(token, sent);
    await test.db.run(sql`drop trigger test_refuse on matriarch.log_counts`);
    expect(refused.status).toBeGreaterThanOrEqual(500);
    expect(await total(id)).toBe(0);
    expect((await json(token, sent)).status).toBe(200);
    expect(await total(id)).toBe(5);
  });
});

describe('the connection of a record', () => {
  it('is named by its resource where the token reaches several', async () => {
    const { user_id } = test.actors.superuser;
    const [one, two] = [await target(), await target()];
    const scope = {
      connections: [one, two].map(({ id }) => ({ connection_id: id, level: 'read' as const })),
      admin: ['send_logs'],
    };
    const token = await makeToken(test.db, user_id, { scope });
    await test.db.run(sql`update matriarch.connections set name = 'orders-1' where id = ${one.id}`);
    const answer = await json(
      token,
      { resource: { 'k8s.pod.name': 'orders-1' }, records: lines(1, 2) },
      { resource: { 'matriarch.connection': two.id }, records: lines(3, 5) },
      { resource: { 'matriarch.connection': test.actors.own_connection }, records: lines(6, 9) },
      { resource: {}, records: lines(10, 10) },
    );
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text).partialSuccess).toEqual({
      rejectedLogRecords: '5',
      errorMessage: expect.stringMatching(/reaches no connection named .* No resource attribute names/),
    });
    expect([await total(one.id), await total(two.id)]).toEqual([2, 3]);
    expect(await total(test.actors.own_connection)).toBe(0);
    const refused = await proto(token, { records: lines(1, 300) });
    // Field 1 with a message, whose field 1 is 300 as a varint.
    expect([...refused.bytes.subarray(0, 1), ...refused.bytes.subarray(2, 5)]).toEqual([
      0x0a, 0x08, 0xac, 0x02,
    ]);
    expect(refused.headers['content-type']).toBe('application/x-protobuf');
  });

  it('has one way at a time: files that are read are not sent as well', async () => {
    const { id, token } = await target();
    await looked(test.db, { connection_id: id, at: Date.now() });
    const answer = await json(token, { records: lines(1, 2) });
    expect(JSON.parse(answer.text).partialSuccess).toMatchObject({
      rejectedLogRecords: '2',
      errorMessage: expect.stringContaining('Files of the log'),
    });
    expect(await total(id)).toBe(0);
    await looked(test.db, { connection_id: id, at: Date.now() - 3_600_000 });
    await json(token, { records: lines(1, 2) });
    expect(await total(id)).toBe(2);
    const source = await test.db.one(
      sql`select s.format, s.reading_since > now() - interval '1 minute' as is_new from matriarch.log_sources s where s.connection_id = ${id}`,
    );
    expect(source).toEqual({ format: 'otlp', is_new: true });
  });
});

describe('a request that cannot be taken', () => {
  it.each([
    ['without the permission', { admin: ['read_logs'] }, 403],
    ['for a connection that its owner cannot read', { admin: ['send_logs'] }, 200],
  ] as const)('%s', async (_name, { admin }, status) => {
    const { id } = await target();
    const scope = { connections: [{ connection_id: id, level: 'read' as const }], admin };
    const owner = status === 403 ? test.actors.superuser : test.actors.other;
    if (status === 200)
      await test.db.run(sql`/* test.senders */
        with g as (insert into matriarch.groups (name) values ('senders') returning id),
          m as (insert into matriarch.group_users (group_id, user_id) select g.id, ${owner.user_id} from g)
        insert into matriarch.group_permissions (group_id, permission) select g.id, 'send_logs' from g`);
    const token = await makeToken(test.db, owner.user_id, { scope });
    const answer = await json(token, { records: lines(1, 2) });
    expect(answer.status).toBe(status);
    expect(await total(id)).toBe(0);
  });

  it('is refused by its type, encoding, size and shape, in the encoding that it came in', async () => {
    const { id, token } = await target();
    const at = (payload: Buffer | string, type?: string, headers?: Record<string, string>) =>
      post({ token, payload, ...(type !== undefined && { type }), ...(headers && { headers }) });
    expect((await at('x', 'text/plain')).status).toBe(415);
    expect((await at('{}', 'application/json', { 'content-encoding': 'br' })).status).toBe(415);
    expect((await at('{"a":', 'application/json')).status).toBe(400);
    expect((await at('[]', 'application/json')).status).toBe(400);
    expect((await at('{"resourceLogs":[{"scopeLogs":3}]}', 'application/json')).status).toBe(400);
    expect((await at('x', 'application/json', { 'content-encoding': 'gzip' })).status).toBe(400);
    expect((await at(Buffer.alloc(4 * 1024 * 1024 + 1, 32), 'application/json')).status).toBe(413);
    const bomb = gzipSync(Buffer.alloc(17 * 1024 * 1024, 32));
    expect((await at(bomb, 'application/json', { 'content-encoding': 'gzip' })).status).toBe(413);
    const many = { records: Array.from({ length: MOST_RECORDS + 1 }, () => ({ body: 'x' })) };
    expect((await proto(token, many)).status).toBe(413);
    const broken = await at(asProto([{ records: lines(1, 2) }]).subarray(0, 60), 'application/x-protobuf');
    expect(broken).toMatchObject({
      status: 400,
      headers: { 'content-type': 'application/x-protobuf' },
    });
    // google.rpc.Status: code 3.
    expect([...broken.bytes.subarray(0, 2)]).toEqual([0x08, 3]);
    expect(await total(id)).toBe(0);
  });

  it('however deep its values are nested, harms nothing', async () => {
    const { id, token } = await target();
    const deep = `${'{"arrayValue":{"values":['.repeat(20_000)}${']}}'.repeat(20_000)}`;
    const text = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":${deep}}]}]}]}`;
    expect([200, 400]).toContain((await post({ token, payload: text })).status);
    let nested = Buffer.alloc(0);
    for (let depth = 0; depth < 3000; depth += 1) {
      const size = nested.length;
      const varint: number[] = [];
      for (let rest = size; ; rest = Math.floor(rest / 128)) {
        varint.push(rest >= 128 ? (rest % 128) + 128 : rest);
        if (rest < 128) break;
      }
      const list = Buffer.concat([Buffer.from([0x0a, ...varint]), nested]);
      const outer: number[] = [];
      for (let rest = list.length; ; rest = Math.floor(rest / 128)) {
        outer.push(rest >= 128 ? (rest % 128) + 128 : rest);
        if (rest < 128) break;
      }
      nested = Buffer.concat([Buffer.from([0x2a, ...outer]), list]);
    }
    const answer = await post({ token, payload: nested, type: 'application/x-protobuf' });
    expect([200, 400]).toContain(answer.status);
    expect(await total(id)).toBeLessThanOrEqual(1);
  });
});

it('who sends more than can be stored at once is asked to wait, and loses nothing', async () => {
  const { id, token } = await target();
  const sent = Array.from({ length: 12 }, (_none, n) => ({ records: lines(n * 1000 + 1, n * 1000 + 1000) }));
  const answers = await Promise.all(sent.map((one) => proto(token, one)));
  const waiting = answers.filter(({ status }) => status === 503);
  expect(waiting.length).toBeGreaterThan(0);
  for (const { headers } of waiting) expect(headers['retry-after']).toBe('5');
  const again = answers.flatMap(({ status }, n) => (status === 503 ? [sent[n] ?? expect.fail()] : []));
  for (const one of again) expect((await proto(token, one)).status).toBe(200);
  expect(await total(id)).toBe(12_000);
});

it('a datastore that is away is said with a time to wait', async () => {
  const away = await startCluster();
  const db = new Database({ url: new Secret(away.url), log: silentLog, applicationName: 'test', max: 2 });
  await away.kill();
  const { signal } = new AbortController();
  const via = { kind: 'token', id: 1 } as const;
  const scope = { connections: [{ connection_id: 1, level: 'read' }] } as const;
  const principal = { user_id: 1, username: 'a', is_superuser: true, admin_permissions: ['*'], via, scope };
  const ctx = { db, principal, clock: systemClock, log: silentLog, signal };
  const sent = { body: asProto([{ records: lines(1, 2) }]), type: 'application/x-protobuf', encoding: '' };
  const reply = await answered(sent, createIntake(logIntakeDeps())(ctx, sent));
  expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  await db.stop();
  await away.stop();
});

it('what is packed with gzip is read', async () => {
  const { id, token } = await target();
  const payload = gzipSync(asProto([{ records: lines(1, 500) }]));
  const headers = { 'content-encoding': 'gzip' };
  expect((await post({ token, payload, type: 'application/x-protobuf', headers })).status).toBe(200);
  expect(await total(id)).toBe(500);
});

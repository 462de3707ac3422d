// What happens when something beside the request is wrong: the datastore away, a rule of the tables broken, a proxy
// in front, too many calls. A stop in the middle is in faults.proof.test.ts.
import { expect, it, onTestFinished } from 'vitest';
import type { PublicCtx } from '../identity/access/principal.ts';
import { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { Reply, type Route, route } from '../kernel/route.ts';
import { Secret } from '../kernel/secret.ts';
import { type Sql, sql } from '../kernel/sql.ts';
import { callApi, startTestApi, type TestApiOptions } from '../testing/api.ts';
import { openOperation } from '../testing/open-operation.ts';
import { wholeRoom } from '../testing/rooms/whole.ts';

async function start(options: Partial<TestApiOptions>) {
  const test = await startTestApi({ rooms: [wholeRoom], ...options });
  onTestFinished(() => test.close());
  return test;
}

it('answers while the datastore is away, with the status that each operation promises', async () => {
  const db = new Database({
    url: new Secret('postgres://nobody@127.0.0.1:1/nothing'),
    log: silentLog,
    applicationName: 'test',
  });
  const { api } = await start({ db });
  onTestFinished(() => db.stop());
  const token = { token: 'x'.repeat(43) };
  const away = /datastore/;
  const expected: [string, object, number, RegExp][] = [
    ['GET /health', {}, 503, away],
    ['GET /health', token, 503, away],
    ['GET /api/v1/capabilities', token, 503, away],
    ['GET /api/v1/server-info/1', token, 500, away],
    ['GET /api/v1/server-info/1/ai-analysis', token, 500, away],
    ['GET /api/v1/server-info/1', {}, 401, /Sign in/],
    ['POST /api/v1/auth/login', { body: { username: 'a', password: 'b' } }, 503, away],
  ];
  for (const [request, options, status, words] of expected) {
    const answer = await callApi(api, request, options);
    expect([request, answer.status]).toEqual([request, status]);
    expect(answer.error).toMatch(words);
    expect(answer.headers.link).toBe('</api/v1/openapi.json>; rel="service-desc"');
  }
  expect((await callApi(api, 'GET /api/v1/openapi.json', token)).status).toBe(200);
  expect((await callApi(api, 'GET /api/v1/llm/providers', token)).status).toBe(200);
});

it('says which rule was broken, by the name of the constraint and without its words', async () => {
  const statements: Record<string, Sql> = {
    duplicate: sql`/* test.duplicate */
      insert into matriarch.users (username) select username from matriarch.users limit 1`,
    missing: sql`/* test.missing */
      insert into matriarch.sessions (token_hash, user_id, expires_at) values ('x', 999999, now())`,
    rule: sql`/* test.rule */ insert into matriarch.users (username) values ('not a name')`,
    cancelled: sql`/* test.cancelled */ select pg_cancel_backend(pg_backend_pid()), pg_sleep(5)`,
    lost: sql`/* test.lost */ select pg_terminate_backend(pg_backend_pid())`,
    full: sql`/* test.full */ do $$begin raise 'could not extend file' using errcode = 'disk_full'; end$$`,
    standby: sql`/* test.standby */
      do $$begin
        perform set_config('transaction_read_only', 'on', true);
        create table matriarch.never ();
      end$$`,
    ours: sql`/* test.ours */ select 1 / 0`,
  };
  const routes: Route<PublicCtx>[] = Object.entries(statements).map(([name, statement]) =>
    route(openOperation(name), async (ctx: PublicCtx) => {
      await ctx.db.run(statement);
      return { said: 'done' };
    }),
  );
  const { call } = await start({ rooms: [() => routes] });
  const outcome = async (name: string) => {
    const { status, error } = await call(`GET /api/v1/${name}`);
    return [status, error];
  };
  expect(await outcome('duplicate')).toEqual([409, 'A user of that name exists already.']);
  expect(await outcome('missing')).toEqual([404, 'Something that the request refers to does not exist.']);
  expect(await outcome('rule')).toEqual([
    400,
    'username must be 1 to 128 letters, digits or _ . @ -, starting with a letter or digit.',
  ]);
  expect((await outcome('cancelled'))[0]).toBe(503);
  expect((await outcome('lost'))[0]).toBe(503);
  expect(await outcome('full')).toEqual([503, expect.stringContaining('disk of the datastore is full')]);
  expect(await outcome('standby')).toEqual([503, expect.stringContaining('Name the primary')]);
  expect(await outcome('ours')).toEqual([500, 'internal error']);
});

it('refuses to send a reply that does not fit its schema', async () => {
  const wrong = route(openOperation('wrong'), async () => new Reply({ body: { said: null } }));
  const { call } = await start({ rooms: [() => [wrong]] });
  expect(await call('GET /api/v1/wrong')).toMatchObject({ status: 500, error: 'internal error' });
});

const whoami = route(openOperation('whoami'), async (_ctx: PublicCtx, _input, { address, secure }) => ({
  said: `${address} ${secure}`,
}));
const forwarded = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };

it('believes a proxy only when it is trusted', async () => {
  const alone = await start({ rooms: [() => [whoami]] });
  const first = await alone.call('GET /api/v1/whoami', { headers: forwarded });
  expect(first.body).toEqual({ said: '127.0.0.1 false' });
  expect(first.headers['strict-transport-security']).toBeUndefined();
  const behind = await start({ rooms: [() => [whoami]], config: { trustedProxies: ['127.0.0.0/8'] } });
  const second = await behind.call('GET /api/v1/whoami', { headers: forwarded });
  expect(second.body).toEqual({ said: '203.0.113.9 true' });
  expect(second.headers['strict-transport-security']).toMatch(/^max-age=/);
});

it('limits each caller when told to, before it looks at tokens', async () => {
  const { call, actors } = await start({ config: { generalRateLimit: 2 } });
  const statuses = async (options: object) => {
    const found: number[] = [];
    for (let n = 0; n < 3; n += 1) found.push((await call('GET /api/v1/capabilities', options)).status);
    return found;
  };
  expect(await statuses({ token: actors.owner.session })).toEqual([200, 200, 429]);
  expect(await statuses({ token: actors.other.session })).toEqual([200, 200, 429]);
  expect(await statuses({})).toEqual([401, 401, 429]);
  const invented = await call('GET /api/v1/capabilities', { token: 'another' });
  expect([invented.status, Number(invented.headers['retry-after']) >= 1]).toEqual([429, true]);
});

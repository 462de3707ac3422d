// S12, S9: every operation × every kind of caller, against a small model of the rules that shares no code with the
// gate. It grows by itself: a new operation is in it as soon as its contract is.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../areas/operations.gen.ts';
import { allRoutes } from '../areas/routes.ts';
import type { Operation } from '../kernel/contract.ts';
import { type Sql, sql } from '../kernel/sql.ts';
import { type Answer, callApi, startTestApi, type TestApi } from '../testing/api.ts';
import { type CallerKind, callerKinds, type Prepared, type Rights } from '../testing/callers.ts';

type Verdict = 'pass' | 401 | 403 | 404;

/** The rules of access, once more and by themselves. */
function verdict({ access, method }: Operation, rights: Rights): Verdict {
  const forged = rights.cross_site && method !== 'GET';
  if (access === 'public') return forged ? 403 : 'pass';
  if (!rights.signed_in) return 401;
  if (forged) return 403;
  if (access === 'signed-in') return 'pass';
  if (access === 'session') return rights.via === 'session' ? 'pass' : 403;
  if ('visible' in access) return 'pass';
  const holds = (name: string) => rights.permissions === 'all' || rights.permissions.includes(name);
  if ('superuser' in access) return rights.permissions === 'all' ? 'pass' : 403;
  if ('any' in access)
    return access.any.some((way) => 'permission' in way && holds(way.permission)) ? 'pass' : 403;
  if ('session' in access && rights.via !== 'session') return 403;
  if ('permission' in access && access.permission && !holds(access.permission)) return 403;
  if ('connections' in access || !('connection' in access) || access.connection === undefined) return 'pass';
  if (!rights.exists) return 'unknown' in access && access.unknown === 'forbidden' ? 403 : 404;
  if (access.need === 'read') return rights.level >= 1 ? 'pass' : 403;
  if (access.need === 'read_write') return rights.level === 2 ? 'pass' : 403;
  const manages = (rights.owns && rights.level === 2) || (rights.level >= 1 && holds('manage_connections'));
  return manages ? 'pass' : 403;
}

function connectionName({ access }: Operation): string | undefined {
  return typeof access === 'object' && 'connection' in access ? access.connection : undefined;
}

function request(operation: Operation, { call, target }: Prepared) {
  const name = connectionName(operation);
  const values = { ...operation.paramsExample, ...(name && !name.startsWith('body.') && { [name]: target }) };
  const used = new Set<string>();
  const path = operation.path.replace(/\{([^}]+)\}/g, (_match, parameter: string) => {
    used.add(parameter);
    return encodeURIComponent(String(values[parameter]));
  });
  const query = Object.entries(values).filter(([parameter]) => !used.has(parameter));
  const search = new URLSearchParams(query.map(([key, value]) => [key, String(value)]));
  const member = name?.startsWith('body.') ? { [name.slice('body.'.length)]: target } : {};
  const body = operation.body ? { body: { ...Object(operation.bodyExample), ...member } } : {};
  return {
    line: `${operation.method} ${path}${search.size > 0 ? `?${search}` : ''}`,
    options: { ...call, ...body },
  };
}

const GATE = [
  'Sign in first.',
  'The token or session is not valid.',
  'Writes from another site are not allowed.',
  'This needs a session; API tokens cannot do it.',
  'You have no access to this connection.',
  'You need read and write access to this connection.',
  'You may not change this connection.',
  'There is nothing at this path.',
];

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi();
});
afterAll(() => test.close());

const ask = (operation: Operation, prepared: Prepared): Promise<Answer> => {
  const { line, options } = request(operation, prepared);
  return callApi(test.api, line, options);
};

/** Everything that is stored, but for traces of use; two of them are equal when nothing was written between. */
async function contents(): Promise<unknown> {
  const tables = await test.db.rows<{ name: string }>(sql`/* test.tables */
    select tablename as name from pg_catalog.pg_tables where schemaname = 'matriarch' order by 1`);
  const kept = tables.map(({ name }) => name).filter((name) => name !== 'login_attempts');
  const hashes = kept.map((name) => test.db.one<{ hash: string | null }>(hashOf(name)));
  return Object.fromEntries((await Promise.all(hashes)).map(({ hash }, index) => [kept[index], hash]));
}

function hashOf(table: string): Sql {
  const statement = `/* test.contents */
    select md5(string_agg(row::text, ',' order by row::text)) as hash
    from (select to_jsonb(t) - 'last_used_at' as row from matriarch.${table} t) rows`;
  return { text: statement, values: [] };
}

function expectErrorReply(answer: Answer): void {
  expect(Object.keys(Object(answer.body))).toEqual(['error']);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers.link).toBe('</api/v1/openapi.json>; rel="service-desc"');
  expect(answer.headers['x-request-id']).toBeDefined();
}

it('every operation has a handler, and every handler an operation', () => {
  const served = allRoutes(test.services).map(({ operation }) => operation.id);
  expect([...served].sort()).toEqual(operations.map(({ id }) => id));
});

describe.each(operations.map((operation) => [operation.id, operation] as const))(
  'S9 S12 %s',
  (_id, operation) => {
    const kinds = callerKinds.map((kind) => ({ kind, expected: verdict(operation, kind.rights) }));
    const denied = kinds.filter(({ expected }) => expected !== 'pass');
    const passing = kinds.filter(({ expected }) => expected === 'pass');

    if (denied.length > 0)
      it(`turns away ${denied.length} kinds of caller and writes nothing`, async () => {
        const cells: { kind: CallerKind; expected: Verdict; prepared: Prepared }[] = [];
        for (const { kind, expected } of denied)
          cells.push({ kind, expected, prepared: await kind.prepare(test.db) });
        const before = await contents();
        for (const { kind, expected, prepared } of cells) {
          const answer = await ask(operation, prepared);
          expect(answer.status, `${kind.name}: ${answer.text}`).toBe(expected);
          expectErrorReply(answer);
          expect(answer.headers['www-authenticate'], kind.name).toBe(expected === 401 ? 'Bearer' : undefined);
        }
        expect(await contents()).toEqual(before);
      });

    it(`lets ${passing.length} kinds of caller through`, async () => {
      expect(passing.length).toBeGreaterThan(0);
      for (const { kind } of passing) {
        const answer = await ask(operation, await kind.prepare(test.db));
        const what = `${kind.name}: ${answer.status} ${answer.text.slice(0, 200)}`;
        expect([405, 413, 415, 500, 501], what).not.toContain(answer.status);
        expect(GATE, what).not.toContain(answer.error);
        expect(answer.error ?? '', what).not.toMatch(/^You need the permission/);
        if (answer.status >= 400 && !operation.alternative) expectErrorReply(answer);
        if (answer.text !== '')
          expect(answer.headers.link).toBe('</api/v1/openapi.json>; rel="service-desc"');
      }
    });

    it('answers other methods with 405 and the ones it has', async () => {
      const here = operations.filter(({ path }) => path === operation.path);
      const allowed = here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
      const { prepare } =
        callerKinds.find(({ name }) => name === 'a superuser') ?? callerKinds[0] ?? expect.fail();
      const prepared = await prepare(test.db);
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (allowed.includes(method)) continue;
        const { line, options } = request(operation, prepared);
        const answer = await callApi(test.api, line.replace(/^\w+/, method), options);
        expect(answer.status, `${method} ${operation.path}`).toBe(405);
        expect(answer.headers.allow?.split(', ').sort()).toEqual([...allowed].sort());
        if (method !== 'HEAD') expectErrorReply(answer);
      }
    });

    if (operation.params !== undefined)
      it('refuses ids that are none with 400', async () => {
        const superuser = { token: test.actors.superuser.session };
        for (const odd of ['0', '-1', '1.0', '0x1', '2147483648', 'one', '%20']) {
          const path = operation.path.replace(/\{[^}]+\}/g, odd);
          const body = operation.body ? { body: operation.bodyExample } : {};
          const answer = await callApi(test.api, `${operation.method} ${path}`, { ...superuser, ...body });
          expect(answer.status, `${path}: ${answer.text}`).toBe(400);
          expectErrorReply(answer);
        }
      });

    if (operation.body !== undefined)
      it('refuses bodies that are none with 400 and 415', async () => {
        const { superuser } = test.actors;
        const name = connectionName(operation);
        const values = name?.startsWith('body.') ? {} : { [name ?? '']: test.actors.own_connection };
        const path = operation.path.replace(/\{([^}]+)\}/g, (_match, parameter: string) =>
          String(values[parameter] ?? operation.paramsExample?.[parameter]),
        );
        const send = (body: unknown, headers = {}) =>
          callApi(test.api, `${operation.method} ${path}`, { token: superuser.session, body, headers });
        for (const body of ['', '{', '[]', 'null', '"text"', '{"a":'.repeat(5000)]) {
          const answer = await send(body);
          expect(answer.status, `${body.slice(0, 20)}: ${answer.text}`).toBe(400);
          expectErrorReply(answer);
        }
        const typed = await send('{}', { 'content-type': 'text/plain' });
        expect(typed.status).toBe(415);
      });
  },
);

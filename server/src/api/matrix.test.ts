// S9, S12, S21: every operation × every kind of caller, against a small model of the rules that shares no code with the
// gate. It grows by itself: a new operation is in it as soon as its contract is. Denials write nothing but their row in
// the audit log, and no reply names a connection that its caller cannot see.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRefusals, type Refusals } from '../areas/audit/refusals.service.ts';
import { operations } from '../areas/operations.gen.ts';
import { allRoutes } from '../areas/routes.ts';
import { manualClock, systemClock } from '../kernel/clock.ts';
import type { Operation } from '../kernel/contract.ts';
import { silentLog } from '../kernel/log.ts';
import { membersOf, nodeOf } from '../kernel/schema-node.ts';
import { type Sql, sql } from '../kernel/sql.ts';
import { knownObjects, type ModelCaller, type Verdict, verdict } from '../testing/access/access-model.ts';
import { emptyScene, type Scene, secretsIn } from '../testing/access/access-scene.ts';
import { type CallerKind, callerKinds, type Prepared, UNKNOWN_ID } from '../testing/access/callers.ts';
import {
  type Aim,
  aimsOf,
  makeSubjects,
  namesSubject,
  type Request,
  requestOf,
  SIGNING_SECRET,
  type Subjects,
} from '../testing/access/matrix-requests.ts';
import { type Answer, callApi } from '../testing/api.ts';
import { startWholeApi, type WholeApi } from '../testing/rooms/whole.ts';

/** What only the gate says, or a service that did not find what exists. */
const TURNED_AWAY = [
  'Sign in first.',
  'The token or session is not valid.',
  'Writes from another site are not allowed.',
  'This needs a session; API tokens cannot do it.',
  'Only a superuser may do this.',
  'You have no access to this connection.',
  'You need read and write access to this connection.',
  'You may not change this connection.',
  'There is nothing at this path.',
  'There is no such cluster.',
  'There is no such cluster group.',
  'There is no such user.',
  'There is no such token.',
  'There is no such blackout.',
  'There is no such schedule.',
];

let test: WholeApi;
let scene: Scene;
let subjects: Subjects;
let refusals: Refusals;
const clock = manualClock(systemClock.now());
/** One of each kind, for requests that change nothing. */
const standing = new Map<CallerKind, Prepared>();
beforeAll(async () => {
  test = await startWholeApi({ refusals: (db) => createRefusals({ db, clock, log: silentLog }) });
  ({ refusals } = test);
  everything = await readAll();
  scene = emptyScene(test.db);
  subjects = { ...(await makeSubjects(scene)), signing_channel: await makeSigningChannel() };
  for (const kind of callerKinds) standing.set(kind, await kind.prepare(scene));
}, 60_000);
afterAll(() => test.close());

async function makeSigningChannel(): Promise<number> {
  const token = test.actors.superuser.session;
  const body = { channel_type: 'pagerduty', name: 'signing', api_key: 'k', signing_secret: SIGNING_SECRET };
  const made = await callApi(test.api, 'POST /api/v1/notification-channels', { token, body });
  return Object(made.body).id;
}

const isSigned = ({ access }: Operation) => typeof access === 'object' && 'signed' in access;

const standingBy = (name: string): Prepared =>
  [...standing].find(([kind]) => kind.name === name)?.[1] ?? expect.fail(name);

/** Everything that is stored, but for traces of use and the audit log: one statement over all tables. */
let everything: Sql;
async function readAll(): Promise<Sql> {
  const tables = await test.db.rows<{ name: string }>(sql`/* test.tables */
    select tablename as name from pg_catalog.pg_tables where schemaname = 'matriarch' order by 1`);
  const kept = tables.map(({ name }) => name).filter((name) => !/^(login_attempts|audit_.*)$/.test(name));
  const hashes = kept.map(
    (name) => `
    select '${name}' as name, count(*)::int as count, sum(hashtextextended(row::text, 0))::text as hash
    from (select to_jsonb(t) - 'last_used_at' as row from matriarch.${name} t) rows`,
  );
  return { text: `/* test.contents */ ${hashes.join(' union all ')} order by name`, values: [] };
}

const contents = () => test.db.rows(everything);

async function refusedSoFar(): Promise<number> {
  await refusals.flush();
  const { count } = await test.db.one<{ count: number }>(sql`/* test.refused */
    select coalesce(sum(occurrences), 0)::int as count from matriarch.audit_events where outcome = 'refused'`);
  return count;
}

function expectErrorReply(answer: Answer): void {
  expect(Object.keys(Object(answer.body))).toEqual(['error']);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers.link).toBe('</api/v1/openapi.json>; rel="service-desc"');
  expect(answer.headers['x-request-id']).toBeDefined();
}

interface Cell {
  what: string;
  kind: CallerKind;
  aim: Aim;
  prepared: Prepared;
  request: Request;
  expected: Verdict;
}

interface Chosen {
  kind: CallerKind;
  prepared: Prepared;
  subjects: Subjects;
}

function cellOf(operation: Operation, aim: Aim, { kind, prepared, subjects: about }: Chosen): Cell {
  const request = requestOf(operation, aim, { prepared, subjects: about });
  const { caller, cross_site, target } = prepared;
  const expected = verdict(scene.world, { operation, caller, cross_site, target, named: request.named });
  return { what: `${kind.name}: ${request.line}`, kind, aim, prepared, request, expected };
}

const cellsOf = (operation: Operation) =>
  [...standing].flatMap(([kind, prepared]) =>
    aimsOf(operation).map((aim) => cellOf(operation, aim, { kind, prepared, subjects })),
  );

/** Whether what it names is a text of any form, and nothing else. */
const takesText = ({ params }: Operation) =>
  params !== undefined &&
  membersOf(nodeOf(params)).every(({ node }) => node.type === 'string' && !node.enum && !node.pattern);

/** Four at a time; each works on what is its own, or changes nothing. */
async function together<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
}

const ask = ({ request }: Cell) => callApi(test.api, request.line, request.options);

/** No name of what the caller cannot see. */
function expectNothingHidden(answer: Answer, caller: ModelCaller | undefined, what: string): void {
  const hidden = secretsIn(scene, answer.text).filter(({ seenBy }) => !caller || !seenBy(caller));
  expect(
    hidden.map(({ name }) => name),
    `${what} shows what is hidden`,
  ).toEqual([]);
}

/** Whoever may read the audit log may read all of it. */
const NAMES_MORE = ['listAuditEvents'];

function expectPass(operation: Operation, { prepared, what }: Cell, answer: Answer): void {
  const told = `${what}: ${answer.status} ${answer.text.slice(0, 200)}`;
  expect([405, 413, 415, 500, 501], told).not.toContain(answer.status);
  expect(TURNED_AWAY, told).not.toContain(answer.error);
  expect(answer.error ?? '', told).not.toMatch(/^You need the permission/);
  if (answer.status >= 400 && !operation.alternative) expectErrorReply(answer);
  if (answer.text !== '') expect(answer.headers.link).toBe('</api/v1/openapi.json>; rel="service-desc"');
  if (!NAMES_MORE.includes(operation.id)) expectNothingHidden(answer, prepared.caller, told);
}

it('every operation has a handler, and every handler an operation', () => {
  const served = allRoutes(test.services).map(({ operation }) => operation.id);
  expect([...served].sort()).toEqual(operations.map(({ id }) => id));
});

it('every kind of object has its rule in the model (testing/access/access-model.ts, OBJECTS)', () => {
  const named = operations.flatMap(({ access }) =>
    typeof access === 'object' && 'object' in access ? [access.object] : [],
  );
  expect([...new Set(named)].filter((name) => !knownObjects.includes(name))).toEqual([]);
});

describe.each(operations.map((operation) => [operation.id, operation] as const))(
  'S9 S12 %s',
  (_id, operation) => {
    it('turns away whom the model does, writes nothing and remembers it', async () => {
      const denied = cellsOf(operation).filter(({ expected }) => expected !== 'pass');
      const before = await contents();
      const refused = await refusedSoFar();
      let remembered = 0;
      await together(denied, async (cell) => {
        const { what, expected, prepared } = cell;
        const answer = await ask(cell);
        expect([answer.status, what], answer.text).toEqual([expected, what]);
        expectErrorReply(answer);
        expect(answer.headers['www-authenticate'], what).toBe(expected === 401 ? 'Bearer' : undefined);
        if (
          expected === 403 ||
          (expected === 401 && (isSigned(operation) || (prepared.call.token ?? prepared.call.cookie)))
        )
          remembered += 1;
      });
      expect(await contents()).toEqual(before);
      expect(await refusedSoFar()).toBe(refused + remembered);
      clock.advance(60_000);
      await refusals.flush();
    });

    it('lets through whom the model does', async () => {
      const passing = cellsOf(operation).filter(({ expected }) => expected === 'pass');
      expect(passing.length).toBeGreaterThan(0);
      const changes = operation.method !== 'GET';
      const undo = await scene.mark();
      await together(passing, async ({ kind, aim, prepared }) => {
        const fresh = changes ? await kind.prepare(scene) : prepared;
        const about = changes && namesSubject(operation) ? await makeSubjects(scene) : subjects;
        const cell = cellOf(operation, aim, { kind, prepared: fresh, subjects: about });
        expect(cell.expected, cell.what).toBe('pass');
        expectPass(operation, cell, await ask(cell));
      });
      await undo();
      clock.advance(60_000);
      await refusals.flush();
    });

    it('answers other methods with 405 and the ones it has', async () => {
      const here = operations.filter(({ path }) => path === operation.path);
      const allowed = here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
      const prepared = standingBy('a superuser');
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (allowed.includes(method)) continue;
        const { line, options } = requestOf(operation, 'usual', { prepared, subjects });
        const answer = await callApi(test.api, line.replace(/^\w+/, method), options);
        expect(answer.status, `${method} ${operation.path}`).toBe(405);
        expect(answer.headers.allow?.split(', ').sort()).toEqual([...allowed].sort());
        if (method !== 'HEAD') expectErrorReply(answer);
      }
    });

    if (operation.params !== undefined)
      it('refuses ids that are none with 400, and those of nothing with 404', async () => {
        const superuser = { token: test.actors.superuser.session };
        const body = operation.body ? { body: operation.bodyExample } : {};
        const send = async (id: string) => {
          const path = operation.path.replace(/\{[^}]+\}/g, id);
          return {
            path,
            answer: await callApi(test.api, `${operation.method} ${path}`, { ...superuser, ...body }),
          };
        };
        for (const odd of ['0', '-1', '1.0', '0x1', '2147483648', 'one', '%20']) {
          const { path, answer } = await send(odd);
          expect(answer.status, `${path}: ${answer.text}`).toBe(takesText(operation) ? 404 : 400);
          expectErrorReply(answer);
        }
        const gone = standingBy('a superuser, who names an unknown connection');
        const none: Subjects = { group: UNKNOWN_ID, user: UNKNOWN_ID, token: UNKNOWN_ID };
        for (const aim of aimsOf(operation).filter((one) => one !== 'oneself')) {
          const { line, options } = requestOf(operation, aim, { prepared: gone, subjects: none });
          const answer = await callApi(test.api, line, options);
          const hides = typeof operation.access === 'object' && 'unknown' in operation.access;
          // Whether it exists is for those who can sign.
          const expected = isSigned(operation) ? 401 : hides ? 403 : 404;
          expect([answer.status, line], answer.text).toEqual([expected, line]);
          expectErrorReply(answer);
        }
        await refusals.flush();
      });

    if (operation.body !== undefined)
      it('refuses bodies that are none with 400 and 415', async () => {
        const prepared = standingBy('a superuser');
        const { line, options } = requestOf(operation, 'usual', { prepared, subjects });
        const send = (body: unknown, headers = {}) => callApi(test.api, line, { ...options, body, headers });
        const empty = operation.bodyOptional ? [] : [''];
        for (const body of [...empty, '{', '[]', 'null', '"text"', '{"a":'.repeat(5000)]) {
          const answer = await send(body);
          expect(answer.status, `${body.slice(0, 20)}: ${answer.text}`).toBe(400);
          expectErrorReply(answer);
        }
        const typed = await send('{}', { 'content-type': 'text/plain' });
        expect(typed.status).toBe(415);
      });
  },
);

// S9, S12, S21: every operation × every kind of caller, against a small model of the rules that shares no code with the
// gate. It grows by itself: a new operation is in it as soon as its contract is. Denials write nothing but their row in
// the audit log, and no reply names a connection that its caller cannot see. Everyday a few callers ask each operation, and
// all of them one of each class (testing/access/matrix-share.ts); in the proof the others ask.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allRoutes } from '../app/routes.ts';
import type { Operation } from '../kernel/contract.ts';
import { membersOf, nodeOf } from '../kernel/schema-node.ts';
import { knownObjects } from '../testing/access/access-model.ts';
import { UNKNOWN_ID } from '../testing/access/callers.ts';
import {
  ask,
  type Cell,
  cellOf,
  cellsOf,
  expectErrorReply,
  expectNothingHidden,
  forgetRefusals,
  type Matrix,
  preparedBy,
  refusedSoFar,
  startMatrix,
  together,
} from '../testing/access/matrix.ts';
import {
  aimsOf,
  makeSubjects,
  namesSubject,
  requestOf,
  type Subjects,
} from '../testing/access/matrix-requests.ts';
import { callersOf, FEW, few, firstOfClasses } from '../testing/access/matrix-share.ts';
import { type Answer, callApi } from '../testing/api.ts';
import { isProof } from '../testing/tier.ts';
import { operations } from './operations.gen.ts';

/** What only the gate says, or a service that did not find what exists. */
const TURNED_AWAY = [
  'Sign in first.',
  'The token or session is not valid.',
  'Writes from another site are not allowed.',
  'A token of a sign-in provider opens /mcp/v1 only. Use an API token.',
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

let matrix: Matrix;
beforeAll(async () => {
  matrix = await startMatrix();
}, 60_000);
afterAll(() => matrix.test.close());

const isSigned = ({ access }: Operation) => typeof access === 'object' && 'signed' in access;

const first = firstOfClasses(operations);

/** Whether what it names is a text of any form, and nothing else. */
const takesText = ({ params }: Operation) =>
  params !== undefined &&
  membersOf(nodeOf(params)).every(({ node }) => node.type === 'string' && !node.enum && !node.pattern);

/** Whoever may read the audit log may read all of it. */
const NAMES_MORE = ['listAuditEvents'];

function expectPass(operation: Operation, { prepared, what }: Cell, answer: Answer): void {
  const told = `${what}: ${answer.status} ${answer.text.slice(0, 200)}`;
  expect([405, 413, 415, 500, 501], told).not.toContain(answer.status);
  expect(TURNED_AWAY, told).not.toContain(answer.error);
  expect(answer.error ?? '', told).not.toMatch(/^You need the permission/);
  if (answer.status >= 400 && !operation.alternative) expectErrorReply(answer);
  if (answer.text !== '') expect(answer.headers.link).toBe('</api/v1/openapi.json>; rel="service-desc"');
  if (!NAMES_MORE.includes(operation.id))
    expectNothingHidden(matrix.scene, answer, { caller: prepared.caller, what: told });
}

it('every operation has a handler, and every handler an operation', () => {
  const served = allRoutes(matrix.test.services).map(({ operation }) => operation.id);
  expect([...served].sort()).toEqual(operations.map(({ id }) => id));
});

it('every kind of object has its rule in the model (testing/access/access-model.ts, OBJECTS)', () => {
  const named = operations.flatMap(({ access }) =>
    typeof access === 'object' && 'object' in access ? [access.object] : [],
  );
  expect([...new Set(named)].filter((name) => !knownObjects.includes(name))).toEqual([]);
});

it('the few who ask every operation come to every verdict', () => {
  expect(few.map(({ name }) => name).sort()).toEqual([...FEW].sort());
  const said = operations.flatMap((operation) =>
    cellsOf(matrix, operation, few).map(({ expected }) => expected),
  );
  expect(new Set(said)).toEqual(new Set(['pass', 401, 403, 404]));
});

const asked = operations.filter((operation) => callersOf(operation, first).length > 0);

describe.each(asked.map((operation) => [operation.id, operation] as const))('S9 S12 %s', (_id, operation) => {
  const kinds = callersOf(operation, first);

  it('turns away whom the model does, writes nothing and remembers it', async () => {
    const denied = cellsOf(matrix, operation, kinds).filter(({ expected }) => expected !== 'pass');
    const before = await matrix.writes.counts();
    const refused = await refusedSoFar(matrix);
    let remembered = 0;
    await together(denied, async (cell) => {
      const { what, expected, prepared } = cell;
      const answer = await ask(matrix, cell);
      expect([answer.status, what], answer.text).toEqual([expected, what]);
      expectErrorReply(answer);
      const challenge = operation.takesProviderTokens
        ? expect.stringContaining('resource_metadata="https://matriarch.test/')
        : 'Bearer';
      expect(answer.headers['www-authenticate'], what).toEqual(expected === 401 ? challenge : undefined);
      if (
        expected === 403 ||
        (expected === 401 && (isSigned(operation) || (prepared.call.token ?? prepared.call.cookie)))
      )
        remembered += 1;
    });
    expect(await matrix.writes.counts()).toEqual(before);
    expect(await refusedSoFar(matrix)).toBe(refused + remembered);
    await forgetRefusals(matrix);
  });

  it('lets through whom the model does', async () => {
    const passing = cellsOf(matrix, operation, kinds).filter(({ expected }) => expected === 'pass');
    if (!isProof()) expect(passing.length).toBeGreaterThan(0);
    const changes = operation.method !== 'GET';
    const { scene } = matrix;
    const undo = changes ? await scene.mark() : undefined;
    await together(passing, async ({ kind, aim, prepared }) => {
      const fresh = changes ? await kind.prepare(scene) : prepared;
      const about = changes && namesSubject(operation) ? await makeSubjects(scene) : matrix.subjects;
      const cell = cellOf(matrix, operation, { kind, aim, prepared: fresh, subjects: about });
      expect(cell.expected, cell.what).toBe('pass');
      expectPass(operation, cell, await ask(matrix, cell));
    });
    await undo?.();
    await forgetRefusals(matrix);
  });

  // What follows does not depend on who asks.
  if (isProof()) return;

  it('answers other methods with 405 and the ones it has', async () => {
    const here = operations.filter(({ path }) => path === operation.path);
    const allowed = here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const prepared = preparedBy(matrix, 'a superuser');
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (allowed.includes(method)) continue;
      const { line, options } = requestOf(operation, 'usual', { prepared, subjects: matrix.subjects });
      const answer = await callApi(matrix.test.api, line.replace(/^\w+/, method), options);
      expect(answer.status, `${method} ${operation.path}`).toBe(405);
      expect(answer.headers.allow?.split(', ').sort()).toEqual([...allowed].sort());
      if (method !== 'HEAD') expectErrorReply(answer);
    }
  });

  if (operation.params !== undefined)
    it('refuses ids that are none with 400, and those of nothing with 404', async () => {
      const superuser = { token: matrix.test.actors.superuser.session };
      const body = operation.body ? { body: operation.bodyExample } : {};
      const send = async (id: string) => {
        const path = operation.path.replace(/\{[^}]+\}/g, id);
        return {
          path,
          answer: await callApi(matrix.test.api, `${operation.method} ${path}`, { ...superuser, ...body }),
        };
      };
      for (const odd of ['0', '-1', '1.0', '0x1', '2147483648', 'one', '%20']) {
        const { path, answer } = await send(odd);
        expect(answer.status, `${path}: ${answer.text}`).toBe(takesText(operation) ? 404 : 400);
        expectErrorReply(answer);
      }
      const gone = preparedBy(matrix, 'a superuser, who names an unknown connection');
      const none: Subjects = { group: UNKNOWN_ID, user: UNKNOWN_ID, token: UNKNOWN_ID };
      for (const aim of aimsOf(operation).filter((one) => one !== 'oneself')) {
        const { line, options } = requestOf(operation, aim, { prepared: gone, subjects: none });
        const answer = await callApi(matrix.test.api, line, options);
        const hides = typeof operation.access === 'object' && 'unknown' in operation.access;
        // Whether it exists is for those who can sign.
        const expected = isSigned(operation) ? 401 : hides ? 403 : 404;
        expect([answer.status, line], answer.text).toEqual([expected, line]);
        expectErrorReply(answer);
      }
      await matrix.refusals.flush();
    });

  if (operation.body !== undefined)
    it('refuses bodies that are none with 400 and 415', async () => {
      const prepared = preparedBy(matrix, 'a superuser');
      const { line, options } = requestOf(operation, 'usual', { prepared, subjects: matrix.subjects });
      const send = (body: unknown, headers = {}) =>
        callApi(matrix.test.api, line, { ...options, body, headers });
      const empty = operation.bodyOptional ? [] : [''];
      for (const body of [...empty, '{', '[]', 'null', '"text"', '{"a":'.repeat(5000)]) {
        const answer = await send(body);
        expect(answer.status, `${body.slice(0, 20)}: ${answer.text}`).toBe(400);
        expectErrorReply(answer);
      }
      const typed = await send('{}', { 'content-type': 'text/plain' });
      expect(typed.status).toBe(415);
    });
});

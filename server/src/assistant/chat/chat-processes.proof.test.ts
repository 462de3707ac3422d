// The chat where several processes answer on one datastore, as behind a balancer: a run is followed, read and stopped at another
// process than its own, loses its reader with his rights, shares the budget, and is told of when its process was killed.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { type Actor, makeUser } from '../../testing/access/actors.ts';
import { type ApiProcess, newKeyFile, startApiProcess } from '../../testing/api-process.ts';
import { dataOf, type Frame, framesOf, textOf } from '../../testing/llm/chat-tests.ts';
import { type LlmMock, startLlmMock } from '../../testing/llm/llm-mock.ts';
import type { MockAnswer } from '../../testing/llm/llm-mock-streams.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';

const BUDGET = 40_000;

let mock: LlmMock;
let database: TestDatabase;
let start: () => Promise<ApiProcess>;
let [here, there]: [ApiProcess, ApiProcess] = [expect.anything(), expect.anything()];
let ada: Actor;

beforeAll(async () => {
  [mock, database] = await Promise.all([startLlmMock(), testDatabase()]);
  const keyFile = newKeyFile();
  const flags = ['--llm-ollama-base-url', mock.baseUrl('ollama'), '--llm-own-tokens-per-day', '1'];
  start = () => startApiProcess(database, keyFile, [...flags, '--llm-tokens-per-day', String(BUDGET)]);
  [here, there] = [await start(), await start()];
  ada = await makeUser(database.db, { is_superuser: true });
}, 120_000);
afterEach(() => mock.reset());
afterAll(async () => {
  await Promise.all([here, there].map(({ child }) => child.kill('SIGKILL')));
  await database.close();
  await mock.stop();
});

interface RequestOptions {
  body?: object;
  token?: string;
  method?: string;
}

/** At that process, as Ada where no token is given. */
function request(
  { url }: ApiProcess,
  path: string,
  { body, token = ada.session, method }: RequestOptions = {},
) {
  return fetch(`${url}/api/v1${path}`, {
    method: method ?? (body ? 'POST' : 'GET'),
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** Frames as they come; all of them once the stream has ended. */
class Stream {
  readonly frames: Frame[] = [];
  readonly ended: Promise<readonly Frame[]>;

  constructor(response: Promise<Response>) {
    this.ended = this.#read(response);
  }

  async #read(response: Promise<Response>): Promise<readonly Frame[]> {
    const answered = await response;
    if (answered.status !== 200) throw new Error(`${answered.status} ${await answered.text()}`);
    // A process that is killed cuts it.
    try {
      for await (const frame of framesOf(answered)) this.frames.push(frame);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    return this.frames;
  }

  get run_id(): string {
    return String(this.frames[0]?.data.run_id);
  }
}

const ask = (at: ApiProcess, body: object, token?: string) =>
  new Stream(request(at, '/chat', { body, ...(token !== undefined && { token }) }));
const follow = (at: ApiProcess, run_id: string, token?: string) =>
  new Stream(request(at, `/chat/runs/${run_id}/events?after=1`, token === undefined ? {} : { token }));

/** Looks first and then waits for what it says; answers how to let it say that. */
function hold(): (texts: string[]) => void {
  const held = Promise.withResolvers<MockAnswer>();
  let turn = 0;
  mock.say(async () => {
    turn += 1;
    if (turn > 1) return held.promise;
    return { texts: ['First I look. '], calls: [{ id: 'call_1', name: 'list_connections', pieces: ['{}'] }] };
  });
  return (texts) => held.resolve({ texts });
}

/** Until the model is waited for the second time. */
async function looked(stream: Stream): Promise<void> {
  await expect
    .poll(() => dataOf(stream.frames, 'step').map(({ state }) => state))
    .toEqual(['started', 'done']);
  await expect.poll(() => mock.generated().length).toBe(2);
}

it('tells the same at another process as at its own, to the last event', async () => {
  const say = hold();
  const own = ask(here, { message: 'Is all well?' });
  await looked(own);
  const other = follow(there, own.run_id);
  await expect.poll(() => dataOf(other.frames, 'step')).toHaveLength(2);
  const state = Object(await (await request(there, `/chat/runs/${own.run_id}`)).json());
  expect(state).toMatchObject({ state: 'running', text: expect.stringContaining('First I look.') });
  say(['It is ', 'all well.']);
  const [all, rest] = await Promise.all([own.ended, other.ended]);
  expect(textOf(all)).toContain('It is all well.');
  expect(all.at(-1)).toMatchObject({ event: 'done', data: { stop_reason: 'end_turn' } });
  // Pieces of text that came together are one there, and their texts the same.
  expect(textOf(rest)).toBe(textOf(all));
  const unsaid = (frames: readonly Frame[]) => frames.filter(({ event }) => event !== 'text');
  expect(unsaid(rest)).toEqual(unsaid(all.slice(1)));
  const numbers = rest.map(({ id }) => Number(id.split(':')[1]));
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
});

it('is stopped from another process, and its provider is left', async () => {
  hold();
  const own = ask(here, { message: 'Is all well?' });
  await looked(own);
  const left = mock.left.length;
  expect((await request(there, `/chat/runs/${own.run_id}`, { method: 'DELETE' })).status).toBe(204);
  expect(dataOf(await own.ended, 'error')).toMatchObject([{ code: 'cancelled' }]);
  await expect.poll(() => mock.left.length).toBe(left + 1);
});

it('is no longer told at one process to whom another one has shut out', async () => {
  hold();
  const bob = await makeUser(database.db, { is_superuser: true });
  const own = ask(here, { message: 'Is all well?' }, bob.session);
  await looked(own);
  const other = follow(there, own.run_id, bob.session);
  await expect.poll(() => other.frames.length).toBeGreaterThan(1);
  const left = mock.left.length;
  const gone = await request(here, `/rbac/users/${bob.user_id}`, { method: 'PUT', body: { enabled: false } });
  expect(gone.status, await gone.text()).toBe(200);
  const [told, followed] = await Promise.all([own.ended, other.ended]);
  for (const frames of [told, followed])
    expect(frames.at(-1)?.data).not.toMatchObject({ stop_reason: 'end_turn' });
  await expect.poll(() => mock.left.length).toBeGreaterThan(left);
  expect((await request(there, `/chat/runs/${own.run_id}`, { token: bob.session })).status).toBe(401);
}, 60_000);

it('shares the budget of the day with what the other process runs', async () => {
  const eve = await makeUser(database.db, { is_superuser: true });
  const held = Promise.withResolvers<MockAnswer>();
  mock.say(() => held.promise);
  const runs: Stream[] = [];
  const refused = () => runs.flatMap(({ frames }) => dataOf(frames, 'error'));
  // Each holds what it may take, so that some fit and the next does not, wherever it is asked.
  while (refused().length === 0 && runs.length < 12) {
    const before = mock.generated().length;
    runs.push(ask(runs.length % 2 === 0 ? here : there, { message: 'Is all well?' }, eve.session));
    await expect.poll(() => mock.generated().length > before || refused().length > 0).toBe(true);
  }
  expect(refused()).toMatchObject([
    { code: 'tokens_used_up', error: expect.stringContaining(`budget of ${BUDGET} tokens`) },
  ]);
  const { reserved } = await database.db.one<{ reserved: number }>(sql`/* test.reserved */
    select reserved from matriarch.token_budgets where user_id = ${eve.user_id}`);
  expect(reserved).toBeLessThanOrEqual(BUDGET);
  expect(runs.length).toBeGreaterThan(2);
  held.resolve({ texts: ['Yes.'] });
  await Promise.all(runs.map(({ ended }) => ended));
});

it('of a process that was killed is ended by the other one, and the conversation goes on there', async () => {
  const carl = await makeUser(database.db, { is_superuser: true });
  const victim = await start();
  hold();
  const own = ask(victim, { message: 'Is all well?' }, carl.session);
  await looked(own);
  const { conversation_id } = Object(own.frames[0]?.data);
  // What it says is stored a little later.
  const other = follow(there, own.run_id, carl.session);
  await expect.poll(() => textOf(other.frames)).toContain('First I look.');
  await victim.child.kill('SIGKILL');
  const [, told] = await Promise.all([own.ended, other.ended]);
  expect(dataOf(told, 'error')).toMatchObject([
    {
      code: 'interrupted',
      error: expect.stringContaining('The server was stopped before the answer was whole'),
    },
  ]);
  mock.reset();
  mock.say({ texts: ['It is all well.'] });
  const again = await ask(there, { message: 'And now?', conversation_id }, carl.session).ended;
  expect(again.at(-1)).toMatchObject({ event: 'done', data: { stop_reason: 'end_turn' } });
  const kept = await request(there, `/conversations/${conversation_id}`, { token: carl.session });
  const { messages } = Object(await kept.json());
  expect(JSON.stringify(messages)).toMatch(/Is all well\?.*First I look\..*And now\?.*It is all well\./s);
}, 60_000);

// The tools of plans: what a statement's history says, a kept plan beside another one, a plan that was pasted, and who may read which.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SeenPlans } from '../../collector/plans/seen-plans.ts';
import { addPlans } from '../../estate/server-logs/log-writes.service.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { loggedPlan } from '../../plans/masked.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import type { TestApi } from '../../testing/api.ts';
import { startWholeApi } from '../../testing/rooms/whole.ts';

const QUERYID = '4711';
let test: TestApi;
let connection_id = 0;

const scan = (ms: number, node: string) =>
  [
    `duration: ${ms} ms  plan:`,
    "Query Text: select * from orders where state = 'secret-value'",
    `Sort  (cost=0.00..9.00 rows=5 width=4) (actual time=0.010..${ms}.000 rows=50 loops=1)`,
    '  Sort Key: total',
    `  ->  ${node}  (cost=0.00..8.00 rows=5 width=4) (actual time=0.010..${ms}.000 rows=50 loops=1)`,
    "        Filter: (state = 'secret-value'::text)",
  ].join('\n');

beforeAll(async () => {
  test = await startWholeApi();
  connection_id = test.actors.own_connection;
  await makeGroup(test.db, { users: [test.actors.owner.user_id], mcp: ['*'] });
  const plans = new SeenPlans();
  const see = (ago: number, message: string) => {
    const masked = loggedPlan(message) ?? expect.fail('no plan');
    const at = Date.now() - ago * MINUTE_MS;
    plans.add({ database_name: 'shop', queryid: QUERYID, at, masked });
  };
  for (let n = 0; n < 6; n += 1) see(100 - n, scan(4, 'Index Scan using orders_state on orders'));
  for (let n = 0; n < 6; n += 1) see(50 - n, scan(400, 'Seq Scan on orders'));
  const rows = plans.rows((text) => text.replaceAll(/'[^']*'/g, '?'));
  await addPlans(test.db, { connection_id }, rows);
});
afterAll(() => test.close());

async function call(name: string, input: object, token = test.actors.superuser.session) {
  const { body } = await test.call('POST /api/v1/mcp/tools/call', {
    token,
    body: { name, arguments: input },
  });
  const { content, isError = false } = Object(body);
  return { text: String(content[0].text), isError: Boolean(isError) };
}

/** Plan ids as the tool lists them: the present one first. */
async function ids(): Promise<string[]> {
  const { text } = await call('get_plans', { connection_id, queryid: QUERYID });
  return [...text.matchAll(/^(\d+)\t/gm)].map(([, id]) => id ?? '');
}

it('get_plans lists what the statement had, and says that the present plan is slower, without values', async () => {
  const { text, isError } = await call('get_plans', { connection_id, queryid: QUERYID });
  expect([isError, text]).toEqual([false, text]);
  expect(text).toMatch(/100 times as slow with plan \d+ since /);
  expect(text).toContain('What changed before it became slower');
  expect(text).not.toContain('secret-value');
  expect(await ids()).toHaveLength(2);
});

it('explain_plan reads a kept plan beside one before, without values, for those who may read logs', async () => {
  const [plan_id, before_plan_id] = await ids();
  const input = { connection_id, plan_id, before_plan_id };
  const { text, isError } = await call('explain_plan', input);
  expect([isError, text]).toEqual([false, text]);
  expect(text).toMatch(/Beside plan \d+: The plans differ/);
  expect(text).toMatch(/\nchanged\tIndex Scan on orders using orders_state\tSeq Scan on orders\t/);
  expect(text).toMatch(/What changed between the two/);
  expect(text).not.toContain('secret-value');
  const { owner } = test.actors;
  expect(await call('explain_plan', input, owner.session)).toEqual({
    isError: true,
    text: expect.stringContaining('read_logs'),
  });
  expect((await call('get_plans', { connection_id, queryid: QUERYID }, owner.session)).isError).toBe(false);
});

it('explain_plan reads a text, and refuses what is none, and two things at once', async () => {
  const text = 'Seq Scan on orders  (cost=0.00..8334.00 rows=40 width=12)';
  const read = await call('explain_plan', { text });
  expect(read).toEqual({ isError: false, text: expect.stringContaining('Seq Scan on orders') });
  expect(await call('explain_plan', { text: 'hello' })).toMatchObject({ isError: true });
  expect(await call('explain_plan', { text, plan_id: '1' })).toEqual({
    isError: true,
    text: expect.stringContaining('one of both'),
  });
  expect((await call('explain_plan', { connection_id, plan_id: '999999' })).isError).toBe(true);
});

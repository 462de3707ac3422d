// The tool of logs: counts for those who may read the server, texts for those who may read logs, and what was not read is said.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packBlock } from '../../estate/server-logs/line-block.ts';
import { addBlock } from '../../estate/server-logs/line-blocks.queries.ts';
import { sql } from '../../kernel/sql.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import type { TestApi } from '../../testing/api.ts';
import { startWholeApi } from '../../testing/rooms/whole.ts';
import { logged, looked } from '../../testing/store/logged.ts';

let test: TestApi;
let connection_id = 0;
const ago = (minutes: number) => Date.now() - minutes * MINUTE_MS;

const event = (minutes: number, name: string, message: string) =>
  test.db.run(sql`/* test.event */
    insert into matriarch.log_events (
      connection_id, occurred_at, class, severity, sqlstate, database_name, user_name, application_name, process_id,
      message, detail, hint, context, statement, figures, is_cut
    ) values (
      ${connection_id}, ${new Date(ago(minutes)).toISOString()}::timestamptz, ${name}, 'ERROR', '40P01', 'shop', 'app', '', '12',
      ${message}, '', '', '', 'update orders set state = $1', '{}', false
    )`);

const LINE = {
  ...{
    occurred_at: ago(5),
    class: '',
    severity: 'LOG',
    sqlstate: '00000',
    database_name: 'shop',
    user_name: 'ada',
  },
  ...{
    application_name: '',
    process_id: '4711',
    queryid: '',
    message: 'extension says',
    detail: '',
    hint: '',
  },
  ...{ context: '', statement: '', figures: {}, relation_name: null, is_cut: false },
};

beforeAll(async () => {
  test = await startWholeApi();
  connection_id = test.actors.own_connection;
  await makeGroup(test.db, { users: [test.actors.owner.user_id, test.actors.other.user_id], mcp: ['*'] });
});
afterAll(() => test.close());

async function call(input: object, token = test.actors.superuser.session) {
  const { body } = await test.call('POST /api/v1/mcp/tools/call', {
    token,
    body: { name: 'get_logs', arguments: { connection_id, ...input } },
  });
  const { content, isError = false } = Object(body);
  return { text: String(content[0].text), isError: Boolean(isError) };
}

it('says that the log was never read, and takes nothing for zero', async () => {
  const { text, isError } = await call({});
  expect(isError).toBe(false);
  expect(text).toContain('last looked at never');
  expect(text).toContain('Note: The log of this server has never been read.');
  expect(text).toContain('None are known.');
  expect(text).not.toContain('None is counted in this time.');
});

it('counts by class, what matters first, and lists texts page by page for those who may read logs', async () => {
  await looked(test.db, { connection_id, at: ago(0), since: ago(30) });
  await logged(test.db, { connection_id, at: ago(20) }, { class: 'deadlock', events: 2 });
  await logged(test.db, { connection_id, at: ago(20) }, { class: 'checkpoint_complete', events: 7 });
  await event(20, 'deadlock', 'deadlock detected in a');
  await event(19, 'deadlock', 'deadlock detected in b');
  const { text } = await call({});
  expect(text).toMatch(/^Log of connection \d+ from \S+ to \S+: 9 events\n/);
  expect(text).toContain('Note: Events are counted from ');
  expect(text).toMatch(/Note: In \d+ of \d+ parts of this time the log was not read: unknown there\./);
  expect(text).toMatch(/\ndeadlock\twarning\tDeadlock\t2\t.*\ncheckpoint_complete\tnormal\t/);
  expect(text).toMatch(/deadlock detected in b.*\n.*deadlock detected in a/);
  const first = await call({ limit: 1 });
  const cursor = /cursor ([\d-]+)/.exec(first.text)?.[1];
  expect(first.text).not.toContain('detected in a');
  const second = await call({ limit: 1, cursor });
  expect(second.text).toContain('detected in a');
  expect(second.text).not.toContain('detected in b');
  expect((await call({ search: 'in a' })).text).not.toContain('detected in b');
  expect((await call({ class: 'panic' })).text).toContain('None fit.');
});

it('lists lines of normal work only where they are chosen', async () => {
  const block = await packBlock([{ row: LINE, block: 0, number: 0 }]);
  await addBlock(test.db, connection_id, block);
  expect((await call({})).text).not.toContain('extension says');
  for (const input of [
    { search: 'says' },
    { user_name: 'ada' },
    { process_id: '4711' },
    { class: 'unclassified' },
  ])
    expect((await call(input)).text, JSON.stringify(input)).toContain('extension says');
  expect((await call({ process_id: '12' })).text).not.toContain('extension says');
});

it('shows counts and no texts to those who may read the server alone', async () => {
  const { text, isError } = await call({}, test.actors.owner.session);
  expect(isError).toBe(false);
  expect(text).toMatch(/\ndeadlock\twarning\tDeadlock\t2\t/);
  expect(text).toContain('Texts of events need the permission read_logs');
  expect(text).not.toContain('deadlock detected');
  expect((await call({}, test.actors.other.session)).isError).toBe(true);
});

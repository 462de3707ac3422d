// The tools that are ours: what they say of samples that the test wrote, and of a server of which nothing is known.
import { expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { MINUTE_MS, SECOND_MS } from '../../kernel/units.ts';
import { probe } from '../../probes/pg-active-sessions.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { historyApi, iso } from '../../testing/history-api.ts';
import { wholeRoom } from '../../testing/rooms/whole.ts';
import { collectedHistory } from '../../testing/store/collected.ts';

const { api, T, connection } = historyApi([wholeRoom]);

async function call(name: string, input: object) {
  const { actors, statements } = api();
  await makeGroup(api().db, { users: [actors.owner.user_id], mcp: ['*'] });
  statements.reset();
  const body = { name, arguments: input };
  const answer = await api().call('POST /api/v1/mcp/tools/call', { token: actors.owner.session, body });
  const { content, isError = false } = Object(answer.body);
  return { text: String(content[0].text), isError: Boolean(isError), sent: [...statements.sent] };
}
async function answered(name: string, input: object) {
  const found = await call(name, input);
  expect([found.isError, found.text]).toEqual([false, found.text]);
  return found;
}

const sessions = (count: number, wait: string | null) => ({
  ...{ state: 'active', wait_event_type: wait, wait_event: wait && 'relation', datname: 'shop' },
  ...{ usename: 'app', application_name: 'web', client_addr: '10.0.0.1', backend_type: 'client backend' },
  ...{ query_id: null, is_rest: false, sessions: count, oldest_xact_seconds: 0, oldest_query_seconds: 0 },
});

it('get_load says what the time went to, of when, with a page of the same time', async () => {
  const connection_id = await connection();
  const samples = Array.from({ length: 61 }, (_none, n) => ({
    ...{ connection_id, probe: probe.name, at: T + n * SECOND_MS },
    rows: [sessions(3, 'Lock'), sessions(1, null)],
  }));
  await collectedHistory(api().db, samples);
  const range = { time_start: iso(T), time_end: iso(T + MINUTE_MS) };
  const { text, sent } = await answered('get_load', { connection_id, ...range });
  expect(text).toMatch(/4\.00 active sessions on average/);
  expect(text).toContain('100 % of the time was sampled');
  expect(text).toContain(`Page: /servers/${connection_id}?tab=load&from=${iso(T)}&to=${iso(T + MINUTE_MS)}`);
  expect(text).toMatch(/\nCPU\t1\t25\t/);
  expect(text).toMatch(/\nLock\t3\t75\t/);
  expect(sent.filter((one) => one.includes('/* store.')).length).toBeLessThanOrEqual(3);
  const moment = await answered('get_moment', { connection_id, at: iso(T + 30 * SECOND_MS) });
  expect(moment.text).toMatch(
    /Active sessions by what they waited for, as of .*\nwait_class\tsessions\nLock\t3\nCPU\t1/,
  );
  expect(moment.text).toMatch(
    /## Log, all events by class from .*\nThe log of this server has never been read/,
  );
  expect(moment.text).toMatch(/## Log, events with texts .*\nTexts of events need the permission read_logs/);
});

it.each([
  ['get_load', 'Nothing was sampled then'],
  ['get_locks', 'Who blocks whom'],
  ['get_changes', 'Nothing changed that is kept'],
  ['get_findings', 'Nothing is open'],
  ['get_coverage', 'probes are as they should be'],
])('%s says what is not known of a server that nobody has read yet', async (name, expected) => {
  const connection_id = await connection();
  expect((await answered(name, { connection_id })).text).toContain(expected);
});

it('get_query and get_findings say that there is no such thing', async () => {
  const connection_id = await connection();
  expect((await call('get_query', { connection_id, queryid: '1' })).isError).toBe(true);
  expect(await call('get_findings', { finding_id: 999 })).toMatchObject({ isError: true });
});

it('get_findings shows a long remedy whole, since half a statement is none, and says of other texts what was cut', async () => {
  const connection_id = await connection();
  const remedy = Array.from({ length: 60 }, (_none, n) => `vacuum (analyze) public.measurements_${n};`).join(
    '\n',
  );
  const { id } = await api().db.one<{ id: number }>(sql`/* test.finding */
    insert into matriarch.findings (
      connection_id, check_name, severity, message, evidence, remedy, proof, first_seen_at, opened_at, figured_at, last_seen_at
    )
    values (
      ${connection_id}, 'dead_rows', 'warning', 'Many.', ${JSON.stringify({ text: 'x'.repeat(900) })}::jsonb, ${remedy},
      'measured', now(), now(), now(), now()
    )
    returning id`);
  const { text } = await answered('get_findings', { finding_id: Number(id) });
  expect(text).toContain(`\nremedy\n${remedy.replaceAll('\n', '\\n')}\n`);
  expect(text).toContain('(902 characters)');
});

it('get_topology has every server that the caller sees, and no other', async () => {
  const id = await connection();
  const { text } = await answered('get_topology', {});
  expect(text).toMatch(new RegExp(`\\t${id}\\tserver \\d+\\t`));
  const { other } = api().actors;
  await makeGroup(api().db, { users: [other.user_id], mcp: ['get_topology'] });
  const body = { name: 'get_topology', arguments: {} };
  const none = await api().call('POST /api/v1/mcp/tools/call', { token: other.session, body });
  expect(Object(none.body).content[0].text).not.toContain(`\t${id}\t`);
});

it('backtest_rule plays a rule over the past, and changes nothing', async () => {
  const connection_id = await connection();
  const rules = await answered('get_alert_rules', { connection_id, category: 'connections' });
  const rule_id = Number(/\n(\d+)\tconnection_utilization\t/.exec(rules.text)?.[1]);
  const { text } = await answered('backtest_rule', { connection_id, rule_id, threshold: 1, days: 2 });
  expect(text).toMatch(/as asked\t> 1\t/);
  expect(text).toMatch(/in force\t> 80\t/);
  const { threshold } = await api().db.one<{ threshold: number }>(
    sql`/* test.rule */ select threshold from matriarch.alert_rules where id = ${rule_id}`,
  );
  expect(threshold).toBeNull();
});

// Following the log of a server over HTTP, on rows as the collector leaves them: what is new, once, with what was left out, for those who may.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { openStream } from '../../testing/streams.ts';
import { newBlocks } from './line-block.ts';
import { addBlock } from './line-blocks.queries.ts';
import { serverLogsRoutes } from './server-logs.routes.ts';

let test: TestApi;
let port: number;
let hurry: NodeJS.Timeout;
beforeAll(async () => {
  const clock = manualClock(Date.now());
  test = await startTestApi({ rooms: [serverLogsRoutes], clock });
  ({ port } = await test.api.listen());
  hurry = setInterval(() => clock.advance(500), 20);
});
afterAll(() => {
  clearInterval(hurry);
  return test.close();
});

const connection = () =>
  makeConnection(test.db, { owner_id: test.actors.superuser.user_id, is_monitored: true });

const write = (id: number, message: string, { name = 'deadlock', count = 1 } = {}) =>
  test.db.run(sql`/* test.event */
    insert into matriarch.log_events (
      connection_id, occurred_at, class, severity, sqlstate, database_name, user_name, application_name, process_id,
      message, detail, hint, context, statement, figures, is_cut
    )
    select ${id}, now(), ${name}, 'ERROR', '40P01', 'shop', 'app', '', '12', ${message} || n, '', '', '', '', '{}', false
    from generate_series(1, ${count}::int) n`);

interface Following {
  /** Undefined: all servers. */
  id?: number;
  query?: string;
  last?: string;
  token?: string;
}

const follow = ({ id, query = '', last, token = test.actors.superuser.session }: Following) =>
  openStream(token, {
    port,
    path: `/api/v1/${id === undefined ? '' : `connections/${id}/`}log-events/tail${query}`,
    headers: last === undefined ? {} : { 'last-event-id': last },
  });

/** What the frames of a text hold. */
function framesOf(text: string) {
  return text.split('\n\n').flatMap((block) => {
    const [, frame] = /^id: (.*)$/m.exec(block) ?? [];
    const [, data] = /^data: (.*)$/m.exec(block) ?? [];
    return frame === undefined || data === undefined ? [] : [{ id: frame, data: JSON.parse(data) }];
  });
}

const messages = (text: string): string[] =>
  framesOf(text).flatMap(({ data }) => data.events.map((event: { message: string }) => event.message));

const looks = (id: number, at: string) =>
  test.db.run(sql`/* test.source */
    insert into matriarch.log_sources (connection_id, format, looked_at, reading_since)
    values (${id}, 'stderr', ${at}::timestamptz, ${at}::timestamptz)
    on conflict (connection_id) do update set looked_at = excluded.looked_at`);

const mayReadLogs = (users: readonly number[]) =>
  test.db.run(sql`/* test.grant */
    with g as (insert into matriarch.groups (name) values ('tail readers ' || ${users[0]}::int) returning id),
    members as (
      insert into matriarch.group_users (group_id, user_id)
      select g.id, u from g, unnest(${users}::int[]) u
    )
    insert into matriarch.group_permissions (group_id, permission) select g.id, 'read_logs' from g`);

describe('following the logs of all servers', () => {
  it('shows what is new on the servers that one sees at that moment, each once, and goes on behind a frame', async () => {
    const { user_id, session: token } = await makeUser(test.db);
    await mayReadLogs([user_id]);
    const own = (name: string) => makeConnection(test.db, { owner_id: user_id, name });
    const [mine, theirs, foreign] = [await own('mine'), await own('theirs'), await connection()];
    await write(mine, 'before ');
    const open = await follow({ token });
    expect(framesOf(await open.until(/\n\n/))).toMatchObject([{ data: { events: [], left_out: 0 } }]);
    await write(foreign, 'foreign ');
    await write(mine, 'a ');
    await write(theirs, 'b ');
    const first = framesOf(await open.until('b 1')).at(-1) ?? expect.fail('no frame');
    expect(first.data.events).toMatchObject([
      { connection_id: mine, connection_name: 'mine', event: { message: 'a 1' } },
      { connection_id: theirs, connection_name: 'theirs', event: { message: 'b 1' } },
    ]);
    await test.db.run(sql`/* test.other_owner */
      update matriarch.connections set owner_id = ${test.actors.superuser.user_id} where id = ${theirs}`);
    await write(theirs, 'late ');
    await write(mine, 'line of a block ', { name: 'audit' });
    await write(mine, 'last ');
    const frames = framesOf(await open.until('last 1'));
    const all = frames.flatMap(({ data }) =>
      data.events.map(({ event }: { event: { message: string } }) => event.message),
    );
    expect(all).toEqual(['a 1', 'b 1', 'line of a block 1', 'last 1']);
    open.leave();
    const again = await follow({ token, last: first.id, query: '?important=true&class=deadlock' });
    const behind = framesOf(await again.until('last 1')).at(-1);
    expect(behind?.data.events).toMatchObject([{ event: { message: 'last 1' } }]);
    again.leave();
  });

  it('is for those who may read texts of logs', async () => {
    const open = await follow({ token: (await makeUser(test.db)).session });
    expect(open.status).toBe(403);
    open.leave();
  });
});

describe('following a log', () => {
  it('begins with how reading is doing, and goes on with what is stored from then on', async () => {
    const id = await connection();
    await write(id, 'before ');
    const open = await follow({ id });
    const first = framesOf(await open.until(/\n\n/));
    expect(first).toMatchObject([{ data: { events: [], left_out: 0, reading: { state: 'never' } } }]);
    await write(id, 'after ');
    expect(messages(await open.until('after 1'))).toEqual(['after 1']);
    const at = new Date().toISOString();
    await looks(id, at);
    const read = framesOf(await open.until('"state":"reading"')).at(-1);
    expect(read?.data).toMatchObject({ events: [], reading: { looked_at: at } });
    open.leave();
  });

  it('goes on behind the last frame that was seen: nothing is missed, nothing comes twice', async () => {
    const id = await connection();
    const open = await follow({ id });
    await open.until(/\n\n/);
    await write(id, 'seen ');
    const seen = framesOf(await open.until('seen 1')).at(-1) ?? expect.fail('no frame');
    open.leave();
    await write(id, 'meanwhile ');
    const again = await follow({ id, last: seen.id, query: '?after=0-0' });
    expect(messages(await again.until('meanwhile'))).toEqual(['meanwhile 1']);
    again.leave();
    const whole = await follow({ id, query: '?after=0-0' });
    expect(messages(await whole.until('meanwhile'))).toEqual(['seen 1', 'meanwhile 1']);
    whole.leave();
  });

  it('shows the newest 200 of what came at once, and says that more came', async () => {
    const id = await connection();
    const open = await follow({ id });
    await open.until(/\n\n/);
    await write(id, 'flood ', { count: 450 });
    const frame = framesOf(await open.until('flood 450')).at(-1) ?? expect.fail('no frame');
    expect(frame.data.left_out).toBeNull();
    expect(frame.data.events).toHaveLength(200);
    expect(frame.data.events[0].message).toBe('flood 251');
    open.leave();
  });

  it('shows lines that are no rows as well, and counts those that it leaves out', async () => {
    const id = await connection();
    const open = await follow({ id });
    await open.until(/\n\n/);
    const names = { class: '', severity: 'LOG' as const, sqlstate: '', database_name: '', user_name: '' };
    const texts = { detail: '', hint: '', context: '', statement: '' };
    const row = (n: number) => ({
      ...{
        ...names,
        ...texts,
        occurred_at: Date.now() - 1000 + n,
        message: `line ${n}`,
        figures: {},
        relation_name: null,
        is_cut: false,
      },
      ...{ application_name: '', process_id: '', queryid: '' },
    });
    const lines = Array.from({ length: 250 }, (_none, n) => row(n));
    for (const block of await newBlocks(lines)) await addBlock(test.db, id, block);
    const frame = framesOf(await open.until('line 249')).at(-1) ?? expect.fail('no frame');
    expect(frame.data.left_out).toBe(50);
    expect(frame.data.events[0]).toMatchObject({ message: 'line 50', class: 'unclassified' });
    open.leave();
  });

  it('sends what fits the filters only, and goes on behind what does not', async () => {
    const id = await connection();
    const open = await follow({ id, query: '?class=temp_file&search=WANTED' });
    await open.until(/\n\n/);
    await write(id, 'wanted of another class ');
    await write(id, 'other ', { name: 'temp_file' });
    await write(id, 'wanted ', { name: 'temp_file' });
    const text = await open.until('wanted 1');
    expect(messages(text)).toEqual(['wanted 1']);
    open.leave();
  });

  it('has the collectors look often, and wakes them once', async () => {
    const id = await connection();
    const watched = () =>
      test.db.one<{ is: boolean }>(sql`/* test.watched */
        select coalesce(logs_watched_at > now() - interval '10 seconds', false) as is from matriarch.connections where id = ${id}`);
    expect(await watched()).toEqual({ is: false });
    const open = await follow({ id });
    await open.until(/\n\n/);
    expect(await watched()).toEqual({ is: true });
    open.leave();
  });

  it('is for those who may read texts of logs of that server', async () => {
    const { owner, other, own_connection: id } = test.actors;
    expect((await follow({ id, token: owner.session })).status).toBe(403);
    await mayReadLogs([owner.user_id, other.user_id]);
    expect((await follow({ id, token: other.session })).status).toBe(403);
    const open = await follow({ id, token: owner.session });
    expect(open.status).toBe(200);
    open.leave();
  });

  it.each(['after=x', `after=${'9'.repeat(16)}-1`, 'process_id=x', 'class=;'])(
    'refuses %s',
    async (query) => {
      const id = await connection();
      const open = await follow({ id, query: `?${query}` });
      expect(open.status).toBe(400);
      open.leave();
    },
  );
});

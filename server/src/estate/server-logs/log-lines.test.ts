// Lines of logs over HTTP, as the collector stores them: with events that matter as one list, found by words and fields, before and after upkeep
// merges their blocks.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LineKeeper } from '../../collector/logs/line-keeper.ts';
import { forgetLogs } from '../../collector/logs/log-store.queries.ts';
import { systemPrincipal } from '../../identity/identity.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { KEPT_LINES } from '../../testing/logs/kept-lines.ts';
import { mergeSettled } from '../../testing/logs/logging-server.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { newBlocks } from './line-block.ts';
import { addBlock } from './line-blocks.queries.ts';
import { storeEvents } from './log-writes.service.ts';
import { listNewLogEvents } from './new-events.service.ts';
import { serverLogsRoutes } from './server-logs.routes.ts';

const NOW = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
const ago = (minutes: number) => NOW - minutes * MINUTE_MS;

let test: TestApi;
let id: number;
let other: number;
beforeAll(async () => {
  test = await startTestApi({ rooms: [serverLogsRoutes], clock: manualClock(NOW) });
  id = test.actors.own_connection;
  other = test.actors.shared_connection;
});
afterAll(() => test.close());

interface Said {
  at: number;
  text: string;
  pid?: number;
  who?: string;
}

const timeOf = (at: number) => new Date(at).toISOString().replace('T', ' ').replace('Z', ' UTC');

const ROW = {
  ...{
    class: '',
    severity: 'LOG',
    sqlstate: '00000',
    database_name: 'shop',
    user_name: 'app',
    application_name: '',
  },
  ...{
    process_id: '7',
    queryid: '',
    detail: '',
    hint: '',
    context: '',
    statement: '',
    figures: {},
    relation_name: null,
    is_cut: false,
  },
};

/** As the collector stores a piece of a log. */
async function store(lines: readonly Said[], { of = id, keeper = new LineKeeper(KEPT_LINES) } = {}) {
  const text = lines.map(
    ({ at, text: said, pid = 7, who = 'app@shop' }) => `${timeOf(at)} [${pid}] ${who} ${said}\n`,
  );
  // Read when its newest line was written, if that is later than the hour of this test.
  const now = lines.reduce((latest, { at }) => Math.max(latest, at), NOW);
  const piece = { bytes: Buffer.from(text.join('')), prefix: '%m [%p] %q%u@%d ', time_zone: 'UTC', now };
  const found = await keeper.read(test.db, of, { ...piece, scrub: (one: string) => one });
  await test.db.transaction((db) => storeEvents(db, { connection_id: of }, found));
  return found;
}

const get = async (query: string, of = id) => {
  const path = `GET /api/v1/connections/${of}/log-events?time_range=24h&${query}`;
  const answer = await test.call(path, { token: test.actors.superuser.session });
  expect(answer.error).toBeUndefined();
  return Object(answer.body);
};
type Listed = { id: string; message: string; class: string; occurred_at: string };
const messages = async (query: string, of = id): Promise<string[]> =>
  (await get(query, of)).events.map(({ message }: Listed) => message);

/** All pages, from a cursor on. */
async function all(query: string, of = id, from?: string): Promise<Listed[]> {
  const found: Listed[] = [];
  let cursor = from === undefined ? '' : `&cursor=${from}`;
  do {
    const page = await get(`${query}${cursor}`, of);
    for (const event of page.events) found.push(event);
    cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
  } while (cursor !== '');
  return found;
}

const blocks = (of = id) =>
  test.db.rows<{ id: number; events: number; is_merged: boolean }>(sql`
    select b.id, b.events, b.is_merged from matriarch.log_blocks b where b.connection_id = ${of} order by b.id`);
const empty = () =>
  test.db.run(sql`with e as (delete from matriarch.log_events) delete from matriarch.log_blocks`);

describe('lines and events that matter', () => {
  it('are one list, newest first, page by page, each once', async () => {
    for (let piece = 0; piece < 9; piece += 1)
      await store([
        { at: ago(60 - piece), text: `LOG:  extension said ${piece}` },
        { at: ago(60 - piece) + 500, text: 'ERROR:  deadlock detected' },
        // The same time as another one, in another block.
        { at: ago(30), text: `LOG:  same time ${piece}` },
      ]);
    const listed = await all('limit=4');
    expect(listed).toHaveLength(27);
    expect(new Set(listed.map((one) => one.id)).size).toBe(27);
    expect(listed.slice(0, 11).map(({ message }) => message)).toEqual([
      ...Array.from({ length: 9 }, (_none, n) => `same time ${8 - n}`),
      ...['deadlock detected', 'extension said 8'],
    ]);
    expect(listed.map(({ occurred_at }) => occurred_at)).toEqual(
      listed
        .map(({ occurred_at }) => occurred_at)
        .toSorted()
        .reverse(),
    );
    expect((await all('class=unclassified&limit=3')).length).toBe(18);
    expect((await all('class=deadlock,unclassified&limit=200')).length).toBe(27);
    expect(await all('class=no_event')).toEqual([]);
    expect(new Set((await all('important=true')).map((one) => one.class))).toEqual(new Set(['deadlock']));
    expect(await all('', other)).toEqual([]);
  });

  it('stay the same when upkeep merges their blocks, also for one who is between two pages', async () => {
    const before = await all('limit=200');
    const first = await get('limit=7');
    const open = await blocks();
    const merged = await mergeSettled(test.db);
    const left = await blocks();
    expect(open.length - left.length).toBe(merged);
    expect(merged).toBeGreaterThan(2);
    expect(left.some((one) => one.is_merged)).toBe(true);
    expect(await all('limit=200')).toEqual(before);
    const rest = await all('limit=7', id, first.next_cursor);
    expect([...first.events, ...rest]).toEqual(before);
    // Once more, and with what came since.
    await store([{ at: ago(59), text: 'LOG:  later' }]);
    await mergeSettled(test.db);
    const again = await all('limit=200');
    expect(again.filter(({ message }) => message !== 'later')).toEqual(before);
    expect(again).toHaveLength(before.length + 1);
  });

  it('are found by words, phrases and fields, in both', async () => {
    await empty();
    await store([
      { at: ago(9), text: 'LOG:  Vacuum of orders_pkey began', pid: 11, who: 'ada@shop' },
      { at: ago(8), text: 'LOG:  vacuum of the "reorders" began', pid: 12, who: 'bob@other' },
      {
        at: ago(7),
        text: 'FATAL:  terminating connection due to administrator command in orders',
        pid: 11,
        who: 'ada@shop',
      },
      { at: ago(6), text: 'ERROR:  22012: division by zero', pid: 13 },
    ]);
    expect(await messages('search=vacuum')).toHaveLength(2);
    expect(await messages('search=VACUUM%20orders')).toEqual(['Vacuum of orders_pkey began']);
    expect(await messages('search=orders')).toHaveLength(2);
    expect(await messages('search=order')).toEqual([]);
    expect(await messages('search=order*')).toHaveLength(2);
    expect(await messages(`search=${encodeURIComponent('"administrator command"')}`)).toHaveLength(1);
    expect(await messages(`search=${encodeURIComponent('"command administrator"')}`)).toEqual([]);
    expect(await messages('process_id=11')).toHaveLength(2);
    expect(await messages('user_name=bob')).toHaveLength(1);
    expect(await messages('user_name=ada&search=vacuum')).toHaveLength(1);
    expect(await messages('database_name=other')).toHaveLength(1);
    expect(await messages('severity=FATAL')).toHaveLength(1);
    expect(await messages('queryid=-1')).toEqual([]);
    expect(await messages('application_name=psql')).toEqual([]);
    for (const search of ["';drop", '%', 'n_w', '\\', '.*', '(', '***=x'])
      expect(await messages(`search=${encodeURIComponent(search)}`), search).toEqual([]);
    const refused = await test.call(`GET /api/v1/connections/${id}/log-events?search=a+b+c+d+e+f+g+h+i+j+k`, {
      token: test.actors.superuser.session,
    });
    expect(refused).toMatchObject({ status: 400, error: expect.stringContaining('at most 10') });
  });
});

describe('a search', () => {
  it('of a rare word reads few blocks of many, and one of all says how far it came', async () => {
    await empty();
    const words = 'some words of a line '.repeat(40);
    for (let hour = 0; hour < 12; hour += 1) {
      const at = ago(hour * 60 + 30);
      const rows = Array.from({ length: 4500 }, (_none, n) => ({
        ...ROW,
        occurred_at: at + n,
        message: `${n % 2 ? 'filler' : 'hay only'} ${(hour * 7919 + n * 104_729).toString(36)} ${words}`,
      }));
      rows.push({ ...ROW, occurred_at: at + 5000, message: hour === 11 ? 'needle in hay' : 'last in hay' });
      for (const block of await newBlocks(rows)) await addBlock(test.db, id, block);
    }
    expect(await messages('search=needle')).toEqual(['needle in hay']);
    // Every block has both words, and no event has.
    const pages = [];
    let cursor = '';
    do {
      const page = await get(`search=filler%20hay${cursor}`);
      pages.push(page);
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
    } while (cursor !== '');
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flatMap(({ events }) => events)).toEqual([]);
    const backTo = pages.map(({ searched_back_to }) => searched_back_to);
    expect(backTo.at(-1)).toBeNull();
    expect(backTo.slice(0, -1)).toEqual(backTo.slice(0, -1).toSorted().reverse());
    expect(new Set(backTo).size).toBe(backTo.length);
    expect(await all('class=unclassified&search=%22in%20hay%22')).toHaveLength(12);
  }, 120_000);

  it('answers the rest where a block is damaged, or written by a newer version', async () => {
    await empty();
    for (const minutes of [3, 2, 1])
      await store([{ at: ago(minutes), text: `LOG:  line of minute ${minutes}` }]);
    const [first, second] = await blocks();
    await test.db.run(sql`update matriarch.log_blocks set body = 'nothing' where id = ${first?.id ?? 0}`);
    expect(await messages('')).toEqual(['line of minute 1', 'line of minute 2']);
    await test.db.run(sql`update matriarch.log_blocks set version = 2 where id = ${second?.id ?? 0}`);
    expect(await messages('search=line')).toEqual(['line of minute 1']);
    expect(await mergeSettled(test.db)).toBe(0);
    expect(await blocks()).toHaveLength(3);
  });
});

describe('lines', () => {
  it('take no more than the bytes of a day, and the counts say what is kept', async () => {
    await empty();
    const keeper = new LineKeeper({ bytes_per_day: 40_000, keep_literals: false });
    const flood = Array.from({ length: 4000 }, (_none, n) => ({
      at: ago(1) + n,
      text:
        n % 1000 === 0
          ? 'LOG:  rare'
          : `LOG:  duration: ${n}.1 ms  statement: select ${(n * 7919).toString(36)}`,
    }));
    let events = 0;
    let kept = 0;
    for (let piece = 0; piece < 12; piece += 1) {
      const found = await store(flood, { keeper });
      for (const row of found.counts) {
        events += row.events;
        kept += row.kept;
      }
    }
    expect(events).toBe(48_000);
    const { bytes } = await test.db.one<{ bytes: number }>(sql`
      select sum(octet_length(b.body) + octet_length(b.words))::int as bytes from matriarch.log_blocks b`);
    expect(bytes).toBeLessThan(40_000);
    expect((await all('limit=200')).length).toBe(kept);
    expect((await all('search=rare&limit=200')).length).toBeGreaterThanOrEqual(12);
    // Another process knows what is spent.
    const next = await store(flood, {
      keeper: new LineKeeper({ bytes_per_day: bytes, keep_literals: false }),
    });
    expect(next.blocks).toEqual([]);
  });

  it('go after seven days, and with their server', async () => {
    await empty();
    await store([{ at: ago(60), text: 'LOG:  young' }]);
    await store([{ at: ago(61), text: 'LOG:  old' }]);
    await store([{ at: ago(60), text: 'LOG:  other' }], { of: other });
    const [, old] = await blocks();
    const then = new Date(Date.now() - 7 * DAY_MS - MINUTE_MS).toISOString();
    await test.db.run(
      sql`update matriarch.log_blocks set first_at = ${then}, last_at = ${then} where id = ${old?.id ?? 0}`,
    );
    await forgetLogs(test.db);
    expect(await blocks()).toHaveLength(1);
    await test.db.run(sql`update matriarch.connections set deleted_at = now() where id = ${other}`);
    await forgetLogs(test.db);
    expect(await blocks(other)).toEqual([]);
    expect(await blocks()).toHaveLength(1);
    await test.db.run(sql`update matriarch.connections set deleted_at = null where id = ${other}`);
  });

  it('are followed as they are stored, each once', async () => {
    await empty();
    const principal = systemPrincipal('server');
    const signal = AbortSignal.timeout(60_000);
    const ctx = { db: test.db, clock: manualClock(NOW), log: silentLog, principal, signal };
    const at = Date.now() - MINUTE_MS;
    await store([{ at, text: 'LOG:  before' }]);
    const look = (since: Parameters<typeof listNewLogEvents>[2]['since'], query = {}) =>
      listNewLogEvents(ctx, id, { query, since });
    const begun = await look(undefined);
    expect(begun).toMatchObject({ events: [], left_out: 0 });
    await store([
      { at: at - 2000, text: 'LOG:  late' },
      { at: at - 1000, text: 'ERROR:  deadlock detected' },
    ]);
    await store([{ at: at + 1, text: 'LOG:  next' }]);
    const first = await look(begun.stored);
    expect(first.events.map(({ message }) => message)).toEqual(['late', 'deadlock detected', 'next']);
    expect((await look(begun.stored, { search: 'next' })).events).toHaveLength(1);
    expect((await look(first.stored)).events).toEqual([]);
    await mergeSettled(test.db);
    expect((await look(first.stored)).events).toEqual([]);
    await store(Array.from({ length: 300 }, (_none, n) => ({ at: at + n, text: `LOG:  many ${n}` })));
    const many = await look(first.stored);
    expect(many).toMatchObject({ left_out: 100 });
    expect(many.events).toHaveLength(200);
    expect(many.events.at(-1)?.message).toBe('many 299');
  });
});

describe('users and applications', () => {
  const counts = async (query: string) => {
    const path = `GET /api/v1/connections/${id}/log-counts?${query}`;
    const answer = await test.call(path, { token: test.actors.superuser.session });
    expect(answer.error).toBeUndefined();
    return Object(answer.body).names;
  };
  const stamp = (minutes: number) => new Date(ago(minutes)).toISOString();

  it('are counted in slots of ten minutes, with their errors, and say of which time', async () => {
    await test.db.run(sql`/* test.names */ delete from matriarch.log_name_counts`);
    expect(await counts('time_range=24h')).toBeNull();
    const many = Array.from({ length: 70 }, (_none, n) => ({
      ...{ at: ago(3), text: 'LOG:  extension said', who: `user${n}@shop` },
    }));
    await store([
      { at: ago(35), text: 'ERROR:  deadlock detected' },
      { at: ago(34), text: 'LOG:  extension said' },
      { at: ago(12), text: 'ERROR:  deadlock detected', who: 'pay@till' },
      // Not known to be a user of the server.
      { at: ago(12), text: 'FATAL:  password authentication failed for user "x"', who: 'x@till' },
    ]);
    await store([{ at: ago(33), text: 'LOG:  extension said' }]);
    expect(await counts('time_range=24h')).toEqual({
      ...{ start_time: stamp(40), end_time: stamp(0), applications: [] },
      users: [
        { name: 'app', events: 3, errors: 1 },
        { name: 'pay', events: 1, errors: 1 },
      ],
    });
    const late = await counts(`start_time=${stamp(15)}&end_time=${stamp(11)}`);
    expect(late).toMatchObject({ start_time: stamp(20), end_time: stamp(10), users: [{ name: 'pay' }] });
    expect(await counts('time_range=24h&database_name=shop')).toBeNull();
    await store(many);
    await store(many.map((one, n) => ({ ...one, who: `more${n}@shop` })));
    const { rows, others } = await test.db.one<{ rows: number; others: number }>(sql`/* test.bounded */
      select count(*)::int as rows, sum(n.events) filter (where n.name = '(others)')::int as others
      from matriarch.log_name_counts n where n.slot >= now() - interval '1 year' and n.slot >= ${stamp(5)}::timestamptz - interval '5 minutes'`);
    expect(rows).toBeLessThanOrEqual(101);
    expect(others).toBeGreaterThanOrEqual(40);
    expect((await counts('time_range=24h')).users.at(-1).name).not.toBe('(others)');
  });
});

describe('events of several servers', () => {
  const estate = async (query: string, token = test.actors.superuser.session) => {
    const answer = await test.call(`GET /api/v1/log-events?time_range=24h&${query}`, { token });
    expect(answer.error).toBeUndefined();
    return Object(answer.body);
  };
  type OfServer = { connection_id: number; connection_name: string; event: Listed };
  const told = ({ events }: { events: OfServer[] }) =>
    events.map(({ connection_id, event }) => `${connection_id === id ? 'own' : 'other'} ${event.message}`);

  it('are one list with the server of each, page by page, found by words and fields', async () => {
    await empty();
    await store([
      { at: ago(20), text: 'ERROR:  deadlock detected' },
      { at: ago(18), text: 'LOG:  extension said left' },
    ]);
    await store(
      [
        { at: ago(19), text: 'ERROR:  deadlock detected', who: 'pay@till' },
        { at: ago(17), text: 'LOG:  extension said right' },
      ],
      { of: other },
    );
    const newest = [
      'other extension said right',
      'own extension said left',
      'other deadlock detected',
      'own deadlock detected',
    ];
    const page = await estate('limit=3');
    expect(told(page)).toEqual(newest.slice(0, 3));
    expect(page.events[1].connection_name).toBe(
      (
        await test.db.one<{ name: string }>(
          sql`select c.name from matriarch.connections c where c.id = ${id}`,
        )
      ).name,
    );
    expect(told(await estate(`limit=3&cursor=${page.next_cursor}`))).toEqual(newest.slice(3));
    expect(told(await estate('important=true'))).toEqual(newest.slice(2));
    expect(told(await estate('class=deadlock,panic'))).toEqual(newest.slice(2));
    expect(told(await estate('user_name=pay'))).toEqual(['other deadlock detected']);
    expect(told(await estate('search=LEFT'))).toEqual(['own extension said left']);
    expect(told(await estate('search=deadlo*&database_name=shop'))).toEqual(['own deadlock detected']);
  });

  it('are those of servers that the caller sees, with the permission', async () => {
    const ada = await makeUser(test.db);
    await makeConnection(test.db, { owner_id: ada.user_id, name: 'of ada' });
    const refused = await test.call('GET /api/v1/log-events', { token: ada.session });
    expect(refused.status).toBe(403);
    await makeGroup(test.db, { users: [ada.user_id], permissions: ['read_logs'] });
    const seen: OfServer[] = (await estate('', ada.session)).events;
    expect(seen.filter(({ connection_id }) => connection_id === id)).toEqual([]);
  });
});

// Events that matter are found among tens of thousands by words, beginnings, phrases and fields on the first page, also those that were
// stored before there was an index of their words.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { iso } from '../../kernel/times.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { indexOldEvents } from './event-search.ts';
import { serverLogsRoutes } from './server-logs.routes.ts';

const NOW = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
let test: TestApi;
let id: number;

interface Kept {
  hours: number;
  message: string;
  user?: string;
  application?: string;
  sqlstate?: string;
  hasWords?: boolean;
  copies?: number;
}

const keep = ({ hours, message, user = 'app', hasWords = true, copies = 1, ...more }: Kept) =>
  test.db.run(sql`/* test.keep */
    insert into matriarch.log_events (
      connection_id, occurred_at, class, severity, sqlstate, database_name, user_name, application_name, process_id,
      message, detail, hint, context, statement, figures, is_cut, has_words
    )
    select
      ${id}, ${iso(NOW - hours * HOUR_MS)}::timestamptz, 'deadlock', 'ERROR', ${more.sqlstate ?? '40P01'}, 'shop', ${user},
      ${more.application ?? ''}, '77', ${message}, '', '', '', '', '{}', false, ${hasWords}
    from generate_series(1, ${copies}::int)`);

beforeAll(async () => {
  test = await startTestApi({ rooms: [serverLogsRoutes], clock: manualClock(NOW) });
  id = test.actors.own_connection;
  await keep({ hours: 100, message: 'the Rare-needle in hay', user: "o'brien \\ co", sqlstate: '40001' });
  await keep({ hours: 101, message: 'hay in the needle', application: 'nightly' });
  await keep({ hours: 102, message: `${'long '.repeat(5000)} needle7` });
  await keep({ hours: 103, message: 'filler of another time', copies: 3 });
  await keep({ hours: 3, message: 'filler hay', copies: 21_000 });
});
afterAll(() => test.close());

interface Page {
  events: { message: string }[];
  next_cursor: string | null;
  searched_back_to: string | null;
}

async function page(query: Record<string, string>): Promise<Page> {
  const path = `GET /api/v1/connections/${id}/log-events?time_range=7d&${new URLSearchParams(query)}`;
  const { body, error } = await test.call(path, { token: test.actors.superuser.session });
  expect(error).toBeUndefined();
  return Object(body);
}

const ends = async (query: Record<string, string>) => {
  const found = await page(query);
  expect(found).toMatchObject({ next_cursor: null, searched_back_to: null });
  return found.events.map(({ message }) => message.trimStart().slice(-18).trim());
};

it('finds what is rare on the first page', async () => {
  expect(await ends({ search: 'NEEDLE' })).toEqual(['Rare-needle in hay', 'hay in the needle']);
  expect(await ends({ search: 'needle*' })).toHaveLength(3);
  expect(await ends({ search: '"needle in hay"' })).toEqual(['Rare-needle in hay']);
  expect(await ends({ search: 'rare-needle hay' })).toEqual(['Rare-needle in hay']);
  expect(await ends({ search: 'needle7 long' })).toEqual(['long long  needle7']);
  expect(await ends({ search: 'needl' })).toEqual([]);
  expect(await ends({ search: 'needle filler' })).toEqual([]);
  expect(await ends({ user_name: "o'brien \\ co" })).toEqual(['Rare-needle in hay']);
  expect(await ends({ application_name: 'nightly', search: 'hay' })).toEqual(['hay in the needle']);
  expect(await ends({ sqlstate: '40001' })).toEqual(['Rare-needle in hay']);
  expect(await ends({ process_id: '78' })).toEqual([]);
  expect(await ends({ class: 'deadlock,panic', search: 'another' })).toHaveLength(3);
  expect(await ends({ class: 'panic', search: 'another' })).toEqual([]);
});

it('lists what is common page by page, each once', async () => {
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const found: Page = await page({
      ...{ search: 'time another', limit: '2' },
      ...(cursor !== '' && { cursor }),
    });
    for (const { message } of found.events) seen.push(message);
    cursor = found.next_cursor;
  }
  expect(seen).toEqual(Array.from({ length: 3 }, () => 'filler of another time'));
  expect((await page({ search: 'filler' })).events).toHaveLength(50);
});

it('finds events of a version before, and has the index know them after a while', async () => {
  await keep({ hours: 110, message: 'an old straw', hasWords: false });
  expect(await ends({ search: 'straw' })).toEqual(['an old straw']);
  await indexOldEvents(test.db, () => true);
  const left = await test.db.one<{ n: number }>(sql`/* test.left */
    select count(*)::int as n from matriarch.log_events where not has_words`);
  expect(left.n).toBe(0);
  expect(await ends({ search: 'straw' })).toEqual(['an old straw']);
});

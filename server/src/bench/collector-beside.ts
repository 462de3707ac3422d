// A collector in the process of the bench, as the program runs it beside its API, over connections to a real server whose tables
// change: what is measured meanwhile is measured as somebody meets it. Guards: it begins when every database was read once, and
// leaves no connection behind.
import path from 'node:path';
import { sleep } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import type { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { collecting } from '../testing/collecting.ts';
import { ROLE, startWatched } from './watched-server.ts';

/** As many connections to one server keep their sessions. */
export const BESIDE = 8;
const TABLES = 25;

async function isRead(db: Database, ids: readonly number[]): Promise<boolean> {
  const { done } = await db.one<{ done: number }>(sql`
    /* bench.is_read */
    select count(*)::int as done
    from (
      select s.connection_id
      from metrics.current_snapshots s
      where s.probe = 'pg_stat_database' and s.collected_at is not null and s.connection_id = any (${ids}::integer[])
      group by s.connection_id
      having count(*) >= 4
    ) whole`);
  return done === ids.length;
}

export async function besideCollector<T>(
  { db, url, directory }: { db: Database; url: Secret; directory: string },
  work: () => Promise<T>,
): Promise<T> {
  const server = await startWatched(directory, { tables: TABLES });
  // The same for every round: what one sealed the next has to open.
  const house = await collecting(url, path.join(directory, 'beside.key'));
  const ids: number[] = [];
  try {
    await db.run(sql`
      select setval(pg_get_serial_sequence('matriarch.connections', 'id'), (select max(c.id) from matriarch.connections c))`);
    for (let n = 0; n < BESIDE; n += 1)
      ids.push(await house.connect(server.cluster, { username: ROLE, password: ROLE }));
    server.touch();
    house.start();
    while (!(await isRead(db, ids))) await sleep(500);
    return await work();
  } finally {
    await house.stop();
    await db.run(sql`delete from matriarch.connections where id = any (${ids}::integer[])`);
    await server.stop();
  }
}

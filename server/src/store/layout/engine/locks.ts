// What needs a partition for itself for a moment: dropping it when it is empty, and rewriting it. Guards: whoever is in
// the way is not waited for longer than two seconds, since everybody else would queue behind us.
import type { Database, Db } from '../../../kernel/db.ts';
import { errorCode } from '../../../kernel/errors.ts';
import { identifier, type Sql, sql } from '../../../kernel/sql.ts';
import { LOCK_TIMEOUT } from './ddl.ts';
import type { Partition } from './types.ts';

const LOCK_NOT_AVAILABLE = '55P03';

const qualifiedName = ({ schema, name }: Partition): Sql => sql`${identifier(schema)}.${identifier(name)}`;

async function isEmpty(db: Db, partition: Partition): Promise<boolean> {
  const { empty } = await db.one<{ empty: boolean }>(sql`
    /* store.is_empty */
    select count(*) = 0 as empty
    from (select t.connection_id from ${qualifiedName(partition)} t limit 1) t`);
  return empty;
}

/** Drops what is empty, and stays so until it has gone. Answers whether it went. */
export async function dropEmpty(
  db: Database,
  partition: Partition,
  drop: (db: Db, partition: Partition) => Promise<void>,
): Promise<boolean> {
  if (!(await isEmpty(db, partition))) return false;
  try {
    return await db.transaction(async (inner) => {
      await inner.run(LOCK_TIMEOUT);
      await inner.run(sql`
        /* store.lock_partition */
        lock table ${qualifiedName(partition)} in access exclusive mode`);
      // Somebody may have written since.
      if (!(await isEmpty(inner, partition))) return false;
      await drop(inner, partition);
      return true;
    });
  } catch (error) {
    if (errorCode(error) !== LOCK_NOT_AVAILABLE) throw error;
    return false;
  }
}

/** Outside of transactions, as VACUUM wants it; nobody writes to such a day, so it is small and hardly ever locked. */
export async function shrink(db: Database, partition: Partition): Promise<void> {
  await db.withClient(async (client) => {
    await client.query(`set lock_timeout = '2s'`);
    try {
      await client.query(sql`vacuum (full) ${qualifiedName(partition)}`.text);
    } catch (error) {
      if (errorCode(error) !== LOCK_NOT_AVAILABLE) throw error;
    } finally {
      await client.query('reset lock_timeout');
    }
  });
}

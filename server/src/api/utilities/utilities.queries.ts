// The smallest question that shows the datastore answers.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export async function askDatastore(db: Db): Promise<void> {
  await db.one<{ answer: number }>(sql`/* utilities.health */ select 1 as answer`);
}

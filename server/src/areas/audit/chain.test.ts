// S21: what is written into the audit log stays as it is, or verify says where it was touched.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { type TestDatabase, testDatabase } from '../../testing/database.ts';
import { recordAudit, recordAudits, systemActor } from './audit.service.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.close());

const ctx = (db: TestDatabase['db'] = test.db) => ({
  db,
  clock: systemClock,
  log: silentLog,
  principal: systemActor('cli'),
});

it('a row and its change come together or not at all, and ids have no gaps', async () => {
  await recordAudit(ctx(), { action: 'user.create', target: { kind: 'user', id: 1, name: 'a\0b\ud800' } });
  await expect(
    test.db.transaction(async (db) => {
      await recordAudit({ ...ctx(), db }, { action: 'user.delete' });
      throw new Error('changed our mind');
    }),
  ).rejects.toThrow('changed our mind');
  await recordAudits(ctx(), [
    { action: 'user.change', details: { to: 'x\0\ud800' } },
    { action: 'user.delete' },
  ]);
  const rows = await test.db.rows<{ id: number; action: string }>(sql`/* test.rows */
    select id, action from matriarch.audit_events order by id`);
  expect(rows).toEqual([
    { id: 1, action: 'user.create' },
    { id: 2, action: 'user.change' },
    { id: 3, action: 'user.delete' },
  ]);
});

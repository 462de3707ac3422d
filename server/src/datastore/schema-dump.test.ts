// The committed schema is what the migrations make.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { testDatabase } from '../testing/servers/database.ts';
import { schemaDump } from './schema-dump.ts';

const GOLDEN = path.resolve(import.meta.dirname, '../../schema.sql');

it('server/schema.sql is current (npm run gen -- --schema writes it anew)', async () => {
  const { db, close } = await testDatabase();
  const dump = await schemaDump(db).finally(close);
  expect(dump).toContain('create table matriarch.users (');
  expect(readFileSync(GOLDEN, 'utf8')).toBe(dump);
});

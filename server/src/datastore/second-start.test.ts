// A start on a datastore that has everything makes nothing: a distributed datastore sends what makes something to all of its nodes, and the
// start would fail with any of them. Here whatever would be made is refused.
import { expect, it } from 'vitest';
import { silentLog } from '../kernel/log.ts';
import { probes } from '../probes/catalog.gen.ts';
import { openEngine } from '../store/layout/engine/open.ts';
import { ensureTables } from '../store/layout/tables.ts';
import { testDatabase } from '../testing/servers/database.ts';
import { migrate } from './migrate.ts';

it('a second start makes nothing', async () => {
  const { db, url, close } = await testDatabase();
  const start = async () => {
    await migrate(url, silentLog);
    await openEngine(db);
    await ensureTables(db, probes);
  };
  await start();
  for (const text of [
    `create function public.refuse() returns event_trigger language plpgsql as $$
    begin
      raise exception '% is refused', tg_tag;
    end
    $$`,
    'create event trigger nothing_is_made on ddl_command_start execute function public.refuse()',
  ])
    await db.run({ text, values: [] });
  await expect(db.run({ text: 'create schema public_two', values: [] })).rejects.toThrow(
    'CREATE SCHEMA is refused',
  );
  await start();
  await close();
});

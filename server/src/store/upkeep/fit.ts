// Brings the tables of an older version up to what this program reads, and says where they are not. Guards: nothing reads a column that a
// later round of upkeep would make: a start that finds tables of an earlier version adds what they lack before anything reads them. A
// datastore without tables gets them as they are needed.
import type { Database, Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Probe } from '../../probes/types.ts';
import { ensureTierTables, missingTierColumns, readTierTables } from '../compact/tables.ts';
import { engineOf } from '../layout/engine/open.ts';
import type { Engine } from '../layout/engine/types.ts';
import { layoutOf } from '../layout/table-layout.ts';
import { ensureTables, missingColumns } from '../layout/tables.ts';

interface Fitting {
  probes: readonly Probe[];
  log: Log;
  engine?: Engine;
}

/** Rejects only where the datastore is away: what cannot be added now is added by upkeep, and said by the doctor until then. */
export async function fitStore(db: Database, { probes, log, engine = engineOf(db) }: Fitting): Promise<void> {
  const late = (err: unknown) => log.warn({ event: 'store.tables_late', err });
  try {
    if ((await missingColumns(db, probes)).length > 0) {
      const { problems } = await ensureTables(db, probes, engine);
      for (const [probe, reason] of problems) log.error({ event: 'store.table_refused', probe, reason });
    }
    const layouts = probes.flatMap((probe) => layoutOf(probe) ?? []);
    const there = await readTierTables(db, layouts);
    for (const { probe } of missingTierColumns(there, layouts)) {
      const layout = layouts.find((one) => one.probe === probe);
      if (layout) await ensureTierTables(db, engine, { layout, there }).catch(late);
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    late(error);
  }
}

/** What this program reads and the tables do not have, each as a sentence. */
export async function misfits(db: Db, probes: readonly Probe[]): Promise<string[]> {
  const layouts = probes.flatMap((probe) => layoutOf(probe) ?? []);
  const lacks = [
    ...(await missingColumns(db, probes)),
    ...missingTierColumns(await readTierTables(db, layouts), layouts),
  ];
  return lacks.map(({ table, columns }) =>
    columns === undefined
      ? `metrics.${table} is missing.`
      : `metrics.${table} lacks ${columns.length === 1 ? 'the column' : 'the columns'} ${columns.join(', ')}.`,
  );
}

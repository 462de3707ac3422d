// Whether the datastore has what this program reads and writes, for the commands that look after it.
import { schemaLacks } from '../datastore/schema-check.ts';
import type { Db } from '../kernel/db.ts';
import { probes } from '../probes/catalog.gen.ts';
import { misfits } from '../store/upkeep/fit.ts';

export const SCHEMA_MEND =
  'Restart Matriarch: it adds what tables of metrics lack. What the migrations made and is missing comes back with a backup.';

/** Each as a sentence. */
export const schemaProblems = async (db: Db): Promise<string[]> => [
  ...(await schemaLacks(db)),
  ...(await misfits(db, probes)),
];

// How large the datastore's database is, on every server that keeps a part of it.
import type { Db } from '../../kernel/db.ts';
import { engineOf } from '../layout/engine/open.ts';

/** In bytes, with everything in it. */
export const databaseSize = (db: Db): Promise<number> => engineOf(db).databaseSize(db);

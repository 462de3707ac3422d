// How often alerts fired, for rooms that tell of a time. Access to the connections has been checked.
import type { Db } from '../../kernel/db.ts';
import { type FiredRequest, type FiredRow, listFired } from './fired.queries.ts';

export const alertsFired = (db: Db, asked: FiredRequest): Promise<(FiredRow & { total: number })[]> =>
  listFired(db, asked);

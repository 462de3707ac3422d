// Leases of connections, as tests of collectors that come and go see them in the datastore.
import { sql } from '../kernel/sql.ts';
import type { Collecting } from './collecting.ts';

interface LeaseRow {
  connection_id: number;
  owner: string;
  epoch: number;
}

export const leases = ({ db }: Pick<Collecting, 'db'>): Promise<LeaseRow[]> =>
  db.rows<LeaseRow>(
    sql`select connection_id, owner, epoch from matriarch.connection_leases order by connection_id`,
  );

// What stands beside the days of what runs out: where things lie, how many connections there are, which slots there are, and what
// became of the newest run of each probe. Guards: one statement each, whatever the number of servers.
import type { Db } from '../../kernel/db.ts';
import { probe as replicationSlots } from '../../probes/pg-replication-slots.ts';
import { probe as serverInfo } from '../../probes/pg-server-info.ts';
import { probe as tablespace } from '../../probes/pg-tablespace.ts';
import { type Newest, newest } from '../../store/read/doors/newest.ts';
import { type RunOutcome, runOutcomes } from '../../store/read/doors/runs.ts';
import type { KindOf, RunwayContext, RunwayKind } from './runway-kinds.ts';

export interface RunwayFacts {
  contexts: ReadonlyMap<number, RunwayContext>;
  /** Slots that are there, by connection; of a connection without any nothing is known. */
  slots: ReadonlyMap<number, ReadonlySet<string>>;
  outcomes: ReadonlyMap<string, readonly RunOutcome[]>;
}

export const placeOf = (connection_id: number, probe: string) => `${connection_id} ${probe}`;
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
const byConnection = (rows: readonly Newest[]) => Map.groupBy(rows, ({ connection_id }) => connection_id);

export async function readFacts(
  db: Db,
  connection_ids: readonly number[],
  kinds: readonly KindOf[],
): Promise<RunwayFacts> {
  const has = (kind: RunwayKind) => kinds.some((of) => of.kind === kind);
  const probes = [...new Set(kinds.map((of) => of.probe.name))];
  const [infos, spaces, slots, outcomes] = await Promise.all([
    newest(db, { probe: serverInfo, columns: ['usable_connections', 'data_directory'], connection_ids }),
    has('tablespace')
      ? newest(db, { probe: tablespace, columns: ['spcname', 'location'], connection_ids })
      : [],
    has('replication_slot')
      ? newest(db, { probe: replicationSlots, columns: ['slot_name', 'temporary'], connection_ids })
      : [],
    runOutcomes(db, { connection_ids, probes }),
  ]);
  const [ofInfo, ofSpaces, ofSlots] = [byConnection(infos), byConnection(spaces), byConnection(slots)];
  const contexts = connection_ids.map((id): [number, RunwayContext] => {
    const info = ofInfo.get(id)?.[0]?.row;
    const usable = Number(info?.usable_connections ?? Number.NaN);
    const locations = (ofSpaces.get(id) ?? []).flatMap(({ row }): [string, string][] => {
      const location = textOf(row.location);
      return location === null ? [] : [[String(row.spcname), location]];
    });
    return [
      id,
      {
        usable_connections: usable > 0 ? usable : null,
        data_directory: textOf(info?.data_directory),
        volumes: [],
        locations: new Map(locations),
      },
    ];
  });
  const lasting = [...ofSlots].map(([id, rows]): [number, Set<string>] => [
    id,
    new Set(rows.flatMap(({ row }) => (row.temporary === true ? [] : [String(row.slot_name)]))),
  ]);
  return {
    contexts: new Map(contexts),
    slots: new Map(lasting),
    outcomes: Map.groupBy(outcomes, (one) => placeOf(one.connection_id, one.probe)),
  };
}

// What was heard of the past of a metric, put together by database and entity. Pure. Guards: an entity is gone at a time only
// where a run of its database did not find it; before it was seen first nothing is said of it.
import { least } from '../../kernel/lists.ts';
import type { Row } from '../../store/layout/types.ts';
import type { Reading } from '../../store/read/doors/buckets.ts';

/** Of one time (milliseconds since the epoch); null: nobody knows. */
export interface PastValue {
  readonly at: number;
  readonly value: number | null;
  /** A run did not find it. */
  readonly isGone?: true;
}

export interface History {
  connection_id: number;
  database_name: string;
  /** What names the entity; empty: there is only one. */
  object: Row;
  /** In order of time, since it was seen first. */
  values: PastValue[];
}

export interface SeriesKey {
  connection_id: number;
  database_name: string;
  group: string;
}

interface Entity {
  object: Row;
  /** Of the parts of the metric, by time. */
  heard: Map<number, (number | null)[]>;
  values: Map<number, number | null>;
}

/** What was read of one database of a connection. */
export class Database {
  readonly entities = new Map<string, Entity>();
  /** When something was known of it. */
  readonly runs = new Set<number>();
  readonly connection_id: number;
  readonly database_name: string;

  constructor({ connection_id, database_name }: Omit<SeriesKey, 'group'>) {
    [this.connection_id, this.database_name] = [connection_id, database_name];
  }

  entity(group: string, { groups }: Reading): Entity {
    const known = this.entities.get(group);
    if (known) return known;
    const made: Entity = { object: groups.valuesOf(group), heard: new Map(), values: new Map() };
    this.entities.set(group, made);
    return made;
  }

  histories(): History[] {
    const { connection_id, database_name } = this;
    const runs = [...this.runs].sort((a, b) => a - b);
    return [...this.entities.values()].map(({ object, values }) => {
      const first = least(values.keys());
      const own = runs.flatMap((at): PastValue[] => {
        const value = values.get(at);
        if (value !== undefined) return [{ at, value }];
        return at < first ? [] : [{ at, value: null, isGone: true }];
      });
      return { connection_id, database_name, object, values: own };
    });
  }
}

export const databaseKey = ({ connection_id, database_name }: Omit<SeriesKey, 'group'>) =>
  `${connection_id} ${database_name}`;

export class Collected {
  readonly databases = new Map<string, Database>();
  /** Seconds that were measured, by connection. */
  readonly measured = new Map<number, number>();

  database(place: Omit<SeriesKey, 'group'>): Database {
    const key = databaseKey(place);
    const known = this.databases.get(key);
    if (known) return known;
    const made = new Database(place);
    this.databases.set(key, made);
    return made;
  }

  cover(connection_id: number, seconds: number): void {
    this.measured.set(connection_id, (this.measured.get(connection_id) ?? 0) + seconds);
  }

  histories(): History[] {
    return [...this.databases.values()].flatMap((database) => database.histories());
  }
}

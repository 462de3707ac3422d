// Events of tables, indexes and statements that came or went. Guards: what the server keeps for itself, the collector's own
// statements, and all that the product makes in the datastore that it brings (tables by the day), are left out. What only the readings
// show is listed for a few servers at a time; for more, the answer says that it is left out.

import {
  type ChangedObject,
  type ObjectEvents,
  OF_THE_SERVER,
  OWN_STATEMENT,
  objectsGoneBetween,
  objectsMadeBetween,
} from '../../history/history.ts';
import type { Db } from '../../kernel/db.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { probes } from '../../probes/catalog.gen.ts';
import type { Probe } from '../../probes/types.ts';
import { readAnswering } from '../../store/read/doors/runs.ts';
import { listed, shortened, textOf } from './change-titles.ts';
import type { ChangeType } from './timeline.contract.ts';
import type { Event, TimelinePart, TimelineScope } from './types.ts';

/** Servers whose readings are looked through for one request. */
export const MOST_SERVERS_READ = 20;
const MOST_CHANGES = 100;

interface ObjectKind {
  type: ChangeType;
  /** What begins its ids. */
  prefix: string;
  probe: string;
  change: 'added' | 'removed';
  /** One and several of them. */
  words: readonly [string, string];
}

const KINDS: readonly ObjectKind[] = [
  {
    type: 'table_made',
    prefix: 'table-made',
    probe: 'pg_stat_all_tables',
    change: 'added',
    words: ['Table', 'tables'],
  },
  {
    type: 'table_dropped',
    prefix: 'table-dropped',
    probe: 'pg_stat_all_tables',
    change: 'removed',
    words: ['Table', 'tables'],
  },
  {
    type: 'index_made',
    prefix: 'index-made',
    probe: 'pg_stat_all_indexes',
    change: 'added',
    words: ['Index', 'indexes'],
  },
  {
    type: 'index_dropped',
    prefix: 'index-dropped',
    probe: 'pg_stat_all_indexes',
    change: 'removed',
    words: ['Index', 'indexes'],
  },
  {
    type: 'statement_new',
    prefix: 'statement-new',
    probe: 'pg_stat_statements',
    change: 'added',
    words: ['Statement', 'statements'],
  },
];

const verbOf = ({ type, change }: ObjectKind) => {
  if (type === 'statement_new') return 'seen for the first time';
  return change === 'added' ? 'made' : 'dropped';
};

const nameOf = ({ object, query_text }: ChangedObject) =>
  textOf(object.indexrelname) ??
  textOf(object.relname) ??
  (query_text === null ? `${textOf(object.queryid)}` : query_text.replaceAll(/\s+/g, ' '));

const detailOf = ({ database_name, object, query_text }: ChangedObject, { change, type }: ObjectKind) => {
  const own =
    type === 'statement_new'
      ? {
          queryid: textOf(object.queryid),
          user_name: textOf(object.username),
          query_text: query_text === null ? null : cutText(query_text, 1000),
        }
      : {
          schema: textOf(object.schemaname),
          table: textOf(object.relname),
          ...('indexrelname' in object && { index: textOf(object.indexrelname) }),
        };
  return { database: database_name, ...own, change_type: change };
};

function eventsOf(kinds: readonly ObjectKind[], { servers }: TimelineScope, found: ObjectEvents): Event[] {
  return found.events.flatMap(({ probe, connection_id, at, change_count, objects }): Event[] => {
    const [server, kind] = [servers.get(connection_id), kinds.find((one) => one.probe === probe)];
    if (!server || !kind) return [];
    const occurred_at = new Date(at).toISOString();
    const names = objects.map(nameOf);
    const [one, many] = kind.words;
    const verb = verbOf(kind);
    return [
      {
        id: `${kind.prefix}-${server.id}-${occurred_at}`,
        event_type: kind.type,
        connection_id: server.id,
        server_name: server.name,
        occurred_at,
        severity: 'info',
        title:
          change_count === 1
            ? `${one} ${shortened(names[0] ?? '')} ${verb}`
            : `${change_count} ${many} ${verb}`,
        summary: `${listed(names, change_count)} ${change_count === 1 ? 'was' : 'were'} ${verb} on ${server.name}.`,
        details: { change_count, changes: objects.map((object) => detailOf(object, kind)) },
      },
    ];
  });
}

const probeOf = ({ probe: name }: ObjectKind): Probe => {
  const probe = probes.find((one) => one.name === name);
  if (!probe) throw new Error(`there is no probe ${name}`);
  return probe;
};

/** What a source found, by the types of these kinds; each kind is of a probe of its own. */
function toldOf(kinds: readonly ObjectKind[], asked: TimelineScope, found: ObjectEvents): TimelinePart {
  const counts = new Map(kinds.map(({ type, probe }) => [type, found.counts.get(probe) ?? 0]));
  const total_count = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { events: eventsOf(kinds, asked, found), counts, total_count };
}

const tooMany = ({ type: event_type }: ObjectKind) => ({
  event_type,
  reason: `Drops are listed for at most ${MOST_SERVERS_READ} servers at once. Name fewer.`,
});

const notRead = (silent: readonly string[]) => (event_type: ChangeType) => ({
  event_type,
  reason: `Without ${listed(silent, silent.length)}: the node of the datastore that keeps the metrics does not answer.`,
});

/** What is kept on nodes of the datastore that answer; of the others the types that are not whole. */
export async function objectSource(db: Db, asked: TimelineScope): Promise<TimelinePart> {
  const read = (ids: readonly number[]) => {
    const among = new Set(ids);
    const servers = new Map([...asked.servers].filter(([id]) => among.has(id)));
    return objectsOf(db, { ...asked, servers });
  };
  const { value, silent } = await readAnswering(db, [...asked.servers.keys()], read);
  if (silent.length === 0) return value;
  const types = KINDS.map(({ type }) => type).filter((type) => asked.types.has(type));
  const names = silent.map((id) => asked.servers.get(id)?.name ?? String(id));
  return { ...value, incomplete: [...types.map(notRead(names)), ...(value.incomplete ?? [])] };
}

async function objectsOf(db: Db, asked: TimelineScope): Promise<TimelinePart> {
  const { types, from, to, limit } = asked;
  const servers = new Map([...asked.servers].filter(([, { is_embedded }]) => !is_embedded));
  const of = {
    connection_ids: [...servers.keys()],
    from,
    to,
    limit,
    without: OF_THE_SERVER,
    most: MOST_CHANGES,
  };
  const wanted = (change: ObjectKind['change']) =>
    KINDS.filter((kind) => kind.change === change && types.has(kind.type));
  const [added, removed] = [wanted('added'), wanted('removed')];
  const isTooMany = servers.size > MOST_SERVERS_READ;
  const [made, gone] = await Promise.all([
    objectsMadeBetween(db, {
      ...of,
      probes: added.map(({ probe }) => probe),
      without_statements: OWN_STATEMENT,
    }),
    objectsGoneBetween(db, { ...of, probes: isTooMany ? [] : removed.map(probeOf) }),
  ]);
  const told = [toldOf(added, asked, made), toldOf(removed, asked, gone)];
  return {
    events: told.flatMap(({ events }) => events),
    counts: new Map(told.flatMap(({ counts = [] }) => [...counts])),
    total_count: told.reduce((sum, { total_count }) => sum + total_count, 0),
    incomplete: isTooMany ? removed.map(tooMany) : [],
  };
}

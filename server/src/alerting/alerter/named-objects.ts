// What an alert is about, by name, where its metric only counts or measures it: a prepared transaction, settings, who holds back
// vacuum in a database, or that replay is paused. Guards: read only for servers where such a rule may fire; rows of
// another time than the value name nothing.
import type { Db } from '../../kernel/db.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { probe as wraparound } from '../../probes/pg-wraparound.ts';
import type { Probe } from '../../probes/types.ts';
import { type Newest, newest } from '../../store/read/doors/newest.ts';
import { type KnownRule, objectNameOf, shownName } from '../alert-rules/known-rules.service.ts';
import { nameIn, type RuleReadings, serversOf, withDetails } from './reading-details.ts';
import type { KeyedReading } from './readings.ts';

/** Both probes run every five minutes, each in its own time. */
const HOLDER_MS = 10 * MINUTE_MS;
const HOLDER = ['datname', 'holder_kind', 'holder', 'holder_pid', 'holder_xmin_age', 'xid_age'];

function namesOf({ rule: { namesObjects } }: KnownRule, rows: readonly Newest[]): string[] {
  if (!namesObjects) return [];
  const { column, where } = namesObjects;
  const counted = rows.filter(({ row }) => where === undefined || row[where] === true);
  return counted.map(({ row }) => nameIn(row[column])).filter((name) => name !== '');
}

const heldIn = ({ row }: Newest): number => Number(row.holder_xmin_age ?? 0);

/**
 * Who keeps vacuum from more than half of the age; undefined: nobody. Each database counts the shared catalogs, which a holder in
 * any other keeps old.
 */
function holderOf([own]: readonly Newest[], all: readonly Newest[]): string | undefined {
  if (!own) return undefined;
  const half = Number(own.row.xid_age) / 2;
  const held = [own, ...all.toSorted((a, b) => heldIn(b) - heldIn(a))].find((one) => heldIn(one) > half);
  if (!held) return undefined;
  const { row } = held;
  const pid = typeof row.holder_pid === 'number' ? ` (PID ${row.holder_pid})` : '';
  const where = held === own ? '' : ` in database "${nameIn(row.datname)}"`;
  return `${nameIn(row.holder_kind)} "${nameIn(row.holder)}"${pid}${where} holds back vacuum by ${shownValue(heldIn(held), 'transactions')}`;
}

/** What causes it, in words. */
function saidOf(
  { rule: { saysWhere, namesHolder } }: KnownRule,
  rows: readonly Newest[],
  all: readonly Newest[],
): string | undefined {
  if (namesHolder) return holderOf(rows, all);
  return rows.some(({ row }) => saysWhere && row[saysWhere.column] === saysWhere.is)
    ? saysWhere?.words
    : undefined;
}

/** What is read for a rule. */
interface Naming {
  readonly probe: Probe;
  readonly columns: readonly string[];
  /** Between the value and the rows that name what it is about. */
  readonly mostMs: number;
}

function namingOf({ probe, rule }: KnownRule): Naming {
  if (rule.namesHolder) return { probe: wraparound, columns: HOLDER, mostMs: HOLDER_MS };
  const { column, where }: { column?: string; where?: string } = rule.namesObjects ?? rule.saysWhere ?? {};
  const keys = probe.columns.filter(({ kind }) => kind === 'key').map(({ name }) => name);
  return {
    probe,
    columns: [...new Set([...keys, column, where].flatMap((name) => name ?? []))],
    mostMs: MINUTE_MS,
  };
}

/** Of the same server, object and time as the reading. */
function rowsOf(
  known: KnownRule,
  rows: readonly Newest[],
  { object_name, reading, mostMs }: KeyedReading & Pick<Naming, 'mostMs'>,
): Newest[] {
  const nameOf = (row: Newest['row']) =>
    known.rule.namesHolder ? shownName(String(row.datname ?? '')) : objectNameOf(known, row);
  return rows.filter(
    ({ row, collected_at }) =>
      Math.abs(reading.at - Date.parse(collected_at ?? '')) <= mostMs &&
      (object_name === '' || nameOf(row) === object_name),
  );
}

/** One statement, and none while no such rule may fire. */
export async function withNames(db: Db, known: KnownRule, found: RuleReadings): Promise<RuleReadings> {
  const connection_ids = serversOf(found);
  if (connection_ids.length === 0) return found;
  const { probe, columns, mostMs } = namingOf(known);
  const rows = await newest(db, { probe, columns, connection_ids });
  const byServer = Map.groupBy(rows, ({ connection_id }) => connection_id);
  return withDetails(found, (one) => {
    const all = byServer.get(one.connection_id) ?? [];
    const own = rowsOf(known, all, { ...one, mostMs });
    const [names, says] = [namesOf(known, own), saidOf(known, own, all)];
    return { ...(names.length > 0 && { names }), ...(says !== undefined && { says }) };
  });
}

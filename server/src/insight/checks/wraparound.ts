// Ages of transaction and multixact ids, judged alike. Guards: who holds the horizon back is said, whichever database it is in, since no
// vacuum helps before that is mended; the remedy is in the order that works, with statements that need no transaction id.

import type { Severity } from '../../alerting/rules/types.ts';
import { least } from '../../kernel/lists.ts';
import { shownValue, wholeNumber } from '../../kernel/shown-value.ts';
import { IDS_UNTIL_STOP } from '../../kernel/transaction-ids.ts';
import type { Facts, Item } from './facts.ts';
import {
  endOf,
  HOLDER_COLUMNS,
  type Holder,
  holderIn,
  holderOfAge,
  isActiveSlot,
  whereOf,
} from './horizon-holder.ts';
import { tableName } from './tables.ts';
import type { Judgement, Problem } from './types.ts';
import { quoted, quotedInComment } from './units.ts';

interface AgeKind {
  readonly age: 'xid_age' | 'mxid_age';
  readonly of: 'relfrozenxid_age' | 'relminmxid_age';
}

export interface Ages extends AgeKind {
  /** What runs out, as people say it. */
  readonly what: string;
  readonly percent: 'xid_percent' | 'mxid_percent';
  readonly warning: number;
  readonly critical: number;
  readonly unit: 'transactions' | 'multixacts';
}

export const WRAPAROUND_READS = {
  pg_wraparound: [...HOLDER_COLUMNS, 'xid_age', 'mxid_age', 'xid_percent', 'mxid_percent'],
} as const;

export const WRAPAROUND_USES = {
  pg_database: ['datname', 'datallowconn'],
  pg_replication_slots: ['slot_name', 'active'],
  pg_stat_all_tables: ['schemaname', 'relname', 'relfrozenxid_age', 'relminmxid_age'],
} as const;

/** Shorter transactions end before anybody has read of them. */
const LEAST_HELD_MS = 300_000;

export function oldestTables(facts: Facts, datname: string, { of }: AgeKind): Item[] {
  return facts
    .rows('pg_stat_all_tables')
    .filter((item) => item.database_name === datname && item.number(of) !== null)
    .sort((a, b) => (b.number(of) ?? 0) - (a.number(of) ?? 0))
    .slice(0, 10);
}

/** Transactions that are open or prepared keep multixacts, in whichever database; how old these are is nowhere to be read. */
function oldestTransaction(facts: Facts): Holder | undefined {
  const held = facts.rows('pg_wraparound').flatMap((item) => holderIn(item) ?? []);
  const known = held.filter(
    ({ kind, since }) =>
      (kind === 'session' || kind === 'prepared transaction') &&
      since !== null &&
      facts.now - since >= LEAST_HELD_MS,
  );
  const first = least(known.map(({ since }) => since ?? 0));
  return known.find(({ since }) => since === first);
}

/** What is done before a vacuum helps. */
export function firstSteps(facts: Facts, holder: Holder | undefined): string[] {
  return holder
    ? [
        '-- First end what holds back vacuum: until then it freezes little.',
        endOf(holder, isActiveSlot(facts, holder)),
      ]
    : [];
}

function takesConnections(facts: Facts, datname: string): boolean {
  const database = facts.rows('pg_database').find((one) => one.text('datname') === datname);
  return database?.flag('datallowconn') !== false;
}

/** Plain: FREEZE and FULL do more than is needed to get away from the limit, and ANALYZE needs a transaction id. */
function vacuumOf(facts: Facts, datname: string): string[] {
  if (takesConnections(facts, datname))
    return [
      `-- Then in database ${quotedInComment(datname)}, as a superuser, since shared catalogs count too. It runs alongside normal work:`,
      'vacuum;',
      '-- If its age does not fall: vacuum leaves out temporary tables of open sessions. The oldest are:',
      "select oid::regclass, age(relfrozenxid) from pg_class where relpersistence = 't' and relkind in ('r', 't') order by 2 desc limit 10;",
    ];
  return [
    `-- Database ${quotedInComment(datname)} takes no connections. Autovacuum freezes it by itself, also where it is turned off.`,
    '-- If its age does not fall, let connections in, run vacuum there, and shut it again:',
    `alter database ${quoted(datname)} allow_connections true;`,
  ];
}

function multixactSteps(facts: Facts): string[] {
  const oldest = oldestTransaction(facts);
  return oldest
    ? [
        '-- First end old transactions, in any database: they may hold multixact IDs. The oldest is:',
        endOf(oldest, false),
      ]
    : [];
}

function foundOf(facts: Facts, item: Item, ages: Ages): Problem | [] {
  const percent = item.number(ages.percent);
  if (percent === null || percent <= ages.warning) return [];
  const name = item.text('datname') ?? '';
  const age = item.number(ages.age) ?? 0;
  const severity: Severity = percent > ages.critical ? 'critical' : 'warning';
  const holder = ages.age === 'xid_age' ? holderOfAge(facts, item, age) : undefined;
  const held = holder ? ` A ${holder.kind}${whereOf(holder, name)} holds back vacuum: ${holder.holder}.` : '';
  const left = IDS_UNTIL_STOP - age;
  const stop =
    left > 0
      ? `PostgreSQL refuses new ${ages.unit} after ${wholeNumber(left)} more.`
      : `PostgreSQL refuses new ${ages.unit} now.`;
  const tables = oldestTables(facts, name, ages);
  const first = ages.age === 'xid_age' ? firstSteps(facts, holder) : multixactSteps(facts);
  return {
    database_name: name,
    object_name: '',
    severity,
    message: `${ages.what.charAt(0).toUpperCase()}${ages.what.slice(1)} age of database "${name}" is ${shownValue(age, 'count')} ${ages.unit}, ${shownValue(percent, 'percent')} of the limit. ${stop}${held}`,
    figure: { value: percent, unit: 'percent' },
    evidence: {
      [ages.age]: age,
      [ages.percent]: percent,
      holder_kind: holder?.kind ?? null,
      holder: holder?.holder ?? null,
      holder_since: holder?.since == null ? null : new Date(holder.since).toISOString(),
    },
    rows: tables.map((one) => ({ table: tableName(one), [ages.of]: one.number(ages.of) })),
    remedy: [...first, ...vacuumOf(facts, name)].join('\n'),
  };
}

export const oldAges = (facts: Facts, ages: Ages): Judgement => ({
  found: facts.rows('pg_wraparound').flatMap((item) => foundOf(facts, item, ages)),
});

export const ageAfter = (facts: Facts, { percent }: Ages, datname: string): number | null =>
  facts
    .rows('pg_wraparound')
    .find((item) => item.text('datname') === datname)
    ?.number(percent) ?? null;

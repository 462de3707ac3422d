// Who holds back vacuum, and the statement that ends it. Guards: each database counts the shared catalogs in its own age, so a holder
// in any database keeps all of them from freezing.
import type { Facts, Item } from './facts.ts';
import { endSession } from './remedies.ts';
import { literal, quotedInComment } from './units.ts';

export interface Holder {
  readonly kind: string;
  readonly holder: string;
  readonly pid: number | null;
  readonly age: number;
  /** Milliseconds since the epoch. */
  readonly since: number | null;
  /** In whose row of pg_wraparound it stands. */
  readonly datname: string;
}

export const HOLDER_COLUMNS = [
  'datname',
  'holder_kind',
  'holder',
  'holder_pid',
  'holder_xmin_age',
  'holder_since',
] as const;

export function holderIn(item: Item): Holder | undefined {
  const [kind, age] = [item.text('holder_kind'), item.number('holder_xmin_age')];
  if (kind === null || age === null) return undefined;
  const [holder, datname] = [item.text('holder') ?? '', item.text('datname') ?? ''];
  return { kind, holder, pid: item.number('holder_pid'), age, since: item.time('holder_since'), datname };
}

/** One of its own database, or else the oldest of others, that keeps more than half of the age: a vacuum would freeze little. */
export function holderOfAge(facts: Facts, item: Item, age: number): Holder | undefined {
  const others = facts.rows('pg_wraparound').flatMap((one) => holderIn(one) ?? []);
  const own = holderIn(item) ?? [];
  return [own, others.toSorted((a, b) => b.age - a.age)].flat().find((one) => one.age > age / 2);
}

const isOfServer = (kind: string) => kind === 'replication slot' || kind === 'standby';

/** ` in database "shop"`, where it belongs to another one than that. */
export const whereOf = ({ kind, datname }: Holder, than: string): string =>
  isOfServer(kind) || datname === than ? '' : ` in database "${datname}"`;

export function endOf({ kind, holder, pid, since, datname }: Holder, isActive: boolean): string {
  if (kind === 'session') return endSession('terminate', pid, since);
  if (kind === 'prepared transaction')
    return `-- In database ${quotedInComment(datname)}, once its transaction manager no longer knows it:\nrollback prepared ${literal(holder)};`;
  if (kind === 'standby')
    return [
      '-- On the standby: end the old query. Or turn hot_standby_feedback off, which may cancel queries there:',
      'alter system set hot_standby_feedback = off;',
      'select pg_reload_conf();',
    ].join('\n');
  const lead = isActive
    ? '-- Its consumer is connected but does not confirm. If it is not needed, stop the consumer and then:'
    : '-- Start its consumer. Or, if it is not needed:';
  return `${lead}\nselect pg_drop_replication_slot(${literal(holder)});`;
}

export const isActiveSlot = (facts: Facts, { holder }: Holder): boolean =>
  facts
    .rows('pg_replication_slots')
    .find((one) => one.text('slot_name') === holder)
    ?.flag('active') === true;

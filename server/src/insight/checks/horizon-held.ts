// Who keeps vacuum from removing dead rows, and since when: a session, a prepared transaction, a slot or a standby. Guards: a horizon
// that is old in hours alone, on a server where nothing was written since, does no harm and is not found.

import { rule as longRule } from '../../alerting/rules/long-running-transaction.ts';
import { rule as preparedRule } from '../../alerting/rules/prepared-transaction-age.ts';
import { greatest } from '../../kernel/lists.ts';
import { shownValue, wholeNumber } from '../../kernel/shown-value.ts';
import type { Facts, Item } from './facts.ts';
import { endOf, HOLDER_COLUMNS, type Holder, holderIn, isActiveSlot } from './horizon-holder.ts';
import { defineCheck, type Problem } from './types.ts';

/** So many transactions leave dead rows that matter. */
const LEAST_AGE = 10_000;
const NOTABLE_AGE = 1_000_000;
/** Without a time that is known, it takes more of them. */
const LEAST_AGE_UNTIMED = 100_000;

interface Held extends Holder {
  item: Item;
}

/** Of a slot nobody uses: since when (17+). */
function slotSince(facts: Facts, holder: string): number | null {
  const slot = facts.rows('pg_replication_slots').find((one) => one.text('slot_name') === holder);
  return slot?.time('inactive_since') ?? null;
}

/** One of each holder, in the database where it is oldest. */
function holdersOf(facts: Facts): Held[] {
  const held = new Map<string, Held>();
  for (const item of facts.rows('pg_wraparound')) {
    const one = holderIn(item);
    if (!one) continue;
    const { kind, holder, pid, age } = one;
    const key = `${kind}\n${holder}\n${pid}`;
    const since = one.since ?? (kind === 'replication slot' ? slotSince(facts, holder) : null);
    if (age > (held.get(key)?.age ?? -1)) held.set(key, { ...one, item, since });
  }
  return [...held.values()];
}

const leastSeconds = (kind: string): number =>
  kind === 'prepared transaction' ? preparedRule.threshold : longRule.threshold;

function severityOf(age: number, freezeAge: number | null): Problem['severity'] {
  if (freezeAge !== null && age >= freezeAge) return 'critical';
  return age >= NOTABLE_AGE ? 'warning' : 'info';
}

function foundOf(facts: Facts, held: Held): Problem | [] {
  const { item, kind, holder, pid, age, since } = held;
  const seconds = since === null ? null : (facts.now - since) / 1000;
  if (seconds === null ? age < LEAST_AGE_UNTIMED : age < LEAST_AGE || seconds < leastSeconds(kind)) return [];
  const who = kind === 'session' || kind === 'standby' ? `"${holder}" (PID ${pid})` : holder;
  const long = seconds === null ? '' : ` for ${shownValue(seconds, 'seconds')}`;
  return {
    database_name: '',
    object_name: `${kind} ${holder}`,
    object_key: `${kind}\n${holder}\n${pid ?? ''}`,
    severity: severityOf(age, item.number('autovacuum_freeze_max_age')),
    message: `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${who} has held back vacuum${long}. Rows deleted in the last ${wholeNumber(age)} transactions cannot be removed.`,
    figure: { value: age, unit: 'transactions' },
    evidence: {
      holder_kind: kind,
      holder,
      holder_pid: pid,
      holder_xmin_age: age,
      holder_since: since === null ? null : new Date(since).toISOString(),
      datname: item.text('datname'),
    },
    remedy: endOf(held, isActiveSlot(facts, held)),
  };
}

export const check = defineCheck({
  name: 'horizon_held',
  category: 'vacuum',
  title: 'Vacuum held back by an old snapshot',
  figureName: 'age of the snapshot',
  meaning: 'Dead tuples stay in every table until the holder ends. Tables bloat and reads slow down.',
  advice: 'End the holder, or let its application end it.',
  caution: 'The work of the transaction is lost. A dropped slot must be recreated with its consumer.',
  source: 'routine-vacuuming.html#VACUUM-FOR-SPACE-RECOVERY',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_wraparound: [...HOLDER_COLUMNS, 'autovacuum_freeze_max_age'],
  },
  uses: { pg_replication_slots: ['slot_name', 'active', 'inactive_since'] },
  judge: (facts) => ({ found: holdersOf(facts).flatMap((held) => foundOf(facts, held)) }),
  figureAfter: (facts) =>
    greatest(
      facts.rows('pg_wraparound').map((item) => item.number('holder_xmin_age') ?? 0),
      0,
    ),
});

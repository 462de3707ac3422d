// The tables beside those of samples and ticks: closed hours packed, and rollups by tier. Guards: names, columns and
// retention of all of them come from the probe's declaration and from the list below.

import { HOUR_MS } from '../../kernel/units.ts';
import type { Column } from '../../probes/types.ts';
import { type MetricTable, storedName, type TableColumn, type TableLayout } from './table-layout.ts';

export interface Tier {
  readonly name: 'm1' | 'm15' | 'h1';
  readonly seconds: number;
  readonly retentionDays: number;
}

/** From fine to coarse. */
export const TIERS: readonly Tier[] = [
  { name: 'm1', seconds: 60, retentionDays: 2 },
  { name: 'm15', seconds: 900, retentionDays: 90 },
  { name: 'h1', seconds: 3600, retentionDays: 730 },
];

const CONNECTION = { name: 'connection_id', type: 'integer', notNull: true } as const;
const AT = { name: 'collected_at', type: 'timestamp with time zone', notNull: true } as const;
const DATABASE = { name: 'database_name', type: 'text', notNull: true } as const;
const KEY = ['connection_id', 'database_name', 'collected_at'];

/** What comes in by the second would be most of the raw rows: it is packed every ten minutes, into its hour. */
const FAST_SECONDS = 10;
const FAST_MS = 600_000;

/** How long rows stay raw, as most late data has come in by then; and in which steps they are packed. */
export const hotOf = ({ intervalSeconds }: TableLayout): { hot_ms: number; step_ms: number } =>
  intervalSeconds <= FAST_SECONDS
    ? { hot_ms: FAST_MS, step_ms: FAST_MS }
    : { hot_ms: 2 * HOUR_MS, step_ms: HOUR_MS };

/** Rolled up by class of wait, not object by object. */
export const isByClass = ({ rollUpBy }: TableLayout): boolean => rollUpBy === 'wait-class';

/** In rows, a span of fewer samples takes more than half of what they took themselves. */
const LEAST_SAMPLES = 12;
const isOfMany = ({ intervalSeconds }: TableLayout, { seconds }: Tier) =>
  intervalSeconds * LEAST_SAMPLES <= seconds;
const isOfSome = ({ intervalSeconds }: TableLayout, { seconds }: Tier) => intervalSeconds * 2 <= seconds;

/** Samples are there for longer than this one. */
const isBrief = ({ name }: Tier) => name === 'm1';

/**
 * Tiers that say less than the samples do, and those that samples outlive only where they say much less; the coarsest always, since
 * it outlives the samples. By class of wait they are small, whatever the samples are.
 */
export const tiersOf = (layout: TableLayout): Tier[] =>
  TIERS.filter((tier) => {
    if (tier.name === 'h1') return true;
    return isBrief(tier) && !isByClass(layout) ? isOfMany(layout, tier) : isOfSome(layout, tier);
  });

/** Tiers of which something that is worth reading may be there. A version before made more of those that samples outlive. */
export const readTiersOf = (layout: TableLayout): Tier[] => {
  const made = tiersOf(layout);
  return TIERS.filter((tier) => made.includes(tier) || !isBrief(tier));
};

/** Made when its day is over, straight as a packed day: in rows it would take more than the samples do that say the same. */
export const isMadeLate = (layout: TableLayout, tier: Tier): boolean =>
  !isByClass(layout) && !isOfMany(layout, tier);

/** Rollups that are kept for long: their days are packed once they are over. Those by class are small as they are. */
export const packedTiersOf = (layout: TableLayout): Tier[] =>
  isByClass(layout) ? [] : tiersOf(layout).filter((tier) => !isBrief(tier));

export const lateTiersOf = (layout: TableLayout): Tier[] =>
  packedTiersOf(layout).filter((tier) => isMadeLate(layout, tier));

export const packedName = (layout: TableLayout): string => `${layout.probe}__packed`;
export const rollupName = (layout: TableLayout, tier: Tier): string => `${layout.probe}__${tier.name}`;

export const packedRollupName = (layout: TableLayout, tier: Tier): string => `${rollupName(layout, tier)}p`;

/** One row is one hour of samples, or one day of rollups (it begins at collected_at), of one database. */
const packedAs = (name: string): MetricTable => ({
  name,
  packed: false,
  columns: [
    CONNECTION,
    { name: 'layout_id', type: 'integer', notNull: true },
    AT,
    DATABASE,
    { name: 'columns', type: 'bytea[]', notNull: true },
  ],
  key: KEY,
});
export const packedTable = (layout: TableLayout): MetricTable => packedAs(packedName(layout));
export const packedRollupTable = (layout: TableLayout, tier: Tier): MetricTable =>
  packedAs(packedRollupName(layout, tier));

const NUMERIC = new Set<Column['type']>(['integer', 'bigint', 'double precision']);

/** Columns that are rolled up. */
export const numbersOf = (layout: TableLayout): Column[] =>
  layout.values.filter(({ kind, type }) => (kind === 'gauge' || kind === 'counter') && NUMERIC.has(type));

/** What is kept of a gauge beside its mean, which has the column's own name. */
const GAUGE_PARTS = ['sec', 'min', 'max', 'last', 'sum'] as const;
const COUNTER_PARTS = ['sec'] as const;

const partsOf = ({ kind }: Column) => (kind === 'counter' ? COUNTER_PARTS : GAUGE_PARTS);
export const partName = (column: Column, part: string): string => `${storedName(column.name)}__${part}`;

/** Names of the arrays of a column in a rollup: the increase or mean first. */
export const arraysOf = (column: Column): string[] => [
  storedName(column.name),
  ...partsOf(column).map((part) => partName(column, part)),
];

/** What the sessions of a span did with their time: sessions × seconds by class of wait. */
const CLASSES: TableColumn[] = [
  { name: 'wait_classes', type: 'text[]', notNull: true },
  { name: 'session_seconds', type: 'double precision[]', notNull: true },
];

/** By what else sessions are told apart, and the column of a rollup that holds the largest of a span by it. */
export const MEMBER_COLUMNS = {
  wait_event: 'by_wait_event',
  statement: 'by_statement',
  user: 'by_user',
  application: 'by_application',
  client: 'by_client',
  database: 'by_database',
} as const;
/** More of a span are not told apart by name: they are its rest. */
export const MEMBERS_KEPT = 20;

/** Finer rollups are gone before the samples are. */
export const knowsMembers = ({ seconds }: Tier): boolean => seconds >= 900;

/** Null in rollups of versions that did not make them. */
const membersOf = (tier: Tier): TableColumn[] =>
  knowsMembers(tier) ? Object.values(MEMBER_COLUMNS).map((name) => ({ name, type: 'text' })) : [];

function entityArrays(layout: TableLayout): TableColumn[] {
  const arrays = numbersOf(layout).flatMap(arraysOf);
  return [
    { name: 'object_ids', type: 'integer[]', notNull: true },
    ...arrays.map((name) => ({ name, type: 'double precision[]' })),
  ];
}

/** One row is one span of the tier (it begins at collected_at) of one database. */
export function rollupTable(layout: TableLayout, tier: Tier): MetricTable {
  return {
    name: rollupName(layout, tier),
    packed: true,
    columns: [
      CONNECTION,
      // Runs within the span.
      { name: 'runs', type: 'integer', notNull: true },
      AT,
      // How much of the span was measured.
      { name: 'covered_seconds', type: 'double precision', notNull: true },
      DATABASE,
      ...(isByClass(layout) ? [...CLASSES, ...membersOf(tier)] : entityArrays(layout)),
    ],
    key: KEY,
  };
}

/** Names of entities that outlive an hour; sessions do not, and are only rolled up together. */
export const hasLastingKeys = ({ keys }: TableLayout): boolean =>
  !keys.some(
    ({ name, kind, type }) =>
      kind === 'key' && (name === 'pid' || name.endsWith('_pid') || type === 'timestamp with time zone'),
  );

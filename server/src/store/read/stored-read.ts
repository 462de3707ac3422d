// What is read of everything that is stored of some columns over some time, and what comes of it (stored.queries.ts).
import type { Column } from '../../probes/types.ts';
import type { TableLayout } from '../layout/table-layout.ts';
import type { Tier } from '../layout/tiers.ts';

/** Milliseconds since the epoch, `from` inclusive, `to` exclusive. */
export interface Range {
  readonly connection_ids: readonly number[];
  readonly from: number;
  readonly to: number;
}

export interface RolledColumnRead {
  readonly column: Column;
  /** The parts of the column beside its mean or increase. */
  readonly parts: readonly string[];
}

export interface RolledRead {
  readonly tier: Tier;
  /** Days of it may be packed. */
  readonly isPacked: boolean;
  readonly columns: readonly RolledColumnRead[];
  /** All entities together and no single one. */
  readonly together: boolean;
  readonly ranges: readonly Range[];
  /** Ids (0: all together) of the entities that are read of spans in rows; undefined: all that there are. */
  readonly only?: readonly number[] | undefined;
  /** Whole days of which nobody asks when in them a counter of an object grew: their sums are read where there are any. */
  readonly summed?: readonly Range[] | undefined;
}

export interface ClassRead {
  readonly tier: Tier;
  /** That which holds the largest members of a span, where they are wanted. */
  readonly members: string | undefined;
  readonly ranges: readonly Range[];
}

export interface DatabaseOf {
  readonly connection_id: number;
  readonly database_name: string;
}

export interface StoredRead {
  readonly layout: TableLayout;
  /** Value columns of samples or ticks. */
  readonly columns: readonly Column[];
  readonly database_name: string | undefined;
  /** Of samples and ticks; none: only rollups are read. */
  readonly ranges: readonly Range[];
  readonly rolled: RolledRead | undefined;
  /** Of a probe that is rolled up by class of wait: its spans. */
  readonly byClass?: readonly ClassRead[];
  /** Nothing is packed that could be in the ranges. */
  readonly isRaw?: boolean;
  /** Increases say themselves since when they are: of raw ticks keyframes are left out, which hold every object there is. */
  readonly isOfIncreases?: boolean;
  /** Of which databases; undefined: of all that the ranges have. */
  readonly databases?: readonly DatabaseOf[] | undefined;
  /** Which objects there were is asked, not what of them changed. */
  readonly isOfWholes?: boolean;
  /** Of packed ticks only these objects are unpacked; undefined: all. */
  readonly wanted?: ReadonlySet<number> | undefined;
}

export type StoredRow = {
  /** Which of the reads it answers, from 0; -1: none, it is one of `More`. */
  read_no: number;
  part: 'raw' | 'hour' | 'span' | 'day' | 'class' | 'more';
  connection_id: number;
  database_name: string;
} & { [text: `t${number}`]: string | null };

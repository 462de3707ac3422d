// What advice on indexes is made of: statements that cost much, tables with what the server knows of their columns, and what became of
// trying. Guards: all of it comes from servers, so it is read with checks.
export type Cells = Readonly<Record<string, unknown>>;

import { isRecord } from '../../kernel/read-json.ts';
export interface CostlyStatement {
  readonly queryid: string;
  readonly text: string;
  readonly calls: number;
  readonly time_ms: number;
  readonly blocks: number;
  readonly rows: number;
}

export interface ColumnFacts {
  readonly number: number;
  readonly name: string;
  /** Of a type that a B-tree can sort. */
  readonly is_sortable: boolean;
  /** As in pg_stats; null: hidden from us, or never analyzed. */
  readonly n_distinct: number | null;
  readonly null_fraction: number;
  readonly width: number;
  /** Share of the rows that have the most common value. */
  readonly top_fraction: number;
}

export interface IndexFacts {
  /** Column numbers of its key; 0 for an expression. */
  readonly key: readonly number[];
  /** Every column that it, its expressions or its predicate name. */
  readonly uses: readonly number[];
  /** Neither partial nor of expressions, and valid. */
  readonly is_plain: boolean;
}

export interface TableFacts {
  readonly relid: string;
  readonly schema: string;
  readonly name: string;
  readonly bytes: number;
  readonly pages: number;
  readonly rows: number;
  readonly columns: readonly ColumnFacts[];
  readonly indexes: readonly IndexFacts[];
}

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

/** 0 for what is no number. */
export const numberOf = (value: unknown): number => {
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0;
  return Number.isFinite(number) ? number : 0;
};

export const cellsOf = (value: unknown): readonly Cells[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

const numbersOf = (value: unknown): number[] => (Array.isArray(value) ? value.map(numberOf) : []);

/** A row of pg_index_advice. */
export function tableOf(row: Cells): TableFacts {
  return {
    relid: textOf(row.relid),
    schema: textOf(row.schemaname),
    name: textOf(row.relname),
    bytes: numberOf(row.table_bytes),
    pages: numberOf(row.page_count),
    rows: numberOf(row.row_count),
    columns: cellsOf(row.columns).map((one) => ({
      number: numberOf(one.number),
      name: textOf(one.name),
      is_sortable: one.is_sortable === true,
      n_distinct: typeof one.n_distinct === 'number' ? one.n_distinct : null,
      null_fraction: numberOf(one.null_fraction),
      width: numberOf(one.width),
      top_fraction: numberOf(one.top_fraction),
    })),
    indexes: cellsOf(row.indexes).map((one) => ({
      key: numbersOf(one.key),
      uses: numbersOf(one.uses),
      is_plain: one.is_plain === true,
    })),
  };
}

export function statementOf(row: Cells): CostlyStatement {
  return {
    queryid: textOf(row.queryid),
    text: textOf(row.query_text),
    calls: numberOf(row.calls),
    time_ms: numberOf(row.total_exec_time),
    blocks: numberOf(row.shared_blks_hit) + numberOf(row.shared_blks_read),
    rows: numberOf(row.rows),
  };
}

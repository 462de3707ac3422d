// All rows of a long list, part by part. Guards: a list that is longer than what is fetched is known to be so.
import type { ReadPart } from '../../api/parts.ts';

/** More would make a file that few programs open. */
const MOST = 10_000;

export interface Fetched<Row> {
  rows: readonly Row[];
  /** As many as there are. */
  total: number;
}

export interface Fetching<Row> {
  read: ReadPart<Row>;
  /** Rows of a part. */
  size: number;
  /** Told after each part. */
  onPart: (count: number, total: number) => void;
  /** Ends it. */
  signal: AbortSignal;
}

export async function fetchAll<Row>({ read, size, onPart, signal }: Fetching<Row>): Promise<Fetched<Row>> {
  const all: Row[] = [];
  for (;;) {
    const { rows, total } = await read(all.length, signal);
    for (const row of rows) all.push(row);
    const known = total ?? all.length;
    onPart(all.length, known);
    if (rows.length < size || all.length >= Math.min(known, MOST)) return { rows: all, total: known };
  }
}

// Where a table takes its rows from: a list that is whole, or one of which only some rows are here and the others are
// fetched once they come near the window.

export interface RowSource<Row> {
  /** Of all rows, here or not. */
  readonly count: number;
  /** Undefined: it is not here yet. */
  readonly at: (index: number) => Row | undefined;
  /** Told which rows are drawn. */
  readonly near?: (first: number, last: number) => void;
}

export const isList = <Row>(rows: readonly Row[] | RowSource<Row>): rows is readonly Row[] =>
  Array.isArray(rows);

export const listSource = <Row>(rows: readonly Row[]): RowSource<Row> => ({
  count: rows.length,
  at: (index) => rows[index],
});

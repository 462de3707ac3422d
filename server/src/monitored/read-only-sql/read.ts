// What one can do with a statement that only reads: have its rows, its plan, or hear whether it is one. Guards: as the transaction.

import { systemClock } from '../../kernel/clock.ts';
import { append, greatest } from '../../kernel/lists.ts';
import type { ParsedStatement } from '../../kernel/parser/types.ts';
import { TargetError, type TextTable } from '../connect.ts';
import * as queries from './session.queries.ts';
import { demandReading, ReadTransaction, type SessionOptions } from './transaction.ts';
import { type Column, type CutBy, type Prepared, StatementRefused, type Table } from './types.ts';

/** Of an answer, as it comes over the socket. */
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_LINES = 20_000;
const MOST_PARAMETERS = 500;
/** Fetched at once, of narrow rows. */
const MOST_AT_ONCE = 200;
const BYTES_AT_ONCE = 256 * 1024;

export interface ReadWishes {
  readonly text: string;
  readonly params?: readonly (string | null)[] | undefined;
  readonly limit: number;
  readonly offset: number;
}

type Raw = Pick<Table, 'rows' | 'cut_by' | 'bytes'> & { columns: TextTable['columns'] };

const bytesOf = (rows: TextTable['rows']) =>
  rows.reduce(
    (sum, row) => row.reduce((all, cell) => all + (cell === null ? 0 : Buffer.byteLength(cell)), sum),
    0,
  );

/** As the server names them, with what stands in brackets behind them. */
async function namedColumns(own: ReadTransaction, columns: TextTable['columns']): Promise<Column[]> {
  const oids = columns.map(({ type_oid }) => type_oid);
  const modifiers = columns.map(({ type_modifier }) => type_modifier);
  const rows = await own.query(queries.TYPE_NAMES, [oids, modifiers]);
  return columns.map(({ name }, index) => {
    const type = rows[index]?.name;
    return { name, type: typeof type === 'string' ? type : 'unknown' };
  });
}

/** Throws StatementRefused where a parameter has no value. */
function demandValues({ parameters }: ParsedStatement, given: number): void {
  const most = greatest(
    parameters.map(({ number }) => number),
    0,
  );
  if (most > given)
    throw new StatementRefused(
      'server',
      `There is no value for the parameter $${most}: put values in the place of parameters, or plan it by explain (generic_plan) on PostgreSQL 16 and newer.`,
      '42P02',
    );
}

/** A few rows at a time, and fewer the wider they are. */
async function fetchAll(own: ReadTransaction, limit: number): Promise<Raw> {
  const rows: (readonly (string | null)[])[] = [];
  let columns: TextTable['columns'] | undefined;
  let bytes = 0;
  let cut_by: CutBy | null = null;
  for (let size = 1; rows.length <= limit && cut_by === null; ) {
    const wanted = Math.min(size, limit + 1 - rows.length);
    await own.spend();
    const part = await own
      .table(queries.fetch(wanted), [], { rows: wanted, bytes: MOST_BYTES - bytes })
      .catch(tooLarge);
    if (part === undefined) {
      if (columns === undefined)
        throw new StatementRefused('server', 'Its first row is larger than an answer may be (8 MB).');
      cut_by = 'bytes';
      break;
    }
    columns ??= part.columns;
    append(rows, part.rows);
    bytes += bytesOf(part.rows);
    if (part.rows.length < wanted) break;
    const width = Math.max(1, bytes / rows.length);
    size = Math.max(1, Math.min(MOST_AT_ONCE, size * 10, Math.floor(BYTES_AT_ONCE / width)));
    if (bytes >= MOST_BYTES) cut_by = 'bytes';
  }
  if (rows.length > limit) {
    rows.length = limit;
    cut_by = 'rows';
  }
  return { columns: columns ?? [], rows, cut_by, bytes };
}

/** Undefined: there is no room for it, and the session has been closed. */
function tooLarge(error: unknown): undefined {
  if (error instanceof TargetError && error.code === 'reply_too_large') return undefined;
  throw error;
}

async function lines(own: ReadTransaction, text: string, isSimple = false): Promise<Raw> {
  await own.spend();
  const answer = await own.table(queries.direct(text), [], { rows: MOST_LINES, bytes: MOST_BYTES, isSimple });
  return { ...answer, cut_by: null, bytes: bytesOf(answer.rows) };
}

async function tableOf(own: ReadTransaction, raw: Raw, since: number): Promise<Table> {
  // The session has been closed when an answer was too large: types are not asked for any more.
  const columns =
    raw.cut_by === 'bytes'
      ? await namedColumns(own, raw.columns).catch(() =>
          raw.columns.map(({ name }) => ({ name, type: 'unknown' })),
        )
      : await namedColumns(own, raw.columns);
  const { rows, cut_by, bytes } = raw;
  const ms = Math.round(systemClock.monotonic() - since);
  return { columns, rows, truncated: cut_by !== null, cut_by, bytes, ms };
}

/** Throws StatementRefused, or a TargetError. */
export async function readRows(
  options: SessionOptions,
  { text, params = [], limit, offset }: ReadWishes,
): Promise<Table> {
  const since = systemClock.monotonic();
  const judged = await demandReading(options.parser, text);
  const isGeneric = judged.kind === 'explain' && judged.statement.options.includes('generic_plan');
  if (!isGeneric) demandValues(judged.statement, params.length);
  return ReadTransaction.within(options, async (own) => {
    const placed = await own.placed(text, judged);
    if (judged.kind !== 'select') return tableOf(own, await lines(own, placed, isGeneric), since);
    await own.spend();
    await own.table(queries.declare(placed), params, { rows: 0, bytes: MOST_BYTES });
    if (offset > 0) {
      await own.spend();
      await own.query(queries.skip(offset));
    }
    return tableOf(own, await fetchAll(own, limit), since);
  });
}

/** Whether it is proven that the statement only reads; nothing of it is sent. Throws StatementRefused where it is not. */
export async function proveOnly(options: SessionOptions, text: string): Promise<object> {
  const judged = await demandReading(options.parser, text);
  await ReadTransaction.within(options, (own) => own.placed(text, judged));
  return {};
}

/** Parsed and looked up by the server, and not run. */
export async function prepareOnly(options: SessionOptions, text: string): Promise<Prepared> {
  const since = systemClock.monotonic();
  const judged = await demandReading(options.parser, text, 'prepare');
  return ReadTransaction.within(options, async (own) => {
    const placed = await own.placed(text, judged);
    if (judged.kind !== 'select')
      return { parameter_types: [], ms: Math.round(systemClock.monotonic() - since) };
    await own.prepare(placed, { rows: 0, bytes: MOST_BYTES });
    const [row] = await own.query(queries.PREPARED_TYPES);
    const types = Array.isArray(row?.parameter_types) ? row.parameter_types.map(String) : [];
    return { parameter_types: types, ms: Math.round(systemClock.monotonic() - since) };
  });
}

/** With `analyze` it is run, so that it has to be one that only reads. */
export async function explainStatement(
  options: SessionOptions,
  text: string,
  wishes: queries.ExplainWishes,
): Promise<Table> {
  const since = systemClock.monotonic();
  const judged = await demandReading(options.parser, text, wishes.analyze ? 'read' : 'plan');
  const { statement, kind } = judged;
  if (kind !== 'select')
    throw new StatementRefused('not_allowed', 'Give the statement itself, without explain.');
  const parameters = greatest(
    statement.parameters.map(({ number }) => number),
    0,
  );
  if (parameters > 0 && wishes.analyze)
    throw new StatementRefused(
      'not_allowed',
      'It has parameters ($1): put values in their place, or explain it without analyze.',
    );
  if (parameters > MOST_PARAMETERS)
    throw new StatementRefused('not_allowed', `It has more than ${MOST_PARAMETERS} parameters.`);
  return ReadTransaction.within(options, async (own) => {
    const sent = await own.placed(text, judged);
    if (parameters === 0) return tableOf(own, await lines(own, queries.explain(sent, wishes)), since);
    await own.query(queries.GENERIC);
    await own.prepare(sent, { rows: 0, bytes: MOST_BYTES });
    return tableOf(own, await lines(own, queries.explainPrepared(parameters, wishes)), since);
  });
}

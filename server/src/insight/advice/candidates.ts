// Which index a statement could use that is not there: from what it compares, joins and sorts by, and from the statistics of the columns.
// Pure. Guards: nothing that exists in another form, nothing that finds a large part of the table, and one index where it serves several.
import type { ColumnUse, Condition, ParsedStatement, Scope } from '../../kernel/parser/types.ts';
import type { ColumnFacts, IndexFacts, TableFacts } from './types.ts';

const MOST_COLUMNS = 3;
/** An index that finds more than this part of a table helps little. */
const MOST_SELECTED = 0.05;
/** So few rows are as good as found: no further column is needed. */
const FEW_ROWS = 10;
/** An index on other columns that leads to so few rows serves as well. */
const SERVED_ROWS = 1000;

export interface Candidate {
  readonly columns: readonly ColumnFacts[];
  /** Of the rows, with values as they are on average. */
  readonly selected: number;
  /** How many of the columns are compared for equality. */
  readonly equal: number;
}

const EQUAL = new Set(['=', 'in', 'is null']);
const RANGE = new Set(['<', '>', '<=', '>=', 'between']);

/** The part of the rows that one value of the column selects; undefined where the statistics are not known. */
function equalPart({ n_distinct, null_fraction }: ColumnFacts, rows: number): number | undefined {
  if (n_distinct === null || n_distinct === 0) return undefined;
  const distinct = n_distinct > 0 ? n_distinct : Math.max(1, -n_distinct * rows);
  return Math.min(1, (1 - null_fraction) / distinct);
}

/** By the name or alias of a table in the scope; a bare name belongs to it where nothing else can be meant. */
function belongs({ table }: ColumnUse, scope: Scope, own: { name: string; alias: string | null }): boolean {
  if (table !== null) return table === (own.alias ?? own.name);
  return scope.relations.length === 1;
}

interface ColumnConditions {
  equal: Map<ColumnFacts, number>;
  range: ColumnFacts | undefined;
}

function note(
  wanted: ColumnConditions,
  one: Condition,
  { column, rows }: { column: ColumnFacts; rows: number },
): void {
  if (one.against.kind === 'other') return;
  if (one.operator === 'is null') wanted.equal.set(column, column.null_fraction);
  else if (EQUAL.has(one.operator)) {
    const part = equalPart(column, rows);
    if (part !== undefined) wanted.equal.set(column, Math.min(part, wanted.equal.get(column) ?? 1));
  } else if (RANGE.has(one.operator) && one.against.kind === 'value') wanted.range ??= column;
}

function candidateIn(scope: Scope, alias: string | null, table: TableFacts): Candidate | undefined {
  const own = { name: table.name, alias };
  const columnOf = (use: ColumnUse) =>
    belongs(use, scope, own)
      ? table.columns.find(({ name, is_sortable }) => is_sortable && name === use.column)
      : undefined;
  const wanted: ColumnConditions = { equal: new Map(), range: undefined };
  for (const one of scope.conditions) {
    const column = columnOf(one);
    if (column) note(wanted, one, { column, rows: table.rows });
  }
  const chosen: ColumnFacts[] = [];
  let selected = 1;
  for (const [column, part] of [...wanted.equal].sort((a, b) => a[1] - b[1])) {
    if (chosen.length === MOST_COLUMNS || (chosen.length > 0 && selected * table.rows <= FEW_ROWS)) break;
    // One that hardly tells rows apart only makes the index larger.
    if (chosen.length > 0 && part > 0.5) break;
    chosen.push(column);
    selected *= part;
  }
  if (chosen.length === 0 || selected > MOST_SELECTED) return undefined;
  const { range } = wanted;
  const equal = chosen.length;
  const goesOn = equal < MOST_COLUMNS && selected * table.rows > FEW_ROWS;
  if (range && goesOn && !chosen.includes(range)) chosen.push(range);
  return { columns: chosen, selected, equal };
}

/** What the leading columns of an index tell; those of an expression stand for it. */
function leading({ key, uses }: IndexFacts, count: number): Set<number> {
  const first = key.slice(0, count);
  return new Set(first.includes(0) ? [...first, ...uses] : first);
}

/** Whether an index exists that begins with these columns in any order, or finds nearly as few rows. */
function exists({ columns, equal }: Candidate, table: TableFacts): boolean {
  const numbers = columns.map(({ number }) => number);
  return table.indexes.some((index) => {
    const first = leading(index, numbers.length);
    if (numbers.every((number) => first.has(number))) return true;
    const lead = columns.slice(0, equal).find(({ number }) => leading(index, 1).has(number));
    return lead !== undefined && (equalPart(lead, table.rows) ?? 1) * table.rows <= SERVED_ROWS;
  });
}

/** What one statement would like to have on this table; absent where what it has does. */
export function candidatesOf(statement: ParsedStatement, table: TableFacts): Candidate[] {
  return statement.scopes.flatMap((scope) =>
    scope.relations
      .filter(
        ({ name, schema, isWith }) =>
          !isWith && name === table.name && (schema ?? table.schema) === table.schema,
      )
      .flatMap(({ alias }) => candidateIn(scope, alias, table) ?? [])
      .filter((one) => !exists(one, table)),
  );
}

export const keyOf = ({ columns }: Pick<Candidate, 'columns'>): string =>
  columns.map(({ number }) => number).join(',');

/** One that begins with the columns of another, in any order, serves that as well. */
function serves(one: Candidate, other: Candidate): boolean {
  const first = new Set(one.columns.slice(0, other.columns.length).map(({ number }) => number));
  return other.columns.every(({ number }) => first.has(number));
}

/** So that none of them serves what another does: the longer ones stay, beginning with what the shorter ones want. */
export function merged(all: readonly Candidate[]): Candidate[] {
  const kept: Candidate[] = [];
  for (const one of all.toSorted((a, b) => b.columns.length - a.columns.length || a.selected - b.selected)) {
    const wider = kept.findIndex((other) => {
      const numbers = new Set(other.columns.slice(0, other.equal).map(({ number }) => number));
      return one.columns.every(({ number }) => numbers.has(number));
    });
    const found = kept[wider];
    if (!found) kept.push(one);
    else if (!serves(found, one)) {
      const own = new Set(one.columns);
      const columns = [...one.columns, ...found.columns.filter((column) => !own.has(column))];
      kept[wider] = { ...found, columns };
    }
  }
  return kept;
}

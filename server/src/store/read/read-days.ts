// What packed days of rollups say of one column, in the words of the rows they were made of. Guards: a span that also
// lies in a row is read from the row alone, since it was made later.
import type { Db } from '../../kernel/db.ts';
import { dayParts, readerOf, SPAN_COLUMNS, type Spans, spansOf } from '../format/days.ts';
import { type Shape, storedName } from '../layout/shapes.ts';
import { packedRollupName, type Tier } from '../layout/tiers.ts';
import { type PackedDay, packedDays } from '../rollup/days.queries.ts';
import type { RollupCell, RollupRead } from './series-rollup.queries.ts';

const SEC = 1;
/** Parts of a gauge, as arraysOf names them. */
const [MIN, MAX, LAST, SUM] = [2, 3, 4, 5];

interface Packed {
  shape: Shape;
  read: RollupRead;
  day: PackedDay;
}

/** Calls back for each span and entity asked for, with the place of the entity (-1: all of them, null: not there). */
function visit(
  { read, day }: Packed,
  spans: Spans,
  each: (span: number, place: number | null) => void,
): void {
  const places = new Map(spans.ids.map((id, place) => [id, place]));
  const wanted = read.objects
    ? read.objects.filter(([id]) => id === day.connection_id).map(([, id]) => places.get(id) ?? null)
    : [-1];
  for (const [span, at] of spans.at.entries())
    if (at >= read.from && at < read.to) for (const place of wanted) each(span, place);
}

function cellsOfDay(packed: Packed): RollupCell[] {
  const { shape, read, day } = packed;
  const columns = new Map(
    day.names.flatMap((name, index): [string, Buffer][] => {
      const data = day.columns[index];
      return data ? [[name, data]] : [];
    }),
  );
  const spans = spansOf(columns);
  const element = readerOf(columns, read.column, spans);
  const isCounter = read.column.kind === 'counter';
  const isFamily = shape.layout === 'objects';
  const cells: RollupCell[] = [];
  visit(packed, spans, (span, place) => {
    const all = element(0, -1, span);
    const own = place === null ? null : element(0, place, span);
    const value = own === null && isCounter && isFamily && all !== null ? 0 : own;
    const part = (which: number) => (place === null ? null : element(which, place, span));
    const isKnown = isFamily && isCounter ? all !== null : value !== null;
    cells.push({
      connection_id: day.connection_id,
      database_name: day.database_name,
      at: spans.at[span] ?? 0,
      runs: spans.runs[span] ?? 0,
      covered_seconds: spans.covered[span] ?? 0,
      place: place === null ? null : 1,
      length: isKnown ? 1 : null,
      value,
      sec: part(SEC),
      all_sec: element(SEC, -1, span),
      min: isCounter ? null : part(MIN),
      max: isCounter ? null : part(MAX),
      last: isCounter ? null : part(LAST),
      sum: isCounter ? null : part(SUM),
    });
  });
  return cells;
}

const spanOf = ({ connection_id, database_name, at }: RollupCell) =>
  `${connection_id} ${at} ${database_name}`;

/** `cells` are those that lie in rows; answers them and the packed ones, in order. */
export async function withPacked(
  db: Db,
  { shape, tier, read }: { shape: Shape; tier: Tier; read: RollupRead },
  cells: readonly RollupCell[],
): Promise<RollupCell[]> {
  const [together, each] = dayParts(storedName(read.column.name));
  const columns = [...SPAN_COLUMNS, together, ...(read.objects ? [each] : [])];
  const days = await db.rows<PackedDay>(packedDays(packedRollupName(shape, tier), { ...read, columns }));
  if (days.length === 0) return [...cells];
  const known = new Set(cells.map(spanOf));
  const packed = days.flatMap((day) => cellsOfDay({ shape, read, day }));
  return [...packed.filter((cell) => !known.has(spanOf(cell))), ...cells].sort(
    (a, b) =>
      a.connection_id - b.connection_id ||
      (a.database_name < b.database_name ? -1 : Number(a.database_name > b.database_name)) ||
      a.at - b.at,
  );
}

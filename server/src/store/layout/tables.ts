// Brings the tables of samples up to the probes' declarations: what is missing is made, missing columns are added, and
// a type never changes. Guards: one process at a time, one transaction a probe, so a declaration that cannot be stored
// is a named problem of that probe alone.
import type { Db } from '../../kernel/db.ts';
import { errorCode, Fault } from '../../kernel/errors.ts';
import { empty, sql } from '../../kernel/sql.ts';
import type { Probe } from '../../probes/types.ts';
import { engineOf } from './engine/open.ts';
import type { Engine } from './engine/types.ts';
import { LayoutProblem, layoutOf, type TableColumn, type TableLayout } from './table-layout.ts';
import { ensureView } from './views.ts';

/** Arbitrary, but the same in every version: whoever makes tables holds this advisory lock. */
const LOCK_KEY = 7_264_902;

export interface Ensured {
  readonly layouts: ReadonlyMap<string, TableLayout>;
  /** Probes whose declaration cannot be stored, with the reason. */
  readonly problems: ReadonlyMap<string, string>;
}

type ExistingColumns = ReadonlyMap<string, string>;

/** Columns of all tables and views of the schema, or of those named, by relation: name → type; and its kind under ''. */
async function existingColumns(db: Db, names?: readonly string[]): Promise<Map<string, Map<string, string>>> {
  const named = names ? sql`and c.relname = any (${names}::text[])` : empty;
  const rows = await db.rows<{ relation: string; kind: string; columns: [string, string][] }>(sql`
    /* store.known_columns */
    select
      c.relname as relation,
      c.relkind::text as kind,
      jsonb_agg(jsonb_build_array(a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod))) as columns
    from pg_catalog.pg_class c
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'metrics'::regnamespace
      and c.relkind in ('r', 'p', 'v', 'm')
      and not c.relispartition
      ${named}
    group by c.oid, c.relname, c.relkind`);
  return new Map(rows.map(({ relation, kind, columns }) => [relation, new Map([...columns, ['', kind]])]));
}

function missing(engine: Engine, layout: TableLayout, there: ExistingColumns): TableColumn[] {
  const { columns, name } = layout.table;
  if (there.get('') !== engine.relkind)
    throw new LayoutProblem(`metrics.${name} is taken by something else.`);
  for (const { name: column, type } of columns) {
    const type_now = there.get(column);
    if (type_now !== undefined && type_now !== type)
      throw new LayoutProblem(
        `Probe ${layout.probe}: ${column} is stored as ${type_now} and cannot become ${type}. Give the column a new name.`,
      );
  }
  return columns.filter((column) => !there.has(column.name));
}

async function ensureOne(db: Db, engine: Engine, layout: TableLayout): Promise<void> {
  const relations = await existingColumns(db, [layout.table.name, layout.probe]);
  const there = relations.get(layout.table.name);
  if (!there) await engine.createTable(db, layout.table);
  else {
    const columns = missing(engine, layout, there);
    if (columns.length > 0) await engine.addColumns(db, layout.table, columns);
  }
  const flat = relations.get(layout.probe)?.get('');
  if (layout.keeps === 'objects' && flat !== undefined && flat !== 'v')
    throw new LayoutProblem(`metrics.${layout.probe} is taken by something else.`);
  await ensureView(db, layout);
  await db.run(sql`
    /* store.register_table */
    insert into matriarch.metric_tables as m (table_name, probe, layout, interval_seconds, retention_days)
    values (
      ${layout.table.name}, ${layout.probe}, ${layout.keeps}, ${layout.intervalSeconds}, ${layout.retentionDays}
    )
    on conflict (table_name) do update
    set interval_seconds = excluded.interval_seconds, retention_days = excluded.retention_days`);
}

/** Whether nothing has to be done for that layout. */
function isDone(
  layout: TableLayout,
  there: ExistingColumns | undefined,
  flat: ExistingColumns | undefined,
): boolean {
  if (!there) return false;
  if (layout.table.columns.some(({ name, type }) => there.get(name) !== type)) return false;
  if (layout.keeps === 'samples') return true;
  return [...layout.keys, ...layout.labels, ...layout.values].every(({ name }) => flat?.has(name));
}

async function registered(db: Db): Promise<Set<string>> {
  const rows = await db.rows<{ id: string }>(sql`
    /* store.registered */
    select table_name || ' ' || interval_seconds || ' ' || retention_days as id
    from matriarch.metric_tables`);
  return new Set(rows.map(({ id }) => id));
}

export interface Lacking {
  probe: string;
  table: string;
  /** Undefined: the table as a whole is missing. */
  columns?: readonly string[];
}

/** What the tables of samples lack; nothing where there are none yet. */
export async function missingColumns(db: Db, probes: readonly Probe[]): Promise<Lacking[]> {
  if ((await registered(db)).size === 0) return [];
  const relations = await existingColumns(db);
  return probes.flatMap((probe): Lacking[] => {
    const layout = layoutOf(probe);
    if (!layout) return [];
    const { name: table, columns } = layout.table;
    const there = relations.get(table);
    if (!there) return [{ probe: probe.name, table }];
    const lacks = columns.filter(({ name }) => !there.has(name)).map(({ name }) => name);
    const flat = relations.get(layout.probe);
    const isViewDone = isDone({ ...layout, table: { ...layout.table, columns: [] } }, there, flat);
    return [
      ...(lacks.length > 0 ? [{ probe: probe.name, table, columns: lacks }] : []),
      ...(isViewDone ? [] : [{ probe: probe.name, table: layout.probe }]),
    ];
  });
}

/** What the datastore refuses of a declaration (SQLSTATE classes 22, 2B, 42, 54) is a problem of that probe. */
function problemOf(probe: Probe, error: unknown): string | undefined {
  if (error instanceof LayoutProblem) return error.message;
  const code = error instanceof Fault ? '' : (errorCode(error) ?? '');
  if (!/^(22|2B|42|54)/.test(code) || !(error instanceof Error)) return undefined;
  return `Probe ${probe.name}: the datastore refused its table (${error.message}).`;
}

/** Makes what the probes need. A datastore that is away rejects; a declaration that cannot be stored does not. */
export async function ensureTables(
  db: Db,
  probes: readonly Probe[],
  engine: Engine = engineOf(db),
): Promise<Ensured> {
  const layouts = new Map<string, TableLayout>();
  const problems = new Map<string, string>();
  const [relations, policies] = [await existingColumns(db), await registered(db)];
  for (const probe of probes) {
    try {
      const layout = layoutOf(probe);
      if (!layout) continue;
      const { name } = layout.table;
      const policy = `${name} ${layout.intervalSeconds} ${layout.retentionDays}`;
      const there = relations.get(name);
      const isOurs = there?.get('') === engine.relkind;
      if (!isOurs || !isDone(layout, there, relations.get(layout.probe)) || !policies.has(policy))
        await db.transaction(async (inner) => {
          await inner.run(sql`/* store.tables_lock */ select pg_advisory_xact_lock(${LOCK_KEY})`);
          await ensureOne(inner, engine, layout);
        });
      layouts.set(probe.name, layout);
    } catch (error) {
      const problem = problemOf(probe, error);
      if (problem === undefined) throw error;
      problems.set(probe.name, problem);
    }
  }
  return { layouts, problems };
}

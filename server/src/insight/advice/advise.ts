// Index advice for one database: the statements that cost most are parsed, those that are proven to be harmless are planned, and what an
// index would bring is tried or estimated. Guards: nothing is asked but catalogs and plans; what could not be judged is said with its
// reason; all of it is bounded.
import type { StatementParser } from '../../kernel/parser/parser.ts';
import type { ParsedStatement, ParsedText } from '../../kernel/parser/types.ts';
import { NAMES } from './advice.queries.ts';
import { type Candidate, candidatesOf, keyOf, merged } from './candidates.ts';
import { type Ask, Planner, type ToPlan } from './planner.ts';
import { type CostSettings, estimated, indexBytes, type Plan } from './plans.ts';
import {
  type Cells,
  type CostlyStatement,
  cellsOf,
  numberOf,
  statementOf,
  type TableFacts,
  tableOf,
  textOf,
} from './types.ts';

const MOST_STATEMENTS = 50;
const MOST_PLANS = 20;
const MOST_TRIES = 20;
const MOST_CANDIDATES = 3;
const MOST_REFUSED = 500;
/** Texts are cut there by the probe. */
const LONGEST_TEXT = 8000;
const HIDDEN_TEXT = '<insufficient privilege>';

/** What is kept of a server between two times: statements that it refused, by database and text. */
export type Refused = Map<string, string>;

export interface AdviceInput {
  readonly ask: Ask;
  readonly parser: Pick<StatementParser, 'parse'>;
  readonly database: string;
  readonly hypopg: string | undefined;
  /** Rows of pg_index_advice, of which the advice is still missing. */
  readonly tables: readonly Cells[];
  /** Rows of pg_costly_statements of this database. */
  readonly statements: readonly Cells[];
  readonly refused: Refused;
  readonly whyNotPlanned: (parsed: ParsedText) => string | undefined;
  /** Given each plan that the server made. */
  readonly onPlanned?: ((planned: Planned) => void) | undefined;
}

export interface Planned {
  readonly queryid: string;
  readonly text: string;
  /** What EXPLAIN (FORMAT JSON) answered. */
  readonly explained: Cells;
}

interface PlanningFacts {
  readonly relations: ReadonlyMap<string, readonly Cells[]>;
  readonly ownNames: ReadonlySet<string>;
  readonly costs: CostSettings;
  readonly role: string;
}

/** A statement with what became of it. */
interface StatementAdvice {
  readonly of: CostlyStatement;
  parsed?: ParsedStatement;
  toPlan?: ToPlan;
  plan?: Plan;
  /** Why it says nothing. */
  because?: string;
}

async function read(input: AdviceInput, of: CostlyStatement): Promise<StatementAdvice> {
  if (of.text === '') return { of, because: 'Its text is not known.' };
  if (of.text === HIDDEN_TEXT) return { of, because: 'The server hides its text from our role.' };
  if (of.text.length >= LONGEST_TEXT) return { of, because: 'Its text is too long and was cut.' };
  const parsed = await input.parser.parse(of.text);
  if (parsed.kind === 'refused') return { of, because: 'Its text cannot be parsed; it may have been cut.' };
  const because = input.whyNotPlanned(parsed);
  const [first] = parsed.statements;
  return { of, ...(first && { parsed: first }), ...(because !== undefined && { because }) };
}

const askedName = ({ schema, name }: { schema: string | null; name: string }) =>
  schema === null ? name : `${schema}.${name}`;
const bare = (name: string) => name.split('.').at(-1) ?? '';
/** As it is written last in a column reference: a function of a row may go by that name. */
const columnsOf = ({ uses }: ParsedStatement) =>
  uses.filter(({ of }) => of === 'column' || of === 'field').map(({ parts }) => parts.at(-1) ?? '');
/** Of conditions that are written without an operator, of sorting and of groups. */
const ALWAYS = ['=', '<', '>'];

async function namesOf(ask: Ask, works: readonly StatementAdvice[]): Promise<PlanningFacts | undefined> {
  const all = works.flatMap(({ parsed, because }) => (parsed && because === undefined ? [parsed] : []));
  const relations = new Map(
    all.flatMap((one) =>
      one.relations.filter(({ isWith }) => !isWith).map((each) => [askedName(each), each]),
    ),
  );
  const distinct = (list: readonly string[]) => [...new Set(list.map(bare))];
  const values = [
    [...relations.values()].map(({ schema }) => schema),
    [...relations.values()].map(({ name }) => name),
    distinct(all.flatMap(({ functions }) => functions)),
    distinct([...ALWAYS, ...all.flatMap(({ operators }) => operators)]),
    distinct(all.flatMap(({ types }) => types)),
    [...new Set(all.flatMap(columnsOf))],
  ];
  const [answer] = await ask([{ text: NAMES, values }]);
  const row = answer?.[0];
  if (!row) return undefined;
  return {
    relations: Map.groupBy(cellsOf(row.relations), (one) => textOf(one.asked)),
    ownNames: new Set(Array.isArray(row.own_names) ? row.own_names.map(textOf) : []),
    role: textOf(row.role),
    costs: {
      random_page_cost: numberOf(row.random_page_cost),
      cpu_tuple_cost: numberOf(row.cpu_tuple_cost),
      cpu_index_tuple_cost: numberOf(row.cpu_index_tuple_cost),
      cpu_operator_cost: numberOf(row.cpu_operator_cost),
    },
  };
}

/** Whether all that it names is what it seems to be; says where to plan it. */
function place(work: StatementAdvice, { relations, ownNames }: PlanningFacts): void {
  const { parsed } = work;
  if (!parsed || work.because !== undefined) return;
  const written = [...parsed.functions, ...parsed.operators, ...parsed.types, ...ALWAYS].map(bare);
  const names = [...written, ...columnsOf(parsed)];
  const schemas = new Set<string>();
  for (const relation of parsed.relations.filter(({ isWith }) => !isWith)) {
    const [found, ...others] = relations.get(askedName(relation)) ?? [];
    if (!found) work.because ??= 'It names a table that is not there.';
    else if (others.length > 0) work.because ??= 'Tables of several schemas have the name that it uses.';
    else if (found.is_plain !== true)
      work.because ??=
        'It reads a view, a partitioned table, or a table with policies, rules, functions or types of its own.';
    else if (found.is_readable !== true)
      work.because ??= 'Our role may not read its tables, and so may not plan it.';
    else schemas.add(textOf(found.schema));
  }
  if (names.some((name) => ownNames.has(name)))
    work.because ??= 'The database defines functions, operators or types by names that it uses.';
  const parameters = parsed.parameters.reduce((most, { number }) => Math.max(most, number), 0);
  if (work.because === undefined) work.toPlan = { text: work.of.text, parameters, schemas: [...schemas] };
}

const touches = ({ parsed }: StatementAdvice, table: TableFacts): boolean =>
  parsed?.relations.some(
    ({ isWith, name, schema }) => !isWith && name === table.name && (schema ?? table.schema) === table.schema,
  ) ?? false;

async function planAll(
  input: AdviceInput,
  planner: Planner,
  works: readonly StatementAdvice[],
): Promise<void> {
  let room = MOST_PLANS;
  for (const work of works) {
    if (!work.toPlan) continue;
    const key = `${input.database}\n${work.of.queryid}`;
    const before = input.refused.get(key);
    if (before !== undefined || room <= 0) {
      work.because = before ?? 'Others cost more, and only so many are planned.';
      continue;
    }
    room -= 1;
    const plan = await planner.plan(work.toPlan);
    if (plan) {
      work.plan = plan;
      const { queryid, text } = work.of;
      input.onPlanned?.({ queryid, text, explained: plan.explained });
    } else {
      work.because = 'The server did not plan it.';
      if (input.refused.size < MOST_REFUSED) input.refused.set(key, work.because);
    }
  }
}

interface Trial {
  readonly table: TableFacts;
  readonly works: readonly StatementAdvice[];
  readonly planner: Planner;
  readonly costs: CostSettings;
  readonly tries: { left: number };
}

interface After {
  readonly queryid: string;
  readonly cost: number;
}

/** What each statement would cost with that index. */
async function tried(candidate: Candidate, { table, works, planner, costs, tries }: Trial): Promise<Cells> {
  const columns = candidate.columns.map(({ name }) => name);
  const after: After[] = [];
  let bytes = indexBytes(candidate, table);
  const first = candidate.columns[0]?.number;
  for (const { of, plan, parsed, toPlan } of works) {
    if (!plan?.scans.has(table.name) || !parsed || !toPlan) continue;
    const wants = candidatesOf(parsed, table).some((one) =>
      one.columns.some(({ number }) => number === first),
    );
    if (!wants) continue;
    if (!planner.canTry)
      after.push({ queryid: of.queryid, cost: estimated(plan, candidate, { table, by: costs }) });
    else if (tries.left > 0) {
      tries.left -= 1;
      const found = await planner.tryIndex(toPlan, { schema: table.schema, name: table.name, columns });
      if (!found) continue;
      after.push({ queryid: of.queryid, cost: found.plan.cost });
      if (found.bytes > 0) bytes = found.bytes;
    }
  }
  const top = candidate.columns[0]?.top_fraction ?? 0;
  return {
    key: keyOf(candidate),
    columns,
    bytes,
    is_tried: planner.canTry,
    selected_rows: Math.max(1, Math.round(candidate.selected * table.rows)),
    top_percent: Math.round(100 * top),
    after,
  };
}

const statementCells = ({ of, plan, parsed, because }: StatementAdvice, table: TableFacts): Cells => ({
  queryid: of.queryid,
  calls: of.calls,
  time_ms: Math.round(of.time_ms),
  blocks: of.blocks,
  rows: of.rows,
  cost: plan?.cost ?? null,
  plan: plan?.shape ?? null,
  reads_whole: plan?.scans.has(table.name) ?? null,
  columns: [
    ...new Set(parsed?.scopes.flatMap(({ conditions }) => conditions.map(({ column }) => column)) ?? []),
  ].slice(0, 20),
  because: because ?? null,
});

async function adviceOn(trial: Trial): Promise<Cells> {
  const { table, works } = trial;
  const wanted = works.flatMap(({ parsed, plan }) =>
    parsed && plan?.scans.has(table.name) ? candidatesOf(parsed, table) : [],
  );
  const candidates: Cells[] = [];
  for (const one of merged(wanted).slice(0, MOST_CANDIDATES)) candidates.push(await tried(one, trial));
  return { statements: works.map((work) => statementCells(work, table)), candidates };
}

/** Why statements of which nothing is known but that they cost much say nothing, with how many there are. */
function unread(works: readonly StatementAdvice[]): Cells[] {
  const reasons = Map.groupBy(
    works.filter(({ parsed }) => parsed === undefined),
    ({ because }) => because ?? '',
  );
  return [...reasons].map(([because, own]) => ({ because, count: own.length }));
}

/** What several roles run is one statement. */
function together(all: readonly CostlyStatement[]): CostlyStatement[] {
  const found = new Map<string, CostlyStatement>();
  for (const one of all) {
    const before = found.get(one.queryid);
    const add = (name: 'calls' | 'time_ms' | 'blocks' | 'rows') => one[name] + (before?.[name] ?? 0);
    const sums = { calls: add('calls'), time_ms: add('time_ms'), blocks: add('blocks'), rows: add('rows') };
    found.set(one.queryid, { ...(before ?? one), ...sums });
  }
  return [...found.values()];
}

/** The rows with their advice. */
export async function advise(input: AdviceInput): Promise<Cells[]> {
  const statements = together(input.statements.map(statementOf))
    .toSorted((a, b) => b.time_ms - a.time_ms)
    .slice(0, MOST_STATEMENTS);
  const works: StatementAdvice[] = [];
  for (const one of statements) works.push(await read(input, one));
  const known = await namesOf(input.ask, works);
  if (!known) return input.tables.map((row) => ({ ...row }));
  for (const work of works) place(work, known);
  const tables = input.tables.map((row) => ({ row, table: tableOf(row) }));
  const planner = new Planner(input);
  await planAll(
    input,
    planner,
    works.filter((work) => tables.some(({ table }) => touches(work, table))),
  );
  const tries = { left: MOST_TRIES };
  const advised: Cells[] = [];
  for (const { row, table } of tables) {
    const own = works.filter((work) => touches(work, table));
    const advice = await adviceOn({ table, works: own, planner, costs: known.costs, tries });
    advised.push({ ...row, advice: { ...advice, role: known.role, unread: unread(works) } });
  }
  return advised;
}

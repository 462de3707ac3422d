// The second look at a statement: what its names stand for in this database, and what stands behind them. Guards: a function of the
// database, whether it is called by name, by an operator, a cast, a column, a view, a policy or a check, is run only if an extension that
// is known brought it and it is written in C; nothing else reaches out, and what holds secrets of the server is not read.
import type { NameUse, Parsed } from '../../kernel/parser/types.ts';
import { allowsFunction, functionReason, isBuiltIn, isVolatile, whyNotFunction } from './functions.ts';
import { attributesOf, CHANGES, type JudgedStatement, whyNotDefinition } from './judge.ts';
import type { Definition } from './settings.ts';
import { StatementRefused, type WhyRefused } from './types.ts';

type Cells = Readonly<Record<string, unknown>>;

/** The arguments of NAMES. */
export function askedNames({ statement, purpose }: JudgedStatement, unknown: readonly NameUse[]): unknown[] {
  const { relations, uses, nodes } = statement;
  const functions = new Set(
    uses.filter(({ of }) => of === 'function').map(({ parts }) => parts.at(-1) ?? ''),
  );
  const attributes = new Set(attributesOf(statement));
  // A function in from may return what is no row, so that `x.f` is `f` of a number or a text.
  const isOfAnything = nodes.includes('RangeFunction');
  const fields = uses.filter(({ of }) => of === 'field').map(({ parts }) => parts.at(-1) ?? '');
  const split = (of: NameUse['of'], list: readonly NameUse[] = uses) => {
    const found = new Map(
      list.filter((use) => use.of === of).map(({ parts }) => [JSON.stringify(parts), parts] as const),
    );
    const all = [...found.values()];
    return [
      all.map((parts) => (parts.length > 1 ? (parts.at(-2) ?? '') : null)),
      all.map((parts) => parts.at(-1) ?? ''),
    ];
  };
  const [operatorSchemas = [], operators = []] = split('operator');
  return [
    relations.map(({ schema }) => schema),
    relations.map(({ name }) => name),
    ...split('function', unknown),
    [...operatorSchemas, ...IMPLIED.map(() => null)],
    [...operators, ...IMPLIED],
    ...split('type'),
    [...attributes],
    purpose === 'plan' && nodes.some((kind) => CHANGES.has(kind)),
    [...functions, ...attributes],
    [...functions, ...attributes].filter(isVolatile),
    isOfAnything ? [...attributes] : [...new Set(fields)],
  ];
}

/** Operators that are written otherwise: in, between, like, is distinct from, using, case. */
const IMPLIED = ['=', '<>', '<', '>', '<=', '>=', '~~', '!~~', '~~*', '!~~*', '~', '!~'];

/** Whose functions in C compute or read, unless they are volatile and not named here. */
const EXTENSIONS: ReadonlyMap<string, RegExp> = new Map([
  ['pg_stat_statements', /^pg_stat_statements(?:_info)?$/],
  ['pg_buffercache', /^pg_buffercache_(?:pages|summary|usage_counts|numa_pages)$/],
  ['pg_wait_sampling', /^pg_wait_sampling_get_/],
  ['pg_stat_kcache', /^pg_stat_kcache$/],
  ...[
    'btree_gin',
    'btree_gist',
    'citext',
    'cube',
    'earthdistance',
    'fuzzystrmatch',
    'hstore',
    'intarray',
    'isn',
    'ltree',
    'pg_trgm',
    'pgcrypto',
    'postgis',
    'seg',
    'unaccent',
    'uuid-ossp',
    'vector',
  ].map((name) => [name, /^(?:gen_|uuid_generate_)/] as const),
]);

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const cellsOf = (value: unknown): Cells[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];

const refuse = (message: string, why: WhyRefused = 'not_proven'): never => {
  throw new StatementRefused(why, message);
};

/** System relations that hold secrets, or files of the server. */
const SECRET = new Set(
  `pg_authid pg_shadow pg_user_mapping pg_user_mappings _pg_user_mappings user_mapping_options pg_largeobject pg_subscription
  pg_hba_file_rules pg_ident_file_mappings pg_file_settings pg_config pg_statistic_ext_data _pg_foreign_servers
  _pg_foreign_data_wrappers _pg_foreign_tables _pg_foreign_table_columns`.split(/\s+/),
);

function demandRelation(relation: Cells): void {
  const [name, kind] = [textOf(relation.name), textOf(relation.kind)];
  if (kind === 'f') refuse(`${name} is a foreign table: reading it makes this server ask another one.`);
  if (!['r', 'p', 'v', 'm', 'S', 'i'].includes(kind)) refuse(`${name} is no table or view.`);
  if (relation.is_own !== true && SECRET.has(name))
    refuse(`${name} may hold secrets of the server and is not read here.`, 'not_allowed');
}

/** By which way a function comes in, in words. */
const WAYS: Readonly<Record<string, (name: string) => string>> = {
  operator: (name) => `the operator ${name}`,
  own_operator: (name) => `the operator ${name}`,
  cast: (name) => `the cast from ${name}`,
  own_cast: (name) => `the cast from ${name}`,
  aggregate: (name) => `the aggregate ${name}`,
  column: (name) => `the name ${name}, which may call a function`,
  default: (name) => `a default of ${name}`,
  generated: (name) => `a generated column of ${name}`,
  view: (name) => `the view ${name}`,
  built_in: (name) => `the definition of PostgreSQL's function ${name}`,
  rule: (name) => `a rule of ${name}`,
  policy: (name) => `row security of ${name}`,
  check: (name) => `a check of ${name}`,
  index: (name) => `an index of ${name}`,
  statistics: (name) => `statistics of ${name}`,
  table: (name) => `the table ${name}`,
  domain: (name) => `the domain ${name}`,
  type: (name) => `the type ${name}`,
  order: (name) => `the operator family ${name}, which sorts and compares`,
};

/** By which ways functions in C come in that only compute, of whatever extension. */
const BEHIND: ReadonlySet<string> = new Set(['operator', 'cast', 'type', 'order']);
/** Of somebody else than the function: only what makes a range may be behind these, or what is known. */
const OF_OTHERS: ReadonlySet<string> = new Set(['own_operator', 'own_cast']);

/** Helpers of the views of the information schema. */
const isOfViews = (proc: Cells) =>
  textOf(proc.language) === 'sql' && proc.volatility !== 'v' && textOf(proc.name).startsWith('_pg_');

function isHarmless(proc: Cells): boolean {
  const [name, via] = [textOf(proc.name), textOf(proc.via)];
  if (via === 'planted' && proc.is_own !== true) return false;
  if (proc.is_procedure === true) return false;
  if (proc.is_own !== true)
    return textOf(proc.schema) === 'information_schema'
      ? isOfViews(proc)
      : allowsFunction(name) || (via === 'aggregate' && functionReason(name) === 'internal');
  const language = textOf(proc.language);
  if (!['c', 'internal'].includes(language)) return false;
  const named = EXTENSIONS.get(textOf(proc.extension));
  if (proc.volatility !== 'v')
    return named !== undefined || BEHIND.has(via) || (OF_OTHERS.has(via) && language === 'internal');
  return named?.test(name) === true;
}

function demandProc(proc: Cells): void {
  const [name, via, of] = [textOf(proc.name), textOf(proc.via), textOf(proc.of_name)];
  if (isHarmless(proc)) return;
  const why =
    proc.is_own === true
      ? 'is user-defined in this database, and may do anything'
      : (whyNotFunction(name) ?? 'is no longer as PostgreSQL made it');
  const way = WAYS[via]?.(of);
  const message = `The function ${name}${way === undefined ? '' : `, behind ${way},`} ${why}.`;
  refuse(message, proc.is_own === true ? 'not_proven' : 'not_allowed');
}

function demandType(type: Cells): void {
  const name = textOf(type.name);
  if (type.is_found !== true) refuse(`There is no type ${name}.`);
  if (type.is_own === true && !['b', 'e', 'r', 'm'].includes(textOf(type.kind)))
    refuse(`The type ${name} is a domain or a row, whose checks may call functions of the database.`);
}

export interface ResolvedNames {
  /** Schemas of functions that PostgreSQL has not itself, by name. */
  readonly functions: ReadonlyMap<string, string>;
  /** Of what stands behind it, those of the system left out. */
  readonly definitions: readonly Definition[];
  /** Undefined: there is no such relation. */
  readonly schemaOf: (schema: string | null, name: string) => string | undefined;
}

const MOST = { relations: 2000, parts: 200, procs: 5000, types: 2000 } as const;

export interface Looked {
  /** The answer to NAMES. */
  readonly row: Cells;
  readonly unknown: readonly NameUse[];
  readonly parse: (text: string) => Promise<Parsed>;
}

async function demandParts(
  parts: readonly Cells[],
  procs: readonly Cells[],
  parse: Looked['parse'],
): Promise<void> {
  const known = new Set(procs.map(({ name }) => textOf(name)));
  for (const part of parts) {
    const parsed = await parse(textOf(part.text));
    const of = WAYS[textOf(part.kind)]?.(textOf(part.relation)) ?? `a column of ${textOf(part.relation)}`;
    if (parsed.kind === 'refused') refuse(`The definition of ${of} cannot be read.`);
    else {
      const why = whyNotDefinition(parsed);
      if (why !== undefined) refuse(`By ${of}: ${why}`);
      // What PostgreSQL itself brings depends on nothing, so that a function that we do not know has to be found elsewhere.
      const unknown = parsed.statements
        .flatMap(({ uses }) => uses)
        .find(
          ({ of: kind, parts: names }) =>
            kind === 'function' &&
            names.length === 1 &&
            !isBuiltIn(names[0] ?? '') &&
            !known.has(names[0] ?? ''),
        );
      if (unknown) refuse(`By ${of}: the function ${textOf(unknown.parts[0])} is not known to be harmless.`);
    }
  }
}

function schemasOf(asked: readonly Cells[]): ResolvedNames['schemaOf'] {
  const found = new Map(
    asked.map((one) => [
      JSON.stringify([one.asked_schema ?? null, textOf(one.asked_name)]),
      textOf(one.schema),
    ]),
  );
  return (schema, name) => found.get(JSON.stringify([schema, name]));
}

/** Throws StatementRefused. */
export async function demandNames({ row, unknown, parse }: Looked): Promise<ResolvedNames> {
  const [relations, parts, procs] = [cellsOf(row.relations), cellsOf(row.parts), cellsOf(row.procs)];
  if (relations.length > MOST.relations || parts.length > MOST.parts || procs.length > MOST.procs)
    refuse('It reads more tables and views than can be looked through.');
  if (Number(row.own_types) > MOST.types)
    refuse('Its types are made of more types than can be looked through.');
  for (const relation of relations) demandRelation(relation);
  for (const type of cellsOf(row.types)) demandType(type);
  for (const proc of procs) demandProc(proc);
  await demandParts(parts, procs, parse);
  const functions = new Map<string, string>();
  for (const { parts: names } of unknown) {
    const name = names.at(-1) ?? '';
    const found = procs.filter((proc) => proc.via === 'function' && proc.of_name === name);
    const schemas = new Set(found.map(({ schema }) => textOf(schema)));
    const [schema, ...others] = names.length > 1 ? [names[0] ?? ''] : schemas;
    if (schema === undefined || found.length === 0)
      refuse(`There is no function ${name} that is known to be harmless.`);
    else if (others.length > 0)
      refuse(`Several schemas have a function ${name}: write its schema before it.`);
    else if (names.length === 1) functions.set(name, schema);
  }
  const definitions = parts
    .filter(({ is_system }) => is_system !== true)
    .map(({ relation, text, is_of_extension }) => ({
      relation: textOf(relation),
      text: textOf(text),
      isOfExtension: is_of_extension === true,
    }));
  return { functions, definitions, schemaOf: schemasOf(cellsOf(row.asked)) };
}

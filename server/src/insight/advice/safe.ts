// Which statements are planned at all. Guards: planning evaluates functions of constants, so only one select made of what is listed here is
// planned; what a database defines under the same names is asked of its catalogs beside that (advice.queries.ts).
import type { ParsedText } from '../../kernel/parser/types.ts';

/** Of PostgreSQL itself, immutable or stable, and without effect on anything. */
const FUNCTIONS = new Set(
  `abs age array_agg array_length array_position ascii avg bit_length bool_and bool_or btrim ceil ceiling char_length concat concat_ws
  count cume_dist date_bin date_part date_trunc dense_rank every extract first_value floor format greatest initcap jsonb_agg json_agg
  jsonb_array_length jsonb_build_object json_build_object jsonb_object_agg justify_days lag last_value lead least left length lower lpad
  ltrim make_date make_interval max md5 min mod now ntile nullif overlay percent_rank percentile_cont percentile_disc position power
  rank regexp_match regexp_replace repeat replace reverse right round row_number rpad rtrim sign split_part sqrt starts_with
  string_agg string_to_array strpos substr substring sum timezone to_char to_date to_number to_timestamp translate trim trunc unnest
  upper`.split(/\s+/),
);

const TYPES = new Set(
  `bool boolean int2 int4 int8 smallint integer bigint float4 float8 numeric text varchar bpchar char name uuid date time timetz timestamp
  timestamptz interval bytea json jsonb oid`.split(/\s+/),
);

const NODES = new Set(
  `SelectStmt larg rarg ResTarget ColumnRef String A_Star A_Const ival fval sval boolval bsval isnull Integer Float Boolean List A_Expr
  BoolExpr NullTest BooleanTest ParamRef RangeVar alias Alias JoinExpr RangeSubselect SubLink FuncCall TypeCast TypeName typeName
  CoalesceExpr MinMaxExpr CaseExpr CaseWhen SortBy WindowDef over withClause CommonTableExpr SQLValueFunction A_ArrayExpr RowExpr
  GroupingSet distinctClause`.split(/\s+/),
);

const last = (name: string) => name.split('.').at(-1) ?? '';
const isBuiltIn = (name: string) => !name.includes('.') || name.startsWith('pg_catalog.');

const missing = (names: readonly string[], allowed: ReadonlySet<string>) =>
  names.find((name) => !isBuiltIn(name) || !allowed.has(last(name)));

/** Undefined: it is one select, made of nothing but what is listed. */
export function whyNotPlanned({ statements }: ParsedText): string | undefined {
  const [statement, ...more] = statements;
  if (!statement || more.length > 0 || statement.root !== 'SelectStmt') return 'It is no single select.';
  if (statement.nodes.some((kind) => !NODES.has(kind))) return 'It has parts that are not planned by us.';
  if (missing(statement.functions, FUNCTIONS) !== undefined)
    return 'It calls functions that are not known to be harmless to plan.';
  if (missing(statement.types, TYPES) !== undefined) return 'It has types that are not built in.';
  if (statement.operators.some((name) => !isBuiltIn(name))) return 'It has operators that are not built in.';
  return undefined;
}

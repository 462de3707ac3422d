// The first look at a statement: what the grammar says of it. Guards: it is one select, an explain of one, or a show; nothing in its tree
// writes, locks or copies; every function of PostgreSQL that it calls is on the list. What the names stand for in a database is asked
// there (names.ts).
import type { NameUse, ParsedStatement, ParsedText } from '../kernel/parser/types.ts';
import { allowsFunction, isBuiltIn, whyNotFunction } from './functions.ts';
import { StatementRefused } from './types.ts';

const NODES = new Set(
  `A_ArrayExpr A_Const A_Expr A_Indices A_Indirection A_Star Alias BitString BoolExpr Boolean BooleanTest CaseExpr CaseWhen
  CoalesceExpr CollateClause ColumnDef ColumnRef CommonTableExpr CTECycleClause CTESearchClause Float FuncCall GroupingFunc
  GroupingSet Integer JoinExpr List MinMaxExpr NamedArgExpr NullTest ParamRef RangeFunction RangeSubselect RangeTableFunc
  RangeTableFuncCol RangeTableSample RangeVar ResTarget RowExpr SelectStmt SortBy SQLValueFunction String SubLink TypeCast TypeName
  WindowDef XmlExpr XmlSerialize`.split(/\s+/),
);
/** Nodes that stand without their names go by the field that they stand in. */
const FIELDS = new Set(
  `alias argtypes bsval boolval collClause context_item cycle_clause distinctClause format fval isnull items ival larg on_empty on_error
  output over passing pathspec rarg search_clause sval typeName val value withClause arg expr join_using_alias returning constructor func
  name_location`.split(/\s+/),
);
const JSON_NODE = /^Json[A-Z]\w*$/;
/** What only a plan is made of may also write. */
const WRITES = new Set(
  `InsertStmt UpdateStmt DeleteStmt MergeStmt MergeWhenClause OnConflictClause onConflictClause InferClause IndexElem infer relation MultiAssignRef
  SetToDefault CurrentOfExpr returningClause ReturningClause ReturningOption`.split(' '),
);
const EXPLAIN_OPTIONS = new Set(
  'analyze verbose costs settings buffers wal timing summary format generic_plan memory serialize'.split(' '),
);

/** Roots, in the words that people know them by. */
const ROOTS: Readonly<Record<string, string>> = {
  InsertStmt: 'an insert',
  UpdateStmt: 'an update',
  DeleteStmt: 'a delete',
  MergeStmt: 'a merge',
  CopyStmt: 'a copy',
  TransactionStmt: 'transaction control',
  VariableSetStmt: 'a set',
  DoStmt: 'a do block',
  CallStmt: 'a call',
  LockStmt: 'a lock',
};

export type Purpose = 'read' | 'plan';

export interface Judged {
  readonly statement: ParsedStatement;
  readonly kind: 'select' | 'explain' | 'show';
}

const not = (message: string): never => {
  throw new StatementRefused('not_allowed', message);
};

const LOCKS = /^[Ll]ockingClause$/;

function demandNode(kind: string, purpose: Purpose): void {
  if (NODES.has(kind) || FIELDS.has(kind) || JSON_NODE.test(kind)) return;
  if (purpose === 'plan' && WRITES.has(kind)) return;
  if (LOCKS.test(kind)) not('It locks rows (for update, for share). Only statements that read are run here.');
  if (kind === 'intoClause') not('select … into makes a table. Only statements that read are run here.');
  if (WRITES.has(kind)) not('It writes within the statement. Only statements that read are run here.');
  not(`It has a part that is not known to be harmless (${kind}).`);
}

function demandFunction({ parts }: NameUse): void {
  const [schema, name = schema] = parts;
  if (name === undefined || parts.length > 2) not('A function is named in a way that is not understood.');
  else if (parts.length === 2 && schema !== 'pg_catalog') return;
  else if (parts.length === 1 && !isBuiltIn(name)) return;
  else if (!allowsFunction(name)) not(`The function ${name} ${whyNotFunction(name)}.`);
}

function kindOf({ root, explained, options }: ParsedStatement, purpose: Purpose): Judged['kind'] {
  if (root === 'SelectStmt') return 'select';
  if (root === 'VariableShowStmt') return 'show';
  if (purpose === 'plan' && WRITES.has(root)) return 'select';
  if (root !== 'ExplainStmt')
    not(`It is ${ROOTS[root] ?? `no select (${root})`}. Only statements that read are run here.`);
  if (explained !== 'SelectStmt') not('Only a select can be explained here.');
  const unknown = options.find((name) => !EXPLAIN_OPTIONS.has(name));
  if (unknown !== undefined) not(`The option ${unknown} of explain is not known.`);
  return 'explain';
}

const OF_ROOT: Readonly<Record<Judged['kind'], readonly string[]>> = {
  select: [],
  explain: ['ExplainStmt', 'DefElem'],
  show: ['VariableShowStmt'],
};

/** Throws StatementRefused. */
export function judge({ statements }: ParsedText, purpose: Purpose = 'read'): Judged {
  const [statement, ...more] = statements;
  if (!statement) throw new StatementRefused('not_one', 'It is no statement.');
  if (more.length > 0) throw new StatementRefused('not_one', 'Give one statement at a time.');
  const kind = kindOf(statement, purpose);
  for (const node of statement.nodes) if (!OF_ROOT[kind].includes(node)) demandNode(node, purpose);
  for (const use of statement.uses) if (use.of === 'function') demandFunction(use);
  return { statement, kind };
}

/** A definition that the server wrote out, such as that of a view. Undefined: it only reads. */
export function whyNotDefinition(parsed: ParsedText): string | undefined {
  try {
    const { kind } = judge(parsed);
    return kind === 'select' ? undefined : 'it is no select';
  } catch (error) {
    if (error instanceof StatementRefused) return error.message;
    throw error;
  }
}

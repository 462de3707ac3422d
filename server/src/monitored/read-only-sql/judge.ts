// The first look at a statement: what the grammar says of it. Guards: it is one select, an explain of one, or a show; nothing in its tree
// writes, locks or copies; every function of PostgreSQL that it calls is on the list. What the names stand for in a database is asked
// there (names.ts).
import type { NameUse, ParsedStatement, ParsedText } from '../../kernel/parser/types.ts';
import { allowsFunction, functionReason, isBuiltIn, isVolatile, whyNotFunction } from './functions.ts';
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
  `InsertStmt UpdateStmt DeleteStmt MergeStmt MergeWhenClause MergeSupportFunc OnConflictClause onConflictClause InferClause IndexElem infer relation MultiAssignRef
  SetToDefault CurrentOfExpr returningClause ReturningClause ReturningOption`.split(' '),
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

/** `read`: it is run. `plan`: it is planned and not run. `prepare`: it is parsed, and not even planned. */
export type Purpose = 'read' | 'plan' | 'prepare';

export interface JudgedStatement {
  readonly statement: ParsedStatement;
  readonly kind: 'select' | 'explain' | 'show';
  /** What the server does with it: of an `explain` without analyze only a plan is made. */
  readonly purpose: Purpose;
}

const not = (message: string): never => {
  throw new StatementRefused('not_allowed', message);
};

const LOCKS = /^[Ll]ockingClause$/;

function demandNode(kind: string, purpose: Purpose): void {
  if (NODES.has(kind) || FIELDS.has(kind) || JSON_NODE.test(kind)) return;
  if (purpose !== 'read' && WRITES.has(kind)) return;
  if (LOCKS.test(kind)) not('It locks rows (for update, for share). Only statements that read are run here.');
  if (kind === 'intoClause') not('select … into makes a table. Only statements that read are run here.');
  if (WRITES.has(kind)) not('It writes within the statement. Only statements that read are run here.');
  not(`It has a part that is not known to be harmless (${kind}).`);
}

function demandFunction({ parts }: NameUse, purpose: Purpose): void {
  const [schema, name = schema] = parts;
  if (name === undefined || parts.length > 2) not('A function is named in a way that is not understood.');
  else if (parts.length === 2 && schema !== 'pg_catalog') return;
  else if (parts.length === 1 && !isBuiltIn(name)) return;
  // What is volatile is not evaluated while planning; that it is still marked so there is asked of the server.
  else if (purpose !== 'read' && isVolatile(name)) return;
  else if (!allowsFunction(name)) not(`The function ${name} ${whyNotFunction(name)}.`);
}

/**
 * Names that may each stand for a function of one argument: `(e).f` and, where the row has no such column, `t.f`. A name alone never does.
 */
export const attributesOf = ({ uses }: ParsedStatement): string[] =>
  uses.flatMap(({ of, parts }) =>
    of === 'field' || (of === 'column' && parts.length > 1) ? (parts.at(-1) ?? []) : [],
  );

/** As `(pid).pg_terminate_backend`. What is internal takes what no statement has. */
function demandAttribute(name: string): void {
  if (!isBuiltIn(name) || allowsFunction(name) || functionReason(name) === 'internal') return;
  not(`${name} may call the function of that name, which ${whyNotFunction(name)}.`);
}

/** Roots of what changes rows. */
export const CHANGES: ReadonlySet<string> = new Set(['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt']);

function kindOf({ root, explained, options }: ParsedStatement, purpose: Purpose): JudgedStatement['kind'] {
  if (root === 'SelectStmt') return 'select';
  if (root === 'VariableShowStmt') return 'show';
  if (purpose !== 'read' && CHANGES.has(root)) return 'select';
  if (root !== 'ExplainStmt')
    not(`It is ${ROOTS[root] ?? `no select (${root})`}. Only statements that read are run here.`);
  if (explained === null || (explained !== 'SelectStmt' && !CHANGES.has(explained)))
    not('Only a select, insert, update, delete or merge can be explained here.');
  if (explained !== 'SelectStmt' && options.includes('analyze'))
    not('With analyze it is run, and it writes. Only statements that read are run here.');
  return 'explain';
}

/** An option that the server does not know is its own to refuse. */
const purposeOf = ({ options }: ParsedStatement, kind: JudgedStatement['kind'], purpose: Purpose): Purpose =>
  kind === 'explain' ? (options.includes('analyze') ? 'read' : 'plan') : purpose;

const OF_ROOT: Readonly<Record<JudgedStatement['kind'], readonly string[]>> = {
  select: [],
  explain: ['ExplainStmt', 'DefElem'],
  show: ['VariableShowStmt'],
};

/** Throws StatementRefused. */
export function judge({ statements }: ParsedText, wanted: Purpose = 'read'): JudgedStatement {
  const [statement, ...more] = statements;
  if (!statement) throw new StatementRefused('not_one', 'It is no statement.');
  if (more.length > 0) throw new StatementRefused('not_one', 'Give one statement at a time.');
  const kind = kindOf(statement, wanted);
  const purpose = purposeOf(statement, kind, wanted);
  for (const node of statement.nodes) if (!OF_ROOT[kind].includes(node)) demandNode(node, purpose);
  for (const use of statement.uses) if (use.of === 'function') demandFunction(use, purpose);
  for (const name of attributesOf(statement)) demandAttribute(name);
  return { statement, kind, purpose };
}

/** A rule of a table as the server writes it: what it adds to a statement that is planned. */
function judgeRule({ statements }: ParsedText): void {
  const [statement] = statements;
  for (const node of statement?.nodes ?? []) if (node !== 'RuleStmt') demandNode(node, 'plan');
  for (const use of statement?.uses ?? []) if (use.of === 'function') demandFunction(use, 'plan');
}

/** A definition that the server wrote out, such as that of a view. Undefined: it only reads, or only plans where it is a rule. */
export function whyNotDefinition(parsed: ParsedText): string | undefined {
  try {
    if (parsed.statements.length === 1 && parsed.statements[0]?.root === 'RuleStmt') {
      judgeRule(parsed);
      return undefined;
    }
    const { kind } = judge(parsed);
    return kind === 'select' ? undefined : 'it is no select';
  } catch (error) {
    if (error instanceof StatementRefused) return error.message;
    throw error;
  }
}

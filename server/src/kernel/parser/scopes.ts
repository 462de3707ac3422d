// Which columns of which tables a statement compares, joins and sorts by, scope by scope. Guards: only conditions that all have to hold
// are told; what is not a bare column against something is left out rather than guessed.
import { append } from '../lists.ts';
import { type TreeNode, walk } from './tree.ts';
import type { Against, ColumnUse, Condition, Order, Relation, Scope } from './types.ts';

/** Of all scopes of a text, so that a long one does not become a much longer answer. */
const MOST_CONDITIONS = 100;

function columnOf(node: TreeNode | undefined): ColumnUse | undefined {
  if (node?.kind !== 'ColumnRef') return undefined;
  const names = node.names('fields');
  const column = names.at(-1);
  return column === undefined || column === '*' || column === ''
    ? undefined
    : { table: names.at(-2) ?? null, column };
}

function againstOf(node: TreeNode | undefined): Against {
  const column = columnOf(node);
  if (column) return { kind: 'column', ...column };
  if (!node) return { kind: 'other' };
  const parameters: number[] = [];
  let isValue = true;
  walk(node, (one) => {
    if (one.kind === 'ParamRef') parameters.push(one.number('number'));
    if (one.kind === 'ColumnRef' || one.kind === 'SubLink') isValue = false;
  });
  return isValue ? { kind: 'value', parameters } : { kind: 'other' };
}

/** Maps, since names of nodes come from a text: JSON_ARRAYAGG has one that is called constructor, as every plain object has. */
const TURNED: ReadonlyMap<string, string> = new Map([
  ['<', '>'],
  ['>', '<'],
  ['<=', '>='],
  ['>=', '<='],
  ['=', '='],
]);

type Operator = (name: string) => string | undefined;

const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['AEXPR_OP', (name) => name],
  ['AEXPR_IN', (name) => (name === '=' ? 'in' : undefined)],
  ['AEXPR_OP_ANY', (name) => (name === '=' ? 'in' : undefined)],
  ['AEXPR_BETWEEN', () => 'between'],
  ['AEXPR_LIKE', (name) => (name === '~~' ? 'like' : undefined)],
]);

function comparison(node: TreeNode): Condition[] {
  const operator = OPERATORS.get(node.text('kind') ?? '')?.(node.names('name').join('.'));
  if (operator === undefined) return [];
  const [left, right] = [columnOf(node.child('lexpr')), columnOf(node.child('rexpr'))];
  const found: Condition[] = [];
  if (left) found.push({ ...left, operator, against: againstOf(node.child('rexpr')) });
  const turned = TURNED.get(operator);
  if (right && turned !== undefined)
    found.push({ ...right, operator: turned, against: againstOf(node.child('lexpr')) });
  return found;
}

function conditionsOf(node: TreeNode | undefined): Condition[] {
  if (node?.kind === 'BoolExpr' && node.text('boolop') === 'AND_EXPR')
    return node.list('args').flatMap((one) => conditionsOf(one));
  if (node?.kind === 'A_Expr') return comparison(node);
  if (node?.kind !== 'NullTest') return [];
  const column = columnOf(node.child('arg'));
  const operator = node.text('nulltesttype') === 'IS_NULL' ? 'is null' : 'is not null';
  return column ? [{ ...column, operator, against: { kind: 'value', parameters: [] } }] : [];
}

/** `withs`: as withsOf tells. */
export function relationOf(node: TreeNode, withs: ReadonlySet<number>): Relation {
  const [schema, name] = [node.text('schemaname') ?? null, node.text('relname') ?? ''];
  const alias = node.child('alias')?.text('aliasname') ?? null;
  const at = node.number('location');
  return { schema, name, alias, isWith: withs.has(at), at };
}

interface From {
  relations: Relation[];
  conditions: Condition[];
}

function readFrom(nodes: readonly TreeNode[], withs: ReadonlySet<number>): From {
  const found: From = { relations: [], conditions: [] };
  for (const root of nodes)
    walk(
      root,
      (node) => {
        if (node.kind === 'RangeVar' || node.kind === 'relation')
          found.relations.push(relationOf(node, withs));
        if (node.kind === 'JoinExpr') append(found.conditions, conditionsOf(node.child('quals')));
      },
      ({ kind }) => kind === 'JoinExpr' || kind === 'fromClause',
    );
  return found;
}

function orderOf(node: TreeNode): Order[] {
  const order: Order[] = [];
  for (const sort of node.list('sortClause')) {
    const column = columnOf(sort.child('node'));
    if (!column) break;
    order.push({ ...column, isDescending: sort.text('sortby_dir') === 'SORTBY_DESC' });
  }
  return order;
}

const SUMS = new Set(['count', 'sum', 'avg', 'min', 'max', 'array_agg', 'string_agg', 'bool_and', 'bool_or']);

/** Groups, or a sum of all: not through the selects within it. */
function isGrouped(node: TreeNode): boolean {
  if (node.list('groupClause').length > 0 || node.list('distinctClause').length > 0) return true;
  let found = false;
  for (const target of node.list('targetList'))
    walk(
      target,
      (one) => {
        if (one.kind === 'FuncCall' && SUMS.has(one.names('funcname').at(-1) ?? '')) found = true;
      },
      ({ kind }) => kind !== 'SubLink',
    );
  return found;
}

const FROM: ReadonlyMap<string, (node: TreeNode) => readonly (TreeNode | undefined)[]> = new Map([
  ['SelectStmt', (node: TreeNode) => node.list('fromClause')],
  ['UpdateStmt', (node: TreeNode) => [node.child('relation'), ...node.list('fromClause')]],
  ['DeleteStmt', (node: TreeNode) => [node.child('relation'), ...node.list('usingClause')]],
]);

/** The two sides of a union stand without their names. */
const kindOf = ({ kind }: TreeNode) => (kind === 'larg' || kind === 'rarg' ? 'SelectStmt' : kind);

export function scopesOf(root: TreeNode, withs: ReadonlySet<number>): Scope[] {
  const scopes: Scope[] = [];
  let room = MOST_CONDITIONS;
  walk(root, (node) => {
    const parts = FROM.get(kindOf(node))?.(node).filter((one) => one !== undefined);
    if (!parts || parts.length === 0 || room <= 0) return;
    const { relations, conditions } = readFrom(parts, withs);
    const all = [...conditions, ...conditionsOf(node.child('whereClause'))].slice(0, room);
    room -= all.length;
    scopes.push({
      relations,
      conditions: all,
      order: orderOf(node),
      hasLimit: node.child('limitCount') !== undefined,
      isGrouped: isGrouped(node),
    });
  });
  return scopes;
}

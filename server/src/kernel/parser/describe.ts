// Says of a parsed text what others want to know, as plain data. Runs in the worker.
import { relationOf, scopesOf } from './scopes.ts';
import { TreeNode, walk } from './tree.ts';
import type { ParsedStatement, Relation } from './types.ts';

/** Operators that other forms of a comparison stand for. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  BETWEEN: ['>=', '<='],
  'NOT BETWEEN': ['<', '>'],
  'BETWEEN SYMMETRIC': ['>=', '<='],
  'NOT BETWEEN SYMMETRIC': ['<', '>'],
};

function withsOf(root: TreeNode): Set<string> {
  const names = new Set<string>();
  walk(root, (node) => {
    if (node.kind === 'CommonTableExpr') names.add(node.text('ctename') ?? '');
  });
  return names;
}

interface Seen {
  nodes: Set<string>;
  functions: Set<string>;
  operators: Set<string>;
  types: Set<string>;
  relations: Relation[];
  parameters: { number: number; at: number }[];
}

const NOTE: Readonly<Record<string, (node: TreeNode, seen: Seen) => void>> = {
  FuncCall: (node, seen) => seen.functions.add(node.names('funcname').join('.')),
  A_Expr: (node, seen) => {
    const name = node.names('name').join('.');
    for (const one of MEANT[name] ?? [name]) seen.operators.add(one);
  },
  SubLink: (node, seen) => {
    const names = node.names('operName');
    if (names.length > 0) seen.operators.add(names.join('.'));
  },
  SortBy: (node, seen) => {
    const names = node.names('useOp');
    if (names.length > 0) seen.operators.add(names.join('.'));
  },
  ParamRef: (node, seen) =>
    seen.parameters.push({ number: node.number('number'), at: node.number('location') }),
};

function noteType(node: TreeNode, seen: Seen): void {
  const names = node.names('names');
  if (names.length > 0) seen.types.add(names.join('.'));
}

/** A table stands without its name where only one can stand. */
const isRelation = (node: TreeNode) =>
  node.text('relname') !== undefined && node.text('objtype') === undefined;

function describeOne(root: TreeNode): ParsedStatement {
  const withs = withsOf(root);
  const seen: Seen = {
    nodes: new Set(),
    functions: new Set(),
    operators: new Set(),
    types: new Set(),
    relations: [],
    parameters: [],
  };
  walk(root, (node) => {
    seen.nodes.add(node.kind);
    NOTE[node.kind]?.(node, seen);
    if (node.kind === 'TypeName' || node.kind === 'typeName') noteType(node, seen);
    if (isRelation(node)) seen.relations.push(relationOf(node, withs));
  });
  return {
    root: root.kind,
    nodes: [...seen.nodes].sort(),
    relations: seen.relations,
    functions: [...seen.functions].sort(),
    operators: [...seen.operators].sort(),
    types: [...seen.types].sort(),
    parameters: seen.parameters.sort((a, b) => a.at - b.at),
    scopes: scopesOf(root, withs),
  };
}

/** Of what the grammar answered. */
export function describe(tree: unknown): ParsedStatement[] {
  const statements = TreeNode.of(tree, 'tree')?.list('stmts') ?? [];
  return statements.flatMap((one) => {
    const root = one.child('stmt');
    return root ? [describeOne(root)] : [];
  });
}

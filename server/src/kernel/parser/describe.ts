// Says of a parsed text what others want to know, as plain data. Runs in the worker.
import { relationOf, scopesOf } from './scopes.ts';
import { TreeNode, walk } from './tree.ts';
import type { NameUse, ParsedStatement, Relation } from './types.ts';
import { withsOf } from './withs.ts';

/** Operators that other forms of a comparison stand for. */
const MEANT: ReadonlyMap<string, readonly string[]> = new Map([
  ['BETWEEN', ['>=', '<=']],
  ['NOT BETWEEN', ['<', '>']],
  ['BETWEEN SYMMETRIC', ['>=', '<=']],
  ['NOT BETWEEN SYMMETRIC', ['<', '>']],
]);

interface Seen {
  nodes: Set<string>;
  functions: Set<string>;
  operators: Set<string>;
  types: Set<string>;
  relations: Relation[];
  parameters: { number: number; at: number }[];
  uses: NameUse[];
}

const note = (
  { uses }: Seen,
  node: TreeNode,
  { of, field }: { of: NameUse['of']; field: string },
): string[] => {
  const parts = node.names(field);
  if (parts.length > 0) uses.push({ of, parts, at: node.number('location') });
  return parts;
};

type Note = (node: TreeNode, seen: Seen) => unknown;

const NOTE: ReadonlyMap<string, Note> = new Map<string, Note>(
  Object.entries({
    FuncCall: (node, seen) =>
      seen.functions.add(note(seen, node, { of: 'function', field: 'funcname' }).join('.')),
    A_Expr: (node, seen) => {
      const name = note(seen, node, { of: 'operator', field: 'name' }).join('.');
      for (const one of MEANT.get(name) ?? [name]) seen.operators.add(one);
    },
    SubLink: (node, seen) => {
      const names = note(seen, node, { of: 'operator', field: 'operName' });
      if (names.length > 0) seen.operators.add(names.join('.'));
    },
    ColumnRef: (node, seen) => note(seen, node, { of: 'column', field: 'fields' }),
    A_Indirection: (node, seen) => note(seen, node, { of: 'column', field: 'indirection' }),
    SortBy: (node, seen) => {
      const names = note(seen, node, { of: 'operator', field: 'useOp' });
      if (names.length > 0) seen.operators.add(names.join('.'));
    },
    ParamRef: (node, seen) =>
      seen.parameters.push({ number: node.number('number'), at: node.number('location') }),
  } satisfies Record<string, Note>),
);

function noteType(node: TreeNode, seen: Seen): void {
  const names = note(seen, node, { of: 'type', field: 'names' });
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
    uses: [],
  };
  walk(root, (node) => {
    seen.nodes.add(node.kind);
    NOTE.get(node.kind)?.(node, seen);
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
    uses: seen.uses,
    explained: root.kind === 'ExplainStmt' ? (root.child('query')?.kind ?? null) : null,
    options: root.list('options').map((one) => one.text('defname') ?? ''),
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

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
  /** Where calls begin that are unnestsOf. */
  unnests: Set<number>;
}

/** `from unnest(a, b)`: the grammar makes calls of pg_catalog.unnest of it, and takes no schema before it. */
function unnestsOf(node: TreeNode): TreeNode[] {
  if (node.list('coldeflist').length > 0) return [];
  return node
    .list('functions')
    .flatMap((one) => one.list('items').slice(0, 1))
    .filter(
      (call) =>
        call.kind === 'FuncCall' &&
        call.names('funcname').join('.') === 'unnest' &&
        call.list('args').length > 1 &&
        !['func_variadic', 'agg_distinct', 'agg_star', 'agg_within_group'].some((field) =>
          call.isTrue(field),
        ) &&
        call.list('agg_order').length === 0 &&
        !call.child('agg_filter') &&
        !call.child('over'),
    );
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
    FuncCall: (node, seen) => {
      if (!seen.unnests.has(node.number('location'))) {
        seen.functions.add(note(seen, node, { of: 'function', field: 'funcname' }).join('.'));
        return;
      }
      seen.functions.add('pg_catalog.unnest');
      seen.uses.push({ of: 'function', parts: ['pg_catalog', 'unnest'], at: node.number('location') });
    },
    RangeFunction: (node, seen) => {
      for (const call of unnestsOf(node)) seen.unnests.add(call.number('location'));
    },
    A_Expr: (node, seen) => {
      const name = note(seen, node, { of: 'operator', field: 'name' }).join('.');
      for (const one of MEANT.get(name) ?? [name]) seen.operators.add(one);
    },
    SubLink: (node, seen) => {
      const names = note(seen, node, { of: 'operator', field: 'operName' });
      if (names.length > 0) seen.operators.add(names.join('.'));
    },
    ColumnRef: (node, seen) => note(seen, node, { of: 'column', field: 'fields' }),
    A_Indirection: (node, seen) => {
      const at = node.number('location');
      for (const name of node.names('indirection'))
        if (name !== '' && name !== '*') seen.uses.push({ of: 'field', parts: [name], at });
    },
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

const OFF = new Set(['false', 'off', '0']);

/** Its name; nothing for one that is written and switched off, as in `analyze false`. */
function optionOf(option: TreeNode): string[] {
  const name = option.text('defname') ?? '';
  const value = option.child('arg');
  if (value === undefined) return [name];
  const isOff =
    value.kind === 'Integer' ? value.number('ival') === 0 : OFF.has(value.text('sval')?.toLowerCase() ?? '');
  return isOff ? [] : [name];
}

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
    unnests: new Set(),
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
    options: root.list('options').flatMap(optionOf),
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

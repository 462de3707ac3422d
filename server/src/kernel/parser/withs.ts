// Which of the relations of a statement are queries of a `with`, by PostgreSQL's own scopes: a name means the query only within the
// statement that the `with` belongs to, there in the queries after it, and in itself only where it is recursive. Elsewhere it is a table.
import { type TreeNode, TreeTooDeep } from './tree.ts';

const DEEPEST = 400;

interface Scope {
  readonly names: ReadonlySet<string>;
  readonly depth: number;
}

const nameOf = (query: TreeNode) => query.text('ctename') ?? '';

/** The bytes at which those begin that are written as tables and mean a query of a `with`. Throws TreeTooDeep. */
export function withsOf(root: TreeNode): ReadonlySet<number> {
  const found = new Set<number>();

  function read(node: TreeNode, { names, depth }: Scope): void {
    if (depth > DEEPEST) throw new TreeTooDeep();
    const name = node.text('relname');
    if (name !== undefined && node.text('schemaname') === undefined && names.has(name))
      found.add(node.number('location'));
    const queries = node.child('withClause')?.list('ctes') ?? [];
    const inner = new Set([...names, ...queries.map(nameOf)]);
    const before = new Set(node.child('withClause')?.isTrue('recursive') ? inner : names);
    for (const query of queries) {
      read(query, { names: new Set(before), depth: depth + 1 });
      before.add(nameOf(query));
    }
    for (const child of node.children())
      if (child.kind !== 'withClause')
        read(child, { names: queries.length > 0 ? inner : names, depth: depth + 1 });
  }

  read(root, { names: new Set(), depth: 0 });
  return found;
}

// Which of the relations of a statement are queries of a `with`, by PostgreSQL's own scopes: a name means the query only within the
// statement that the `with` belongs to, there in the queries after it, and in itself only where it is recursive. Elsewhere it is a table.
import { DEEPEST, type TreeNode, TreeTooDeep } from './tree.ts';

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
    const clause = node.child('withClause');
    const inner = clause ? readQueries(clause, { names, depth }) : names;
    for (const child of node.children())
      if (child.kind !== 'withClause') read(child, { names: inner, depth: depth + 1 });
  }

  /** The names that the statement itself sees. One copy for all queries of the clause: it grows as they are read. */
  function readQueries(clause: TreeNode, { names, depth }: Scope): ReadonlySet<string> {
    const inner = new Set(names);
    const queries = clause.list('ctes');
    if (clause.isTrue('recursive')) for (const query of queries) inner.add(nameOf(query));
    for (const query of queries) {
      read(query, { names: inner, depth: depth + 1 });
      inner.add(nameOf(query));
    }
    return inner;
  }

  read(root, { names: new Set(), depth: 0 });
  return found;
}

// The tree that PostgreSQL's grammar makes of a statement, read with checks: it comes as JSON, and nothing is taken for granted of its
// shape. Guards: a walk ends, however deep the text was nested.
import { isRecord } from '../read-json.ts';
/** Far more than people nest; what is deeper was made to break whoever reads it. */
export const DEEPEST = 400;

export class TreeTooDeep extends Error {}

type Fields = Readonly<Record<string, unknown>>;

/** `{ "SelectStmt": { … } }`; undefined for a node that stands without its name, since only one kind can stand there. */
function wrapped(value: Fields): [string, Fields] | undefined {
  const [entry, ...others] = Object.entries(value);
  if (!entry || others.length > 0) return undefined;
  const [name, inner] = entry;
  return /^[A-Z]/.test(name) && isRecord(inner) ? [name, inner] : undefined;
}

export class TreeNode {
  /** As in PostgreSQL's sources, `SelectStmt`; of a node that stands without its name the field it stands in, `intoClause`. */
  readonly kind: string;
  readonly #fields: Fields;

  private constructor(kind: string, fields: Fields) {
    this.kind = kind;
    this.#fields = fields;
  }

  /** Undefined for what is no node. */
  static of(value: unknown, field: string): TreeNode | undefined {
    if (!isRecord(value)) return undefined;
    const [kind, fields] = wrapped(value) ?? [field, value];
    return new TreeNode(kind, fields);
  }

  child(field: string): TreeNode | undefined {
    return TreeNode.of(this.#fields[field], field);
  }

  list(field: string): TreeNode[] {
    const value = this.#fields[field];
    return Array.isArray(value) ? value.flatMap((one: unknown) => TreeNode.of(one, field) ?? []) : [];
  }

  text(field: string): string | undefined {
    const value = this.#fields[field];
    return typeof value === 'string' ? value : undefined;
  }

  /** 0 is left out of the tree. */
  number(field: string): number {
    const value = this.#fields[field];
    return typeof value === 'number' ? value : 0;
  }

  isTrue(field: string): boolean {
    return this.#fields[field] === true;
  }

  /** A list of names, as of a function with its schema; `*` for all columns. */
  names(field: string): string[] {
    return this.list(field).map((one) => one.text('sval') ?? (one.kind === 'A_Star' ? '*' : ''));
  }

  children(): TreeNode[] {
    return Object.entries(this.#fields).flatMap(([field, value]) =>
      Array.isArray(value) ? this.list(field) : (TreeNode.of(value, field) ?? []),
    );
  }
}

/** Every node from `root` on, `root` first; `into` says whether those below a node are visited. Throws TreeTooDeep. */
export function walk(
  root: TreeNode,
  visit: (node: TreeNode) => void,
  into: (node: TreeNode) => boolean = () => true,
): void {
  const open = [{ node: root, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, depth } = next;
    if (depth > DEEPEST) throw new TreeTooDeep();
    visit(node);
    if (!into(node)) continue;
    for (const child of node.children().reverse()) open.push({ node: child, depth: depth + 1 });
  }
}

// Who waits for whom, as a tree in reading order: roots first, each session that waits beneath the one that holds it up.
// Pure. Guards: each session stands there once, also in a circle, where the one that has waited longest comes first; a
// blocker of which nothing is known is a root all the same, and so is each prepared transaction; never more than so many sessions.
import type { Row } from '../../store/layout/types.ts';
import { momentOf, numberOf, textOf } from './cells.ts';

const MOST_NODES = 500;
/** As rows and answers call whatever holds a lock without a session. Within, each has a number below it. */
const PREPARED = 0;

/** What is known of a blocker. */
export type NodeKind = 'session' | 'prepared_transaction' | 'unknown';

export interface LockNode {
  /** 0: a prepared transaction. */
  pid: number;
  kind: NodeKind;
  /** The one above; null: a root. */
  blocked_by_pid: number | null;
  /** Others that hold it up too. */
  also_blocked_by: number[];
  /** 0: a root. */
  depth: number;
  /** Sessions beneath, at any depth. */
  blocked_count: number;
  is_in_circle: boolean;
  database: string | null;
  user_name: string | null;
  application_name: string | null;
  client_address: string | null;
  state: string | null;
  query: string | null;
  /** Of a prepared transaction. */
  gid: string | null;
  transaction_started_at: string | null;
  transaction_seconds: number | null;
  /** Null while it works. */
  idle_in_transaction_seconds: number | null;
  /** Null: it waits for nothing. */
  waits: LockWait | null;
}

export interface LockWait {
  since: string | null;
  seconds: number | null;
  lock_type: string | null;
  mode: string | null;
  object: string | null;
}

export interface LockTree {
  /** Sessions that wait, and those at the top of them. */
  waiting_count: number;
  root_count: number;
  /** In reading order, at most 500. */
  nodes: LockNode[];
}

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

interface Edge {
  pid: number;
  blocker: number;
  row: Row;
}

const sinceOf = ({ row }: Edge) => textOf(row.waitstart) ?? '9999';

/** One way up from each session that waits: to who does not wait, else to who has waited longest. */
function parentsOf(edges: readonly Edge[]): Map<number, Edge> {
  const waiting = new Map<number, Edge>();
  for (const edge of edges) if (!waiting.has(edge.pid)) waiting.set(edge.pid, edge);
  const rank = ({ blocker }: Edge): [string, number] => {
    const own = waiting.get(blocker);
    return [own ? sinceOf(own) : '', blocker];
  };
  const isBefore = (a: Edge, b: Edge) => {
    const [[since, pid], [otherSince, otherPid]] = [rank(a), rank(b)];
    return since < otherSince || (since === otherSince && pid < otherPid);
  };
  const parents = new Map<number, Edge>();
  for (const edge of edges) {
    const known = parents.get(edge.pid);
    if (!known || isBefore(edge, known)) parents.set(edge.pid, edge);
  }
  return parents;
}

/** Those of each circle that have waited longest: their way up is cut, so that each is a root. */
function cutCircles(parents: Map<number, Edge>): Set<number> {
  const done = new Set<number>();
  const cut = new Set<number>();
  for (const start of [...parents.keys()]) {
    const path: number[] = [];
    const own = new Set<number>();
    let pid: number | undefined = start;
    while (pid !== undefined && parents.has(pid) && !done.has(pid) && !own.has(pid)) {
      own.add(pid);
      path.push(pid);
      pid = parents.get(pid)?.blocker;
    }
    if (pid !== undefined && own.has(pid)) {
      const circle = path.slice(path.indexOf(pid)).flatMap((one) => parents.get(one) ?? []);
      const [first] = circle.sort((a, b) => byText(sinceOf(a), sinceOf(b)) || a.pid - b.pid);
      if (first) cut.add(first.pid);
    }
    for (const one of path) done.add(one);
  }
  return cut;
}

/** Of the one that waits. */
const waiter = ({ row }: Edge) => ({
  database: textOf(row.datname),
  user_name: textOf(row.usename),
  application_name: textOf(row.application_name),
  query: textOf(row.query),
});

/** Of the one that blocks. */
const blocker = ({ row }: Edge) => ({
  database: textOf(row.blocking_datname),
  user_name: textOf(row.blocking_usename),
  application_name: textOf(row.blocking_application_name),
  query: textOf(row.blocking_query),
  client_address: textOf(row.blocking_client_addr),
  state: textOf(row.blocking_state),
  gid: textOf(row.blocking_gid),
  transaction_started_at: momentOf(row.blocking_xact_start),
  transaction_seconds: numberOf(row.blocking_xact_seconds),
  idle_in_transaction_seconds: numberOf(row.blocking_idle_seconds),
});

const NOBODY = {
  database: null,
  user_name: null,
  application_name: null,
  client_address: null,
  state: null,
  query: null,
  gid: null,
  transaction_started_at: null,
  transaction_seconds: null,
  idle_in_transaction_seconds: null,
};

function kindOf(pid: number, asBlocker: Edge | undefined): NodeKind {
  if (pid <= PREPARED) return 'prepared_transaction';
  const { blocking_usename, blocking_datname, blocking_state } = asBlocker?.row ?? {};
  const isGone =
    asBlocker && [blocking_usename, blocking_datname, blocking_state].every((one) => one === null);
  return isGone ? 'unknown' : 'session';
}

const shownPid = (pid: number) => Math.max(PREPARED, pid);

class Forest {
  readonly #edges: readonly Edge[];
  readonly #parents: Map<number, Edge>;
  readonly #circles: Set<number>;
  readonly #children: Map<number, number[]>;
  readonly #asBlocker = new Map<number, Edge>();
  readonly #asWaiter = new Map<number, Edge>();
  readonly #others: Map<number, Edge[]>;
  readonly #beneath = new Map<number, number>();
  readonly nodes: LockNode[] = [];

  constructor(edges: readonly Edge[]) {
    this.#edges = edges;
    this.#parents = parentsOf(edges);
    this.#circles = cutCircles(this.#parents);
    const hanging = [...this.#parents.values()].filter(({ pid }) => !this.#circles.has(pid));
    const families = Map.groupBy(hanging, (edge) => edge.blocker);
    this.#children = new Map([...families].map(([pid, own]) => [pid, own.map((edge) => edge.pid)]));
    this.#others = Map.groupBy(edges, ({ pid }) => pid);
    for (const edge of edges) {
      if (!this.#asBlocker.has(edge.blocker)) this.#asBlocker.set(edge.blocker, edge);
      if (!this.#asWaiter.has(edge.pid)) this.#asWaiter.set(edge.pid, edge);
    }
  }

  get roots(): number[] {
    const all = new Set(this.#edges.map((edge) => edge.blocker));
    return [...all].filter((pid) => !this.#parents.has(pid) || this.#circles.has(pid));
  }

  /** Sessions beneath; chains may be as long as there are sessions, so nothing here calls itself. */
  count(root: number): number {
    const order = [root];
    for (let next = 0; next < order.length; next += 1)
      for (const child of this.#children.get(order[next] ?? 0) ?? []) order.push(child);
    for (const pid of order.toReversed()) {
      const own = this.#children.get(pid) ?? [];
      this.#beneath.set(
        pid,
        own.reduce((sum, child) => sum + 1 + (this.#beneath.get(child) ?? 0), 0),
      );
    }
    return this.#beneath.get(root) ?? 0;
  }

  #node(pid: number, depth: number): LockNode {
    const [wait, block] = [this.#asWaiter.get(pid), this.#asBlocker.get(pid)];
    const parent = this.#circles.has(pid) ? undefined : this.#parents.get(pid);
    const { row } = wait ?? {};
    return {
      pid: shownPid(pid),
      kind: wait ? 'session' : kindOf(pid, block),
      blocked_by_pid: parent ? shownPid(parent.blocker) : null,
      also_blocked_by: (this.#others.get(pid) ?? [])
        .map((edge) => edge.blocker)
        .filter((one) => one !== parent?.blocker)
        .slice(0, 20)
        .map(shownPid),
      depth,
      blocked_count: this.#beneath.get(pid) ?? 0,
      is_in_circle: this.#circles.has(pid),
      ...NOBODY,
      ...(wait && waiter(wait)),
      ...(block && kindOf(pid, block) !== 'unknown' && blocker(block)),
      waits: row
        ? {
            since: momentOf(row.waitstart),
            seconds: numberOf(row.wait_seconds),
            lock_type: textOf(row.locktype),
            mode: textOf(row.mode),
            object: textOf(row.lock_object),
          }
        : null,
    };
  }

  /** Puts a root and all beneath it at the end of the nodes, while there is room. */
  put(root: number): void {
    const stack = [{ pid: root, depth: 0 }];
    for (let top = stack.pop(); top && this.nodes.length < MOST_NODES; top = stack.pop()) {
      this.nodes.push(this.#node(top.pid, top.depth));
      const { depth } = top;
      const own = this.#children.get(top.pid) ?? [];
      // The last one that is put comes first.
      const ordered = own.toSorted((a, b) => this.#compare(b, a));
      for (const pid of ordered) stack.push({ pid, depth: depth + 1 });
    }
  }

  /** Those that hold up most come first, then those that have waited longest. */
  #compare(a: number, b: number): number {
    const more = (this.#beneath.get(b) ?? 0) - (this.#beneath.get(a) ?? 0);
    if (more !== 0) return more;
    const [since, otherSince] = [a, b].map((pid) => {
      const edge = this.#asWaiter.get(pid);
      return edge ? sinceOf(edge) : '';
    });
    return byText(since ?? '', otherSince ?? '') || a - b;
  }
}

/** A number for each prepared transaction, since they have no process: those of two may not become one root. */
function numberOfPrepared(rows: readonly Row[]): (row: Row) => number {
  const gids = [...new Set(rows.flatMap(({ blocking_gid }) => textOf(blocking_gid) ?? []))];
  return ({ blocking_gid }) => {
    const gid = textOf(blocking_gid);
    return gid === null ? PREPARED : PREPARED - 1 - gids.indexOf(gid);
  };
}

/** Of rows of pg_locks_tree: one for each session that waits and each that blocks it. */
export function lockTree(rows: readonly Row[]): LockTree {
  const prepared = numberOfPrepared(rows);
  const edges = rows.flatMap((row): Edge[] => {
    const [pid, blocking] = [numberOf(row.pid), numberOf(row.blocking_pid)];
    if (pid === null || blocking === null || pid === blocking) return [];
    return [{ pid, blocker: blocking === PREPARED ? prepared(row) : blocking, row }];
  });
  const forest = new Forest(edges);
  const roots = forest.roots.map((pid) => ({ pid, count: forest.count(pid) }));
  for (const { pid } of roots.sort((a, b) => b.count - a.count || a.pid - b.pid)) forest.put(pid);
  return {
    waiting_count: new Set(edges.map(({ pid }) => pid)).size,
    root_count: roots.length,
    nodes: forest.nodes,
  };
}

// Who blocks whom: sessions that others wait for, those that hold up most of them first.

import type { Ctx } from '../../../identity/identity.ts';
import { endSession, literal, locksAt } from '../../../insight/insight.ts';
import type { getConnectionMoment as momentOperation } from '../../../insight/moment/moment.contract.ts';
import type { Output } from '../../../kernel/contract.ts';
import { shownCount } from '../../../kernel/shown-value.ts';
import { duration, firstOf, momentPage } from '../answer-texts.ts';
import type { AnswerInput, Point, Question, RuleAnswer } from '../answers.types.ts';

type Locks = Output<typeof momentOperation>['locks'];
type Node = NonNullable<Locks['nodes']>[number];

/** Held up for so long, or so many at once, is no hiccup. */
const LONG_SECONDS = 60;
const MANY = 5;

const nameOf = ({ application_name, user_name }: Node) => application_name || user_name || 'no name';

const preparedName = ({ gid, user_name }: Node) =>
  gid === null
    ? 'A prepared transaction'
    : `The prepared transaction ${literal(gid)}${user_name === null ? '' : ` of ${user_name}`}`;

function doing({ kind, state, idle_in_transaction_seconds: idle, transaction_seconds: open }: Node): string {
  if (kind === 'prepared_transaction')
    return `was prepared ${open === null ? 'before' : `${duration(open)} ago`}`;
  if (idle !== null) return `has been idle in a transaction for ${duration(idle)}`;
  const at = open === null ? '' : `, in a transaction that has been open for ${duration(open)}`;
  return `is ${state ?? 'unknown'}${at}`;
}

const WAYS: Record<Node['kind'], (root: Node) => Pick<Point, 'advice' | 'sql'>> = {
  session: ({ pid, transaction_started_at: since }) => ({
    advice: 'End its transaction where it comes from, or end the session:',
    sql: endSession('terminate', pid, since === null ? null : Date.parse(since)),
  }),
  prepared_transaction: ({ gid, database }) =>
    gid === null
      ? {
          advice:
            'Find it in pg_prepared_xacts, and finish it in its database: commit prepared or rollback prepared with its gid.',
          sql: null,
        }
      : {
          advice: `Ask its transaction manager whether it is to be committed; else, in the database ${database ?? 'it was prepared in'}:`,
          sql: `rollback prepared ${literal(gid)};`,
        },
  unknown: () => ({
    advice: 'It was gone when it was looked at; those that wait go on by themselves.',
    sql: null,
  }),
};

function pointOf(
  root: Node,
  { waited, as_of, asked }: { waited: number; as_of: string | null; asked: AnswerInput },
): Point {
  const who =
    root.kind === 'prepared_transaction' ? preparedName(root) : `Session ${root.pid} (${nameOf(root)})`;
  const isWorse = root.blocked_count >= MANY || waited >= LONG_SECONDS;
  const longest = waited > 0 ? `, the longest for ${duration(waited)}` : '';
  return {
    kind: 'lock',
    name:
      root.kind === 'prepared_transaction'
        ? `prepared transaction ${root.gid ?? ''}`.trimEnd()
        : `pid ${root.pid}`,
    severity: isWorse ? 'critical' : 'warning',
    says: `${who} ${doing(root)} and holds up ${shownCount(root.blocked_count, 'other session')}${longest}.`,
    ...WAYS[root.kind](root),
    about: root.database,
    since: root.transaction_started_at,
    as_of,
    path: momentPage(asked, 'locks'),
  };
}

/** Of each root the longest that anybody beneath it has waited, in seconds. */
function waitsBeneath(nodes: readonly Node[]): Map<Node, number> {
  const longest = new Map<Node, number>();
  let root: Node | undefined;
  for (const node of nodes) {
    if (node.depth === 0) root = node;
    if (root) longest.set(root, Math.max(longest.get(root) ?? 0, node.waits?.seconds ?? 0));
  }
  return longest;
}

/** Sessions that hold others up at that moment; undefined: nobody knows. */
export function blockersOf({ nodes, as_of }: Locks, asked: AnswerInput): Point[] | undefined {
  if (nodes === null) return undefined;
  const roots = [...waitsBeneath(nodes)].filter(([root]) => root.blocked_count > 0 || root.is_in_circle);
  return roots
    .toSorted(([a], [b]) => b.blocked_count - a.blocked_count)
    .map(([root, waited]) => pointOf(root, { waited, as_of, asked }));
}

export const locksOf = (ctx: Ctx, { connection_id, to, isNow }: AnswerInput): Promise<Locks> =>
  locksAt(ctx, connection_id, isNow ? {} : { at: new Date(to).toISOString() });

export const locksUnknown = ({ reason }: Locks) => ({
  about: 'Who waits for whom',
  because: reason ?? 'Locks were not read at that time.',
  mend: null,
});

async function answer(ctx: Ctx, asked: AnswerInput): Promise<RuleAnswer> {
  const locks = await locksOf(ctx, asked);
  const points = blockersOf(locks, asked);
  if (!points)
    return {
      points: [],
      unknown: [locksUnknown(locks)],
      summary: 'Who waited for whom at that time is unknown.',
    };
  const waiting = locks.waiting_count ?? 0;
  const summary =
    points.length === 0
      ? 'No session waits for another.'
      : `${shownCount(waiting, 'session waits', 'sessions wait')} for ${shownCount(points.length, 'other')}. ${firstOf(points)}`;
  return { points, unknown: [], summary };
}

export const question: Question = {
  name: 'who_blocks_whom',
  asked: 'Who blocks whom?',
  says: 'Sessions that others wait for, with how long they have been doing what, and how to end it.',
  hours: 1,
  answer,
};

// Who waits for whom at one moment: the session that holds up others on top, those that wait beneath it. Guards: that nothing
// waits is said only where that is known.
import { useId } from 'react';
import { countOf } from '../../../lib/format.ts';
import { momentText } from '../../../lib/zone.ts';
import { formatValue } from '../../../ui/charts/values.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { OkIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { AsOf, MomentFrame } from '../sessions/moment-frame.tsx';
import { StatementText, Who } from '../sessions/sessions-columns.tsx';
import type { Moment } from '../sessions/use-moment.ts';
import classes from './locks.module.css';

type Locks = Moment['locks'];
type LockNode = NonNullable<Locks['nodes']>[number];

const MOST_NODES = 500;
/** Deeper ones stand no further in. */
const MOST_INDENTS = 8;

const secondsText = (seconds: number | null) => formatValue(seconds, 'seconds');

const nameOf = ({ pid, kind, gid }: LockNode) => {
  if (kind !== 'prepared_transaction') return `Process ${pid}`;
  return gid === null ? 'A prepared transaction' : `Prepared transaction ${gid}`;
};

/** Ends a prepared transaction, in its database. */
const rollbackOf = (gid: string) => `rollback prepared '${gid.replaceAll("'", "''")}';`;

/** What it does to the others, in a sentence. */
function holdsText(node: LockNode): string {
  const { blocked_count, transaction_seconds, idle_in_transaction_seconds, kind, is_in_circle } = node;
  const parts = [`blocks ${countOf(blocked_count, 'session')}`];
  const open = secondsText(transaction_seconds);
  if (open !== undefined)
    parts.push(
      kind === 'prepared_transaction' ? `was prepared ${open} ago` : `its transaction is open for ${open}`,
    );
  const idle = secondsText(idle_in_transaction_seconds);
  if (idle !== undefined) parts.push(`idle in it for ${idle}`);
  if (kind === 'unknown') parts.push('it was gone when it was looked at');
  if (is_in_circle) parts.push('part of a deadlock');
  return parts.join(', ');
}

function waitsText({ waits, blocked_by_pid, also_blocked_by }: LockNode): string | undefined {
  if (waits === null) return undefined;
  const time = secondsText(waits.seconds);
  const others = blocked_by_pid === null ? also_blocked_by : [blocked_by_pid, ...also_blocked_by];
  const by = others.map((pid) => (pid === 0 ? 'a prepared transaction' : pid)).join(', ');
  return `waits${time === undefined ? '' : ` for ${time}`} for ${waits.mode ?? 'a lock'} on ${waits.object ?? 'something unknown'}, blocked by ${by}`;
}

/** Ends the session; shown, never run. */
const terminateOf = (pid: number) => `select pg_terminate_backend(${pid});`;

function Terminate({ pid }: { pid: number }) {
  return (
    <p className={classes.end}>
      <span>To end this session and roll back its transaction:</span> <code>{terminateOf(pid)}</code>
      <CopyButton text={terminateOf(pid)} label={`Copy pg_terminate_backend(${pid})`} />
    </p>
  );
}

function Node({ node, isNow }: { node: LockNode; isNow: boolean }) {
  const waits = waitsText(node);
  // A process id of before may be that of another session now.
  const mayEnd = isNow && node.depth === 0 && node.kind === 'session' && node.blocked_count > 0;
  return (
    <li
      className={classes.node}
      data-root={node.depth === 0 || undefined}
      data-depth={Math.min(MOST_INDENTS, node.depth)}
    >
      <div className={classes.head}>
        <strong>{nameOf(node)}</strong>
        <span className={classes.who}>
          <Who {...node} />
        </span>
        {node.state === null ? null : <span className={classes.state}>{node.state}</span>}
      </div>
      {waits === undefined ? null : <p className={classes.waits}>{waits}</p>}
      {node.blocked_count > 0 ? <p className={classes.holds}>{holdsText(node)}</p> : null}
      {node.kind === 'session' ? (
        <StatementText query={node.query} label={`Statement of ${node.pid}`} />
      ) : null}
      {mayEnd ? <Terminate pid={node.pid} /> : null}
      {node.gid === null ? null : (
        <p className={classes.holds}>
          Unless its transaction manager still needs it, end it in its database:{' '}
          <code>{rollbackOf(node.gid)}</code>
        </p>
      )}
    </li>
  );
}

/** "6 sessions wait for locks held by 1 blocker." */
function summaryOf({ nodes, waiting_count, root_count }: Locks): string {
  const [waiting, shown] = [waiting_count ?? 0, nodes?.length ?? 0];
  const cut = shown >= MOST_NODES || shown < waiting ? ` The first ${shown} are shown.` : '';
  return `${countOf(waiting, 'session')} ${waiting === 1 ? 'waits' : 'wait'} for locks held by ${countOf(root_count ?? 0, 'blocker')}.${cut}`;
}

interface TreeProps {
  locks: Locks;
  zone: string;
  /** What is shown is so at this moment, so that a process id still names the same session. */
  isNow?: boolean;
  /** False: what is around it says how many wait. */
  hasSummary?: boolean;
}

export function LockTree({ locks, zone, isNow = false, hasSummary = true }: TreeProps) {
  const { nodes, reason, as_of } = locks;
  if (nodes === null) return <p className={classes.reason}>{reason}</p>;
  if (nodes.length === 0)
    return (
      <EmptyState icon={<OkIcon size={26} />} title="Nothing waited for a lock">
        {reason ?? (as_of === null ? undefined : `Looked at ${momentText(Date.parse(as_of), zone)}.`)}
      </EmptyState>
    );
  return (
    <>
      {hasSummary ? <p className={classes.summary}>{summaryOf(locks)}</p> : null}
      <ol className={classes.tree} aria-label="Sessions that wait, beneath those that block them">
        {nodes.map((node) => (
          <Node key={`${node.pid} ${node.gid ?? ''}`} node={node} isNow={isNow} />
        ))}
      </ol>
    </>
  );
}

/** The tree has frames of its own, and begins right below its head. */
function LocksThen({ locks, zone, isNow }: Required<Pick<TreeProps, 'locks' | 'zone' | 'isNow'>>) {
  const id = useId();
  const asOf = <AsOf at={locks.as_of} zone={zone} />;
  if ((locks.nodes ?? []).length === 0)
    return (
      <Panel title="Locks" note={asOf}>
        <LockTree locks={locks} zone={zone} />
      </Panel>
    );
  return (
    <section aria-labelledby={id}>
      <div className={classes.top}>
        <h2 id={id}>Locks</h2>
        <span>{summaryOf(locks)}</span>
        <span className={layout.remark}>{asOf}</span>
      </div>
      <LockTree locks={locks} zone={zone} isNow={isNow} hasSummary={false} />
    </section>
  );
}

export function LocksView({ id }: { id: number }) {
  return (
    <MomentFrame id={id} what="the locks">
      {({ locks }, zone, isNow) => <LocksThen locks={locks} zone={zone} isNow={isNow} />}
    </MomentFrame>
  );
}

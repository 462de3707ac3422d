// What the audit log and the log are told of clusters, their servers and groups. Guards: every change that somebody makes
// is recorded in its own transaction, with the names as they were then.
import { type AuditAction, type AuditEntry, type Ctx, recordAudit } from '../../identity/identity.ts';

const EVENTS = {
  'cluster.create': 'clusters.created',
  'cluster.change': 'clusters.changed',
  'cluster.dismiss': 'clusters.dismissed',
  'cluster.delete': 'clusters.deleted',
  'cluster.set_server': 'clusters.server_set',
  'cluster.set_relationships': 'clusters.relationships_set',
  'cluster_group.create': 'cluster_groups.created',
  'cluster_group.change': 'cluster_groups.changed',
  'cluster_group.delete': 'cluster_groups.deleted',
} as const satisfies Partial<Record<AuditAction, string>>;

export interface ClusterAct extends Pick<AuditEntry, 'details'> {
  action: keyof typeof EVENTS;
  target: { kind: 'cluster' | 'cluster_group' | 'connection'; id: number; name: string };
}

/** Inside the transaction of the change. */
export async function noteAct(tx: Ctx, act: ClusterAct): Promise<void> {
  await recordAudit(tx, act);
  const { kind, id } = act.target;
  tx.log.info({ event: EVENTS[act.action], [`${kind}_id`]: id, user_id: tx.principal.user_id });
}

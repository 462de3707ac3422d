// What has to be read again after a change: everything of the same area, and of the areas that show what it changed.
import type { OperationId } from './client.ts';
import { operations } from './operations.gen.ts';

type Tag = (typeof operations)[OperationId]['tag'];

/** Areas whose reads show what an area's changes alter, besides their own. */
const SHOWN_IN: Partial<Record<Tag, readonly Tag[]>> = {
  auth: ['rbac'],
  rbac: ['auth', 'connections', 'clusters', 'cluster-groups'],
  connections: ['clusters', 'cluster-groups', 'server-info', 'probe-configs'],
  clusters: ['cluster-groups', 'connections', 'probe-configs', 'rbac'],
  'cluster-groups': ['clusters', 'connections', 'probe-configs', 'rbac'],
  alerts: ['timeline'],
  'alert-rules': ['alert-overrides', 'alerts'],
  'alert-overrides': ['alert-rules', 'alerts'],
  blackouts: ['timeline'],
  'blackout-schedules': ['blackouts'],
  'probe-configs': ['connections'],
  'probe-overrides': ['probe-configs', 'connections'],
  'notification-channels': ['channel-overrides', 'report-schedules'],
  mcp: ['memories'],
  'report-schedules': ['notification-channels'],
};

/** Sent like changes, but only look. */
const LOOKS_ONLY: readonly OperationId[] = [
  'backtestAlertRule',
  'testConnection',
  'previewBlackoutSchedule',
  'previewChannelTemplate',
  'previewChat',
  'testNotificationChannel',
  'tryNotificationChannel',
];

/** Whether it leaves something behind where it was sent and no answer came; signing in and out is seen at once. */
export function isChange(id: OperationId): boolean {
  const { method, path } = operations[id];
  return method !== 'GET' && !LOOKS_ONLY.includes(id) && !path.startsWith('/api/v1/auth/');
}

/** Whether a read shows what a change of that operation alters. */
export function touches(changed: OperationId, read: string): boolean {
  if (LOOKS_ONLY.includes(changed)) return false;
  const own = operations[changed].tag;
  const tags: readonly Tag[] = [own, ...(SHOWN_IN[own] ?? [])];
  return Object.entries(operations).some(([id, { tag }]) => id === read && tags.includes(tag));
}

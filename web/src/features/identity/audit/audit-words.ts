// The audit log in words, and its filters as they stand in the address.

import type { AuditAction } from '../../../../../server/src/identity/audit/audit-actions.ts';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { cutText } from '../../../lib/inert-text.ts';
import { HOUR_MS } from '../../../lib/units.ts';

export type AuditEvent = OperationTypes['listAuditEvents']['result']['events'][number];
export type AuditQuery = NonNullable<OperationTypes['listAuditEvents']['query']>;

/** Each action that can be recorded; the types fail when one is missing. What an older log holds is shown by its name. */
export const ACTIONS: Readonly<Record<AuditAction, string>> = {
  'session.create': 'Signed in',
  'session.ask_code': 'Asked for a code after the password',
  'session.delete': 'Signed out',
  'access.check': 'Asked for what is not allowed',
  'user.create': 'Created a user',
  'user.change': 'Changed a user',
  'user.delete': 'Deleted a user',
  'user.set_password': 'Set a password',
  'user.add_passkey': 'Added a passkey',
  'user.remove_passkey': 'Removed a passkey',
  'user.set_second_factor': 'Set up a second factor',
  'user.set_recovery_codes': 'Replaced recovery codes',
  'user.remove_second_factor': 'Removed a second factor',
  'user.create_link': 'Created a sign-in link',
  'user.bind_identity': 'Bound an identity to a user',
  'user.unbind_identity': 'Unbound an identity from a user',
  'user.end_sessions': 'Ended the sessions of a user',
  'group.create': 'Created a group',
  'group.change': 'Changed a group',
  'group.delete': 'Deleted a group',
  'group.add_member': 'Added a member',
  'group.remove_member': 'Removed a member',
  'group.grant': 'Granted a right',
  'group.revoke': 'Revoked a right',
  'token.create': 'Created a token',
  'token.change': 'Changed a token',
  'token.delete': 'Revoked a token',
  'token.set_scope': 'Set the scope of a token',
  'connection.create': 'Added a server',
  'connection.change': 'Changed a server',
  'connection.delete': 'Deleted a server',
  'connection.test': 'Tried a connection',
  'cluster.create': 'Created a cluster',
  'cluster.change': 'Changed a cluster',
  'cluster.dismiss': 'Hid a cluster',
  'cluster.delete': 'Deleted a cluster',
  'cluster.set_server': 'Moved a server between clusters',
  'cluster.admit_server': 'Let a server inherit access to its cluster',
  'cluster.set_relationships': 'Set from whom a server replicates',
  'cluster_group.create': 'Created a server group',
  'cluster_group.change': 'Changed a server group',
  'cluster_group.delete': 'Deleted a server group',
  'blackout.create': 'Created a silence',
  'blackout.change': 'Changed a silence',
  'blackout.stop': 'Stopped a silence',
  'blackout.delete': 'Deleted a silence',
  'blackout_schedule.create': 'Created a silence schedule',
  'blackout_schedule.change': 'Changed a silence schedule',
  'blackout_schedule.delete': 'Deleted a silence schedule',
  'channel.create': 'Created a channel',
  'channel.change': 'Changed a channel',
  'channel.delete': 'Deleted a channel',
  'channel.test': 'Tried a channel',
  'report_schedule.create': 'Had a report sent on a schedule',
  'report_schedule.change': 'Changed a schedule of reports',
  'report_schedule.delete': 'Deleted a schedule of reports',
  'report_schedule.send': 'Had a report sent at once',
  'notification.resend': 'Sent a notification again',
  'notifications.hold': 'Held all notifications back',
  'notifications.release': 'Released held notifications',
  'notification.give_up': 'Gave up a notification',
  'secret.use': 'Used a password',
  'secret_key.replace': 'Gave up the lost secret key',
  'sql.run': 'Ran a statement on a server',
  'settings.load': 'Started with settings',
  'settings.change': 'Changed a setting',
  'alert.acknowledge': 'Acknowledged an alert',
  'alert.unacknowledge': 'Took back the acknowledgement of an alert',
  'finding.mute': 'Muted a finding',
  'finding.unmute': 'Ended the mute of a finding',
  'audit.prune': 'Removed old audit events',
};

export function actionWords(action: string): string {
  const words: Readonly<Record<string, string>> = ACTIONS;
  return Object.hasOwn(words, action) ? (words[action] ?? action) : action;
}

export const OUTCOMES = ['ok', 'refused', 'failed'] as const;
export const OUTCOME_WORDS = { ok: 'Done', refused: 'Refused', failed: 'Failed' } as const;
export const OUTCOME_MARKS = { ok: 'ok', refused: 'skipped', failed: 'failed' } as const;

export const RANGES = [
  { value: '', label: 'All time', ms: undefined },
  { value: '1h', label: 'Last hour', ms: HOUR_MS },
  { value: '24h', label: 'Last 24 hours', ms: 24 * HOUR_MS },
  { value: '7d', label: 'Last 7 days', ms: 7 * 24 * HOUR_MS },
  { value: '30d', label: 'Last 30 days', ms: 30 * 24 * HOUR_MS },
  { value: 'custom', label: 'From … to …', ms: undefined },
] as const;

export interface Filters {
  range: string;
  /** What a datetime-local field holds; empty or half typed for no limit. */
  from: string;
  to: string;
  actor: string;
  action: string;
  outcome: string;
}

export const PAGE_SIZE = 50;

function instant(local: string): string | undefined {
  const time = Date.parse(local);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

function startOf({ range, from }: Filters, now: number): string | undefined {
  if (range === 'custom') return instant(from);
  const ms = RANGES.find(({ value }) => value === range)?.ms;
  return ms === undefined ? undefined : new Date(now - ms).toISOString();
}

/** The filters as the server takes them; whatever is not understood filters nothing. */
export function queryOf(filters: Filters, page: number, now: number): AuditQuery {
  const start_time = startOf(filters, now);
  const end_time = filters.range === 'custom' ? instant(filters.to) : undefined;
  const outcome = OUTCOMES.find((one) => one === filters.outcome);
  const actor = filters.actor.trim();
  return {
    ...(start_time && { start_time }),
    ...(end_time && { end_time }),
    ...(actor && { actor }),
    ...(filters.action && { action: filters.action }),
    ...(outcome && { outcome }),
    limit: PAGE_SIZE,
    ...(page > 1 && { offset: (page - 1) * PAGE_SIZE }),
  };
}

/** A page number of the address; anything but a sensible one is the first. */
export function pageOf(text: string): number {
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1;
}

const LONGEST_DETAILS = 160;

const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
const valueText = (value: unknown) => (value === '' ? 'nothing' : String(value));

/** What a member was before the change: `before` holds the old values by name, or the old name alone. */
function oldValue({ before }: AuditEvent['details'], name: string): unknown {
  if (typeof before === 'string') return name === 'name' ? before : undefined;
  if (typeof before !== 'object' || before === null) return undefined;
  const values = new Map<string, unknown>(Object.entries(before));
  return values.get(name);
}

/** What of the details fits in a line: names and plain values, with the old value where it was another one. */
export function detailsText(details: AuditEvent['details']): string {
  const plain = Object.entries(details).flatMap(([name, value]) => {
    if (name === 'before' || !isPlain(value)) return [];
    const words = name.replaceAll('_', ' ');
    const old = oldValue(details, name);
    return isPlain(old) && old !== value
      ? [`${words} from ${valueText(old)} to ${valueText(value)}`]
      : [`${words} ${valueText(value)}`];
  });
  return cutText(plain.join(', '), LONGEST_DETAILS);
}

type Target = Pick<AuditEvent, 'target_kind' | 'target_id' | 'target_name'>;

/** "group dba", "silence #7", or nothing. */
export function targetText({ target_kind, target_id, target_name }: Target): string {
  if (target_kind === null) return '';
  const what = target_name ?? (target_id === null ? '' : `#${target_id}`);
  // The API says blackout for what every page calls a silence.
  const kind = target_kind.replace('blackout', 'silence').replaceAll('_', ' ');
  return `${kind} ${what}`.trim();
}

/** Said of an event about a connection, cluster or group that the reader cannot see. */
export const HIDDEN_WORDS = 'About something that you have no access to';

/** What it was done to and what was recorded of it, in a line. */
export function summaryOf(event: AuditEvent): string {
  if (event.hidden) return HIDDEN_WORDS;
  return [targetText(event), detailsText(event.details)].filter(Boolean).join(' · ');
}

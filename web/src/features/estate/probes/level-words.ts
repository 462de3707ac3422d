// Words for where a setting comes from, and who may change one.
import type { UserInfo } from '../../../api/types.ts';
import { everyText } from '../../../lib/time.ts';
import { mayUse } from '../../identity/auth/use-user.ts';
import type { Level, ProbeSettings, Values } from './probe-values.ts';

export const mayManageProbes = (user: UserInfo | undefined): boolean => mayUse(user, 'manage_probes');

export const LEVELS = [
  'built_in',
  'global',
  'group',
  'cluster',
  'server',
] as const satisfies readonly Level[];

const WORDS: Record<Level, string> = {
  built_in: 'Default',
  global: 'Whole estate',
  group: 'Group',
  cluster: 'Cluster',
  server: 'This server',
};

/** "Cluster orders", "This server", … */
export function levelWords(level: Level, scopes: ProbeSettings['scopes']): string {
  const scope = scopes.find((one) => one.scope === level);
  return level === 'server' || !scope ? WORDS[level] : `${WORDS[level]} ${scope.name}`;
}

export function keptText(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}

/** "every 5 min, kept 7 days", "switched off". */
export function valuesText({ is_enabled, collection_interval_seconds, retention_days }: Values): string {
  const words = `${everyText(collection_interval_seconds)}, kept ${keptText(retention_days)}`;
  return is_enabled ? words : `switched off (${words})`;
}

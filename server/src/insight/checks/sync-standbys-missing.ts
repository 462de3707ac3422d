// Primaries that are to wait for synchronous standbys which are not there.
import type { Facts } from './facts.ts';
import { byReload } from './remedies.ts';
import { senders } from './replicas.ts';
import { countOf } from './sessions.ts';
import { defineCheck, foundOnServer, NOTHING } from './types.ts';

/** How many have to confirm: `2 (a, b)`, `ANY 1 (a, b)`, `a, b`. */
function needed(names: string): number {
  if (names.trim() === '') return 0;
  const counted = /^(?:(?:first|any)\s+)?(\d+)\s*\(/i.exec(names.trim());
  return counted ? Number(counted[1]) : 1;
}

const WAITS_FOR_NOBODY = new Set(['off', 'local']);
const CONFIRMS = new Set(['sync', 'quorum']);

const waiting = (facts: Facts) =>
  countOf(facts.rows('pg_stat_activity').filter((row) => row.text('wait_event') === 'SyncRep'));

export const check = defineCheck({
  name: 'sync_standbys_missing',
  category: 'replication',
  title: 'Missing synchronous standbys',
  figureName: 'standbys missing',
  meaning: 'Every commit waits until enough standbys confirm it, so writes hang.',
  advice: 'Restore the standby, or remove it from synchronous_standby_names until then.',
  caution: 'Without it, a confirmed commit is lost if the primary fails.',
  source: 'warm-standby.html#SYNCHRONOUS-REPLICATION',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_settings: ['name', 'setting'],
    pg_stat_replication: ['role', 'application_name', 'state', 'sync_state'],
  },
  uses: { pg_stat_activity: ['wait_event', 'stands_for'] },
  judge: (facts) => {
    const names = facts.setting('synchronous_standby_names') ?? '';
    const wanted = needed(names);
    const standbys = senders(facts);
    const there = standbys.filter((row) => CONFIRMS.has(row.text('sync_state') ?? '')).length;
    if (there >= wanted) return NOTHING;
    if (standbys.some((row) => row.text('state') === null))
      return {
        found: [],
        unknown: [
          {
            because: 'The monitoring role lacks permission to see synchronous standbys.',
            mend: 'grant pg_read_all_stats to it',
          },
        ],
      };
    const commit = facts.setting('synchronous_commit') ?? 'on';
    const isFree = WAITS_FOR_NOBODY.has(commit);
    return foundOnServer({
      object_name: 'synchronous_standby_names',
      severity: isFree ? 'warning' : 'critical',
      message: `${there} of ${wanted} synchronous standbys ${wanted === 1 ? 'is' : 'are'} connected. Commits wait${isFree ? ' unless synchronous_commit is off or local, which is the setting here' : ''}.`,
      figure: { value: wanted - there, unit: 'count' },
      evidence: {
        synchronous_standby_names: names,
        synchronous_commit: commit,
        connected: there,
        waiting_sessions: waiting(facts),
      },
      remedy: byReload('synchronous_standby_names', "''"),
    });
  },
});

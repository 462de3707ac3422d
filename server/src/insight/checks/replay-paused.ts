// Standbys whose replay somebody has paused.

import { rule } from '../../alerting/rules/standby-replay-age.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import { receiver } from './replicas.ts';
import { defineCheck, foundOnServer, NOTHING } from './types.ts';

const PAUSED = new Set(['paused', 'pause requested']);

export const check = defineCheck({
  name: 'replay_paused',
  category: 'replication',
  title: 'Paused WAL replay',
  figureName: 'WAL not replayed',
  meaning: 'The standby receives WAL but does not apply it, so its data become outdated.',
  advice: 'Resume replay.',
  caution:
    'PostgreSQL pauses replay when a setting such as max_connections is lower than on the primary. Resuming then shuts the standby down.',
  source: 'functions-admin.html#FUNCTIONS-RECOVERY-CONTROL',
  proof: 'stated',
  where: 'standby',
  reads: { pg_stat_replication: ['role', 'replay_pause_state', 'replay_lag', 'lag_bytes'] },
  judge: (facts) => {
    const row = receiver(facts);
    const state = row?.text('replay_pause_state') ?? '';
    if (!row || !PAUSED.has(state)) return NOTHING;
    const [late, bytes] = [row.number('replay_lag'), row.number('lag_bytes')];
    const waits =
      bytes === null
        ? 'The amount of pending WAL is unknown'
        : `${shownValue(bytes, 'bytes')} of WAL are pending`;
    const age = late === null ? '' : `. The last replayed transaction is ${shownValue(late, 'seconds')} old`;
    return foundOnServer({
      object_name: 'replay',
      severity: late !== null && late > rule.threshold ? 'critical' : 'warning',
      message: `Replay is paused. ${waits}${age}.`,
      figure: bytes === null ? null : { value: bytes, unit: 'bytes' },
      evidence: { replay_pause_state: state, lag_bytes: bytes, replay_lag: late },
      remedy: 'select pg_wal_replay_resume();',
    });
  },
  figureAfter: (facts) => receiver(facts)?.number('lag_bytes') ?? null,
});

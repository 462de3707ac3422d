// Standbys that receive WAL from nobody.
import { rule } from '../../alerting/rules/replication-standby-disconnected.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import { DISCONNECTED } from '../../probes/pg-stat-replication.ts';
import { receiver } from './replicas.ts';
import { defineCheck, foundOnServer, NOTHING } from './types.ts';

const RECONNECT = `-- On the standby, with the address of the primary:
alter system set primary_conninfo = 'host=… port=5432 user=…';
select pg_reload_conf();`;
const REBUILD = `-- If its log says that the new timeline forked off before its position, the standby cannot follow any more:
-- stop it and run pg_rewind with the primary as the source, or make it anew with pg_basebackup.`;

function problemOf(isLeftBehind: boolean, hasUpstream: boolean): string {
  if (isLeftBehind) return 'The upstream server has no more WAL for the timeline of the standby';
  if (hasUpstream) return 'The standby has no connection to its upstream server';
  return 'The standby has neither primary_conninfo nor restore_command';
}

export const check = defineCheck({
  name: 'standby_without_receiver',
  category: 'replication',
  title: 'Standby disconnected from its primary',
  meaning: 'Its data become outdated, and a failover loses changes made since.',
  advice: 'Check that the primary is running and reachable, and that primary_conninfo is right.',
  caution: 'The log of the standby shows why it cannot connect.',
  source: 'runtime-config-replication.html#GUC-PRIMARY-CONNINFO',
  proof: 'stated',
  where: 'standby',
  reads: {
    pg_stat_replication: ['role', 'pid', 'replay_lag', 'replay_lsn', 'is_disconnected', 'receiver_status'],
    pg_settings: ['name', 'setting'],
  },
  judge: (facts) => {
    const row = receiver(facts);
    if (!row?.meets(DISCONNECTED)) return NOTHING;
    const hasUpstream = (facts.setting('primary_conninfo') ?? '') !== '';
    // It has reached the end of its timeline, and its upstream server goes on with another.
    const isLeftBehind = row.text('receiver_status') === 'waiting';
    const restores = (facts.setting('restore_command') ?? '') !== '';
    const age = row.number('replay_lag');
    const old = age === null ? '' : `. The last replayed transaction is ${shownValue(age, 'seconds')} old`;
    return foundOnServer({
      object_name: 'primary_conninfo',
      // As the alert of the same fact. An archive alone holds no WAL of the segment that the primary is writing.
      severity: rule.severity,
      message: `${problemOf(isLeftBehind, hasUpstream)}${old}.`,
      figure: null,
      evidence: {
        primary_conninfo: hasUpstream ? 'set' : '',
        restore_command: restores ? 'set' : '',
        replay_lsn: row.text('replay_lsn'),
        replay_age_seconds: age,
      },
      remedy: isLeftBehind ? REBUILD : RECONNECT,
    });
  },
});

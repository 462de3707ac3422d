// What is counted for minutes is not called a rate per day: the figure is of a day, or of what there is of it. What was counted before a
// promotion is said to be restartpoints where the server counted these together.
import { expect, it } from 'vitest';
import { HOUR_MS } from '../../kernel/units.ts';
import { check as deadlocks } from './deadlocks.ts';
import { Facts } from './facts.ts';
import { check as maxWalSize } from './max-wal-size-small.ts';
import { check as cancelled } from './standby-cancels-queries.ts';
import { check as evicted } from './statements-evicted.ts';
import { check as tempFiles } from './temp-files-heavy.ts';

it('names what was counted within a day', () => {
  for (const { name, figureName } of [deadlocks, cancelled, evicted, tempFiles])
    expect(figureName, name).toMatch(/ within a day$/);
});

it.each([
  { of: 'a standby of 16 that was promoted', version: 160_004, timeline_id: 2, isMixed: true },
  { of: 'a primary of 16', version: 160_004, timeline_id: 1, isMixed: false },
  { of: 'a standby of 17 that was promoted', version: 170_004, timeline_id: 2, isMixed: false },
])(
  'of $of, checkpoints are told apart from restartpoints where they are not',
  ({ version, timeline_id, isMixed }) => {
    const now = Date.parse('2026-11-20T10:00:00Z');
    const stats_reset = new Date(now - 48 * HOUR_MS).toISOString();
    const size = { name: 'max_wal_size', setting: '1024', unit: 'MB', context: 'sighup', source: 'default' };
    const rows = {
      pg_server_info: { server_version_num: version },
      pg_node_role: { timeline_id },
      pg_stat_checkpointer: { num_timed: 10, num_requested: 200, stats_reset },
      pg_settings: { ...size, boot_val: '1024' },
    };
    const readings = new Map(
      Object.entries(rows).map(([probe, row]) => [
        probe,
        [{ database_name: '', collected_at: now, rows: [row] }],
      ]),
    );
    const [one] = maxWalSize.judge(new Facts({ now, readings })).found;
    expect(one?.message).toContain('of 210 checkpoints were requested');
    expect(one?.message.includes('Those from before a promotion were restartpoints.')).toBe(isMixed);
  },
);

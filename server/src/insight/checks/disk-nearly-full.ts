// Volumes of the server's machine that fill up. When each will be full is not judged here.

import { rule as critical } from '../../alerting/rules/disk-usage-critical.ts';
import { rule as high } from '../../alerting/rules/disk-usage-percent.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import { ofRow } from '../../probes/formula.ts';
import { metricOf } from '../../probes/metrics.ts';
import { probe } from '../../probes/pg-sys-disk-info.ts';
import type { Facts, Item } from './facts.ts';
import { defineCheck, type Problem } from './types.ts';

/** Much room that is left is enough, however little of the volume it is. */
const ENOUGH_BYTES = 500 * 1024 ** 3;

const USED = metricOf(probe, 'used_percent')?.value;

/** As the rules judge it. */
const percentOf = (item: Item): number | null =>
  USED ? (ofRow(USED, (name) => item.number(name), 0) ?? null) : null;

function foundOf(item: Item, percent: number): Problem {
  const mount = item.text('mount_point') ?? '';
  const free = item.number('free_space') ?? 0;
  return {
    database_name: '',
    object_name: mount,
    severity: percent > critical.threshold ? 'critical' : 'warning',
    message: `Volume "${mount}" is ${shownValue(percent, 'percent')} full, with ${shownValue(free, 'bytes')} free.`,
    figure: { value: percent, unit: 'percent', promised: high.threshold },
    evidence: {
      mount_point: mount,
      file_system: item.text('file_system'),
      total_space: item.number('total_space'),
      used_space: item.number('used_space'),
      free_space: free,
    },
    remedy:
      '-- On the host, to see what uses the space:\ndf -h\ndu -xh --max-depth=2 "$PGDATA" | sort -h | tail',
  };
}

const volume = (facts: Facts, mount: string) =>
  facts.rows('pg_sys_disk_info').find((item) => item.text('mount_point') === mount);

export const check = defineCheck({
  name: 'disk_nearly_full',
  category: 'storage',
  title: critical.title,
  figureName: 'of the disk',
  meaning: critical.meaning,
  advice: critical.remedy,
  caution: 'Never delete files in pg_wal or in the data directory by hand.',
  source: 'disk-full.html',
  proof: 'stated',
  reads: {
    pg_sys_disk_info: ['mount_point', 'file_system', 'total_space', 'used_space', 'free_space'],
  },
  judge: (facts) => ({
    found: facts.rows('pg_sys_disk_info').flatMap((item) => {
      const percent = percentOf(item);
      if (percent === null || percent <= high.threshold) return [];
      const isRoomy = (item.number('free_space') ?? 0) >= ENOUGH_BYTES;
      return isRoomy ? [] : [foundOf(item, percent)];
    }),
  }),
  figureAfter: (facts, { object_name }) => {
    const item = volume(facts, object_name);
    return item ? percentOf(item) : null;
  },
});

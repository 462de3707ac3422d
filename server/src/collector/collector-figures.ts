// What a collector counts of itself, for who watches this product.
import { counter, type Figure, gauge } from '../kernel/figures.ts';
import type { SpoolHome } from '../store/spool/home.ts';

export interface CollectorState {
  servers: number;
  offsetMs: number;
  spool: SpoolHome | string | undefined;
}

function spoolFigures(spool: SpoolHome): Figure[] {
  const all = [spool.batches.stats, spool.facts.stats];
  const sum = (of: (stats: (typeof all)[number]) => number) =>
    all.reduce((total, stats) => total + of(stats), 0);
  return [
    gauge(
      'matriarch_spool_bytes',
      'On disk, waiting for the datastore.',
      sum(({ bytes }) => bytes),
    ),
    gauge(
      'matriarch_spool_queued_bytes',
      'In memory, on the way to that disk.',
      sum((one) => one.queued_bytes),
    ),
    counter(
      'matriarch_spool_appended_total',
      'Records written to the spool.',
      sum(({ appended }) => appended),
    ),
    counter(
      'matriarch_spool_dropped_total',
      'Records given up for want of space.',
      sum(({ dropped }) => dropped),
    ),
    counter(
      'matriarch_spool_damaged_total',
      'Places of it that could not be read.',
      sum(({ damaged }) => damaged),
    ),
  ];
}

export function collectorFigures({ servers, offsetMs, spool }: CollectorState): Figure[] {
  return [
    gauge('matriarch_collector_servers', 'Servers that this process reads.', servers),
    gauge(
      'matriarch_collector_clock_offset_seconds',
      'Datastore clock minus that of the collector.',
      offsetMs / 1000,
    ),
    gauge(
      'matriarch_spool_available',
      '1 where the collector has a spool, else 0.',
      Number(typeof spool === 'object'),
    ),
    ...(typeof spool === 'object' ? spoolFigures(spool) : []),
  ];
}

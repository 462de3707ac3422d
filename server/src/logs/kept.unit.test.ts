// The kept log of a real server under trouble, in three formats. Guards: figures are those of pgBadger, and of one server the same in each
// format, line for line.
import { expect, it } from 'vitest';
import { KEPT_FIGURES, keptLog, oursOf } from '../testing/logs/compared-figures.ts';
import { readLogs } from './read-logs.ts';

const ENDS = ['log', 'csv', 'json'] as const;

it.each(ENDS)('postgresql-18.%s has the figures of pgBadger', async (end) => {
  expect(await oursOf(keptLog(end))).toEqual(KEPT_FIGURES);
});

it('tells the same events in each format, and all of them have a class', async () => {
  const reports = await Promise.all(
    ENDS.map((end) => readLogs({ files: [keptLog(end)], mask: (text) => text, year: 2026 })),
  );
  const [first, ...others] = reports.map(({ events, by_class, by_sqlstate, by_severity, unclassified }) => ({
    ...{ events, by_class, by_severity, unclassified },
    deadlocks: by_sqlstate['40P01'],
  }));
  expect(others).toEqual([first, first]);
  expect(first).toMatchObject({ unclassified: 0, by_class: { process_crashed: 1, crash_recovery: 1 } });
  expect(reports.map(({ skipped }) => skipped)).toEqual([[], [], []]);
});

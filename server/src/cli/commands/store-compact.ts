// matriarch store compact: packs the closed hours now, instead of when the job is due, and says what that saved.
import { shownCount, shownValue } from '../../kernel/shown-value.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { compactNow } from '../../store/compact/job.ts';
import { storeForecast } from '../../store/upkeep/forecast.ts';
import type { Command } from '../command.ts';

const size = (bytes: number) => shownValue(bytes, 'bytes');

export const command: Command = {
  path: ['store', 'compact'],
  summary: 'Pack closed hours of samples now, and roll them up',
  details: 'Space of rows that were packed is used again by new ones, and given back when their day is over.',
  options: [{ flags: '--json', description: 'print JSON' }],
  async run(io, args) {
    const db = await io.db();
    const bytes = async () => (await storeForecast(db)).reduce((sum, { size_bytes }) => sum + size_bytes, 0);
    const before_bytes = await bytes();
    const report = await compactNow({ db, probes });
    const after_bytes = await bytes();
    if (args.flag('json')) io.out(JSON.stringify({ ...report, before_bytes, after_bytes }, null, 2));
    else {
      io.out(
        `Packed ${shownCount(report.hours, 'hour')} with ${shownCount(report.rows, 'row')}, dropped ${shownCount(report.dropped, 'partition')}.`,
      );
      io.out(`Before ${size(before_bytes)}, now ${size(after_bytes)}.`);
      for (const problem of report.problems) io.err(problem);
    }
    return report.problems.length === 0 ? 0 : 1;
  },
};

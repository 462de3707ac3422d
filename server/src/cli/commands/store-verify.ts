// matriarch store verify: looks for what must never be in the metrics store; exit code 1 when it finds something.
import { probes } from '../../probes/catalog.gen.ts';
import { layoutOf } from '../../store/layout/table-layout.ts';
import { verifyStore } from '../../store/upkeep/verify.ts';
import { type Command, printTable } from '../command.ts';
import { schemaProblems } from '../schema-problems.ts';

export const command: Command = {
  path: ['store', 'verify'],
  summary: 'Check the metrics store: retention, days ahead, names of objects, packed hours, rollups',
  details: 'Unpacks every packed hour and makes the newest rollups anew to compare them; nothing is changed.',
  options: [{ flags: '--json', description: 'print JSON' }],
  async run(io, args) {
    const db = await io.db();
    const lacks = (await schemaProblems(db)).map((problem) => ({ what: 'schema', problem }));
    // What is not there cannot be looked into.
    const checks =
      lacks.length > 0
        ? lacks
        : await verifyStore(db, { layouts: probes.flatMap((probe) => layoutOf(probe) ?? []) });
    const wrong = checks.filter(({ problem }) => problem !== null);
    if (args.flag('json')) io.out(JSON.stringify({ checks }, null, 2));
    else if (wrong.length === 0) io.out(`The store is in order (${checks.length} checks).`);
    else
      printTable(
        io,
        ['WHAT', 'PROBLEM'],
        wrong.map(({ what, problem }) => [what, problem ?? '']),
      );
    return wrong.length === 0 ? 0 : 1;
  },
};

// matriarch migrate: brings the datastore up to date without starting anything else, for upgrades done by hand.
import type { Command } from '../command.ts';

export const command: Command = {
  path: ['migrate'],
  summary: 'Bring the datastore up to date',
  options: [],
  makesDatastore: true,
  async run(io) {
    const applied = await io.migrate();
    io.out(applied.length === 0 ? 'The datastore is up to date.' : `Applied: ${applied.join(', ')}.`);
    return 0;
  },
};

// matriarch config check: reads all settings as a start would, and says whether they hold.
import type { Command } from '../command.ts';

export const command: Command = {
  path: ['config', 'check'],
  summary: 'Check the settings without starting anything',
  options: [],
  async run(io) {
    const { resolved } = io.config();
    const given = resolved.filter(({ source }) => source !== 'default' && source !== 'not set');
    io.out(`The settings are good (${given.length} given, the rest are defaults).`);
    return 0;
  },
};

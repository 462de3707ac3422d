// matriarch config reference: the generated page of all settings.
import { configReference } from '../../kernel/config-reference.ts';
import type { Command } from '../command.ts';
import { settings } from '../settings.ts';

export const command: Command = {
  path: ['config', 'reference'],
  summary: 'List every setting as flag, environment variable and key',
  options: [],
  async run(io) {
    io.out(configReference(settings).trimEnd());
    return 0;
  },
};

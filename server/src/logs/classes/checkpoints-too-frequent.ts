// Checkpoints too frequent: WAL fills faster than max_wal_size allows, so checkpoints come one after the other.
import { numbersIn } from '../figures/numbers.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'checkpoints_too_frequent',
  group: 'checkpoints',
  title: 'Checkpoints too frequent',
  meaning: 'WAL fills faster than max_wal_size allows, so checkpoints come one after the other.',
  weight: 'warning',
  remedy: 'Raise max_wal_size, so that checkpoints come by checkpoint_timeout.',
  texts: { '00000': ['checkpoints are occurring too frequently (… apart)'] },
  severities: ['LOG'],
  figures: ({ message }) => numbersIn(message, { seconds_apart: /\((\d+) second/ }),
  examples: [{ since: 14, line: 'LOG:  checkpoints are occurring too frequently (2 seconds apart)' }],
});

// Checkpoint begun: a checkpoint began; the words after the colon say why.
import { checkpointCause } from '../figures/checkpoint.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'checkpoint_starting',
  group: 'checkpoints',
  title: 'Checkpoint begun',
  meaning: 'A checkpoint began; the words after the colon say why.',
  weight: 'normal',
  remedy: 'Nothing to do.',
  texts: { '00000': ['checkpoint starting:…'] },
  severities: ['LOG'],
  figures: ({ message }) => checkpointCause(message),
  examples: [{ since: 14, line: 'LOG:  checkpoint starting: time' }],
});

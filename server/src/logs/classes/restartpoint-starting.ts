// Restartpoint begun: a standby began a restartpoint, which is its checkpoint.
import { checkpointCause } from '../figures/checkpoint.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'restartpoint_starting',
  group: 'checkpoints',
  title: 'Restartpoint begun',
  meaning: 'A standby began a restartpoint, which is its checkpoint.',
  weight: 'normal',
  remedy: 'Nothing to do.',
  texts: { '00000': ['restartpoint starting:…'] },
  severities: ['LOG'],
  figures: ({ message }) => checkpointCause(message),
  examples: [{ since: 14, line: 'LOG:  restartpoint starting: time' }],
});

// Restartpoint begun: a standby began a restartpoint, which is its checkpoint.
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
  examples: [{ since: 14, line: 'LOG:  restartpoint starting: time' }],
});

// Restartpoint: a standby wrote what had changed in memory to the disk.
import { checkpointFigures } from '../figures/checkpoint.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'restartpoint_complete',
  group: 'checkpoints',
  title: 'Restartpoint',
  meaning: 'A standby wrote what had changed in memory to the disk.',
  weight: 'normal',
  remedy: 'Nothing to do.',
  texts: { '00000': ['restartpoint complete: …', 'recovery restart point at …'] },
  severities: ['LOG'],
  figures: ({ message }) => checkpointFigures(message),
  examples: [
    {
      since: 14,
      line: 'LOG:  restartpoint complete: wrote 42 buffers (2.0%); 0 WAL file(s) added, 0 removed, 1 recycled; write=4.1 s, sync=0.012 s, total=4.2 s; sync files=11, longest=0.004 s, average=0.002 s; distance=16384 kB, estimate=16384 kB',
    },
  ],
});

// Checkpoint: a checkpoint wrote what had changed in memory to the disk.
import { checkpointFigures } from '../figures/checkpoint.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'checkpoint_complete',
  group: 'checkpoints',
  title: 'Checkpoint',
  meaning: 'A checkpoint wrote what had changed in memory to the disk.',
  weight: 'normal',
  remedy: 'Long sync times point to a slow disk.',
  texts: { '00000': ['checkpoint complete: …'] },
  severities: ['LOG'],
  figures: ({ message }) => checkpointFigures(message),
  examples: [
    {
      since: 14,
      line: 'LOG:  checkpoint complete: wrote 42 buffers (2.0%); 0 WAL file(s) added, 0 removed, 1 recycled; write=4.1 s, sync=0.012 s, total=4.2 s; sync files=11, longest=0.004 s, average=0.002 s; distance=16384 kB, estimate=16384 kB',
    },
    {
      since: 16,
      line: 'LOG:  checkpoint complete: wrote 42 buffers (2.0%); 0 WAL file(s) added, 0 removed, 1 recycled; write=4.1 s, sync=0.012 s, total=4.2 s; sync files=11, longest=0.004 s, average=0.002 s; distance=16384 kB, estimate=16384 kB; lsn=0/5C5C5C5, redo lsn=0/5C5C58D',
    },
    {
      since: 18,
      line: 'LOG:  checkpoint complete: wrote 42 buffers (2.0%), wrote 3 SLRU buffers; 0 WAL file(s) added, 0 removed, 1 recycled; write=4.1 s, sync=0.012 s, total=4.2 s; sync files=11, longest=0.004 s, average=0.002 s; distance=16384 kB, estimate=16384 kB; lsn=0/5C5C5C5, redo lsn=0/5C5C58D',
    },
  ],
});

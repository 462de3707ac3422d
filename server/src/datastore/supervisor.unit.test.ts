// What a person is told of a server that ended. That it is started again: supervisor.proof.test.ts.
import { expect, it } from 'vitest';
import { explain } from './supervisor.ts';

it('says what the server’s log means', () => {
  const words = 'PANIC:  could not write to file "pg_wal/xlogtemp.7": No space left on device';
  const said = explain('ended with status 1', words, '/data/postgres.log');
  expect(said).toBe(
    `The last time it ended with status 1. Its disk is full: make room, and start Matriarch again. The end of its log (/data/postgres.log):\n${words}`,
  );
  expect(explain('killed by SIGKILL', '', 'x.log')).toContain('when memory runs out');
});

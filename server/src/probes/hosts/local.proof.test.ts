// A server that names a process of somebody else is refused; what is told to the others is in local.kit.test.ts.
import { describe, expect, it } from 'vitest';
import { sleep } from '../../kernel/clock.ts';
import { hostSession } from '../../testing/servers/host-input.ts';
import { sharedServer } from '../../testing/servers/postgres.ts';
import { source } from './local.ts';
import type { HostInput } from './types.ts';

/** The session's answer to every statement, with the pid of somebody else. */
function claiming(input: HostInput, backend_pid: number): HostInput {
  return {
    ...input,
    query: async (statement) => (await input.query(statement)).map((row) => ({ ...row, backend_pid })),
  };
}

describe.runIf(process.platform === 'linux')('the local source', () => {
  it('refuses a server that names a process of somebody else', async () => {
    const [mine, theirs] = [await sharedServer(18), await sharedServer(17)];
    await using foreign = await hostSession(theirs);
    // Times are told to the second or so: sessions that began together could not be told apart here.
    await sleep(3500);
    await using session = await hostSession(mine);
    for (const pid of [foreign.client.backend_pid, process.pid, mine.pid, 1, 2 ** 22 + 1, -1]) {
      const outcome = await source.gather(claiming(session.input, pid));
      expect(outcome, `pid ${pid}`).toMatchObject({ status: 'unavailable', reason: /another|proves/ });
    }
  });
});

// A thread that did not run for seconds, as on a machine that is too busy: what the sockets hold meanwhile still belongs to its event.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeConnection } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { open, syslogHouse } from '../../testing/logs/syslog-house.ts';

const STALL_MS = 3000;

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [] });
});
afterAll(() => test.close());

function stall(): void {
  const end = performance.now() + STALL_MS;
  while (performance.now() < end);
}

it('parts that wait in a socket are read before their event counts as whole', async () => {
  const id = await makeConnection(test.db, { owner_id: test.actors.superuser.user_id, is_monitored: true });
  const sender = { address: '127.0.0.1', connection: String(id), host: undefined, app: 'postgres' };
  const own = await syslogHouse(test.db, { senders: [sender], isReal: true });
  onTestFinished(() => own.syslog.stop());
  const socket = await open(own.tcp);
  onTestFinished(() => {
    socket.destroy();
  });
  const stamp = new Date().toISOString();
  const part = (n: number, text: string) =>
    `<134>1 ${stamp} db1 postgres 4711 - -  [7-${n}] ${text.replace('AT', stamp.slice(0, 23).replace('T', ' '))}\n`;
  await new Promise((resolve) =>
    socket.write(part(1, 'AT UTC [4711] app@shop ERROR:  deadlock detected'), resolve),
  );
  // The first part is read. The second is in the socket when the thread stalls, in the phase of the event loop after which timers are next.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await new Promise<void>((resolve) =>
    setImmediate(() => {
      socket.write(part(2, 'AT UTC [4711] app@shop STATEMENT:  update t set n = 1'));
      stall();
      resolve();
    }),
  );
  const statements = () =>
    test.db.rows(sql`select e.statement from matriarch.log_events e where e.connection_id = ${id}`);
  await own.until(statements).toEqual([{ statement: expect.stringContaining('update t set n') }]);
}, 30_000);

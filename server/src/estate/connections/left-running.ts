// A statement that a server goes on with after we have left: functions that cannot be interrupted end when they are done, whatever
// statement_timeout says. Guards: its permit is given back when its process has ended, so that one person cannot pile up such statements.
import { HOUR_MS, SECOND_MS } from '../../kernel/units.ts';
import { connectTarget } from '../../monitored/connect.ts';
import { PROCESS_RUNS } from './live.queries.ts';
import type { ServerSettings } from './targets.service.ts';

const FIRST_MS = SECOND_MS;
const MOST_PAUSE_MS = 30 * SECOND_MS;
/** What a server does not answer for so long is no longer counted. */
const LONGEST_MS = HOUR_MS;
const STATEMENT_MS = 5 * SECOND_MS;

/** Keeps no process from ending. */
const pauseOf = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());

async function runs(settings: ServerSettings, pid: number): Promise<boolean> {
  const limits = { connect_timeout_ms: STATEMENT_MS, statement_timeout_ms: STATEMENT_MS };
  const client = await connectTarget({ ...settings, application_name: 'matriarch live', ...limits });
  try {
    const [row] = await client.query<{ runs: boolean }>(PROCESS_RUNS, [pid]);
    return row?.runs === true;
  } finally {
    await client.close();
  }
}

/** Resolves when the server's process of one of our sessions has ended, or after an hour. Never rejects. */
export async function untilEnded(settings: ServerSettings, pid: number): Promise<void> {
  let pause = FIRST_MS;
  for (let waited = 0; waited < LONGEST_MS; waited += pause) {
    pause = waited === 0 ? FIRST_MS : Math.min(MOST_PAUSE_MS, pause * 2);
    await pauseOf(pause);
    // A server that does not answer has not ended it, as far as anybody can tell.
    if (!(await runs(settings, pid).catch(() => true))) return;
  }
}

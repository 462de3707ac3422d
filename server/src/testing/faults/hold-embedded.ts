// Run by tests as a process: starts the embedded datastore, prints its facts as one line of JSON, stops on SIGTERM.
import { once } from 'node:events';
import { startEmbedded } from '../../datastore/embedded.ts';
import { silentLog } from '../../kernel/log.ts';

const said: string[] = [];
try {
  const progress = (sentence: string) => said.push(sentence);
  const embedded = await startEmbedded({ dataDir: process.argv[2] ?? '', log: silentLog, progress });
  const { port, pid, freshlyCreated, superuserUrl } = embedded;
  const asked = once(process, 'SIGTERM');
  process.stdout.write(
    `${JSON.stringify({ port, pid, freshlyCreated, url: superuserUrl.reveal(), said })}\n`,
  );
  const alive = setInterval(() => {}, 1000);
  await asked;
  clearInterval(alive);
  await embedded.stop();
} catch (error) {
  process.stdout.write(
    `${JSON.stringify({ refused: error instanceof Error ? error.message : String(error) })}\n`,
  );
}

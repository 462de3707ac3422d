// A collector in a process of its own, with its spool, that says every second how it is doing, as a line of JSON.
// Arguments: datastore URL, secret key file, and "pulse" for a round trip every ten seconds instead of the catalog, "logs" for
// the same and logs, "flood" for logs and a round trip every second. Ends with its input.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { openSpoolHome } from '../store/spool/home.ts';
import { CONFIG, collecting } from '../testing/collecting.ts';
import { EVERY_SECOND } from '../testing/every-second.ts';

export interface HerdReport {
  holding: number[];
  cpu_ms: number;
  rss_bytes: number;
  loop_p99_ms: number;
}

const [url = '', keyFile = '', wanted = ''] = process.argv.slice(2);
const house = await collecting(new Secret(url), keyFile);
const root = await mkdtemp(path.join(tmpdir(), 'matriarch-herd-'));
const spool = await openSpoolHome({
  root,
  maxBytes: 1024 ** 3,
  minFreeBytes: 0,
  clock: systemClock,
  log: silentLog,
});
const SELDOM = [{ ...EVERY_SECOND, intervalSeconds: 10 }];
const LOGS = { config: { ...CONFIG, read_logs: true } };
const MODES: Readonly<Record<string, object>> = {
  pulse: { probes: SELDOM },
  logs: { probes: SELDOM, ...LOGS },
  flood: { probes: [EVERY_SECOND], ...LOGS },
};
const collector = house.start({ spool, ...MODES[wanted] });
/** How often the delay is looked at; what is told includes it. */
const RESOLUTION_MS = 10;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
const timer = setInterval(() => {
  const { user, system } = process.cpuUsage();
  const report: HerdReport = {
    holding: [...collector.holding],
    cpu_ms: (user + system) / 1000,
    rss_bytes: process.memoryUsage().rss,
    loop_p99_ms: Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS),
  };
  delay.reset();
  process.stdout.write(`${JSON.stringify(report)}\n`);
}, 1000);
process.stdin.resume();
process.stdin.once('end', () => {
  clearInterval(timer);
  void house
    .stop()
    .then(() => (typeof spool === 'object' ? spool.stop() : undefined))
    .then(() => rm(root, { recursive: true, force: true }));
});

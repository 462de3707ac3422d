// npm run bench -- logs [lines]: how fast log files are read, beside pgBadger on the same files and one core, and what a plan costs to read.
// Prints one line for each measure, with what there is to reach.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { readPlans } from '../plans/read.ts';
import { FORMATS, type LoggedEvent, loggedAt } from './logged-lines.ts';
import { print } from './print.ts';
import { programFile } from './program-environment.ts';

const LINES = Number(process.argv[2] ?? 200_000);
const RATIO_TO_REACH = 5;
const PLAN_NODES = 500;
const PLAN_MS_TO_REACH = 200;
const PREFIX = '%m [%p]: [%l-1] user=%u,db=%d,app=%a,client=%h ';

function fill(file: string, write: (event: LoggedEvent, at: number) => string[]): number {
  const out = openSync(file, 'w');
  let count = 0;
  for (let at = 0, lines: string[] = []; count < LINES; at += 1) {
    for (const line of write(loggedAt(at), at)) lines.push(line);
    count += 1;
    if (lines.length >= 10_000 || count === LINES) {
      writeSync(out, `${lines.join('\n')}\n`);
      lines = [];
    }
  }
  closeSync(out);
  return count;
}

/** One core, and on its error output the most memory that the program had, in kB. */
const MEASURED = `
taskset -c 0 "$@" > /dev/null &
pid=$!
peak=0
while kill -0 $pid 2> /dev/null; do
  now=$(awk '/VmHWM/ { print $2 }' /proc/$pid/status 2> /dev/null)
  [ -n "$now" ] && [ "$now" -gt "$peak" ] && peak=$now
  sleep 0.05
done
wait $pid
rc=$?
echo $peak >&2
exit $rc`;

/** Seconds and the most memory of a program; undefined where it is not there or failed. */
function timed(program: string, args: readonly string[]): { seconds: number; peak_mb: number } | undefined {
  const started = performance.now();
  const done = spawnSync('sh', ['-c', MEASURED, 'sh', program, ...args], { encoding: 'utf8' });
  if (done.status !== 0) return undefined;
  const peak = Number(done.stderr.trim().split('\n').at(-1));
  return { seconds: (performance.now() - started) / 1000, peak_mb: Math.round(peak / 1024) };
}

function ofFormat(program: string, file: string, format: string): void {
  const events = fill(file, FORMATS[format] ?? (() => []));
  const mb = statSync(file).size / 1024 / 1024;
  const ours = timed(process.execPath, ['--no-warnings', program, 'logs', file, '--json']);
  const args = ['-q', '-j', '1', '-x', 'json', '-o', `${file}.out.json`, '-f', format, '-p', PREFIX, file];
  const theirs = timed('pgbadger', args);
  const shown = (one: typeof ours) =>
    one === undefined
      ? 'failed or not installed'
      : `${one.seconds.toFixed(1)} s, ${Math.round(events / one.seconds)} events/s, ${Math.round(mb / one.seconds)} MB/s, ${one.peak_mb} MB`;
  print(`${format}: ${events} events, ${Math.round(mb)} MB`);
  print(`  matriarch logs: ${shown(ours)}`);
  print(`  pgBadger -j 1:  ${shown(theirs)}`);
  if (ours && theirs)
    print(
      `  ratio: ${(theirs.seconds / ours.seconds).toFixed(1)} times the speed of pgBadger (to reach: ${RATIO_TO_REACH})`,
    );
}

function ofPlan(): void {
  const line = (at: number) =>
    `  ->  Index Scan using i${at} on t${at}  (cost=0.29..8.30 rows=1 width=4) (actual time=0.010..0.020 rows=1 loops=1)\n        Index Cond: (id = ${at})`;
  const text = `Append  (cost=0.00..9.00 rows=1 width=4) (actual time=0.010..9.000 rows=1 loops=1)\n${Array.from({ length: PLAN_NODES - 1 }, (_, at) => line(at)).join('\n')}`;
  const started = performance.now();
  const [plan] = readPlans(text);
  print(
    `plan of ${plan?.nodes} nodes, read cold: ${(performance.now() - started).toFixed(1)} ms (to reach, drawn: ${PLAN_MS_TO_REACH} ms)`,
  );
}

const directory = mkdtempSync(path.join(tmpdir(), 'matriarch-bench-logs-'));
try {
  const program = await programFile();
  for (const format of Object.keys(FORMATS))
    ofFormat(program, path.join(directory, `postgresql.${format}`), format);
  ofPlan();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

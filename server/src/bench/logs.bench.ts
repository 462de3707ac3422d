// npm run bench -- logs [lines]: how fast log files are read, beside pgBadger on the same files and one core, and what a plan costs to read.
// Prints one line for each measure, with what there is to reach.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { readPlans } from '../plans/read.ts';
import { print } from './print.ts';
import { programFile } from './program-environment.ts';

const LINES = Number(process.argv[2] ?? 200_000);
const RATIO_TO_REACH = 5;
const PLAN_NODES = 500;
const PLAN_MS_TO_REACH = 200;
const PREFIX = '%m [%p]: [%l-1] user=%u,db=%d,app=%a,client=%h ';
const START = Date.UTC(2026, 10, 1);

interface Event {
  severity: string;
  state: string;
  message: string;
  statement: string;
}

/** What a server under work writes: mostly slow statements, some errors, checkpoints and temporary files. */
function eventAt(at: number): Event {
  const of = (message: string, statement = '') => ({ severity: 'LOG', state: '00000', message, statement });
  const kind = at % 20;
  if (kind === 3)
    return {
      ...of(
        'duplicate key value violates unique constraint "orders_pkey"',
        `insert into orders values (${at})`,
      ),
      severity: 'ERROR',
      state: '23505',
    };
  if (kind === 7)
    return of(
      `temporary file: path "base/pgsql_tmp/pgsql_tmp${at}.0", size ${at * 8192}`,
      `select * from items order by note limit ${at}`,
    );
  if (kind === 11)
    return of(
      `process ${at} acquired ShareLock on transaction ${at} after ${1000 + (at % 700)}.123 ms`,
      `update accounts set balance = ${at} where id = ${at % 991}`,
    );
  if (kind === 13) return of(`connection authorized: user=app database=shop application_name=web`);
  if (kind === 17 && at % 400 === 17)
    return of(
      `checkpoint complete: wrote ${at % 5000} buffers (1.5%); 0 WAL file(s) added, 0 removed, 3 recycled; write=26.9 s, sync=0.0 s, total=27.1 s; sync files=41, longest=0.0 s, average=0.0 s; distance=4711 kB, estimate=5000 kB`,
    );
  return of(
    `duration: ${(at % 9000) + 0.123} ms  statement: select o.id, o.total from orders o join customers c on c.id = o.customer_id where c.region = 'r${at % 97}' and o.total > ${at % 1013}`,
  );
}

const timeOf = (at: number) => new Date(START + at * 20).toISOString().replace('T', ' ').replace('Z', ' UTC');
const quoted = (text: string) => (text === '' ? '' : `"${text.replaceAll('"', '""')}"`);

const FORMATS: Readonly<Record<string, (event: Event, at: number) => string[]>> = {
  stderr: ({ severity, message, statement }, at) => {
    const head = `${timeOf(at)} [${4000 + (at % 90)}]: [${at}-1] user=app,db=shop,app=web,client=10.0.0.${at % 250} `;
    return [
      `${head}${severity}:  ${message}`,
      ...(statement === '' ? [] : [`${head}STATEMENT:  ${statement}`]),
    ];
  },
  csv: ({ severity, state, message, statement }, at) => [
    `${timeOf(at)},"app","shop",${4000 + (at % 90)},"10.0.0.${at % 250}:5432",6632.${4000 + (at % 90)},${at},"SELECT",${timeOf(0)},3/45,0,${severity},${state},${quoted(message)},,,,,,${quoted(statement)},,,"web","client backend",,0`,
  ],
  jsonlog: ({ severity, state, message, statement }, at) => [
    JSON.stringify({
      ...{
        timestamp: timeOf(at),
        user: 'app',
        dbname: 'shop',
        pid: 4000 + (at % 90),
        remote_host: `10.0.0.${at % 250}`,
      },
      ...{
        session_id: '6632.1',
        line_num: at,
        ps: 'SELECT',
        error_severity: severity,
        state_code: state,
        message,
      },
      ...(statement !== '' && { statement }),
      ...{ application_name: 'web', backend_type: 'client backend', query_id: 0 },
    }),
  ],
};

function fill(file: string, write: (event: Event, at: number) => string[]): number {
  const out = openSync(file, 'w');
  let count = 0;
  for (let at = 0, lines: string[] = []; count < LINES; at += 1) {
    for (const line of write(eventAt(at), at)) lines.push(line);
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

// Lines of PostgreSQL as containers, journals, clouds and operators hand them on: the same events, and every line of the file is counted.
import { describe, expect, it } from 'vitest';
import { classify } from './classify.ts';
import { LogReader } from './read/reader.ts';
import type { LogEvent } from './types.ts';

const AT = '2026-11-27 11:00:00.123 UTC';
const READY = `${AT} [1] LOG:  database system is ready to accept connections`;
const MISSING = `${AT} [44] ERROR:  relation "x" does not exist at character 8`;
const STATEMENT = `${AT} [44] STATEMENT:  select 1`;
const json = (value: object) => JSON.stringify(value);

function read(lines: readonly string[], size = 7) {
  const events: LogEvent[] = [];
  const reader = new LogReader({ emit: (event) => events.push(event), year: 2026 });
  const bytes = Buffer.from(lines.join('\n'));
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  reader.end();
  const skipped = [...reader.skipped.values()].reduce((sum, one) => sum + one, 0);
  const taken = events.reduce((sum, event) => sum + event.lines, 0);
  expect([taken + skipped, reader.lines]).toEqual([lines.length, lines.length]);
  const named = events.map((event) => [classify(event).one?.name, event.statement]).toSorted();
  return { named, events, reader, skipped };
}

const docker = (log: string, stream = 'stderr') => json({ log, stream, time: '2026-11-27T11:00:00.5Z' });
const cri = (mark: string, text: string) => `2026-11-27T11:00:00.123456789Z stderr ${mark} ${text}`;
const journal = (MESSAGE: unknown) =>
  json({ __REALTIME_TIMESTAMP: '1795777200500000', _PID: '44', SYSLOG_IDENTIFIER: 'postgres', MESSAGE });

const SAMPLES: readonly (readonly [name: string, lines: readonly string[], skipped: number])[] = [
  [
    'docker (json-file)',
    [
      docker(`${READY}\n`),
      docker(`${MISSING}\n`),
      docker(`${STATEMENT}\n`),
      docker('\tfrom x\n'),
      docker('PostgreSQL init process complete; ready for start up.\n', 'stdout'),
    ],
    1,
  ],
  [
    'docker, with a line in pieces',
    [
      docker(READY.slice(0, 60)),
      docker(`${READY.slice(60)}\n`),
      docker(`${MISSING}\n`),
      docker(`${STATEMENT}\n\tfrom x\n`),
    ],
    0,
  ],
  [
    'Kubernetes (CRI)',
    [
      cri('P', READY.slice(0, 50)),
      cri('F', READY.slice(50)),
      cri('F', MISSING),
      cri('F', STATEMENT),
      cri('F', '\tfrom x'),
      cri('F', 'a line of another program'),
    ],
    1,
  ],
  ['docker compose', [READY, MISSING, STATEMENT, '\tfrom x'].map((line) => `db-1  | ${line}`), 0],
  [
    'kubectl logs --prefix',
    [READY, MISSING, STATEMENT, '\tfrom x'].map((line) => `[pod/db-0/postgres] ${line}`),
    0,
  ],
  [
    'journalctl -o json',
    [
      journal(READY),
      journal([...Buffer.from(MISSING)]),
      journal(`${STATEMENT}\n\tfrom x`),
      journal('Started.'),
    ],
    1,
  ],
  [
    'journalctl',
    [
      '-- Journal begins at Fri 2026-11-27 09:00:00 UTC. --',
      ...[READY, MISSING, STATEMENT].map((line) => `Nov 27 11:00:00 db1 postgres[1]: ${line}`),
      'Nov 27 11:00:00 db1 postgres[1]:         from x',
    ],
    1,
  ],
  [
    'Cloud SQL',
    [READY, MISSING, `${STATEMENT}\nfrom x`].map((textPayload) =>
      json({ insertId: 'a', severity: 'ERROR', textPayload }),
    ),
    0,
  ],
  [
    'Cloud SQL, written for people',
    [
      '[',
      '  {',
      `    "textPayload": ${json([READY]).slice(1, -1)},`,
      '  },',
      '  {',
      `    "textPayload": ${json([MISSING]).slice(1, -1)}`,
      `    "textPayload": ${json([`${STATEMENT}\nfrom x`]).slice(1, -1)},`,
      '  }',
      ']',
    ],
    6,
  ],
  [
    'Azure',
    [
      json({
        category: 'PostgreSQLLogs',
        properties: { errorLevel: 'LOG', sqlerrcode: '00000', message: READY },
      }),
      json({
        properties: {
          errorLevel: 'ERROR',
          sqlerrcode: '42P01',
          message: 'relation "x" does not exist',
          statement: 'select 1\nfrom x',
        },
      }),
    ],
    0,
  ],
  [
    'CloudNativePG',
    [
      json({
        logger: 'postgres',
        msg: 'record',
        record: {
          error_severity: 'LOG',
          sql_state_code: '00000',
          log_time: AT,
          message: READY.split('LOG:  ')[1],
        },
      }),
      json({
        record: {
          error_severity: 'ERROR',
          sql_state_code: '42P01',
          log_time: AT,
          process_id: '44',
          message: 'relation "x" does not exist',
          query: 'select 1\nfrom x',
        },
      }),
      json({ level: 'info', msg: 'Cluster has become healthy' }),
    ],
    1,
  ],
];

const READY_RECORD = {
  error_severity: 'LOG',
  sql_state_code: '00000',
  log_time: AT,
  message: READY.split('LOG:  ')[1],
};
const MISSING_RECORD = {
  ...{ error_severity: 'ERROR', sql_state_code: '42P01', log_time: AT, process_id: '44' },
  ...{ message: 'relation "x" does not exist', query: 'select 1\nfrom x' },
};
const pairs = [READY, MISSING, `${STATEMENT}\nfrom x`].map((line, at) => [`179577720000000000${at}`, line]);

const OF_TOOLS: typeof SAMPLES = [
  [
    'Elasticsearch',
    [READY, MISSING, `${STATEMENT}\nfrom x`].map((message) =>
      json({ _index: 'filebeat-8', _id: 'a', _source: { '@timestamp': '2026-11-27T11:00:01Z', message } }),
    ),
    0,
  ],
  [
    'Azure, as diagnostic settings store it',
    [
      json({
        records: [
          {
            category: 'PostgreSQLLogs',
            properties: { errorLevel: 'LOG', sqlerrcode: '00000', message: READY },
          },
          {
            category: 'PostgreSQLLogs',
            properties: {
              ...{ errorLevel: 'ERROR', sqlerrcode: '42P01', message: MISSING_RECORD.message },
              ...{ statement: MISSING_RECORD.query, prefix: '2026-11-27 11:00:00 UTC-6a.7-' },
            },
          },
        ],
      }),
    ],
    0,
  ],
  [
    'Loki, as it is asked',
    [json({ status: 'success', data: { resultType: 'streams', result: [{ stream: {}, values: pairs }] } })],
    0,
  ],
  ['Loki, as it is sent', [json({ streams: [{ stream: { app: 'pg' }, values: pairs }] })], 0],
  [
    'CloudNativePG in Cloud Logging',
    [READY_RECORD, MISSING_RECORD].map((record) =>
      json({ insertId: 'a', jsonPayload: { logger: 'postgres', msg: 'record', record } }),
    ),
    0,
  ],
  ['IBM Cloud Logs', [READY, MISSING, `${STATEMENT}\nfrom x`].map((_line) => json({ _app: 'pg', _line })), 0],
  [
    'fluentd',
    [READY, MISSING, `${STATEMENT}\nfrom x`].map(
      (log) => `2026-11-27 11:00:01.000000000 +0000 kube.pg: ${json({ log, source: 'stderr' })}`,
    ),
    0,
  ],
  [
    'fluentd, in a file',
    [READY, MISSING, `${STATEMENT}\nfrom x`].map(
      (message) => `2026-11-27T11:00:01+00:00\tpg.log\t${json({ message })}`,
    ),
    0,
  ],
  [
    'Cloud Logging, the newest first',
    [
      json([
        { textPayload: `${STATEMENT}\nfrom x`, timestamp: '2026-11-27T11:00:00.125Z' },
        { textPayload: MISSING, timestamp: '2026-11-27T11:00:00.124Z' },
        { textPayload: READY, timestamp: '2026-11-27T11:00:00.123Z' },
      ]),
    ],
    0,
  ],
];

describe('lines that something else carries', () => {
  it.each([...SAMPLES, ...OF_TOOLS])('are read: %s', (_name, lines, skipped) => {
    const found = read(lines);
    expect(found.named).toEqual([
      ['server_ready', ''],
      ['undefined_table', 'select 1\nfrom x'],
    ]);
    expect(found.skipped).toBe(skipped);
    expect(found.reader.times.jumpsBack).toBe(0);
  });

  it('take time and process of what carries them where the line says neither', () => {
    const { events } = read([journal('LOG:  database system is ready to accept connections')]);
    expect(events).toMatchObject([{ time: 1795777200500, pid: '44' }]);
    expect(read([docker('LOG:  database system is shut down\n')]).events).toMatchObject([
      { time: Date.parse('2026-11-27T11:00:00.5Z') },
    ]);
  });

  it('count pieces whose end never came, and names that only look like those of containers', () => {
    expect(read([docker(MISSING)]).named).toEqual([['undefined_table', '']]);
    expect(read([docker('half a line of another program')]).skipped).toBe(1);
    expect(read(['total | 5', READY]).skipped).toBe(1);
  });

  it('reads French, which has a space before the colon', () => {
    const { events } = read([
      `${AT} [1] 42P01 ERREUR:  la relation « x » n'existe pas`,
      `${AT} [1] 42P01 INSTRUCTION : select x`,
    ]);
    expect(events).toMatchObject([{ severity: 'ERROR', sqlstate: '42P01', statement: 'select x' }]);
  });
});

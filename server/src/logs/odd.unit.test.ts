// Files as people have them, of any age, language and origin. Guards: each line is counted, events are whole, and time, process and
// server of each are right.
import { describe, expect, it } from 'vitest';
import { classify } from './classify.ts';
import { LogReader } from './read/reader.ts';
import { Summary } from './summary.ts';
import { decoded } from './text.ts';
import type { LogEvent } from './types.ts';

const AT = '2026-11-27 11:00:00.123 UTC';
const MOMENT = Date.parse('2026-11-27T11:00:00.123Z');

function read(bytes: Buffer | string) {
  const events: LogEvent[] = [];
  const summary = new Summary();
  const reader = new LogReader({
    emit: (event) => {
      events.push(event);
      summary.add(event);
    },
    year: 2026,
  });
  reader.push(Buffer.from(bytes));
  reader.end();
  const skipped = [...reader.skipped.values()].reduce((sum, lines) => sum + lines, 0);
  expect(summary.eventLines + skipped).toBe(reader.lines);
  return { events, summary, reader };
}

/** An error with its statement, and an event after it. */
const withPrefix = (prefix: (line: number) => string) =>
  [
    `${prefix(1)}ERROR:  relation "x" does not exist at character 15`,
    `${prefix(2)}STATEMENT:  select * from x`,
    `${prefix(3)}LOG:  checkpoint starting: time`,
  ].join('\n');

describe('prefixes', () => {
  const iso = '2026-11-27T11:00:00.123456+00:00';
  const at = (of: Partial<LogEvent>) => ({ time: MOMENT, pid: '12', ...of });
  it.each<[string, (line: number) => string, Partial<LogEvent>]>([
    ['of Debian up to 10', (l) => `${AT} [12-${l}] app@shop `, at({ user: 'app', database: 'shop' })],
    ['with commas, as csvlog has them', () => `${AT},app,shop,12,`, at({})],
    ['behind the name of a pod', () => `db-0 postgres ${AT} [12] `, at({})],
    ['behind a colored name', () => `\u001b[36mdb-1  | \u001b[0m${AT} [12] `, at({})],
    ['behind the time of docker', () => `2026-11-27T11:00:09.123456789Z ${AT} [12] `, at({})],
    ['behind name and time of docker compose', () => `db-1  | 2026-11-27T11:00:09.1Z ${AT} [12] `, at({})],
    ['with the time of what carries them alone', () => `${iso} app[postgres.9]: [12] `, at({})],
    ['of syslog by RFC 5424', (l) => `<134>1 ${iso} db1 postgres 12 - - [${l}-1] `, at({})],
    ['of syslog by RFC 5424 with data', (l) => `<134>1 ${iso} db1 pg 12 - [a@1 b="c"] [${l}-1] `, at({})],
    ['of a journal with ISO times', () => '2026-11-27T12:00:00.123+0100 db1 postgres[12]: ', at({})],
    ['of syslog with a slash', () => 'Nov 27 11:00:00 db1 postgres/12: ', at({ time: MOMENT - 123 })],
    [
      'of RDS',
      () => `2026-11-27 11:00:00 UTC:10.0.0.1(53):app@shop:[12]:`,
      at({ time: MOMENT - 123, user: 'app' }),
    ],
    [
      'of RDS behind a time without a zone',
      () => '2023-08-12T05:47:54 2026-11-27 11:00:00 UTC:121.7.242.90(42601):app@shop:[12]:',
      at({ time: MOMENT - 123, user: 'app', database: 'shop' }),
    ],
    [
      'of Heroku',
      (l) =>
        `${iso} app[postgres.9]: [DATABASE] [${l}-1]  time_ms = "${AT}" pid="12" log_line="${l}" database="shop" `,
      at({}),
    ],
    ['of Azure', () => '2026-11-27 11:00:00 UTC-65c1a0e2.1a4-', at({ time: MOMENT - 123, pid: '420' })],
    ['of Cloud SQL', (l) => `${AT} [12]: [${l}-1] db=shop,user=app `, at({ user: 'app', database: 'shop' })],
  ])('%s', (_name, prefix, first) => {
    const { events, reader } = read(withPrefix(prefix));
    expect(events.map((event) => classify(event).one?.name).toSorted()).toEqual([
      'checkpoint_starting',
      'undefined_table',
    ]);
    expect(events.find(({ severity }) => severity === 'ERROR')).toMatchObject({
      ...first,
      statement: 'select * from x',
      lines: 2,
    });
    expect(reader.skipped.size).toBe(0);
  });
});

describe('several servers in one file', () => {
  const lines = (mark: (server: number) => string) =>
    [
      `${mark(1)}ERROR:  deadlock detected`,
      `${mark(2)}ERROR:  division by zero`,
      `${mark(1)}DETAIL:  Process 66 waits for ShareLock on transaction 5; blocked by process 7.`,
      `${mark(2)}STATEMENT:  select 1/0`,
    ].join('\n');
  it.each<[string, (server: number) => string]>([
    ['containers', (server) => `db-${server}  | ${AT} [66] `],
    ['hosts of syslog', (server) => `Nov 27 11:00:00 db${server} postgres[66]: `],
  ])('keep their processes apart: %s', (_name, mark) => {
    const { events, reader } = read(lines(mark));
    expect(events).toMatchObject([
      { message: 'deadlock detected', detail: expect.stringContaining('Process 66'), statement: '' },
      { message: 'division by zero', detail: '', statement: 'select 1/0' },
    ]);
    expect(reader.sources).toBe(2);
  });
});

describe('languages', () => {
  it.each([
    ['Korean', '오류', '명령 구문:  '],
    ['Ukrainian', 'ПОМИЛКА', 'ІНСТРУКЦІЯ:  '],
    ['Georgian', 'შეცდომა', 'ოპერატორი:  '],
    ['French', 'ERREUR', 'INSTRUCTION :  '],
    ['Japanese', 'ERROR', '文:  '],
    ['German', 'FEHLER', 'ANWEISUNG:  '],
    ['Spanish', 'ERROR', 'SENTENCIA:  '],
    ['Czech', 'CHYBA', 'PŘÍKAZ:  '],
  ])('%s words and fields', (_name, error, statement) => {
    const { events, reader } = read(`${AT} [1] ${error}:  x\n${AT} [1] ${statement}select 1\n`);
    expect(events).toMatchObject([{ severity: 'ERROR', statement: 'select 1', lines: 2 }]);
    expect([reader.skipped.size, reader.foreignWords.length > 0]).toEqual([0, true]);
  });

  it('has lines in a script that it does not know as lines of another program, not as binary data', () => {
    const { reader } = read(`${AT} [1] ΣΦΑΛΜΑ:  μια σχέση\n`);
    expect([...reader.skipped]).toEqual([['not a line of a PostgreSQL log', 1]]);
  });

  it.each<[language: string, line: string, expected: string, figure?: string, value?: number]>([
    ['German', 'LOG:  Dauer: 737.618 ms  Anweisung: select 1', 'slow_statement', 'duration_ms', 737.618],
    [
      'German',
      'LOG:  temporäre Datei: Pfad »base/pgsql_tmp/pgsql_tmp7873.1«, Größe 352256',
      'temp_file',
      'bytes',
      352256,
    ],
    [
      'Russian',
      'СООБЩЕНИЕ:  временный файл: путь "base/pgsql_tmp/pgsql_tmp7950.0", размер 280000',
      'temp_file',
      'bytes',
      280000,
    ],
    [
      'Japanese',
      'LOG:  一時ファイル: パス "base/pgsql_tmp/pgsql_tmp7987.1"、サイズ 352256',
      'temp_file',
      'bytes',
      352256,
    ],
    ['Russian', 'ОШИБКА:  отношение "no_such" не существует (символ 15)', 'undefined_table'],
    ['Japanese', 'ERROR:  リレーション"no_such"は存在しません(15文字目)', 'undefined_table'],
    ['Korean', '오류:  "no_such" 이름의 릴레이션(relation)이 없습니다 15 번째 문자 부근', 'undefined_table'],
    ['French', 'ERREUR:  interblocage (deadlock) détecté', 'deadlock'],
    [
      'German',
      'LOG:  Background-Worker »logical replication launcher« (PID 7) beendete mit Status 1',
      'background_worker_ended',
    ],
    ['German', 'LOG:  automatisches Analysieren der Tabelle »a.b.c«', 'autoanalyze'],
    ['Chinese', '日志:  执行时间: 737.618 ms 语句: select 1', 'slow_statement', 'duration_ms', 737.618],
    ['Chinese', '日志:  临时文件: 路径 "base/pgsql_tmp/1.0", 大小352256', 'temp_file', 'bytes', 352256],
    ['Chinese', '错误:  关系 "no_such" 不存在 第15个字符处', 'undefined_table'],
    ['Chinese', '错误:  语法错误 在 "form" 或附近的 第10个字符处', 'syntax_error'],
    ['Chinese', '日志:  服务器进程 (PID 7) 被信号 9 中断: Killed', 'process_crashed', 'signal', 9],
    ['Chinese', '致命错误:  对不起, 已经有太多的客户', 'too_many_connections'],
    ['Portuguese', 'LOG:  duração: 737.618 ms  comando: select 1', 'slow_statement', 'duration_ms', 737.618],
    ['Portuguese', 'ERRO:  relação "no_such" não existe no caracter 15', 'undefined_table'],
    ['Portuguese', 'FATAL:  o sistema de banco de dados está iniciando', 'server_not_ready'],
    [
      'Portuguese',
      'LOG:  processo 7 ainda espera por ShareLock em transação 5 após 1000.123 ms',
      'lock_wait',
      'waited_ms',
      1000.123,
    ],
  ])('%s as a server wrote it: %s', (...[, line, expected, figure = '', value = 0]) => {
    const { events, summary } = read(`${AT} [1] ${line}\n`);
    expect([...summary.classes.keys()]).toEqual([expected]);
    expect(decoded(events[0]?.message ?? '')).toBe(/ {2}(.*)$/.exec(line)?.[1]);
    if (expected === 'slow_statement') expect(summary.slow.total).toBe(value);
    else if (figure !== '') expect(summary.classes.get(expected)?.figures.get(figure)?.sum).toBe(value);
  });

  it('has both sides of a deadlock in another language', () => {
    const { summary } = read(
      [
        `${AT} [2] FEHLER:  Verklemmung (Deadlock) entdeckt`,
        `${AT} [2] DETAIL:  Prozess 2 wartet auf ShareLock-Sperre auf Transaktion 726; blockiert von Prozess 1.`,
        '\tProzess 1 wartet auf ShareLock-Sperre auf Transaktion 727; blockiert von Prozess 2.',
        '\tProzess 2: update t set b=1',
      ].join('\n'),
    );
    expect(summary.deadlocks[0]?.sides).toMatchObject([
      { pid: 2, mode: 'ShareLock', blocked_by: 1, statement: 'update t set b=1', is_victim: true },
      { pid: 1, blocked_by: 2 },
    ]);
  });

  it('has both sides of a deadlock where the other language has another order of words', () => {
    const { summary } = read(
      [
        `${AT} [2] 错误:  检测到死锁`,
        `${AT} [2] 详细信息:  进程2等待在事务 726上的ShareLock; 由进程1阻塞.`,
        '\t进程1等待在事务 727上的ShareLock; 由进程2阻塞.',
        '\t进程 2: update t set b=1',
      ].join('\n'),
    );
    expect(summary.deadlocks[0]?.sides).toMatchObject([
      { pid: 2, mode: 'ShareLock', blocked_by: 1, statement: 'update t set b=1', is_victim: true },
      { pid: 1, blocked_by: 2 },
    ]);
  });

  it('takes the place of a field in the source for no part of the event', () => {
    const { events } = read(`${AT} [1] ОШИБКА:  42P01: x\n${AT} [1] ПОЛОЖЕНИЕ: f, a.c:5\n`);
    expect(events).toMatchObject([{ sqlstate: '42P01', message: 'x', lines: 2 }]);
  });
});

describe('what surrounds lines', () => {
  const event = {
    timestamp: AT,
    pid: 7,
    error_severity: 'ERROR',
    state_code: '40P01',
    message: 'deadlock detected',
  };
  it.each([
    ['a list with a line for each', `[${JSON.stringify(event)},\n${JSON.stringify(event)}]\n`, [1, 1]],
    ['a list in one line', `${JSON.stringify([event, event])}\n`, [1, 0]],
  ])('reads jsonlog as %s', (_name, text, lines) => {
    expect(read(text).events.map((one) => [one.sqlstate, one.lines])).toEqual(lines.map((n) => ['40P01', n]));
  });

  it('reads messages of exported JSON that is written for people', () => {
    const text = `{\n  "timestamp": 1795777200123,\n  "message": "${AT} [1] ERROR:  deadlock detected"\n}\n`;
    expect(read(text).events).toMatchObject([{ message: 'deadlock detected', time: MOMENT }]);
  });

  it('finds the line behind the head of an archive and behind a hole', () => {
    const { events } = read(
      `x.log${'\0'.repeat(95)}0000644\0ustar\0${'\0'.repeat(50)}${AT} [5] ERROR:  deadlock detected\n`,
    );
    expect(events).toMatchObject([{ time: MOMENT, pid: '5' }]);
  });

  it('goes on with lines whose tab was copied as spaces, and not with those of other programs', () => {
    const { events, reader } = read(
      [
        `db-1  | ${AT} [62] FATAL:  password authentication failed for user "a"`,
        `db-1  | ${AT} [62] DETAIL:  Password does not match for user "a".`,
        'db-1  |         Connection matched pg_hba.conf line 95: "host all all all md5"',
        'another program',
        '    at com.example.Main',
      ].join('\n'),
    );
    expect(events).toMatchObject([{ lines: 3, detail: expect.stringMatching(/"a"\.\nConnection matched/) }]);
    expect([...reader.skipped.values()]).toEqual([2]);
  });

  it('takes the frame of a terminal off', () => {
    const { events } = read(`│ ${AT} [5] FATAL:  password authentication failed for user "a"      │\n`);
    expect(events.map((one) => [one.pid, classify(one).one?.name])).toEqual([['5', 'authentication_failed']]);
  });

  it.each([
    [
      'in parts with a number each',
      ['[1] ERROR:  deadlock detected', '[2] #011and more', '[3] STATEMENT:  select 1'],
    ],
    ['in one part', ['[1] ERROR:  deadlock detected#012#011and more#012STATEMENT:  select 1']],
  ])('reads what syslog has of a message %s', (_name, parts) => {
    const { events } = read(parts.map((part) => `Nov 27 11:00:00 db1 postgres[9]: ${part}`).join('\n'));
    expect(events).toMatchObject([
      { message: 'deadlock detected\nand more', statement: 'select 1', pid: '9', lines: parts.length },
    ]);
  });

  it('counts lines that rsyslog wrote once for several', () => {
    const line = 'Nov 27 11:00:00 db1 postgres[9]: ';
    const { events } = read(
      `${line}[8-1] ERROR:  deadlock detected\n${line}message repeated 3 times: [ [8-1] ERROR:  deadlock detected]\n`,
    );
    expect(events.map(({ message, lines }) => [message, lines])).toEqual([
      ['deadlock detected', 1],
      ['deadlock detected', 1],
      ['deadlock detected', 0],
      ['deadlock detected', 0],
    ]);
  });
});

describe('figures of old versions', () => {
  it('of checkpoints and vacuum runs', () => {
    const { summary } = read(
      [
        `${AT} [1] LOG:  checkpoint complete: wrote 45 buffers (0.3%); 2 transaction log file(s) added, 0 removed, 1 recycled; write=4.416 s, sync=0.011 s, total=4.440 s; sync files=21, longest=0.005 s, average=0.001 s`,
        `${AT} [2] LOG:  automatic vacuum of table "a.public.t": index scans: 1`,
        '\tpages: 0 removed, 100 remain',
        '\ttuples: 50 removed, 5000 remain, 0 are dead but not yet removable',
        '\tsystem usage: CPU 0.03s/0.01u sec elapsed 0.25 sec',
      ].join('\n'),
    );
    expect(summary.classes.get('checkpoint_complete')?.figures.get('wal_added')).toMatchObject({ sum: 2 });
    const vacuum = summary.classes.get('autovacuum')?.figures;
    expect(
      ['elapsed_seconds', 'system_cpu_seconds', 'user_cpu_seconds'].map((name) => vacuum?.get(name)?.sum),
    ).toEqual([0.25, 0.03, 0.01]);
    expect(summary.tables.get('a.public.t')).toMatchObject({ elapsed_seconds: 0.25, tuples_removed: 50 });
  });
});

it('reads random bytes, a line of many MB and bytes that were cut in a character', () => {
  const noise = Buffer.from(
    Array.from({ length: 220_000 }, (_none, at) => (at * 7919 + (at >> 3) * 104_729) % 256),
  );
  const long = `${AT} [12] LOG:  duration: 5.0 ms  statement: select '${'x'.repeat(12_000_000)}'\n`;
  const cut = Buffer.from(`${AT} [12] ERROR:  relation "ää`).subarray(0, -1);
  const { events } = read(Buffer.concat([noise, Buffer.from(`\n${long}`), cut]));
  expect(events.at(-2)).toMatchObject({ isCut: true });
  expect(decoded(events.at(-1)?.message ?? '')).toBe('relation "ä\ufffd');
});

// Codes of a prefix decide where the language hides the text: each class of them is known by its looks.
it.each(['40P01', '39P01', '42P01', '22P02', '2BP01', '55P03', '57P01', '25P02', 'XX001', '0A000', '53300'])(
  'the code %s is found before a text in any language',
  (code) => {
    const { events } = read(`${AT} [12] ${code} FEHLER:  ein Text\n`.repeat(2));
    expect(events.map(({ sqlstate, pid }) => [sqlstate, pid])).toEqual([
      [code, '12'],
      [code, '12'],
    ]);
  },
);

it('a statement of 220,000 lines takes time in line with its length', () => {
  const started = performance.now();
  const { events } = read(`${AT} [12] LOG:  statement: select\n${'\tline\n'.repeat(220_000)}`);
  expect([events.length, events[0]?.lines, events[0]?.isCut]).toEqual([1, 220_001, true]);
  // Each line once takes 0.2 s; searched again for each line, it took minutes.
  expect(performance.now() - started).toBeLessThan(10_000);
});

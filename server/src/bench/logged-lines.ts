// Lines of a log as a server under work writes them, in each format, for benches.

export interface LoggedEvent {
  severity: string;
  state: string;
  message: string;
  statement: string;
}

/** What a server under work writes: mostly slow statements, some errors, checkpoints and temporary files. */
export function loggedAt(at: number): LoggedEvent {
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

const START = Date.UTC(2026, 10, 1);
const timeOf = (at: number) => new Date(START + at * 20).toISOString().replace('T', ' ').replace('Z', ' UTC');
const quoted = (text: string) => (text === '' ? '' : `"${text.replaceAll('"', '""')}"`);

export const FORMATS: Readonly<Record<string, (event: LoggedEvent, at: number) => string[]>> = {
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

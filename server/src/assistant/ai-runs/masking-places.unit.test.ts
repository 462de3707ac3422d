// Where secrets and constants stand beside statements: plans, tables, JSON of any shape, logs, addresses.
import { describe, expect, it } from 'vitest';
import { Masker } from './masking.ts';

const settings = { mask_emails: true, mask_addresses: true };
const masked = (text: string) => new Masker(settings).text(text);
const nested = (value: unknown, times: number): string =>
  times === 0 ? JSON.stringify(value) : JSON.stringify({ a: nested(value, times - 1) });

describe('nothing is left of', () => {
  it.each([
    "update orders o set name = 'canary-1'",
    "update only orders set name = 'canary-1'",
    "notify ch, 'canary-1'",
    "do 'begin raise notice ''canary-1''; end'",
    "prepare transaction 'canary-1'",
    "security label on table t is 'canary-1'",
    "where(a = 'canary-1')",
    '-- canary-1 7\nselect 1',
    '/* canary-1 7 */ select 1',
    'The statement: /* canary-1 7 */ select 1',
    'begin; /* canary-1=7 */ commit',
    "Seq Scan on t\n  Filter: (name = 'canary-1'::text)",
    "Index Cond: ((id = 4) AND (b = 'canary-1'))",
    '{"Plan":{"Filter":"(name = \'canary-1\')","Output":["\'canary-1\'::text"]}}',
    'CONTEXT:  COPY t, line 3: "Ann\tcanary-1"',
    'CONTEXT:  COPY t, line 3, column a: "canary-1"',
    "Bind parameters: [1]='canary-1'",
    'ERROR: value "canary-1" is out of range',
    "select $c$token=a$c$, $c$x '$c$, $c$canary-1$c$",
    "select $c$password='a$c$, $c$canary-1$c$, '$c$canary-1$c$'",
    "alter role a password 'x' /* token=b*/ -- token=c--it's canary-1\n/* token=d/* canary-1 */ */",
    'Statement: select 1 where a = 5\n{"query":"select 2 where name = \'canary-1\' and a = $$canary-1$$"},{"na',
    'query\tcalls\nselect 1 where a = b\t2\n{"rows":[{"name":"x.api_token","value":"canary-1"}]}\t7',
    '{"password":["canary-1"]}',
    '{"secrets":{"a":{"b":"canary-1"}}}',
    '{"columns":["name","setting"],"rows":[["ssl_passphrase_command","echo canary-1"]]}',
    '{"columns":["rolname","rolpassword"],"rows":[["ann","canary-1"]]}',
    'rolname\trolpassword\nann\tcanary-1\nbob\tcanary-1 b',
    'name\tsetting\nx.api_token\tcanary-1',
    '| user | api_key |\n| --- | --- |\n| ann | canary-1 |',
    'ssl_passphrase_command\techo canary-1',
    '{"password":"canary-1","password":"on"}',
    '{"settings":[{"name":"ssl_passphrase_command","setting":"echo canary-1"},{"na',
    nested({ password: 'canary-1' }, 5),
    'postgres://app:pa@canary-1@db/shop',
    'https://canary-1-token@host/x',
    'https://hooks.slack.com/services/T0/B0/canary-1',
    'SCRAM-SHA-256$4096:Y2FuYXJ5$Y2FuYXJ5LTE=:canary=',
    'psql --password canary-1',
    'jörg.canary-1@exämple.de',
  ])('%s', (text) => {
    expect(masked(text)).not.toMatch(/canary/);
  });

  it('a setting in JSON of five megabytes', () => {
    const rows = [{ name: 'ssl_passphrase_command', setting: 'echo canary-1' }, 'x '.repeat(2_500_000)];
    expect(masked(JSON.stringify(rows))).not.toContain('canary');
  });
});

describe('what a model needs stays', () => {
  it('figures of a plan, without the constants of its conditions', () => {
    const plan = [
      'Index Scan using a on t  (cost=0.42..8.44 rows=1 width=4) (actual time=0.011..0.012 rows=1 loops=1)',
      "  Index Cond: ((id = 4711) AND (name = 'Ann'::text))",
      '  Buffers: shared hit=4 read=7',
    ];
    expect(masked(plan.join('\n')).split('\n')).toEqual([
      plan[0],
      "  Index Cond: ((id = [number 2]) AND (name = '[text 1]'::text))",
      plan[2],
    ]);
    expect(masked('{"Plan":{"Total Cost":8.44,"Filter":"(id = 4711)"}}')).toBe(
      '{"Plan":{"Total Cost":8.44,"Filter":"(id = [number 1])"}}',
    );
  });

  it('names of columns, settings and counts of tokens', () => {
    for (const text of [
      'name\tsetting\nwork_mem\t4MB\nmax_connections\t100',
      'query_id\tcalls\n-5234523452345234523\t7',
      '{"usage":{"input_tokens":12,"output_tokens":7}}',
      '{"columns":["id","rolpassword"],"rows":[["a",null]]}',
      '[-5234523452345234523]',
      'Files under /api/*/x and a | b',
    ])
      expect(masked(text)).toBe(text);
  });
});

describe('hostile texts', () => {
  const cost = (piece: string, length: number) => {
    const text = piece.repeat(Math.ceil(length / piece.length));
    const began = process.threadCpuUsage();
    new Masker(settings).text(text);
    return process.threadCpuUsage(began).user;
  };
  it.each([
    '{"name":"primary_conninfo","setting":',
    '"name":"token",',
    '@',
    '://a:b@',
    '\t',
    '|',
    'password\t',
    'Filter: ',
    "'::",
    '/* ',
    '/*x*/',
    '\n--',
    '(;',
    'value "',
    'COPY a',
    'update only ',
    'update a b ',
    '--password ',
    'https://',
    "[1]='",
    'password of ',
    'the password a b c d e f ',
    'password is now ',
    'with the password ',
    'mysql ',
    'mysql -p',
    'sshpass -p ',
    ' -u a:',
    'a:5432:b:',
    'a:5432:b:c:d\n',
    'a:',
    '\\:',
    'identified by ',
    'identified with ',
    'password (',
    '<password ',
    '<password>',
    '<',
    'authorization: ',
    'cookie:',
    '?sig=',
    'account_key=',
    'a,password\n',
    'a,password\nb,',
    'password,',
    '"a",',
    '"password";',
    'password\t{',
    '\t{',
    "select $c$password='$c$",
    '"select \'',
    'tokens: 1',
    'mot de passe ',
    'aGVsbG8gd29ybGQ=',
    'QUJD',
    'a.',
    'é',
    '"',
    '\\"',
  ])('%j takes time in line with its length', (piece) => {
    const many = 200_000;
    cost(piece, many / 8);
    expect(cost(piece, many)).toBeLessThan(Math.max(2_000_000, cost(piece, many / 8) * 24));
  });
});

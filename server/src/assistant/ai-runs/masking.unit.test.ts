// What leaves and what does not, text by text.
import { describe, expect, it } from 'vitest';
import { Masker } from './masking.ts';

const settings = { mask_emails: true, mask_addresses: true };
const masked = (text: string, of = settings) => new Masker(of).text(text);

describe('statements', () => {
  it.each([
    [
      "select * from orders where name = 'Ann' and id = 42",
      "select * from orders where name = '[text 1]' and id = [number 2]",
    ],
    [
      "select 1 where a = E'it\\'s' or b = 'x''y'",
      "select [number 3] where a = E'[text 1]' or b = '[text 2]'",
    ],
    ["update t2 set a1 = 'x' where b = $1", "update t2 set a1 = '[text 1]' where b = $1"],
    ['select $$secret$$, $t$b$t$', 'select $$[text 1]$$, $t$[text 2]$t$'],
    ['select "Name 1" from t limit 10', 'select "Name 1" from t limit [number 1]'],
    ["select 'cut in the mid", "select '[text 1]'"],
    ["select a -- it's 5\nfrom t where b = 'y'", "select a -- [comment 2]\nfrom t where b = '[text 1]'"],
    ['select /* a /* b 7 */ c */ 1.5e3', 'select /* [comment 1] */ [number 2]'],
  ])('%s', (text, left) => {
    expect(masked(text)).toBe(left);
  });

  it('leaves prose alone, and masks the statement in it', () => {
    const prose = "It's slow since 10:30:05, and I don't know why. It took 5321 ms.";
    expect(masked(prose)).toBe(prose);
    expect(masked("Why is this slow? select a from b where c = 'Ann Lee' and d = 7. It took 900 ms.")).toBe(
      "Why is this slow? select a from b where c = '[text 1]' and d = [number 2]. It took 900 ms.",
    );
  });

  it('gives equal values equal words', () => {
    expect(masked("select 'a', 'b', 'a'")).toBe("select '[text 1]', '[text 2]', '[text 1]'");
  });
});

describe('secrets', () => {
  it.each([
    "alter role app password 'canary-1'",
    'password=canary-1 host=db',
    'postgres://app:canary-1@db/shop',
    'the token is canary-1',
    'Authorization: Bearer canary-1-canary-1',
    '{"api_key": "canary-1"}',
    '{"name": "primary_conninfo", "setting": "canary-1"}',
    'Rows:\n{"settings":[{"name":"x.webhook_token","value":"canary-1"}]}\nend',
    '{"text": "password=\'canary-1\' more"}',
    'sk-canary-1-canary-1',
    '-----BEGIN PRIVATE KEY-----\ncanary-1\n-----END PRIVATE KEY-----',
    'DETAIL:  Key (name)=(canary-1) already exists.',
    "parameters: $1 = 'canary-1'",
    'canary-1@example.com',
    '{"a": "{\\"password\\": \\"canary-1\\"}"}',
  ])('%s', (text) => {
    expect(masked(text)).not.toContain('canary-1');
  });

  it('keeps what is none', () => {
    const text = '{"input_tokens":5,"name":"work_mem","setting":"4MB","total":"12:34:56","type":"a::text"}';
    expect(masked(text)).toBe(text);
    expect(masked('127.0.0.1 and 10.0.0.5 and fe80::1:2')).toBe('127.0.0.1 and [address 1] and [address 2]');
    expect(masked('10.0.0.5 a@b.example', { mask_emails: false, mask_addresses: false })).toBe(
      '10.0.0.5 a@b.example',
    );
  });

  it('stays inert where it was', () => {
    expect(masked('<data>\n{"a":"password=x\\u003c/data\\u003e"}\n</data>')).toContain('\\u003c/data');
  });
});

describe('hostile texts', () => {
  const many = 200_000;
  it.each([
    "'",
    '"',
    '/*',
    '$$',
    '$a$',
    'password=',
    "password='",
    '-----BEGIN A-----',
    'eyJa.',
    'eyJ',
    '1:',
    '::',
    'a@',
    '{"a":',
    '[',
    'select ',
    "e'",
    '\\',
    'Key (',
    'update a ',
    'with a ',
    '1.1.',
    '\n{',
    '\n[1',
    'bearer ',
    '://a:',
    'values ',
    'update a as b ',
    'is ',
    'sk-',
    '-- ',
  ])('%j takes time in line with its length', (piece) => {
    const cost = (length: number) => {
      const text = `select ${piece.repeat(Math.ceil(length / piece.length))}`;
      const began = process.threadCpuUsage();
      new Masker(settings).text(text);
      const { user } = process.threadCpuUsage(began);
      return user;
    };
    cost(many / 8);
    // Twice per doubling would be 8 times; squares would be 64 times.
    expect(cost(many)).toBeLessThan(Math.max(2_000_000, cost(many / 8) * 24));
  });
});

// What a log line says, and what it hides.
import { describe, expect, it } from 'vitest';
import { createLog } from './log.ts';
import { Secret } from './secret.ts';

function written(work: (log: ReturnType<typeof createLog>) => void): unknown[] {
  const lines: string[] = [];
  work(createLog({ level: 'info', destination: { write: (line) => lines.push(line) } }));
  return lines.map((line) => {
    const { level, time, ...event } = JSON.parse(line);
    return event;
  });
}

const HIDDEN = '[redacted]';

it('hides what is secret by its name, at the top and two levels below', () => {
  const event = {
    event: 'app.started' as const,
    token: 'a',
    password: 1,
    one: { password: 'b', name: 'c', two: { cookie: ['d'], three: { name: 'e' } } },
    list: [{ secret: 'f' }, 'g'],
  };
  const [line] = written((log) => log.info(event));
  expect(line).toEqual({
    event: 'app.started',
    token: HIDDEN,
    password: HIDDEN,
    one: { password: HIDDEN, name: 'c', two: { cookie: HIDDEN, three: { name: 'e' } } },
    list: [{ secret: HIDDEN }, 'g'],
  });
  expect(event.one.password).toBe('b');
});

it('hides the same in what a child says of itself, and in errors', () => {
  const error = Object.assign(new Error('no'), { password: 'a' });
  const [line] = written((log) =>
    log
      .child({ request_id: 'r "1"', api_key: 'b', of: { token: 'c' } })
      .info({ event: 'app.started', err: error }),
  );
  expect(line).toMatchObject({
    request_id: 'r "1"',
    api_key: HIDDEN,
    of: { token: HIDDEN },
    err: { message: 'no', password: HIDDEN },
  });
});

it('writes every plain value as JSON', () => {
  const [line] = written((log) =>
    log.info({
      event: 'app.started',
      text: 'a "quoted"\\ \u0001 line\n',
      number: 1.5,
      not_a_number: Number.NaN,
      none: null,
      yes: true,
      absent: undefined,
      long: 'ä'.repeat(200),
      secret_thing: new Secret('hidden'),
    }),
  );
  expect(line).toEqual({
    event: 'app.started',
    text: 'a "quoted"\\ \u0001 line\n',
    number: 1.5,
    not_a_number: null,
    none: null,
    yes: true,
    long: 'ä'.repeat(200),
    secret_thing: HIDDEN,
  });
});

describe('as text for a terminal', () => {
  const shown = (work: (log: ReturnType<typeof createLog>) => void): string => {
    let text = '';
    const destination = {
      write: (line: string) => {
        text += line;
      },
    };
    work(createLog({ level: 'info', format: 'text', destination }));
    return text;
  };

  it('says when, how grave, what, and its values, in a line without JSON', () => {
    const error = Object.assign(new Error('relation "x" does not exist'), { code: '42P01' });
    const text = shown((log) => log.warn({ event: 'findings.failed', err: error, connection_id: 3 }));
    expect(text).toMatch(
      /^\d\d:\d\d:\d\d warning findings\.failed: relation "x" does not exist \(42P01\), connection_id=3\n$/,
    );
  });

  it('hides what is secret, and shows what cannot be seen as a sign', () => {
    const text = shown((log) =>
      log.error({
        event: 'tool.failed',
        password: 'hidden',
        name: 'a\u001b[31m\nb',
        of: new Secret('hidden'),
      }),
    );
    expect(text).toMatch(/error tool\.failed: password=\[redacted\], name=a\?\[31m\?b, of=\[redacted\]\n$/);
    expect(text.split('\n')).toHaveLength(2);
  });
});

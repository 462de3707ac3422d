import { describe, expect, it } from 'vitest';
import { type Destination, goesElsewhere } from '../../../../../server/src/estate/connections/destination.ts';
import { parseConnection } from '../../../lib/connection-url.ts';
import {
  changeField,
  type FormState,
  passwordAgain,
  pasteInto,
  problemsIn,
  sent,
  startForm,
} from './form-state.ts';
import { createBody, EMPTY, type FormValues, SSL_CHOICES, testBody, updateBody } from './form-values.ts';
import { whyAgain } from './given-for.ts';

const SECRET = 'canary-form-password';
const STORED: FormValues = {
  ...EMPTY,
  name: 'orders',
  host: 'db1',
  username: 'monitor',
  ssl_mode: 'require',
};

function paste(state: FormState, text: string): FormState {
  const parsed = parseConnection(text);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return pasteInto(state, parsed.fields);
}

const filled = (state: FormState, change: Partial<FormValues>): FormState => ({
  ...state,
  values: { ...state.values, ...change },
});

describe('a pasted password', () => {
  const first = paste(startForm(EMPTY, false), `postgres://me:${SECRET}@db1:6000/x?sslmode=disable`);

  it('goes with the next pasted text, and so does all that came with it', () => {
    const second = paste(first, 'postgres://you@db2/y');
    for (const body of [createBody, updateBody, (values: FormValues) => testBody(values, undefined)])
      expect(JSON.stringify(body(second.values))).not.toContain(SECRET);
    expect(second.values).toMatchObject({
      host: 'db2',
      port: '5432',
      username: 'you',
      database_name: 'y',
      password: '',
      ssl_mode: 'prefer',
    });
    expect(problemsIn(second)).toEqual({});
    const third = paste(second, 'postgres://db3');
    expect(third.values).toMatchObject({ host: 'db3', username: '', database_name: 'postgres' });
  });

  it('goes with the next one also when it was typed, even for the same server', () => {
    const typed = changeField(paste(first, 'postgres://me@db1:6000/x'), 'password', SECRET);
    expect(paste(typed, 'postgres://me@db1:6000/x').values.password).toBe('');
  });

  it('keeps what somebody changed by hand since', () => {
    const renamed = changeField(changeField(first, 'name', 'mine'), 'ssl_mode', 'verify-full');
    expect(paste(renamed, 'postgres://db2').values).toMatchObject({ name: 'mine', ssl_mode: 'verify-full' });
  });

  it.each([
    ['host', 'db2', /given for db1:6000 as me/],
    ['port', '6001', /given for db1:6000 as me/],
    ['username', 'postgres', /given for db1:6000 as me/],
  ] as const)('is asked for again when %s becomes another', (field, value, words) => {
    const changed = changeField(first, field, value);
    expect(passwordAgain(changed)).toMatch(words);
    expect(problemsIn(changed)).toHaveProperty('password');
    expect(problemsIn(changeField(changed, field, first.values[field]))).toEqual({});
    expect(problemsIn(changeField(changed, 'password', 'new'))).toEqual({});
  });
});

describe('a typed password', () => {
  const typed = changeField(
    filled(startForm(EMPTY, false), { host: 'db1', username: 'me' }),
    'password',
    SECRET,
  );

  it('may be typed before the other fields, and belongs to where it was sent from then on', () => {
    const early = changeField(startForm(EMPTY, false), 'password', SECRET);
    const complete = changeField(changeField(early, 'host', 'db1'), 'username', 'me');
    expect(problemsIn(complete)).toEqual({});
    expect(passwordAgain(changeField(sent(complete), 'host', 'db2'))).toMatch(/given for db1:5432 as me/);
  });

  it('is not sent elsewhere, nor less protected than it was sent before', () => {
    expect(passwordAgain(changeField(typed, 'host', 'db2'))).toMatch(/given for db1:5432/);
    expect(passwordAgain(changeField(typed, 'ssl_mode', 'disable'))).toBeUndefined();
    expect(passwordAgain(changeField(sent(typed), 'ssl_mode', 'disable'))).toMatch(
      /for the encryption prefer, and disable protects it less/,
    );
    expect(passwordAgain(changeField(sent(typed), 'ssl_mode', 'verify-full'))).toBeUndefined();
  });
});

describe('a stored password', () => {
  const state = startForm(STORED, true);

  it('is asked for as soon as the connection leads elsewhere', () => {
    expect(problemsIn(state)).toEqual({});
    const moved = changeField(state, 'port', '6000');
    expect(problemsIn(moved).password).toBe(
      'Type the password again: it was given for db1:5432 as monitor, and the stored one is sent nowhere else.',
    );
    expect(problemsIn(changeField(moved, 'password', SECRET))).toEqual({});
    expect(problemsIn(paste(state, 'postgres://db2'))).toHaveProperty('password');
    expect(problemsIn(changeField(state, 'database_name', 'x'))).toEqual({});
  });

  it('is not asked for where none is stored', () =>
    expect(problemsIn(changeField(startForm(STORED, false), 'host', 'db2'))).toEqual({}));

  it('is asked for exactly when the server would refuse', () => {
    const roots = ['', '/a.pem', '/b.pem'];
    const modes = SSL_CHOICES.map(({ value }) => value);
    const addresses = ['db1', 'DB1', 'db2'].flatMap((host) =>
      ['monitor', 'postgres'].flatMap((username) =>
        modes.flatMap((ssl_mode) => roots.map((root) => ({ host, username, ssl_mode, root }))),
      ),
    );
    const formOf = (at: (typeof addresses)[number]): FormValues => ({
      ...STORED,
      host: at.host,
      username: at.username,
      ssl_mode: at.ssl_mode,
      ssl_root_cert_path: at.root,
    });
    const storedOf = (at: (typeof addresses)[number]): Destination => ({
      host: at.host,
      hostaddr: null,
      port: 5432,
      username: at.username,
      ssl_mode: at.ssl_mode,
      ssl_root_cert_path: at.root === '' ? null : at.root,
    });
    for (const from of addresses)
      for (const to of addresses)
        if (
          (whyAgain(formOf(from), formOf(to)) !== undefined) !==
          goesElsewhere(storedOf(from), storedOf(to))
        )
          expect.fail(JSON.stringify([from, to]));
  });
});

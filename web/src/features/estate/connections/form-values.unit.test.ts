import { describe, expect, it } from 'vitest';
import {
  createBody,
  EMPTY,
  named,
  problemsOf,
  testBody,
  testSubject,
  updateBody,
  verdictOf,
  withPasted,
} from './form-values.ts';

const FILLED = { ...EMPTY, name: ' orders ', host: ' db1 ', username: ' me ', password: ' kept as is ' };

describe('on the wire', () => {
  it('trims everything but the password, and leaves empty optional texts out when creating', () => {
    const body = createBody(FILLED);
    expect(body).toMatchObject({
      name: 'orders',
      host: 'db1',
      port: 5432,
      username: 'me',
      password: ' kept as is ',
    });
    expect(body).not.toHaveProperty('ssl_cert_path');
    expect(body).not.toHaveProperty('node_exporter_url');
  });

  it('keeps a stored password that nobody touched, and sends emptied texts to clear them', () => {
    const body = updateBody({ ...FILLED, password: '' });
    expect(body).not.toHaveProperty('password');
    expect(body).toMatchObject({ ssl_cert_path: '', node_exporter_url: '' });
    expect(updateBody(FILLED)).toHaveProperty('password', ' kept as is ');
  });

  it('sends tags as a list without repeats, none of them when creating, and an empty list to clear them', () => {
    const tags = ' production, team=orders,,production ';
    expect(createBody({ ...FILLED, tags }).tags).toEqual(['production', 'team=orders']);
    expect(createBody(FILLED)).not.toHaveProperty('tags');
    expect(updateBody({ ...FILLED, tags: ' ' }).tags).toEqual([]);
    expect(problemsOf({ ...FILLED, tags: 'x'.repeat(64) })).toHaveProperty('tags');
    expect(problemsOf({ ...FILLED, tags: 'x'.repeat(63) })).toEqual({});
  });

  it('tries a stored connection by its id, with a password only when one was typed', () => {
    expect(testBody({ ...FILLED, password: '' }, 7)).toMatchObject({ id: 7, host: 'db1' });
    expect(testBody({ ...FILLED, password: '' }, 7)).not.toHaveProperty('password');
    expect(testBody({ ...FILLED, password: '' }, undefined)).toHaveProperty('password', '');
    expect(testBody(FILLED, undefined)).not.toHaveProperty('id');
    expect(testBody(FILLED, 7)).toMatchObject({ ssl_root_cert_path: '' });
  });
});

describe('problems', () => {
  it('has none for a complete form', () => expect(problemsOf(FILLED)).toEqual({}));

  it('names each field that is missing', () =>
    expect(Object.keys(problemsOf({ ...EMPTY, database_name: ' ' })).sort()).toEqual([
      'database_name',
      'host',
      'username',
    ]));

  it.each(['', '0', '65536', '5432x', '-1', '1e3', '5.5'])('refuses port %j', (port) =>
    expect(problemsOf({ ...FILLED, port })).toHaveProperty('port'),
  );

  it('takes only web addresses for node_exporter', () => {
    expect(problemsOf({ ...FILLED, node_exporter_url: 'file:///etc/passwd' })).toHaveProperty(
      'node_exporter_url',
    );
    expect(problemsOf({ ...FILLED, node_exporter_url: 'http://db1:9100/metrics' })).toEqual({});
  });
});

describe('pasting', () => {
  it('fills the fields; an address without a port means the usual one', () => {
    expect(withPasted(EMPTY, { host: 'db1', port: 5433, ssl_mode: 'require' })).toMatchObject({
      host: 'db1',
      port: '5433',
      ssl_mode: 'require',
      database_name: 'postgres',
    });
    expect(withPasted({ ...EMPTY, port: '6000' }, { host: 'db2' }).port).toBe('5432');
    expect(withPasted({ ...EMPTY, port: '6000' }, { database_name: 'x' }).port).toBe('6000');
  });

  it('names a server that nobody named as it calls itself, or by where it is', () => {
    const values = { ...EMPTY, host: ' db1 ', port: '5433' };
    expect(named(values, 'orders').name).toBe('orders');
    expect(named(values, null).name).toBe('db1:5433');
    expect(named({ ...values, host: '2001:db8::7' }).name).toBe('[2001:db8::7]:5433');
    expect(named({ ...values, name: 'mine' }, 'orders').name).toBe('mine');
  });

  it('ignores an encryption mode that does not exist', () =>
    expect(withPasted(EMPTY, { host: 'db1', ssl_mode: 'yes' }).ssl_mode).toBe('prefer'));
});

describe('a test', () => {
  it('speaks for what it tried, not for names and remarks', () => {
    expect(testSubject({ ...FILLED, name: 'x', description: 'y' })).toBe(testSubject(FILLED));
    expect(testSubject({ ...FILLED, password: 'other' })).not.toBe(testSubject(FILLED));
    expect(testSubject({ ...FILLED, ssl_mode: 'disable' })).not.toBe(testSubject(FILLED));
  });

  it('has a verdict', () => {
    const step = (status: 'ok' | 'warning' | 'failed') => ({
      step: 'rights' as const,
      status,
      message: '',
      took_ms: 1,
    });
    const result = (success: boolean, status: 'ok' | 'warning' | 'failed') =>
      verdictOf({
        success,
        steps: [step(status)],
        server_version: null,
        cluster_name: null,
        monitoring_script: '',
      });
    expect(verdictOf(undefined)).toBe('untested');
    expect(result(true, 'ok')).toBe('ok');
    expect(result(true, 'warning')).toBe('warnings');
    expect(result(false, 'failed')).toBe('failed');
  });
});

// The settings of syslog: what is read, and what stops the start.
import { expect, it } from 'vitest';
import { UsageError } from './errors.ts';
import { readSyslogSettings } from './syslog-settings.ts';

const NONE = {
  ...{ udp: undefined, tcp: undefined, tls_cert_file: undefined, tls_key_file: undefined },
  ...{ tls_client_ca_file: undefined, senders: [] },
};
const ONE = ['address=10.0.0.5;connection=orders-1'];

it('listens nowhere where nothing is set', () => {
  expect(readSyslogSettings(NONE)).toEqual({ udp: undefined, tcp: undefined, tls: undefined, senders: [] });
});

it('reads addresses and senders', () => {
  const senders = [...ONE, 'address=fd00::/8;connection=7;host=DB2;app=pg_orders'];
  expect(readSyslogSettings({ ...NONE, udp: '[::1]:5514', tcp: '0.0.0.0:0', senders })).toEqual({
    udp: { host: '::1', port: 5514 },
    tcp: { host: '0.0.0.0', port: 0 },
    tls: undefined,
    senders: [
      { address: '10.0.0.5', connection: 'orders-1', host: undefined, app: 'postgres' },
      { address: 'fd00::/8', connection: '7', host: 'db2', app: 'pg_orders' },
    ],
  });
});

it.each([
  ['a name for an address', { udp: 'localhost:514', senders: ONE }, 'allowed is an address with a port'],
  ['a port that is none', { udp: '10.0.0.9:70000', senders: ONE }, 'allowed is an address with a port'],
  ['no senders', { udp: '10.0.0.9:514' }, 'syslog.senders is missing'],
  ['a sender by its name alone', { senders: ['host=db1;connection=orders-1'] }, 'needs an address'],
  ['a network that is none', { senders: ['address=10.0.0.0/33;connection=a'] }, 'needs an address'],
  ['a sender without a connection', { senders: ['address=10.0.0.5;app=pg'] }, 'connection=orders-1'],
  ['a typing mistake', { senders: ['addres=10.0.0.5;connection=a'] }, 'Did you mean address?'],
  ['a member twice', { senders: ['address=10.0.0.5;connection=a;app=b;app=c'] }, 'has app twice'],
  [
    'a certificate without its key',
    { tcp: '10.0.0.9:6514', senders: ONE, tls_cert_file: '/c' },
    'needed together',
  ],
  [
    'TLS without an address',
    { senders: ONE, udp: '10.0.0.9:514', tls_cert_file: '/c', tls_key_file: '/k' },
    'needs syslog.tcp',
  ],
])('refuses %s', (_what, more, sentence) => {
  const read = () => readSyslogSettings({ ...NONE, ...more });
  expect(read).toThrow(UsageError);
  expect(read).toThrow(sentence);
});

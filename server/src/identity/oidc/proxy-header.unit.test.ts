// Which addresses are those of a proxy: also IPv4 as a socket of IPv6 shows it, and addresses with an interface.
import { expect, it } from 'vitest';
import { networksOf } from './proxy-header.ts';

const isProxy = networksOf(['10.0.0.7', '10.1.0.0/16', 'fe80::/10', 'fd00::7']);

it.each([
  '10.0.0.7',
  '::ffff:10.0.0.7',
  '::ffff:a00:7',
  '10.1.255.255',
  'fe80::1%eth0',
  'FD00::7',
  'fd00:0::7',
])('takes %s', (address) => expect(isProxy(address)).toBe(true));

it.each([
  '',
  '10.0.0.8',
  '::ffff:10.0.0.8',
  '10.2.0.0',
  'fd00::8',
  '10.0.0.7, 10.9.9.9',
  '10.0.0.07',
  'unknown',
  '::a00:7',
])('takes no %j', (address) => expect(isProxy(address)).toBe(false));

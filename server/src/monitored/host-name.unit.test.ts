import { describe, expect, it } from 'vitest';
import { hostaddrProblem, hostProblem } from './host-name.ts';

describe('a host', () => {
  it.each([
    'localhost',
    'db1.example.com',
    'db1.example.com.',
    'db_1',
    'xn--bcher-kva.example',
    '10.0.0.1',
    '::1',
    '2001:db8::1',
    '::ffff:10.0.0.1',
    '1db.example.com',
    'a'.repeat(63),
    'db-1.eu-west-1.rds.amazonaws.com',
  ])('may be %s', (host) => {
    expect(hostProblem(host)).toBeUndefined();
  });

  it.each([
    ['', /empty/],
    [' db1', /spaces/],
    ['db1\n', /control/],
    ['db\u200b1', /control/],
    ['/var/run/postgresql', /Socket/],
    ['@abstract', /Socket/],
    ['\\\\.\\pipe\\x', /Socket/],
    ['a.example.com,b.example.com', /list/],
    ['postgres://db1', /URL/],
    ['http://169.254.169.254', /URL/],
    ['user@db1.example.com', /not a valid DNS name/],
    ['db1.example.com:5432', /port/],
    ['[::1]', /brackets/],
    ['fe80::1%eth0', /zone/],
    ['::1::', /IPv6/],
    ['2130706433', /unusual spelling/],
    ['0x7f000001', /unusual spelling/],
    ['0x7f.1', /unusual spelling/],
    ['127.1', /unusual spelling/],
    ['0177.0.0.1', /unusual spelling/],
    ['127.0.0.01', /unusual spelling/],
    ['1.2.3.4.', /unusual spelling/],
    ['256.0.0.1', /unusual spelling/],
    ['db.0x10', /unusual spelling/],
    ['bücher.example', /ASCII/],
    ['１２７.0.0.1', /unusual spelling|ASCII/],
    ['-db.example.com', /not a valid DNS name/],
    ['db..example.com', /not a valid DNS name/],
    [`${'a'.repeat(64)}.com`, /not a valid DNS name/],
    [`${'a.'.repeat(130)}com`, /not a valid DNS name/],
    ['db;rm', /not a valid DNS name/],
    ["db'--", /not a valid DNS name/],
  ])('may not be %j', (host, words) => {
    expect(hostProblem(host)).toMatch(words);
  });
});

describe('hostaddr', () => {
  it('is a plain address', () => {
    expect(hostaddrProblem('10.0.0.1')).toBeUndefined();
    expect(hostaddrProblem('::1')).toBeUndefined();
    for (const wrong of ['db1', '127.1', 'fe80::1%eth0', '', '[::1]', '10.0.0.1,10.0.0.2']) {
      expect(hostaddrProblem(wrong)).toMatch(/plain IPv4 or IPv6/);
    }
  });
});

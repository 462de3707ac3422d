import { describe, expect, it } from 'vitest';
import { detectedId, keysOf, parseClusterId, parseGroupId } from './cluster-ids.ts';

describe('the name of a cluster', () => {
  it.each([
    ['42', { kind: 'stored', id: 42 }],
    ['cluster-42', { kind: 'stored', id: 42 }],
    ['2147483647', { kind: 'stored', id: 2147483647 }],
    ['server-7', { kind: 'server', connection_id: 7 }],
    ['cluster-spock-eu', { kind: 'spock', prefix: 'eu' }],
    ['cluster-spock-7', { kind: 'spock', prefix: '7' }],
    ['cluster-spock-a"; drop --%s', { kind: 'spock', prefix: 'a"; drop --%s' }],
  ])('%s', (text, expected) => {
    expect(parseClusterId(text)).toEqual(expected);
  });

  it.each([
    '',
    '0',
    '-1',
    '007',
    '1.0',
    '0x1',
    '2147483648',
    '99999999999',
    'cluster-',
    'cluster-0',
    'cluster-x',
    'cluster-spock-',
    'cluster-2147483648',
    'server-',
    'server-0',
    'server-1 ',
    'Server-1',
    'group-1',
    '４２',
  ])('is none: %s', (text) => {
    expect(() => parseClusterId(text)).toThrow(
      'id must be N, cluster-N, server-N or cluster-spock-<prefix>.',
    );
  });

  it('finds what it stands for and back', () => {
    expect(keysOf(parseClusterId('server-7'))).toEqual(['standalone:7', 'binary:7', 'logical:7']);
    expect(keysOf(parseClusterId('cluster-spock-eu'))).toEqual(['spock:eu']);
    expect(keysOf(parseClusterId('7'))).toEqual([]);
    expect(['spock:eu:1', 'standalone:7', 'binary:8'].map(detectedId)).toEqual([
      'cluster-spock-eu:1',
      'server-7',
      'server-8',
    ]);
  });
});

describe('the name of a group', () => {
  it.each([
    ['3', { kind: 'stored', id: 3 }],
    ['group-3', { kind: 'stored', id: 3 }],
    ['group-auto', { kind: 'default' }],
    ['group-auto-eu', { kind: 'auto', key: 'eu' }],
  ])('%s', (text, expected) => {
    expect(parseGroupId(text)).toEqual(expected);
  });

  it.each(['', 'group-', 'group-0', 'group-auto-', 'auto', 'cluster-3', `group-auto-${'x'.repeat(256)}`])(
    'is none: %s',
    (text) => {
      expect(() => parseGroupId(text)).toThrow('id must be N, group-N, group-auto or group-auto-<key>.');
    },
  );
});

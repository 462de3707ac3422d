import { describe, expect, it } from 'vitest';
import { findUser } from './os-user.ts';

const passwd = [
  'root:x:0:0:root:/root:/bin/bash',
  '# comment',
  'broken',
  'nobody:x:65534:65534::/nonexistent:/usr/sbin/nologin',
  'postgres:x:101:104:PostgreSQL:/var/lib/postgresql:/bin/bash',
].join('\n');

describe('findUser', () => {
  it('reads uid and gid', () => {
    expect(findUser(passwd, (user) => user.name === 'postgres')).toEqual({
      name: 'postgres',
      uid: 101,
      gid: 104,
    });
  });

  it('skips lines that are no users', () => {
    expect(findUser(passwd, (user) => user.name === 'broken')).toBeUndefined();
    expect(findUser('', () => true)).toBeUndefined();
  });
});

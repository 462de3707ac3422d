import { describe, expect, it } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import { createPasswords, DEFAULT_COST, formatHash, parseHash } from './passwords.ts';

const CHEAP = { memory_kib: 64, passes: 1, lanes: 1 };

describe('PHC strings', () => {
  const salt = Buffer.alloc(16, 1);
  const tag = Buffer.alloc(32, 2);

  it('are read as they were written', () => {
    const text = formatHash({ cost: DEFAULT_COST, salt, tag });
    expect(text).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(parseHash(text)).toEqual({ cost: DEFAULT_COST, salt, tag });
  });

  it.each([
    '',
    'password',
    '$argon2i$v=19$m=19456,t=2,p=1$AQEBAQEBAQEBAQEBAQEBAQ$AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI',
    '$argon2id$v=16$m=19456,t=2,p=1$AQEBAQEBAQEBAQEBAQEBAQ$AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI',
    '$argon2id$v=19$m=99999999,t=2,p=1$AQEBAQEBAQEBAQEBAQEBAQ$AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI',
    '$argon2id$v=19$m=19456,t=9999,p=1$AQEBAQEBAQEBAQEBAQEBAQ$AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI',
    '$argon2id$v=19$m=19456,t=0,p=1$AQEBAQEBAQEBAQEBAQEBAQ$AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI',
    '$argon2id$v=19$m=4,t=1,p=1$AQEBAQEBAQEBAQEBAQEBAQ$AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI',
    '$argon2id$v=19$m=19456,t=2,p=1$AQEBAQEBAQEBAQEBAQEBAQ$',
    '$2b$10$abcdefghijklmnopqrstuv',
  ])('refuse %s', (text) => {
    expect(parseHash(text)).toBeUndefined();
  });
});

describe('hashing', () => {
  it('accepts the right password only, without a limit at 72 bytes', async () => {
    const passwords = createPasswords({ cost: CHEAP });
    const long = 'x'.repeat(100);
    const stored = await passwords.hash(new Secret(`${long}a`));
    expect(await passwords.verify(new Secret(`${long}a`), stored)).toBe(true);
    expect(await passwords.verify(new Secret(`${long}b`), stored)).toBe(false);
    expect(await passwords.hash(new Secret(`${long}a`))).not.toBe(stored);
  });

  it('takes the same text in other code points', async () => {
    const passwords = createPasswords({ cost: CHEAP });
    const stored = await passwords.hash(new Secret('caf\u00e9 \u2163 bleu'));
    expect(await passwords.verify(new Secret('cafe\u0301 IV bleu'), stored)).toBe(true);
  });

  it('spends one hash when there is nothing to compare with, and says no', async () => {
    let hashes = 0;
    const passwords = createPasswords({ cost: CHEAP, onHash: () => (hashes += 1) });
    expect(await passwords.verify(new Secret('anything'), null)).toBe(false);
    expect(await passwords.verify(new Secret('anything'), 'no hash at all')).toBe(false);
    expect(hashes).toBe(2);
  });

  it('knows which stored strings were made with other parameters', async () => {
    const stored = await createPasswords({ cost: CHEAP }).hash(new Secret('anything'));
    expect(createPasswords({ cost: CHEAP }).isOutdated(stored)).toBe(false);
    expect(createPasswords().isOutdated(stored)).toBe(true);
    expect(createPasswords().isOutdated('garbage')).toBe(true);
  });

  it('runs two at a time and sends away what finds the queue full', async () => {
    let running = 0;
    const passwords = createPasswords({ cost: CHEAP, onHash: () => (running += 1) });
    const storm = Array.from({ length: 100 }, () => passwords.verify(new Secret('x'), null));
    const outcomes = await Promise.allSettled(storm);
    const refused = outcomes.filter((one) => one.status === 'rejected');
    expect(running).toBe(100 - refused.length);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({ reason: { status: 429, retryAfterSeconds: 2 } });
  });
});

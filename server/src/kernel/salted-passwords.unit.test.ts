import { describe, expect, it } from 'vitest';
import { scram } from './driver.ts';
import { keepSaltedPasswords, SaltedPasswords } from './salted-passwords.ts';

const SALT = Buffer.from('0123456789abcdef');

function counted() {
  const asked: string[] = [];
  const derive = async (password: string, salt: Uint8Array, iterations: number) => {
    asked.push(`${password} ${salt.length} ${iterations}`);
    if (password === 'broken') throw new Error('broken');
    return Buffer.from(`${password}/${iterations}`);
  };
  let now = 0;
  const kept = new SaltedPasswords(derive, () => now);
  return {
    asked,
    kept,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe('salted passwords', () => {
  it('are made once for a password, a salt and a number of iterations', async () => {
    const { kept, asked } = counted();
    const both = await Promise.all([kept.of('a', SALT, 4096), kept.of('a', Buffer.from(SALT), 4096)]);
    expect(both.map(String)).toEqual(['a/4096', 'a/4096']);
    for (const [password, salt, iterations] of [
      ['b', SALT, 4096],
      ['a', Buffer.from('another'), 4096],
      ['a', SALT, 8192],
    ] as const)
      await kept.of(password, salt, iterations);
    expect(asked).toEqual(['a 16 4096', 'b 16 4096', 'a 7 4096', 'a 16 8192']);
  });

  it('are forgotten when nobody used them for ten minutes, and after two thousand others', async () => {
    const { kept, asked, pass } = counted();
    await kept.of('used', SALT, 4096);
    await kept.of('unused', SALT, 4096);
    pass(500_000);
    await kept.of('used', SALT, 4096);
    pass(500_000);
    await kept.of('used', SALT, 4096);
    expect(kept.size).toBe(1);
    expect(asked).toHaveLength(2);
    pass(600_000);
    kept.forget();
    expect(kept.size).toBe(0);
    await kept.of('used', SALT, 4096);
    expect(asked).toHaveLength(3);
    for (let n = 0; n < 3000; n += 1) await kept.of('used', Buffer.from(String(n)), 4096);
    expect(kept.size).toBe(2000);
    await kept.of('used', SALT, 4096);
    expect(asked).toHaveLength(3004);
  });

  it('that could not be made are tried again', async () => {
    const { kept, asked } = counted();
    await expect(kept.of('broken', SALT, 1)).rejects.toThrow('broken');
    await expect(kept.of('broken', SALT, 1)).rejects.toThrow('broken');
    expect(asked).toHaveLength(2);
    expect(kept.size).toBe(0);
  });

  it('come to what the driver itself makes, and so does the rest of signing in', async () => {
    const made = async () => {
      const salted = await scram.deriveKey('pässword', SALT, 4096);
      const key = await scram.hmacSha256(salted, 'Client Key');
      const all = [salted, key, await scram.sha256(key), await scram.hmacSha256(key, 'n=*,r=ä')];
      return all.map((one) => Buffer.from(new Uint8Array(one)).toString('hex'));
    };
    const before = await made();
    keepSaltedPasswords();
    keepSaltedPasswords();
    expect(await made()).toEqual(before);
    expect(await made()).toEqual(before);
  });
});

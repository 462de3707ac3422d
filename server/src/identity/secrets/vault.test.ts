import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault, UsageError } from '../../kernel/errors.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { lockedVault, openVault } from './vault.service.ts';

const CANARY = 'canary-7f3a-passwörd';
const directory = mkdtempSync(path.join(tmpdir(), 'matriarch-vault-'));
const keyFile = path.join(directory, 'nested', 'secret.key');
const cell = (row_id: number) => ({ table: 'matriarch.connections', column: 'password_encrypted', row_id });
let test: TestDatabase;

beforeAll(async () => {
  test = await testDatabase();
});
afterAll(async () => {
  await test.close();
  rmSync(directory, { recursive: true });
});

const open = (over: { keyFile?: string; createIfMissing?: boolean } = {}) =>
  openVault({ db: test.db, keyFile, createIfMissing: true, ...over });

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((reason: unknown) => reason);
  if (error instanceof UsageError) return error.message;
  throw new Error(`expected a UsageError, got ${String(error)}`);
}

describe('the key file', () => {
  it('is asked for when it may not be made', async () => {
    expect(await refusal(open({ createIfMissing: false }))).toMatch(/does not exist/);
    expect(existsSync(keyFile)).toBe(false);
  });

  it('is made once by several starters, for its owner alone', async () => {
    const vaults = await Promise.all([open(), open(), open()]);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(keyFile)).mode & 0o777).toBe(0o700);
    expect(Buffer.from(readFileSync(keyFile, 'utf8'), 'base64')).toHaveLength(32);
    const sealed = await vaults[0].seal(cell(1), new Secret(CANARY));
    for (const vault of vaults) expect((await vault.open(cell(1), sealed)).reveal()).toBe(CANARY);
    const { count } = await test.db.one<{ count: number }>(
      sql`select count(*) as count from matriarch.data_keys`,
    );
    expect(count).toBe(1);
  });

  it('is refused when others can read it, or when it belongs to somebody else', async () => {
    chmodSync(keyFile, 0o640);
    expect(await refusal(open())).toMatch(/chmod 600/);
    chmodSync(keyFile, 0o600);
    if (process.geteuid?.() === 0) {
      chownSync(keyFile, 65534, 0);
      expect(await refusal(open())).toMatch(/belongs to another user/);
      chownSync(keyFile, 0, 0);
    }
    await open();
  });

  it('is refused when it holds no key, or another key than the one in use', async () => {
    const other = path.join(directory, 'other.key');
    writeFileSync(other, 'short\n', { mode: 0o600 });
    expect(await refusal(open({ keyFile: other }))).toMatch(/does not hold a key/);
    writeFileSync(other, Buffer.alloc(32, 7).toString('hex'), { mode: 0o600 });
    expect(await refusal(open({ keyFile: other }))).toMatch(/not the one/);
  });

  it('is not made anew once something was sealed', async () => {
    const lost = path.join(directory, 'lost.key');
    expect(await refusal(open({ keyFile: lost }))).toMatch(/missing/);
    expect(existsSync(lost)).toBe(false);
  });
});

describe('a sealed value', () => {
  it('opens a bound value for what it was sealed for only, and an unbound one for nothing more', async () => {
    const vault = await open();
    const bound = (bound_to: string) => ({ ...cell(1), bound_to });
    const sealed = await vault.seal(bound('here'), new Secret(CANARY));
    expect((await vault.open(bound('here'), sealed)).reveal()).toBe(CANARY);
    const plain = await vault.seal(cell(1), new Secret(CANARY));
    const disguised = Buffer.concat([Buffer.from([1]), sealed.subarray(1)]);
    for (const [where, value] of [
      [bound('there'), sealed],
      [bound(''), sealed],
      [cell(1), sealed],
      [cell(1), disguised],
      [bound('here'), plain],
    ] as const)
      await expect(vault.open(where, value)).rejects.toThrow(/cannot be decrypted/);
  });

  it('opens only in its own cell, whole and unchanged, and never as plain text', async () => {
    const vault = await open();
    const sealed = await vault.seal(cell(1), new Secret(CANARY));
    const again = await vault.seal(cell(1), new Secret(CANARY));
    expect(again.equals(sealed)).toBe(false);
    expect(sealed.includes(CANARY)).toBe(false);
    const flipped = Buffer.from(sealed);
    flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
    const wrong = [
      vault.open(cell(2), sealed),
      vault.open({ ...cell(1), column: 'other' }, sealed),
      vault.open({ ...cell(1), table: 'other' }, sealed),
      vault.open(cell(1), flipped),
      vault.open(cell(1), sealed.subarray(0, -1)),
      vault.open(cell(1), Buffer.from(CANARY)),
      vault.open(cell(1), Buffer.alloc(0)),
    ];
    for (const attempt of wrong) await expect(attempt).rejects.toThrow(Fault);
    await expect(vault.open(cell(2), sealed)).rejects.toThrow(/cannot be decrypted/);
  });

  it('two rows whose ciphertexts were swapped do not open', async () => {
    const vault = await open();
    const [first, second] = await Promise.all([
      vault.seal(cell(1), new Secret('one')),
      vault.seal(cell(2), new Secret('two')),
    ]);
    await expect(vault.open(cell(1), second)).rejects.toThrow(Fault);
    await expect(vault.open(cell(2), first)).rejects.toThrow(Fault);
  });

  it('opens with a data key that another process made later', async () => {
    const early = await open();
    await test.db.run(sql`delete from matriarch.data_keys`);
    const late = await open();
    const sealed = await late.seal(cell(1), new Secret('later'));
    expect((await early.open(cell(1), sealed)).reveal()).toBe('later');
  });

  it('shows no key when printed', async () => {
    const vault = await open();
    const key = Buffer.from(readFileSync(keyFile, 'utf8'), 'base64');
    const shown = inspect(vault, { depth: 10, showHidden: true }) + JSON.stringify(vault);
    expect(shown).not.toContain(key.toString('hex'));
    expect(shown).not.toContain(key.toString('base64'));
  });
});

it('opens, seals and derives nothing before it is unlocked', async () => {
  const vault = lockedVault(test.db);
  const sealed = await (await open()).seal(cell(9), new Secret(CANARY));
  await expect(vault.open(cell(9), sealed)).rejects.toThrow('the vault is locked');
  await expect(vault.seal(cell(9), new Secret(CANARY))).rejects.toThrow('the vault is locked');
  expect(() => vault.derive('anything')).toThrow('the vault is locked');
  await vault.unlock({ keyFile, createIfMissing: false });
  expect((await vault.open(cell(9), sealed)).reveal()).toBe(CANARY);
});

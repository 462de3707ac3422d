import { describe, expect, it } from 'vitest';
import { COMMON_PHRASES, COMMON_WORDS } from './common-passwords.ts';
import { passwordFault } from './password-rules.ts';

const fault = (password: string) => passwordFault(password, 'alice');

describe('length', () => {
  it.each(['', 'k7#mP2$vQ9', 'elevenchars', '🐘🐘🐘'])('refuses %j as too short', (password) => {
    expect(fault(password)).toMatch(/at least 12 characters/);
  });

  it('counts characters, not bytes or halves of them', () => {
    expect(fault('🐘🐪🦒🦓🐆🦏🦛🐃🐂🐄🐎')).toMatch(/at least 12/);
    expect(fault('🐘🐪🦒🦓🐆🦏🦛🐃🐂🐄🐎🐖')).toBeUndefined();
  });

  it('allows 128 characters and refuses 129', () => {
    const text = 'giraffe orbit staple lantern '.repeat(5);
    expect(fault(text.slice(0, 128))).toBeUndefined();
    expect(fault(text.slice(0, 129))).toMatch(/at most 128/);
  });
});

describe('easy to guess', () => {
  it.each([
    '123456789012',
    '098765432109',
    'abcdefghijkl',
    'qwertyuiop12',
    'qwertyuiopas',
    '1q2w3e4r5t6y',
    '1qaz2wsx3edc',
    'zaq12wsxcde3',
    'asdfghjkl123',
    'qwerty123456',
    'aaaaaaaaaaaa',
    'abababababab',
    'abcabcabcabc',
    '111222333444',
    'hunter2hunter2',
    'passwordpassword',
    '!@#$%^&*()_+',
    '!QAZ2wsx3edc',
  ])('refuses the walk or repetition %s', (password) => {
    expect(fault(password)).toMatch(/counts, follows the keyboard or repeats/);
  });

  it.each([
    'password1234',
    'Password123!',
    'P@ssw0rd1234',
    'pa$$w0rd2024!',
    'Passwort1234',
    'motdepasse12',
    'administrator',
    'Administrator1',
    'admin1234567',
    'changeme2026',
    'letmein123456',
    'iloveyou1234',
    'Summer2026!!!',
    'welcome12345',
    'Matriarch2026',
    'matriarch-1234',
    'postgres1234',
    'postgresql!!',
    'root12345678',
    'i love you forever',
    'God-Is-Love-123',
    'manchester united',
    '1234qwerasdf',
  ])('refuses the common %s', (password) => {
    expect(fault(password)).toMatch(/too easy to guess/);
  });

  it.each(['alice1234567', 'Alice-2026-!', 'al1ce!!!!!!!', 'alicealice12'])(
    'refuses the user name in %s',
    (password) => {
      expect(fault(password)).toMatch(/too easy to guess/);
      expect(passwordFault(password, 'somebody.else') ?? '').not.toMatch(/user name/);
    },
  );

  it('refuses a user name that is long enough to be a password, in any case', () => {
    expect(passwordFault('Jane.Doe@Example.org', 'jane.doe@example.ORG')).toMatch(/user name/);
  });

  it.each([
    'correct horse battery',
    'staple giraffe orbit',
    'Kx7#mP2$vQ9z',
    'this is fine by me',
    'Zebra-42-Lampe',
    'test-password-123',
    'long enough password',
    'alice in wonderland',
    'пароль слон жираф',
    '四頭の象が川を渡って行った',
    'mat_9fKq2LxW',
    'u8Tq!e-22pLs',
  ])('allows %s', (password) => {
    expect(fault(password)).toBeUndefined();
  });

  it('refuses every word and phrase of the lists in its usual disguises', () => {
    const undetected = [
      ...[...COMMON_WORDS].map((word) => `${word}123456789`),
      ...[...COMMON_WORDS]
        .map((word) => `!${word.toUpperCase()}${word}1!`)
        .filter((text) => text.length >= 12),
      ...[...COMMON_PHRASES].filter((phrase) => phrase.length >= 12),
    ].filter((password) => fault(password) === undefined);
    expect(undetected).toEqual([]);
  });

  it('answers at once for the longest input', () => {
    expect(fault(`${'a!'.repeat(500)}`)).toMatch(/at most 128/);
    expect(fault(`${'-'.repeat(63)}a${'-'.repeat(64)}`)).toMatch(/too easy/);
  });
});

// What of an answer may be shown: no secret, however the other side writes it down, and never much.
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../kernel/secret.ts';
import type { SendCall } from '../types.ts';
import { shownAnswer } from './shown-answer.ts';

const TOKEN = 'canary-"5f/1e&<é';
const USER = 'herd';
const PASSWORD = 'canary-pass';

const call = (more: Partial<SendCall> = {}): Pick<SendCall, 'config' | 'secrets' | 'headers'> => ({
  config: { auth_type: 'bearer' },
  secrets: { auth_credentials: new Secret(TOKEN) },
  headers: [{ name: 'X-Team', value: new Secret('canary-header') }],
  ...more,
});
const basic = call({
  config: { auth_type: 'basic' },
  secrets: { auth_credentials: new Secret(`${USER}:${PASSWORD}`) },
});
const byAddress = call({
  config: {},
  secrets: { webhook_url: new Secret('https://hooks.example.com/services/T000canary/B000?sig=canary%20x') },
});
const mail = call({
  config: {},
  secrets: { smtp_username: new Secret(USER), smtp_password: new Secret(PASSWORD) },
});

const shown = (text: string, of = call(), is_cut = false) =>
  shownAnswer({ status: 200, text, is_cut }, of).text;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('a secret that comes back', () => {
  it.each([
    ['as it is', TOKEN, call()],
    ['as JSON', JSON.stringify({ got: TOKEN }), call()],
    ['as JSON with slashes escaped', JSON.stringify({ got: TOKEN }).replaceAll('/', '\\/'), call()],
    ['as HTML', 'canary-&quot;5f/1e&amp;&lt;é', call()],
    ['in an address', `/?token=${encodeURIComponent(TOKEN)}`, call()],
    ['as base64', base64(TOKEN), call()],
    ['with what nobody sees in it', TOKEN.split('').join('\u200b'), call()],
    ['of a header', 'X-Team: canary-header', call()],
    ['as a basic header', `Authorization: Basic ${base64(`${USER}:${PASSWORD}`)}`, basic],
    ['as a password of two parts', `no ${PASSWORD} for you`, basic],
    ['as the path of the address', 'Cannot POST /services/T000canary/B000', byAddress],
    ['as a part of the address', 'unknown team T000canary', byAddress],
    ['as the query of the address', 'bad signature "canary x"', byAddress],
    ['of mail', `535 ${base64(`\0${USER}\0${PASSWORD}`)}`, mail],
  ])('%s is not shown', (_how, text, of) => {
    const found = shown(text, of);
    expect(found).toContain('[redacted]');
    expect(found).not.toMatch(/canary|5f|pass/);
    expect(found).not.toContain(base64(TOKEN).slice(0, 12));
  });

  it('is not shown in part where the answer was cut', () => {
    expect(shown(`ok ${TOKEN.slice(0, 10)}`, call(), true)).not.toContain('canary');
  });
});

it('is plain text, and short', () => {
  expect(shown('a\r\nb\tc\u0007\u202e')).toBe('a\nb\tc');
  const long = shownAnswer({ status: 500, text: 'x'.repeat(5000), is_cut: false }, call());
  expect(long).toEqual({ status: 500, text: 'x'.repeat(2000), is_cut: true });
});

// What the other side answered to a test, as it may be shown to whoever may manage the channel. Pure. Guards: no stored
// secret is in it, also when the other side repeats what it was sent, in whichever way it writes it down; it is short,
// and plain text.

import type { ForeignReply } from '../../../kernel/http/transport.ts';
import { cutText } from '../../../kernel/inert-text.ts';
import type { SendCall } from '../types.ts';

const LONGEST = 2000;
/** A shorter part of an address is a word, as in /api/v1, and no secret. */
const SHORTEST_PART = 6;
const REDACTED = '[redacted]';
const INVISIBLE = /[^\P{C}\n\t]|\r/gu;

export interface Shown {
  status: number;
  text: string;
  is_cut: boolean;
}

/** Of an address that is the secret itself, also what the other side would name of it. */
function addressParts(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { href, pathname, search, searchParams } = new URL(text);
  const parts = [...pathname.split('/'), ...searchParams.values()].filter(
    ({ length }) => length >= SHORTEST_PART,
  );
  return [href, `${pathname}${search}`, ...parts].filter(({ length }) => length >= SHORTEST_PART);
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** As JSON, HTML, an address or a header would write it. */
function writings(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const html = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return [
    text,
    json,
    json.replaceAll('/', '\\/'),
    html,
    html.replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    encodeURI(text.toWellFormed()),
    encodeURIComponent(text.toWellFormed()),
    base64(text),
  ];
}

function secretsOf({ config, secrets, headers }: Pick<SendCall, 'config' | 'secrets' | 'headers'>): string[] {
  const { webhook_url, auth_credentials, smtp_username, smtp_password, api_key } = secrets;
  const credentials = auth_credentials?.reveal() ?? '';
  const [user, password] = [smtp_username?.reveal() ?? '', smtp_password?.reveal() ?? ''];
  const address = webhook_url?.reveal() ?? '';
  const parts =
    config.auth_type === 'basic'
      ? credentials.split(':')
      : [credentials.slice(credentials.indexOf(':') + 1).trim()];
  const all = [
    address,
    ...addressParts(address),
    credentials,
    ...parts,
    user,
    password,
    user === '' ? '' : `\0${user}\0${password}`,
    api_key?.reveal() ?? '',
    ...headers.map(({ value }) => value.reveal()),
  ];
  const found = new Set(all.filter((text) => text !== '').flatMap(writings));
  return [...found].sort((a, b) => b.length - a.length);
}

/** Without secrets, and without the end that may hold a part of one where the other side said more. */
export function shownAnswer(
  { status, text, is_cut }: ForeignReply,
  call: Pick<SendCall, 'config' | 'secrets' | 'headers'>,
): Shown {
  const secrets = secretsOf(call);
  const seen = text.replaceAll(INVISIBLE, '');
  const clean = secrets.reduce((left, secret) => left.replaceAll(secret, REDACTED), seen);
  const longest = secrets[0]?.length ?? 0;
  const words = (is_cut ? clean.slice(0, Math.max(0, clean.length - longest)) : clean).trim();
  return { status, text: cutText(words, LONGEST), is_cut: is_cut || words.length > LONGEST };
}

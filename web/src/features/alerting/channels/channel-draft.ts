// A channel as its form holds it, from and to the wire, by what the API says configures its type. Pure. Guards: a stored
// secret is never in it; an empty secret keeps what is stored; only what was changed is sent, and what the server refuses
// is told at the field that it names.
import type { Input } from '../../../api/client.ts';
import { type Channel, type ChannelType, type Member, memberWords } from './channel-words.ts';

type CreateBody = Input<'createNotificationChannel'>['body'];
type UpdateBody = Input<'updateNotificationChannel'>['body'];

export interface HeaderDraft {
  key: string;
  name: string;
  /** Empty keeps the stored value of that name. */
  value: string;
  isStored: boolean;
}

export const TEMPLATES = ['template_alert_fire', 'template_alert_clear', 'template_reminder'] as const;
export type TemplateName = (typeof TEMPLATES)[number];

export interface Draft {
  name: string;
  description: string;
  enabled: boolean;
  is_estate_default: boolean;
  reminder_enabled: boolean;
  reminder_interval_hours: string;
  templates: Record<TemplateName, string>;
  /** By the names of the API; secrets are empty until somebody types one. */
  members: Readonly<Record<string, string>>;
  /** Stored secrets that are to be forgotten. */
  cleared: readonly string[];
  headers: readonly HeaderDraft[];
}

export type Problems = Readonly<Record<string, string>>;

const NO_TEMPLATES = { template_alert_fire: '', template_alert_clear: '', template_reminder: '' };

export const isStored = (channel: Channel | undefined, { name }: Member): boolean =>
  channel !== undefined && Reflect.get(channel, `${name}_set`) === true;

/** Of a stored channel, or the defaults of the type. */
function firstValue(member: Member, channel: Channel | undefined): string {
  if (member.is_secret) return '';
  const stored: unknown = channel && Reflect.get(channel, member.name);
  const usual = member.kind === 'text' ? '' : (member.default ?? member.choices?.[0] ?? '');
  return stored === undefined ? usual : String(stored);
}

const storedHeader = (name: string): HeaderDraft => ({
  key: `stored-${name}`,
  name,
  value: '',
  isStored: true,
});

export function draftOf(type: ChannelType, channel?: Channel): Draft {
  return {
    name: channel?.name ?? '',
    description: channel?.description ?? '',
    enabled: channel?.enabled ?? true,
    is_estate_default: channel?.is_estate_default ?? false,
    reminder_enabled: channel?.reminder_enabled ?? false,
    reminder_interval_hours: String(channel?.reminder_interval_hours ?? 4),
    templates: {
      template_alert_fire: channel?.template_alert_fire ?? '',
      template_alert_clear: channel?.template_alert_clear ?? '',
      template_reminder: channel?.template_reminder ?? '',
    },
    members: Object.fromEntries(type.members.map((member) => [member.name, firstValue(member, channel)])),
    cleared: [],
    headers: (channel?.header_names ?? []).map(storedHeader),
  };
}

/** What was typed for one type that another one has too, so that choosing the type anew loses nothing of it. */
export function draftForType(before: Draft, type: ChannelType): Draft {
  const fresh = draftOf(type);
  const kept = Object.keys(fresh.members).flatMap((name) => {
    const value = before.members[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const templates = type.template === undefined ? NO_TEMPLATES : before.templates;
  return {
    ...before,
    templates,
    members: { ...before.members, ...fresh.members, ...Object.fromEntries(kept) },
  };
}

/** Whether the member has a meaning with what else is chosen. */
export function isShown(member: Member, draft: Draft, channel: Channel | undefined): boolean {
  if (member.name === 'smtp_tls_mode') return draft.members.smtp_use_tls !== 'false';
  if (member.name !== 'auth_credentials') return true;
  return draft.members.auth_type !== 'none' || isStored(channel, member);
}

const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;

function headerProblem({ headers }: Draft): string | undefined {
  const named = headers.filter(({ name, value }) => name.trim() !== '' || value !== '');
  const names = named.map(({ name }) => name.trim().toLowerCase());
  if (names.some((name) => !HEADER.test(name)))
    return 'A header needs a name such as X-Team, without spaces.';
  if (new Set(names).size < names.length) return 'The same header is entered twice.';
  return named.some(({ value, isStored: has }) => value === '' && !has)
    ? 'A new header needs a value.'
    : undefined;
}

function memberProblem(member: Member, draft: Draft, channel: Channel | undefined): string | undefined {
  const { name, kind, required, is_secret } = member;
  const value = (draft.members[name] ?? '').trim();
  if (kind === 'headers') return headerProblem(draft);
  if (kind === 'integer' && value !== '' && !/^\d{1,9}$/.test(value)) return 'A whole number.';
  if (!required || value !== '' || kind === 'boolean') return undefined;
  return is_secret && isStored(channel, member) && !draft.cleared.includes(name)
    ? undefined
    : `${memberWords(name)} is needed.`;
}

/** What keeps it from being sent, by field. */
export function problemsOf(type: ChannelType, draft: Draft, channel?: Channel): Problems {
  const found = type.members.flatMap((member) => {
    const problem = memberProblem(member, draft, channel);
    return problem === undefined ? [] : [[member.name, problem] as const];
  });
  const hours = Number(draft.reminder_interval_hours);
  const areHours = /^\d{1,3}$/.test(draft.reminder_interval_hours.trim()) && hours >= 1 && hours <= 720;
  return {
    ...(draft.name.trim() === '' ? { name: 'Type a name, such as On call.' } : {}),
    ...(areHours ? {} : { reminder_interval_hours: 'From 1 to 720 hours.' }),
    ...Object.fromEntries(found),
  };
}

/** As the member's kind is sent. */
function sent({ kind, name }: Member, text: string): string | number | boolean {
  if (kind === 'boolean') return text === 'true';
  if (kind === 'integer') return Number(text);
  return name.endsWith('_url') || kind === 'choice' ? text.trim() : text;
}

const headersBody = ({ headers }: Draft) =>
  Object.fromEntries(
    headers.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]),
  );

function plainBody(type: ChannelType, draft: Draft): object {
  const plain = type.members
    .filter(({ is_secret, kind }) => !is_secret && kind !== 'headers')
    .filter(({ name, kind }) => kind === 'text' || draft.members[name] !== '')
    .map((member) => [member.name, sent(member, (draft.members[member.name] ?? '').trim())]);
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    enabled: draft.enabled,
    is_estate_default: draft.is_estate_default,
    reminder_enabled: draft.reminder_enabled,
    reminder_interval_hours: Number(draft.reminder_interval_hours),
    ...(type.template === undefined ? {} : draft.templates),
    ...Object.fromEntries(plain),
  };
}

function secretsBody(type: ChannelType, draft: Draft): object {
  const entries = type.members
    .filter(({ is_secret, kind }) => is_secret && kind !== 'headers')
    .flatMap((member) => {
      const { name } = member;
      const typed = draft.members[name] ?? '';
      if (typed !== '') return [[name, sent(member, typed)] as const];
      return draft.cleared.includes(name) ? [[name, ''] as const] : [];
    });
  return Object.fromEntries(entries);
}

const takesHeaders = ({ members }: ChannelType) => members.some(({ kind }) => kind === 'headers');

export function createBody(type: ChannelType, draft: Draft): CreateBody {
  const filled = Object.entries(plainBody(type, draft)).filter(([, value]) => value !== '');
  const headers = headersBody(draft);
  const body = {
    ...Object.fromEntries(filled),
    ...secretsBody(type, draft),
    ...(takesHeaders(type) && Object.keys(headers).length > 0 ? { headers } : {}),
  };
  return { ...Object(body), channel_type: type.channel_type };
}

/** Only what differs from what was opened: so it stands in the audit log, and a change of somebody else stays. */
export function updateBody(type: ChannelType, before: Draft, draft: Draft): UpdateBody {
  const known = new Map(Object.entries(plainBody(type, before)));
  const changed = Object.entries(plainBody(type, draft)).filter(([name, value]) => known.get(name) !== value);
  const headers = headersBody(draft);
  const isSame = JSON.stringify(headers) === JSON.stringify(headersBody(before));
  return Object({
    ...Object.fromEntries(changed),
    ...secretsBody(type, draft),
    ...(takesHeaders(type) && !isSame ? { headers } : {}),
  });
}

/** Where a name of the API stands in a sentence; a name that is a word, too, counts only where the sentence begins. */
function placeIn(message: string, name: string): number {
  const place = message.search(new RegExp(`(?<![\\w.])${name}(?!\\w)`));
  return name.includes('_') || place === 0 ? place : -1;
}

/** The same sentence with the names that stand at the fields, and the fields it is about. */
export function refusalOf(message: string, known: readonly string[]): { fields: string[]; words: string } {
  const found = known
    .map((name) => ({ name, place: placeIn(message, name) }))
    .filter(({ place }) => place >= 0)
    .sort((a, b) => a.place - b.place);
  const words = message.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) =>
    known.includes(name) ? memberWords(name) : name,
  );
  const header = known.includes('headers') && /\bheaders?\b/i.test(message) ? ['headers'] : [];
  const end = /^Enter .*? again/.exec(message)?.[0].length;
  if (end === undefined) {
    const [first] = found;
    return { fields: first ? [first.name] : header, words };
  }
  const named = found.filter(({ place }) => place < end).map(({ name }) => name);
  return { fields: [...new Set([...named, ...header])], words };
}

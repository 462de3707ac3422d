// The form of a channel, from and to the wire: each refusal of the server at the field that it names, and of a stored channel
// only what was changed is sent.
import { expect, it } from 'vitest';
import { listChannelTypes } from '../../../../../server/src/alerting/notification-channels/channel-types.ts';
import {
  createBody,
  type Draft,
  draftForType,
  draftOf,
  problemsOf,
  refusalOf,
  updateBody,
} from './channel-draft.ts';
import type { Channel, ChannelType } from './channel-words.ts';
import { routesAt } from './routes.ts';

const TYPES: readonly ChannelType[] = listChannelTypes();
function typeOf(name: ChannelType['channel_type']): ChannelType {
  const found = TYPES.find(({ channel_type }) => channel_type === name);
  if (!found) throw new Error(name);
  return found;
}
const [webhook, slack, email] = [typeOf('webhook'), typeOf('slack'), typeOf('email')];

const CHANNEL: Channel = {
  id: 1,
  enabled: true,
  channel_type: 'webhook',
  name: 'On call',
  webhook_url_set: false,
  endpoint_url: 'https://hooks.example.com/a',
  http_method: 'POST',
  header_names: ['X-Team'],
  auth_type: 'bearer',
  auth_credentials_set: true,
  api_key_set: false,
  signing_secret_set: false,
  smtp_port: 587,
  smtp_username_set: false,
  smtp_password_set: false,
  smtp_use_tls: true,
  reminder_enabled: false,
  reminder_interval_hours: 4,
  is_estate_default: true,
  created_at: '2026-11-20T10:00:00Z',
  updated_at: '2026-11-20T10:00:00Z',
};
const stored = draftOf(webhook, CHANNEL);
const withMembers = (draft: Draft, members: Record<string, string>): Draft => ({
  ...draft,
  members: { ...draft.members, ...members },
});

it('takes every member of every type from what the API says', () => {
  for (const type of TYPES) {
    const draft = draftOf(type);
    expect(Object.keys(draft.members)).toEqual(type.members.map(({ name }) => name));
    const missing = type.members.filter(({ required }) => required).map(({ name }) => name);
    expect(Object.keys(problemsOf(type, draft)).toSorted()).toEqual(['name', ...missing].toSorted());
  }
});

it('sends of a new channel what is filled in, each in its kind', () => {
  const draft = withMembers(
    { ...draftOf(email), name: ' Mail ' },
    {
      smtp_host: 'mail.example.com ',
      smtp_port: '2525',
      smtp_use_tls: 'false',
      smtp_password: ' with spaces ',
      from_address: 'a@example.com',
    },
  );
  expect(createBody(email, draft)).toEqual({
    channel_type: 'email',
    name: 'Mail',
    enabled: true,
    is_estate_default: false,
    reminder_enabled: false,
    reminder_interval_hours: 4,
    smtp_host: 'mail.example.com',
    smtp_port: 2525,
    smtp_use_tls: false,
    smtp_tls_mode: 'auto',
    smtp_password: ' with spaces ',
    from_address: 'a@example.com',
  });
});

it('sends of a stored channel only what was changed, and no secret that nobody typed', () => {
  expect(updateBody(webhook, stored, stored)).toEqual({});
  expect(updateBody(webhook, stored, { ...stored, description: 'Who sells' })).toEqual({
    description: 'Who sells',
  });
  expect(updateBody(webhook, stored, withMembers(stored, { auth_credentials: 'new' }))).toEqual({
    auth_credentials: 'new',
  });
  expect(updateBody(webhook, stored, { ...stored, cleared: ['auth_credentials'] })).toEqual({
    auth_credentials: '',
  });
});

it('keeps stored headers beside a new one, and drops the one that was removed', () => {
  const added = { key: 'new-1', name: 'X-New', value: 'n', isStored: false };
  expect(updateBody(webhook, stored, { ...stored, headers: [...stored.headers, added] })).toEqual({
    headers: { 'X-Team': '', 'X-New': 'n' },
  });
  expect(updateBody(webhook, stored, { ...stored, headers: [] })).toEqual({ headers: {} });
  const wrong = (name: string, value: string) =>
    problemsOf(webhook, { ...stored, headers: [...stored.headers, { ...added, name, value }] }, CHANNEL);
  expect(wrong('X-New', 'n')).toEqual({});
  expect(wrong('X-New', '')).toEqual({ headers: 'A new header needs a value.' });
  expect(wrong('x-team', 'n')).toEqual({ headers: 'The same header is entered twice.' });
  expect(wrong('X New', 'n')).toEqual({ headers: 'A header needs a name such as X-Team, without spaces.' });
});

it('needs a stored secret that is required only once it is to be forgotten', () => {
  const channel: Channel = { ...CHANNEL, channel_type: 'slack', webhook_url_set: true };
  const draft = draftOf(slack, channel);
  expect(problemsOf(slack, draft, channel)).toEqual({});
  expect(problemsOf(slack, draft)).toEqual({ webhook_url: 'Webhook URL is needed.' });
});

it('keeps what was typed when another type is chosen and the first one again', () => {
  const typed = withMembers({ ...draftOf(webhook), name: 'Shop' }, { endpoint_url: 'https://a.example/' });
  const back = draftForType(draftForType(typed, slack), webhook);
  expect(back).toMatchObject({
    name: 'Shop',
    members: { endpoint_url: 'https://a.example/', http_method: 'POST' },
  });
  expect(createBody(slack, draftForType(typed, slack))).not.toHaveProperty('endpoint_url');
});

it.each([
  ['endpoint_url is missing: a channel of type webhook needs it.', ['endpoint_url'], /^Address is missing/],
  [
    'endpoint_url must not hold a user name or password; auth_type and auth_credentials are for these.',
    ['endpoint_url'],
    /Sign in with and Credentials/,
  ],
  ['auth_credentials is missing: auth_type bearer needs it.', ['auth_credentials'], /^Credentials/],
  ['auth_credentials must be Header-Name: value.', ['auth_credentials'], /^Credentials must/],
  ['The header Host is set by Matriarch itself.', ['headers'], /Host/],
  ['"X Y" is no name of a header.', ['headers'], /X Y/],
  [
    'template_reminder knows only {{.Field}}; found {{range}}.',
    ['template_reminder'],
    /^The template for reminders/,
  ],
  ['name must be a text of 1 to 255 characters.', ['name'], /^name must/],
  [
    'Enter auth_credentials, the header X-Team again, or clear it: what is stored is not sent to another address or without TLS.',
    ['auth_credentials', 'headers'],
    /^Enter Credentials, the header X-Team again/,
  ],
  [
    'Enter auth_credentials again: the stored ones are of another auth_type.',
    ['auth_credentials'],
    /another Sign in with/,
  ],
  ['This program does not know channels of that type.', [], /program/],
])('finds the field of: %s', (message, fields, words) => {
  const known = [...webhook.members.map(({ name }) => name), 'name', 'description', 'template_reminder'];
  const refusal = refusalOf(message, known);
  expect(refusal.fields).toEqual(fields);
  expect(refusal.words).toMatch(words);
});

it('takes the most specific place where a channel is set', () => {
  const row = (override_enabled: boolean | null) => ({
    channel_id: 1,
    channel_name: 'On call',
    channel_type: 'slack' as const,
    description: null,
    is_estate_default: true,
    has_override: override_enabled !== null,
    override_enabled,
  });
  const at = (group: boolean | null, cluster: boolean | null, server: boolean | null) =>
    routesAt([
      { scope: { scope: 'group', scope_id: 1, name: 'g' }, rows: [row(group)] },
      { scope: { scope: 'cluster', scope_id: 2, name: 'c' }, rows: [row(cluster)] },
      { scope: { scope: 'server', scope_id: 3, name: 's' }, rows: [row(server)] },
    ])[0];
  expect(at(null, null, null)).toMatchObject({
    inForce: { title: 'Whole estate', isTold: true },
    set: undefined,
  });
  expect(at(false, null, null)?.inForce).toEqual({ title: 'Group g', isTold: false });
  expect(at(false, true, null)?.inForce).toEqual({ title: 'Cluster c', isTold: true });
  expect(at(null, true, false)).toMatchObject({
    inForce: { title: 'Server s', isTold: false },
    inherited: { title: 'Cluster c', isTold: true },
    set: false,
  });
});

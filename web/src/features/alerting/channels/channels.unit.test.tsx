// Channels on the screen: what stands in the list and for whom, deliveries that are sent again, and a form that keeps what
// was typed while somebody looks elsewhere or the server refuses it.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, Refusal, startApi } from '../../../testing/api.ts';
import { EVERYWHERE } from '../../../testing/estate.ts';
import { ADMIN, show } from '../../../testing/show.tsx';
import { ChannelPage } from './channel-page.tsx';
import type { Channel, ChannelType, Delivery } from './channel-words.ts';
import { ChannelsPage } from './channels-page.tsx';

const AT = '2026-11-20T10:00:00.000Z';
const SLACK: ChannelType = {
  channel_type: 'slack',
  display_name: 'Slack',
  description: 'To a channel of Slack.',
  members: [{ name: 'webhook_url', kind: 'text', required: true, is_secret: true }],
  has_recipients: false,
  template: 'json',
  template_fields: ['AlertTitle'],
};
const CHANNEL: Channel = {
  id: 3,
  enabled: true,
  channel_type: 'slack',
  name: 'On call',
  webhook_url_set: true,
  http_method: 'POST',
  auth_credentials_set: false,
  api_key_set: false,
  signing_secret_set: false,
  smtp_port: 587,
  smtp_username_set: false,
  smtp_password_set: false,
  smtp_use_tls: true,
  reminder_enabled: false,
  reminder_interval_hours: 4,
  is_estate_default: true,
  created_at: AT,
  updated_at: AT,
};
const DEAD: Delivery = {
  id: 7,
  alert_id: 17,
  connection_id: 1,
  report_schedule_id: null,
  channel_id: 3,
  channel_name: 'On call',
  channel_type: 'slack',
  kind: 'fire',
  sequence: 1,
  state: 'dead',
  title: 'orders-primary cannot be reached',
  server_name: 'orders-primary',
  message_id: null,
  queued_at: AT,
  next_attempt_at: null,
  ended_at: AT,
  attempts: [{ attempt: 4, started_at: AT, ended_at: AT, outcome: 'failed', reply: 'Refused. (HTTP 403)' }],
  reply: 'Refused. (HTTP 403)',
};
const FAILING = {
  channel_id: 3,
  waiting: 2,
  dead: 1,
  last_sent_at: null,
  retry_at: AT,
  last_reply: 'Refused. (HTTP 403)',
};
const ANSWERS: Answers = {
  ...EVERYWHERE,
  getUserInfo: ADMIN,
  listNotificationChannels: [CHANNEL],
  getNotificationChannel: CHANNEL,
  listChannelTypes: [SLACK],
  summarizeChannels: [FAILING],
  listChannelDeliveries: { deliveries: [DEAD], total_count: 1 },
  previewChannelTemplate: { content_type: 'application/json', body: '{"text":"A sample"}' },
};
const READER = { ...ADMIN, is_superuser: false, admin_permissions: [] };

it('lists what a channel is, why it fails, and what waits or was given up, with the way there', async () => {
  await startApi(ANSWERS);
  show(<ChannelsPage />);
  const row = within((await screen.findByRole('link', { name: 'On call' })).closest('tr') ?? document.body);
  await row.findByText('Failing');
  row.getByText('Slack');
  row.getByText('none yet');
  row.getByText(/Refused\. \(HTTP 403\) Tried again/);
  expect(row.getByRole('link', { name: '2' }).getAttribute('href')).toBe(
    '/channels/3?tab=deliveries&state=queued',
  );
  expect(row.getByRole('link', { name: '1' }).getAttribute('href')).toBe(
    '/channels/3?tab=deliveries&state=dead',
  );
});

it('asks nothing for those who may not know it, and tells them why', async () => {
  const { sent } = await startApi({ ...ANSWERS, getUserInfo: READER });
  show(<ChannelsPage />);
  await screen.findByText(/is for those with the permission/);
  await screen.findByText('On call');
  expect(screen.queryByRole('link', { name: 'On call' })).toBeNull();
  expect(sent.map(({ operation }) => operation)).not.toContain('summarizeChannels');
});

it('sends again what was given up, and says why where that cannot be', async () => {
  const api = await startApi({
    ...ANSWERS,
    resendNotification: new Refusal(409, 'The notification is being sent now.'),
  });
  const { user } = show(<ChannelPage />, { at: '/channels/3?tab=deliveries', path: '/channels/:id' });
  await user.click(await screen.findByRole('button', { name: `Send again: ${DEAD.title}` }));
  await screen.findByText('The notification is being sent now.');
  expect(api.sent.find(({ operation }) => operation === 'resendNotification')?.path).toBe(
    '/api/v1/notifications/7/resend',
  );
  await user.click(screen.getByText('1 attempt'));
  screen.getByText(/^Failed, /);
});

it('keeps what was typed when the server refuses it, at the field it names, and while deliveries are looked at', async () => {
  const api = await startApi({
    ...ANSWERS,
    updateNotificationChannel: new Refusal(400, 'webhook_url must be an http:// or https:// address.'),
  });
  const { user } = show(<ChannelPage />, { at: '/channels/3', path: '/channels/:id' });
  const secret = await screen.findByLabelText(/^Webhook URL/);
  expect(secret.getAttribute('type')).toBe('password');
  await user.type(secret, 'ftp://a');
  await user.type(screen.getByLabelText('Description'), 'Who sells');
  await user.click(screen.getByRole('button', { name: 'Save changes' }));
  await screen.findByText('Webhook URL must be an http:// or https:// address.');
  expect(api.sent.find(({ operation }) => operation === 'updateNotificationChannel')?.body).toEqual({
    description: 'Who sells',
    webhook_url: 'ftp://a',
  });
  await user.click(screen.getByRole('link', { name: /Deliveries/ }));
  await screen.findByText(DEAD.title);
  await user.click(screen.getByRole('link', { name: 'Settings' }));
  expect(screen.getByLabelText<HTMLInputElement>('Description').value).toBe('Who sells');
  const refused = screen.getByLabelText<HTMLInputElement>(/^Webhook URL/);
  expect(refused.value).toBe('ftp://a');
  screen.getByText('Webhook URL must be an http:// or https:// address.');
  await user.clear(refused);
  await user.type(refused, 'https://a.example');
  expect(screen.queryByText('Webhook URL must be an http:// or https:// address.')).toBeNull();
});

it('shows the answer of the other side as text alone', async () => {
  await startApi({
    ...ANSWERS,
    tryNotificationChannel: {
      delivered: false,
      words: 'The other side has a fault of its own. (HTTP 500)',
      took_ms: 12,
      answer: { status: 500, text: '<img src=x onerror=alert(1)>', is_cut: true },
    },
  });
  const { user, container } = show(<ChannelPage />, { at: '/channels/3', path: '/channels/:id' });
  await user.click(await screen.findByRole('button', { name: 'Send a test' }));
  await screen.findByText('<img src=x onerror=alert(1)>');
  screen.getByText('Its answer, HTTP 500, the beginning');
  screen.getByText('Not delivered in 12 ms');
  expect(container.querySelector('img')).toBeNull();
});

it('says where PagerDuty sends acknowledgements, and takes the secret that it signs them with', async () => {
  const type: ChannelType = {
    ...SLACK,
    channel_type: 'pagerduty',
    display_name: 'PagerDuty',
    members: [
      { name: 'api_key', kind: 'text', required: true, is_secret: true },
      { name: 'signing_secret', kind: 'text', required: false, is_secret: true },
    ],
  };
  const channel: Channel = { ...CHANNEL, channel_type: 'pagerduty', api_key_set: true };
  const api = await startApi({
    ...ANSWERS,
    getNotificationChannel: channel,
    listChannelTypes: [type],
    updateNotificationChannel: () => {
      api.answer({ getNotificationChannel: { ...channel, signing_secret_set: true } });
      return { ...channel, signing_secret_set: true };
    },
  });
  const { user } = show(<ChannelPage />, { at: '/channels/3', path: '/channels/:id' });
  await screen.findByText('Not set up');
  screen.getByText(`${window.location.origin}/api/v1/notification-channels/3/pagerduty`);
  const secret = screen.getByLabelText(/^Webhook signing secret/);
  expect(secret.getAttribute('type')).toBe('password');
  await user.type(secret, 'from-pagerduty-1234');
  await user.click(screen.getByRole('button', { name: 'Save changes' }));
  await screen.findByText('They come back here');
  screen.getByText('Stored. Left empty it stays as it is.');
  expect(api.sent.find(({ operation }) => operation === 'updateNotificationChannel')?.body).toEqual({
    signing_secret: 'from-pagerduty-1234',
  });
});

it('leads back to the list once a channel is deleted', async () => {
  const api = await startApi({
    ...ANSWERS,
    deleteNotificationChannel: () => {
      api.answer({ getNotificationChannel: new Refusal(404, 'There is no such channel.') });
      return { status: 'deleted' };
    },
  });
  const { user, router } = show(<ChannelPage />, { at: '/channels/3', path: '/channels/:id' });
  await user.click(await screen.findByRole('button', { name: 'Delete…' }));
  await user.click(await screen.findByRole('button', { name: 'Delete the channel' }));
  await expect.poll(() => router.state.location.pathname).toBe('/channels');
});

it('goes on with what was saved, also while the channel has not been read again', async () => {
  // What is read stays as it was before.
  await startApi({ ...ANSWERS, updateNotificationChannel: { ...CHANNEL, description: 'Who sells' } });
  const { user } = show(<ChannelPage />, { at: '/channels/3', path: '/channels/:id' });
  await user.type(await screen.findByLabelText(/^Description/), 'Who sells');
  await user.click(screen.getByRole('button', { name: 'Save changes' }));
  await screen.findByText(/^Saved\./);
  expect(screen.getByLabelText(/^Description/)).toHaveProperty('value', 'Who sells');
});

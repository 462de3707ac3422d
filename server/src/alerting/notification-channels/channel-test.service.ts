// Trying a channel, and showing what it would send. Guards: a test records nothing in the outbox, goes only where the
// channel leads, and tells what went wrong in our own words; what the other side wrote is in the reply to whoever asked for
// it and nowhere else.
import { randomUUID } from 'node:crypto';
import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { type AlertFacts, type Message, SAMPLE_ALERT, sampleAlerts } from '../channels/alert-facts.ts';
import type { SendOptions } from '../channels/sender.ts';
import { DeliveryError, type Recipient } from '../channels/types.ts';
import { channelNamed } from './channel-config.ts';
import { checkEmailAddress, checkTemplate, refuse } from './channel-input.ts';
import { openChannel } from './channel-secrets.ts';
import type {
  previewChannelTemplate as preview,
  tryNotificationChannel as trial,
} from './notification-channels.contract.ts';
import type { ChannelRow } from './notification-channels.queries.ts';
import { type ChannelsDeps, demandChannel, noteChannel } from './notification-channels.service.ts';

const TEST_MS = 15_000;

function sampleOf(ctx: Ctx, row: ChannelRow, base_url: string | undefined): Message {
  const at = new Date(ctx.clock.now()).toISOString();
  const alert: AlertFacts = {
    ...SAMPLE_ALERT,
    // Of no alert: its link leads to the list.
    alert_id: 0,
    title: `Test: ${SAMPLE_ALERT.title}`,
    description: `${SAMPLE_ALERT.description}\nThis is a test message of the channel "${row.name}". No server has this alert, and there is nothing to do.`,
    triggered_at: at,
  };
  return {
    kind: 'fire',
    key: randomUUID(),
    timestamp: at,
    alerts: [alert],
    ...(row.template_alert_fire !== null && { template: row.template_alert_fire }),
    ...(base_url !== undefined && { base_url }),
  };
}

interface Trial {
  row: ChannelRow;
  recipient: Recipient | undefined;
  hear: SendOptions['hear'];
}

/** Answers what came of it, in our own words. */
async function sendSample(ctx: Ctx, deps: ChannelsDeps, { row, recipient, hear }: Trial): Promise<string> {
  const { sender } = deps;
  const call = await openChannel(ctx.db, deps.vault, row);
  const message = sampleOf(ctx, row, deps.base_url);
  const options = { timeout_ms: TEST_MS, signal: ctx.signal, hear };
  const to = recipient ? [recipient] : call.recipients;
  const words = await sender.send(row.channel_type, { ...call, recipients: to, message }, options);
  if (!channelNamed(row.channel_type).keeps_alerts) return words;
  const [alert] = message.alerts;
  const over: AlertFacts = {
    ...alert,
    status: 'cleared',
    cleared_at: message.timestamp,
    cleared_because: null,
  };
  return sender.send(
    row.channel_type,
    { ...call, message: { ...message, kind: 'clear', alerts: [over] } },
    options,
  );
}

interface TestRequest {
  id: number;
  recipient_email: string | undefined;
  hear?: SendOptions['hear'];
}

/** Why it could not be delivered, or what the other side did with it. Counts towards the user's tests, and is audited. */
async function attempt(
  ctx: Ctx,
  deps: ChannelsDeps,
  { id, recipient_email, hear }: TestRequest,
): Promise<{ words: string; failure?: DeliveryError | Fault }> {
  const row = await demandChannel(ctx, id);
  deps.tests.enforce(`user ${ctx.principal.user_id}`);
  if (recipient_email !== undefined && row.channel_type === 'email')
    checkEmailAddress('recipient_email', recipient_email);
  const recipient = recipient_email === undefined ? undefined : { email_address: recipient_email };
  try {
    const words = await sendSample(ctx, deps, { row, recipient, hear });
    await noteChannel(ctx, row, { action: 'channel.test' });
    return { words };
  } catch (cause) {
    await noteChannel(ctx, row, { action: 'channel.test', outcome: 'failed' });
    if (cause instanceof DeliveryError || cause instanceof Fault)
      return { words: cause.message, failure: cause };
    throw cause;
  }
}

/** 400 with the reason when it cannot be delivered. */
export async function testNotificationChannel(
  ctx: Ctx,
  deps: ChannelsDeps,
  asked: TestRequest,
): Promise<void> {
  const { words, failure } = await attempt(ctx, deps, asked);
  if (failure)
    throw new Fault('bad_request', `The test could not be delivered. ${words}`, { cause: failure });
}

/** A person who gets a message at night opens its alert from it. */
const WITHOUT_LINK = 'Messages have no link to their alert. To add one, set api.public_url.';

/** The same, with what the other side answered. */
export async function tryNotificationChannel(
  ctx: Ctx,
  deps: ChannelsDeps,
  asked: Omit<TestRequest, 'hear'>,
): Promise<Output<typeof trial>> {
  let answer: Output<typeof trial>['answer'] = null;
  const hear = (shown: typeof answer) => {
    answer = shown;
  };
  const start = performance.now();
  const { words, failure } = await attempt(ctx, deps, { ...asked, hear });
  const took_ms = Math.round(performance.now() - start);
  const delivered = failure === undefined;
  const isBare = delivered && deps.base_url === undefined;
  return { delivered, words: isBare ? `${words} ${WITHOUT_LINK}` : words, took_ms, answer };
}

const KINDS = { alert_fire: 'fire', alert_clear: 'clear', reminder: 'reminder' } as const;

/** Of a sample; nothing is sent. */
export function previewChannelTemplate(
  deps: Pick<ChannelsDeps, 'base_url'>,
  input: Input<typeof preview>['body'],
): Output<typeof preview> {
  const channel = channelNamed(input.channel_type);
  const kind = KINDS[input.notification_type ?? 'alert_fire'];
  const [alert = SAMPLE_ALERT] = sampleAlerts(kind);
  const { template } = input;
  if (template !== undefined && channel.template === undefined)
    refuse(`Channels of type ${channel.name} have no templates.`);
  if (template !== undefined) checkTemplate(channel, 'template', template);
  const body = channel.body({
    kind,
    key: 'preview',
    timestamp: alert.cleared_at ?? alert.triggered_at,
    alerts: [alert],
    ...(template !== undefined && { template }),
    ...(deps.base_url !== undefined && { base_url: deps.base_url }),
  });
  return { content_type: channel.template === 'html' ? 'text/html' : 'application/json', body };
}

// What one process that delivers has in hand, and the message that becomes of it. Pure. Guards: a message keeps its key at each
// try, and where one alert fills a message there is no room for another.

import type { Ctx } from '../../identity/identity.ts';
import type { AlertFacts, Message, NotificationKind } from '../channels/alert-facts.ts';
import type { Mail } from '../channels/types.ts';
import type * as queries from './delivery.queries.ts';
import { type ChannelsDeps, channelNamed } from './notification-channels.service.ts';

export type DeliveryCtx = Pick<Ctx, 'db' | 'clock' | 'log' | 'signal'>;

export interface DeliveryDeps extends Pick<ChannelsDeps, 'vault' | 'sender' | 'base_url'> {
  /** 0: each alert alone. */
  group_seconds: number;
  /** From 0 to 1, for the spread of retries. */
  random(): number;
  /** Puts a report together as its owner may see it now. */
  writeReport?: ((ctx: DeliveryCtx, asked: ReportRequest) => Promise<WrittenReport>) | undefined;
}

export interface ReportRequest {
  schedule_id: number;
  /** Which of its times. */
  tick: string;
  key: string;
  base_url: string | undefined;
}

/** The mail, or why there is none to send. */
export type WrittenReport = { mail: Mail; skip?: undefined } | { mail?: undefined; skip: string };

export interface Claimed {
  channel: queries.ClaimedChannel;
  rows: readonly [queries.ClaimedRow, ...queries.ClaimedRow[]];
  /** When it was claimed, by the clock that only grows. */
  since: number;
}

const TEMPLATES = {
  fire: 'template_alert_fire',
  clear: 'template_alert_clear',
  reminder: 'template_reminder',
} as const;

const hasTemplate = (kind: queries.DeliveredKind): kind is keyof typeof TEMPLATES =>
  Object.hasOwn(TEMPLATES, kind);

const templateOf = (channel: queries.ClaimedChannel, kind: NotificationKind): string | undefined =>
  hasTemplate(kind) ? (channel[TEMPLATES[kind]] ?? undefined) : undefined;

export const GROUPED = ['fire', 'clear', 'reminder'] as const;

/** Where one alert fills a message, there is no room for another. */
export function groupedKinds(
  channel: queries.ClaimedChannel,
  { group_seconds }: DeliveryDeps,
): NotificationKind[] {
  if (group_seconds === 0 || !channelNamed(channel.channel_type).groups) return [];
  return GROUPED.filter((kind) => templateOf(channel, kind) === undefined);
}

/** The same at each try, and another when somebody has it sent again. */
export const keyOf = ({ message_id, resends }: queries.ClaimedRow) =>
  resends === 0 ? message_id : `${message_id}-${resends}`;

interface Put {
  kind: NotificationKind;
  timestamp: string;
  base_url: string | undefined;
}

export function messageOf({ channel, rows }: Claimed, { kind, timestamp, base_url }: Put): Message {
  const [first, ...others] = rows;
  const alerts: [AlertFacts, ...AlertFacts[]] = [first.facts, ...others.map(({ facts }) => facts)];
  const template = templateOf(channel, kind);
  return {
    kind,
    key: keyOf(first),
    timestamp,
    alerts,
    ...(template !== undefined && { template }),
    ...(base_url !== undefined && { base_url }),
  };
}

// Everything that leaves by a channel leaves here. Guards: one time limit over a delivery, only addresses that may be
// called, no redirects, and errors in our own words alone. What the other side wrote is shown to whoever tries a channel,
// without any secret, and kept nowhere.
import { rootCertificates } from 'node:tls';
import type { Agent } from 'undici';
import { OutboundError } from '../../kernel/http/outbound-error.ts';
import {
  createAgent,
  createTransport,
  type Delivered,
  type ForeignReply,
} from '../../kernel/http/transport.ts';
import { inertJson } from '../../kernel/inert-text.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import { type ChannelType, channels } from './catalog.gen.ts';
import { deliveryError, tooSlow } from './support/delivery-errors.ts';
import { type Shown, shownAnswer } from './support/shown-answer.ts';
import { sendMail } from './support/smtp.ts';
import { type Channel, DeliveryError, type Mail, type MailCall, type SendCall } from './types.ts';

const MOST_BYTES = 64 * 1024;
const DELIVERY_MS = 10_000;

export interface SenderOptions {
  /** Setting channels.allow_private_networks. */
  allow_private_networks: boolean;
  /** PEM certificates of authorities to trust besides the usual ones. */
  ca?: string | undefined;
  /** 10 s when absent. */
  timeout_ms?: number;
}

export interface SendOptions {
  /** In place of the usual time limit. */
  timeout_ms?: number;
  signal?: AbortSignal | undefined;
  /** For a test that somebody looks at: what the other side answered. */
  hear?: ((answer: Shown) => void) | undefined;
}

export interface Sender extends Part {
  /** Answers what the other side did, in our own words; rejects with a DeliveryError. */
  send(type: ChannelType, call: Omit<SendCall, 'out'>, options?: SendOptions): Promise<string>;
  /** The same of a mail that is ready, by a channel of type email alone. */
  sendMail(type: ChannelType, call: MailCall & { mail: Mail }, options?: SendOptions): Promise<string>;
  /** Calls an address of the settings by POST, with nothing in it; rejects with a DeliveryError. */
  call(url: string): Promise<void>;
}

interface Ears {
  signal: AbortSignal;
  hear: ((heard: ForeignReply) => void) | undefined;
}

export const channelOf = (type: string): Channel<ChannelType> | undefined =>
  channels.find(({ name }) => name === type);

export function createSender(options: SenderOptions): Sender {
  const allow_private = options.allow_private_networks;
  const ca = options.ca === undefined ? undefined : [...rootCertificates, options.ca];
  let opened: Promise<Agent> | undefined;
  const agent = () => {
    opened ??= createAgent({ allow_private, ca });
    return opened;
  };

  async function http(request: Delivered, { signal, hear }: Ears): Promise<string> {
    const max_bytes = MOST_BYTES;
    const transport = createTransport({ agent: await agent(), allow_private, signal, max_bytes, hear });
    try {
      const body = inertJson(request.body);
      return `Delivered. (HTTP ${await transport.deliver({ ...request, body })})`;
    } catch (error) {
      if (signal.aborted) throw tooSlow();
      throw error instanceof OutboundError ? deliveryError(error) : error;
    }
  }

  return {
    name: 'channel-sender',
    async send(type, call, { timeout_ms = options.timeout_ms ?? DELIVERY_MS, signal, hear: show } = {}) {
      const channel = channelOf(type);
      if (!channel) throw new DeliveryError('This program does not know channels of that type.');
      const time = AbortSignal.timeout(timeout_ms);
      const ends = signal ? AbortSignal.any([signal, time]) : time;
      const hear = show && ((heard: ForeignReply) => show(shownAnswer(heard, call)));
      const out: SendCall['out'] = {
        http: (request) => http(request, { signal: ends, hear }),
        mail: (sent, mail) => sendMail(sent, mail, { allow_private, ca, timeout_ms, signal, hear }),
      };
      try {
        return await channel.send({ ...call, out });
      } catch (error) {
        if (error instanceof DeliveryError) throw error;
        throw new DeliveryError('The message could not be put together.', { extent: 'message' });
      }
    },
    async sendMail(type, { mail, ...call }, { timeout_ms = options.timeout_ms ?? DELIVERY_MS, signal } = {}) {
      if (type !== 'email')
        throw new DeliveryError('Reports go by channels of type email.', { extent: 'message' });
      return sendMail(call, mail, { allow_private, ca, timeout_ms, signal });
    },
    async call(url) {
      const signal = AbortSignal.timeout(options.timeout_ms ?? DELIVERY_MS);
      await http({ url, method: 'POST', headers: {}, body: '' }, { signal, hear: undefined });
    },
    async stop() {
      const open = opened;
      opened = undefined;
      await (await open)?.destroy();
    },
  };
}

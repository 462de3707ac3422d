// The one way out for mail. Guards: the address that is called is the one that was judged, the whole conversation has
// one time limit however slowly the other side drips, it reads a bounded number of bytes, and nothing that the mail
// server says enters the program, unless the caller asks to hear it.

import type { ForeignReply } from '../../../kernel/http/transport.ts';
import { inertBlock, inertLine } from '../../../kernel/inert-text.ts';
import { Deadline } from '../../../monitored/deadline.ts';
import { resolveHost } from '../../../monitored/resolve.ts';
import { connectTcp } from '../../../monitored/socket.ts';
import { TargetError } from '../../../monitored/target-error.ts';
import { DeliveryError, type Mail, type MailCall } from '../types.ts';
import { codeWords, tooSlow } from './delivery-errors.ts';
import { mismatch, secured, silentTls, USUAL_PORT } from './smtp-tls.ts';

/** Of one answer, and of all of a conversation. */
const LONGEST_ANSWER = 64 * 1024;
const MOST_BYTES = 1024 * 1024;
const LOOK_MS = 100;

export interface MailRules {
  allow_private: boolean;
  ca: readonly string[] | undefined;
  timeout_ms: number;
  signal?: AbortSignal | undefined;
  hear?: ((heard: ForeignReply) => void) | undefined;
}

const REPLIES: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^421|^4[35]|^45/, 'The mail server asked to try again later.'],
  [/^53[0458]/, 'The mail server refused the user name or the password.'],
  [/^55[0135]/, 'The mail server refused the sender or the recipients.'],
  [/^552/, 'The message is too large for the mail server.'],
  [/^554/, 'The mail server refused the message.'],
];

const CODES: Readonly<Record<string, string>> = {
  EAUTH: 'The mail server refused the user name or the password, or knows no way to sign in.',
  EENVELOPE: 'The mail server refused the sender or the recipients.',
  ETLS: 'TLS with the mail server failed: it offers none, or its certificate is not trusted here.',
  ETIMEDOUT: 'The mail server did not answer in time.',
  EPROTOCOL: 'What answers at that address is no mail server.',
};

const member = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** nodemailer keeps what the socket or the TLS library said beside its own code. */
const causeCode = (error: unknown) => textOf(member(error, 'originalCode')) ?? textOf(member(error, 'code'));

interface Failing {
  call: MailCall;
  isOver: boolean;
}

function mailError(error: unknown, { call, isOver }: Failing): DeliveryError {
  if (error instanceof DeliveryError) return error;
  if (isOver) return tooSlow();
  if (error instanceof TargetError) {
    const words = error.code === 'bad_host' ? error.message : codeWords(error.code);
    return new DeliveryError(words ?? 'The mail server cannot be reached.');
  }
  const code = textOf(member(error, 'code')) ?? '';
  const status = member(error, 'responseCode');
  const disagreement = mismatch(secured(call, undefined), {
    ...{ code, cause: causeCode(error) },
    status: typeof status === 'number' ? status : undefined,
    response: textOf(member(error, 'response')),
  });
  if (disagreement !== undefined) return new DeliveryError(disagreement);
  if (typeof status === 'number' && code !== 'ETLS') {
    const known = REPLIES.find(([pattern]) => pattern.test(String(status)))?.[1];
    const extent = /^55[24]/.test(String(status)) ? 'message' : 'channel';
    const words = known ?? 'The mail server did not accept the message.';
    return new DeliveryError(`${words} (SMTP ${status})`, { extent });
  }
  const words = codeWords(causeCode(error)) ?? CODES[code];
  return new DeliveryError(words ?? 'The connection to the mail server failed.');
}

/** A socket to the judged address. */
async function open(call: MailCall, rules: MailRules, deadline: Deadline) {
  const { smtp_host: host = '', smtp_port: port = USUAL_PORT } = call.config;
  const addresses = await deadline.race(resolveHost({ host, allow_private_networks: rules.allow_private }));
  const { socket } = await connectTcp(addresses, port, deadline);
  return socket;
}

function addressed({ config, recipients }: MailCall) {
  if (config.from_address === undefined) throw new DeliveryError('The channel has no from_address.');
  if (recipients.length === 0) throw new DeliveryError('The channel has no recipient that is enabled.');
  return {
    from: { name: config.from_name ?? '', address: config.from_address },
    to: recipients.map(({ email_address, display_name }) => ({
      name: display_name ?? '',
      address: email_address,
    })),
  };
}

function signIn({ secrets }: MailCall) {
  const user = secrets.smtp_username?.reveal();
  if (user === undefined) return {};
  return { auth: { user, pass: secrets.smtp_password?.reveal() ?? '' } };
}

async function converse(call: MailCall, mail: Mail, { deadline, rules }: Talk): Promise<string> {
  const { createTransport } = await import('nodemailer');
  const people = addressed(call);
  const socket = await open(call, rules, deadline);
  const cutOff = () => socket.destroy();
  const silence = silentTls({
    socket,
    again: () => open(call, rules, deadline),
    within_ms: rules.timeout_ms,
  });
  const watch = setInterval(() => socket.bytesRead > MOST_BYTES && cutOff(), LOOK_MS);
  deadline.signal.addEventListener('abort', cutOff, { once: true });
  try {
    const transport = createTransport({
      ...secured(call, rules.ca),
      ...signIn(call),
      getSocket: (_options: unknown, callback: (error: null, made: object) => void) =>
        callback(null, { connection: socket }),
      maxResponseSize: LONGEST_ANSWER,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const sending = deadline.race(
      transport.sendMail({
        ...people,
        subject: inertLine(mail.subject),
        text: inertBlock(mail.text),
        html: mail.html === undefined ? undefined : inertBlock(mail.html),
        messageId: `<${mail.message_id}>`,
        references: `<${mail.thread_id}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      }),
    );
    const sent = await Promise.race([sending, silence.found]);
    tell(sent.response, rules);
    const refused = sent.rejected.length;
    const taken = people.to.length - refused;
    return refused === 0
      ? `The mail server took the message for ${taken} ${taken === 1 ? 'recipient' : 'recipients'}.`
      : `The mail server took the message for ${taken} of ${people.to.length} recipients.`;
  } finally {
    clearInterval(watch);
    silence.end();
    deadline.signal.removeEventListener('abort', cutOff);
    socket.destroy();
  }
}

/** An answer begins with its status. */
function tell(answer: unknown, { hear }: MailRules): void {
  const text = textOf(answer);
  const status = Number(/^\d{3}/.exec(text ?? '')?.[0] ?? 0);
  if (text !== undefined && status > 0) hear?.({ status, text, is_cut: false });
}

interface Talk {
  deadline: Deadline;
  rules: MailRules;
}

/** Rejects with a DeliveryError. */
export async function sendMail(call: MailCall, mail: Mail, rules: MailRules): Promise<string> {
  const deadline = new Deadline(rules.timeout_ms, rules.signal);
  try {
    return await converse(call, mail, { deadline, rules });
  } catch (error) {
    tell(member(error, 'response'), rules);
    throw mailError(error, { call, isOver: deadline.signal.aborted });
  } finally {
    deadline.end();
  }
}

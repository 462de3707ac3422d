// One call of a provider: a time limit over everything, one more try after a dropped connection or "try again
// later", and an error that says only which of four things happened.
import type { Agent } from 'undici';
import { sleep } from '../../../kernel/clock.ts';
import { OutboundError } from '../../../kernel/http/outbound-error.ts';
import { createTransport, type Transport } from '../../../kernel/http/transport.ts';
import { NotCapable } from './chat-types.ts';

const RETRY_AFTER_MS = 250;
const LONGEST_RETRY_AFTER_MS = 5000;

export interface CallLimits {
  /** For the whole call with its second try, in milliseconds. */
  timeout_ms: number;
  /** Longest answer in bytes. */
  max_bytes: number;
  /** Ends the call from outside. */
  signal?: AbortSignal | undefined;
  /** Told what is about to be sent; throwing keeps it from being sent. */
  outgoing?: ((body: string | null) => void) | undefined;
}

function failureOf(error: unknown, transport: Transport): OutboundError {
  return transport.failure() ?? (error instanceof OutboundError ? error : new OutboundError('failed'));
}

const waitAfter = ({ details }: OutboundError) =>
  Math.min(details.retry_after_ms ?? RETRY_AFTER_MS, LONGEST_RETRY_AFTER_MS);

async function tryTwice<T>(open: () => Transport, signal: AbortSignal, work: ProviderCall<T>): Promise<T> {
  const first = open();
  try {
    return await work(first);
  } catch (error) {
    if (error instanceof NotCapable) throw error;
    const failure = failureOf(error, first);
    if (signal.aborted || !failure.isPassing) throw failure;
    await sleep(waitAfter(failure), signal);
  }
  const second = open();
  try {
    return await work(second);
  } catch (error) {
    throw failureOf(error, second);
  }
}

type ProviderCall<T> = (transport: Transport) => Promise<T>;

/** Runs `work`; rejects with an OutboundError, or with the reason of `limits.signal` when that ended it. */
export async function callProvider<T>(agent: Agent, limits: CallLimits, work: ProviderCall<T>): Promise<T> {
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(), limits.timeout_ms);
  const signal = limits.signal ? AbortSignal.any([limits.signal, time.signal]) : time.signal;
  const { max_bytes, outgoing } = limits;
  const open = () => createTransport({ agent, allow_private: true, signal, max_bytes, outgoing });
  try {
    return await tryTwice(open, signal, work);
  } catch (error) {
    limits.signal?.throwIfAborted();
    throw time.signal.aborted ? new OutboundError('timeout') : error;
  } finally {
    clearTimeout(timer);
  }
}

type Opened<T> = (transport: Transport) => AsyncIterable<T>;

async function* streamTwice<T>(
  open: () => Transport,
  signal: AbortSignal,
  work: Opened<T>,
): AsyncGenerator<T> {
  for (let isFirst = true; ; isFirst = false) {
    const transport = open();
    let isBegun = false;
    try {
      for await (const one of work(transport)) {
        isBegun = true;
        yield one;
      }
      return;
    } catch (error) {
      if (error instanceof NotCapable) throw error;
      const failure = failureOf(error, transport);
      if (isBegun || !isFirst || signal.aborted || !failure.isPassing) throw failure;
      await sleep(waitAfter(failure), signal);
    }
  }
}

/**
 * As callProvider, for what comes piece by piece: the time limit is over the wait for the next piece, the second try is for
 * what failed before the first one, and who stops reading ends the call.
 */
export async function* streamProvider<T>(
  agent: Agent,
  limits: CallLimits,
  work: Opened<T>,
): AsyncGenerator<T, void> {
  const [time, done] = [new AbortController(), new AbortController()];
  const timer = setTimeout(() => time.abort(), limits.timeout_ms);
  const signals = [time.signal, done.signal, ...(limits.signal ? [limits.signal] : [])];
  const signal = AbortSignal.any(signals);
  const { max_bytes, outgoing } = limits;
  const streamed = () => void timer.refresh();
  const open = () => createTransport({ agent, allow_private: true, signal, max_bytes, streamed, outgoing });
  try {
    yield* streamTwice(open, signal, work);
  } catch (error) {
    limits.signal?.throwIfAborted();
    throw time.signal.aborted ? new OutboundError('timeout') : error;
  } finally {
    clearTimeout(timer);
    done.abort();
  }
}

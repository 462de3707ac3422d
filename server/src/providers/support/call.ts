// One call of a provider: a time limit over everything, one more try after a dropped connection or "try again
// later", and an error that says only which of four things happened.
import type { Agent } from 'undici';
import { sleep } from '../../kernel/clock.ts';
import { OutboundError } from '../../kernel/http/outbound-error.ts';
import { createTransport, type Transport } from '../../kernel/http/transport.ts';

const RETRY_AFTER_MS = 250;
const LONGEST_RETRY_AFTER_MS = 5000;

export interface CallLimits {
  /** For the whole call with its second try, in milliseconds. */
  timeout_ms: number;
  /** Longest answer in bytes. */
  max_bytes: number;
  /** Ends the call from outside. */
  signal?: AbortSignal | undefined;
}

function failureOf(error: unknown, transport: Transport): OutboundError {
  return transport.failure() ?? (error instanceof OutboundError ? error : new OutboundError('failed'));
}

async function tryTwice<T>(open: () => Transport, signal: AbortSignal, work: Work<T>): Promise<T> {
  const first = open();
  try {
    return await work(first);
  } catch (error) {
    const failure = failureOf(error, first);
    if (signal.aborted || !failure.isPassing) throw failure;
    const wait = failure.details.retry_after_ms ?? RETRY_AFTER_MS;
    await sleep(Math.min(wait, LONGEST_RETRY_AFTER_MS), signal);
  }
  const second = open();
  try {
    return await work(second);
  } catch (error) {
    throw failureOf(error, second);
  }
}

type Work<T> = (transport: Transport) => Promise<T>;

/** Runs `work`; rejects with an OutboundError, or with the reason of `limits.signal` when that ended it. */
export async function callProvider<T>(agent: Agent, limits: CallLimits, work: Work<T>): Promise<T> {
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(), limits.timeout_ms);
  const signal = limits.signal ? AbortSignal.any([limits.signal, time.signal]) : time.signal;
  const open = () => createTransport({ agent, allow_private: true, signal, max_bytes: limits.max_bytes });
  try {
    return await tryTwice(open, signal, work);
  } catch (error) {
    limits.signal?.throwIfAborted();
    throw time.signal.aborted ? new OutboundError('timeout') : error;
  } finally {
    clearTimeout(timer);
  }
}

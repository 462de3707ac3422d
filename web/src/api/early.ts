// What public/first-paint.js asked for before this code was there. Each reply is taken once; one that is not taken ends after
// ten seconds, and all with the first write, so that none is shown that is old.

interface EarlyReply {
  /** Undefined where it was not asked for after all. */
  reply: Promise<Response | undefined>;
  stop: AbortController;
}

declare global {
  interface Window {
    earlyReplies?: Map<string, EarlyReply>;
  }
}

/** The reply to a GET of this address, where one is on its way. */
export function takeEarly(address: string, signal?: AbortSignal): Promise<Response | undefined> | undefined {
  const replies = globalThis.window?.earlyReplies;
  const early = replies?.get(address);
  if (!early) return undefined;
  replies?.delete(address);
  signal?.addEventListener('abort', () => early.stop.abort());
  return early.reply;
}

/** What is written now would not be in them. */
export function dropEarly(): void {
  const replies = globalThis.window?.earlyReplies;
  for (const { stop } of replies?.values() ?? []) stop.abort();
  replies?.clear();
}

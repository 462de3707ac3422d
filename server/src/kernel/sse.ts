// Server-sent events on the wire (WHATWG HTML, "Server-sent events"): one event is a few lines and an empty one. Guards: data
// is JSON on one line, and neither a name nor an id can begin a line of its own.

export interface ServerEvent<D = unknown> {
  /** What a client listens for; `message` when absent. */
  event?: string;
  /** What a client sends back as Last-Event-ID when it comes again. */
  id?: string;
  data: D;
}

/** A stream: the API asks for the next event when the one before is on its way to the client. */
export type Events<D = unknown> = AsyncIterable<ServerEvent<D>>;

/** A comment, which clients ignore. */
export const KEEPALIVE = ':keepalive\n\n';

const oneLine = (name: string, value: string): string => {
  if (/[\r\n\0]/.test(value)) throw new TypeError(`the ${name} of an event has to be one line`);
  return `${name}: ${value}\n`;
};

/** `text` is the data as JSON, which never holds a line break that is not escaped. */
export function eventText({ event, id }: Omit<ServerEvent, 'data'>, text: string): string {
  const head =
    (id === undefined ? '' : oneLine('id', id)) + (event === undefined ? '' : oneLine('event', event));
  return `${head}${oneLine('data', text)}\n`;
}

// Pages of the web interface that show what an answer says. Pure. Guards: a page of a moment gets a window that ends with it, since an
// instant without a window is of no page.

import { HOUR_MS } from '../../../kernel/units.ts';
import { wire } from './inputs.ts';

interface Span {
  /** Milliseconds since 1970. */
  from: number;
  to: number;
}

const timeOf = ({ from, to }: Span) => `from=${wire(from)}&to=${wire(to)}`;

/** A part of a server's page over a time. */
export const spanPage = (connection_id: number, tab: string, span: Span): string =>
  `/servers/${connection_id}?tab=${tab}&${timeOf(span)}`;

/** A part of a server's page as it was at an instant of RFC 3339, with the hour before. */
export function momentPage(connection_id: number, tab: string, instant: string): string {
  const at = Date.parse(instant);
  return `${spanPage(connection_id, tab, { from: at - HOUR_MS, to: at })}&at=${wire(at)}`;
}

/** What happened over a time, on one server or on all. */
export const timelinePage = (connection_id: number | undefined, span: Span): string =>
  connection_id === undefined ? `/timeline?${timeOf(span)}` : spanPage(connection_id, 'timeline', span);

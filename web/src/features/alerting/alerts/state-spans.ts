// In which state an alert was from when to when. Pure. Guards: from its history where that is known, otherwise from what the
// alert itself says; what is still open lasts until now.
import type { Alert, AlertEvent } from './alert-words.ts';

export interface AlertSpan {
  state: 'active' | 'acknowledged';
  severity: Alert['severity'];
  /** In milliseconds since the epoch. */
  from: number;
  to: number;
}

const ms = (text: string) => Date.parse(text);

/** By what the alert says of itself: an acknowledgement that was taken back is not in it. */
export function spansOf(alert: Alert, now: number): AlertSpan[] {
  const { severity, triggered_at, acknowledged_at, cleared_at } = alert;
  const end = cleared_at === undefined ? Math.max(now, ms(triggered_at)) : ms(cleared_at);
  const taken = acknowledged_at === undefined ? end : Math.min(end, ms(acknowledged_at));
  const active: AlertSpan = { state: 'active', severity, from: ms(triggered_at), to: taken };
  if (taken === end) return [active];
  return [active, { state: 'acknowledged', severity, from: taken, to: end }];
}

/** By its history, whatever the order in which that is told. */
export function spansOfEvents(events: readonly AlertEvent[], now: number): AlertSpan[] {
  const spans: AlertSpan[] = [];
  const ordered = events.toSorted((a, b) => ms(a.occurred_at) - ms(b.occurred_at));
  for (const { event_type, occurred_at, severity } of ordered) {
    const at = ms(occurred_at);
    const last = spans.at(-1);
    if (last && last.to === Number.POSITIVE_INFINITY) last.to = at;
    if (event_type === 'cleared') continue;
    const state =
      event_type === 'acknowledged'
        ? 'acknowledged'
        : event_type === 'severity_changed'
          ? (last?.state ?? 'active')
          : 'active';
    spans.push({ state, severity, from: at, to: Number.POSITIVE_INFINITY });
  }
  return spans.map((span) =>
    span.to === Number.POSITIVE_INFINITY ? { ...span, to: Math.max(now, span.from) } : span,
  );
}

const UNITS = [
  { seconds: 86_400, name: 'd' },
  { seconds: 3600, name: 'h' },
  { seconds: 60, name: 'min' },
] as const;

/** In whole units, of which there are two at least: a second more or less makes no other text. */
function lasting({ from, to }: AlertSpan): string {
  const seconds = Math.round((to - from) / 1000);
  const unit = UNITS.find((one) => Math.round(seconds / one.seconds) >= 2);
  return unit ? `${Math.round(seconds / unit.seconds)} ${unit.name}` : `${seconds} s`;
}

/** "Active for 25 min, acknowledged for 5 min". */
export function spanWords(spans: readonly AlertSpan[]): string {
  const words = spans.map((span) => `${span.state} for ${lasting(span)}`).join(', ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

// A mail as plain text: for readers without HTML, for pagers and for the preview on a phone, which shows its first lines.
import { greatest } from '../../../kernel/lists.ts';
import type { AlertFacts, Message } from '../alert-facts.ts';
import {
  briefOf,
  explanationOf,
  gravestFirst,
  headline,
  linkOf,
  linkOfAll,
  newFacts,
  partTitle,
  sinceText,
} from './message-text.ts';

/** Of one message; some readers cut longer ones. */
export const MOST_LISTED = 25;

function single(alert: AlertFacts, message: Message): string[] {
  const facts = newFacts(alert, message);
  const width = greatest(facts.map(([name]) => name.length)) + 2;
  return [
    explanationOf(alert, message),
    '',
    ...facts.map(([name, value]) => `${`${name}:`.padEnd(width)}${value}`),
  ];
}

function partOf(alert: AlertFacts, message: Message): string[] {
  const link = linkOf(alert, message);
  return [
    `[${alert.severity}] ${partTitle(alert, message)}`,
    briefOf(alert, message),
    `Since ${sinceText(alert, message)}`,
    ...(link === undefined ? [] : [link]),
  ];
}

function several(message: Message): string[] {
  const listed = gravestFirst(message).slice(0, MOST_LISTED);
  const more = message.alerts.length - listed.length;
  return [
    ...listed.flatMap((alert, index) =>
      index > 0 ? ['', ...partOf(alert, message)] : partOf(alert, message),
    ),
    ...(more > 0 ? ['', `and ${more} more`] : []),
  ];
}

export function mailText(message: Message): string {
  const [alert, ...others] = message.alerts;
  const link = linkOfAll(message);
  return [
    headline(message),
    '',
    ...(others.length === 0 ? single(alert, message) : several(message)),
    ...(link === undefined ? [] : ['', `Open in Matriarch: ${link}`]),
    '',
  ].join('\n');
}

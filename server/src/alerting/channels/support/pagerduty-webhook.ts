// What PagerDuty sends by its V3 webhooks: whether it signed it, and what it says of an incident. Pure. Guards: a signature
// is compared in constant time, over the bytes that came; every text is cut and shown on one line, for anybody who works
// with PagerDuty writes it.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { cutText } from '../../../kernel/inert-text.ts';
import type { Secret } from '../../../kernel/secret.ts';
import { oneLine } from './fields.ts';

const SIGNATURE = /^v1=([0-9a-f]{64})$/i;
/** While a secret is replaced there are two; each costs a comparison. */
const MOST_SIGNATURES = 10;
const LONGEST_HEADER = 1000;

/** One of the signatures has to be right. */
export function isSigned(body: Uint8Array, header: string | undefined, secret: Secret): boolean {
  if (header === undefined || header.length > LONGEST_HEADER) return false;
  const right = createHmac('sha256', secret.reveal()).update(body).digest();
  const given = header.split(',').slice(0, MOST_SIGNATURES);
  return given.some((text) => {
    const hex = SIGNATURE.exec(text.trim())?.[1];
    return hex !== undefined && timingSafeEqual(Buffer.from(hex, 'hex'), right);
  });
}

const ACTIONS = {
  'incident.acknowledged': 'acknowledge',
  'incident.unacknowledged': 'unacknowledge',
} as const;

/** Somebody took an incident on, or took that back. */
export interface IncidentEvent {
  id: string;
  action: (typeof ACTIONS)[keyof typeof ACTIONS];
  /** Milliseconds since the epoch. */
  occurred_at: number;
  /** The key that its first alert was sent with. */
  incident_key: string;
  /** Such as `PagerDuty: Ada Lovelace`. */
  actor: string;
  message: string;
}

const LONGEST_ID = 128;
const LONGEST_ACTOR = 100;

const textOf = (value: unknown, most: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= most ? value : undefined;

/** What an integration did is the echo of what was sent to it. */
const isEcho = (agent: unknown): boolean =>
  /(?:integration|service)_reference$/.test(String(Object(agent).type));

function actorOf(agent: unknown): string {
  const { summary } = Object(agent);
  const name = typeof summary === 'string' ? oneLine(cutText(summary, LONGEST_ACTOR)) : '';
  return name === '' ? 'PagerDuty' : `PagerDuty: ${name}`;
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

/** Undefined for whatever else is told, also in words that are not known yet. */
export function readIncident(body: Uint8Array): IncidentEvent | undefined {
  const { event } = Object(parsed(body));
  const { id, event_type, occurred_at, agent, data } = Object(event);
  const { incident_key, number } = Object(data);
  const type = Object.keys(ACTIONS).find((name) => name === event_type);
  const known = {
    id: textOf(id, LONGEST_ID),
    key: textOf(incident_key, LONGEST_ID),
    at: Date.parse(textOf(occurred_at, LONGEST_ID) ?? ''),
  };
  if (type === undefined || known.id === undefined || known.key === undefined || isEcho(agent))
    return undefined;
  if (Number.isNaN(known.at)) return undefined;
  const action = type === 'incident.acknowledged' ? ACTIONS[type] : ACTIONS['incident.unacknowledged'];
  const which = Number.isSafeInteger(number) ? `incident ${number}` : 'an incident';
  return {
    id: known.id,
    action,
    occurred_at: known.at,
    incident_key: known.key,
    actor: actorOf(agent),
    message: `Acknowledged in PagerDuty as ${which}.`,
  };
}
